import DoorwardControl
import DoorwardDomain
import DoorwardHTTP
import FoundationEssentials

/// Prints the offer of a password reset: the link, or the request that does the same.
struct ResetView {
    private let offer: PasswordReset.Offer
    private let url: String
    private let base: String?
    /// The gateway's address on this machine.
    private let ownAddress: String

    /// - Parameter configuration: its `gateway.publicUrl` is the beginning of the link; without it the link is only a path.
    init(_ offer: PasswordReset.Offer, _ configuration: GatewayConfiguration) {
        (self.offer, base) = (offer, configuration.gateway.publicURL)
        url = offer.url(under: base).reveal()
        let settings = HTTPSettings(configuration)
        ownAddress = settings.ownAddress(port: settings.port)
    }

    /// A text about the part that is missing from the link; `nil` if the link is complete.
    var remark: String? {
        base == nil
            ? "the link lacks the gateway's address, because gateway.publicUrl is not set; put it before the path" : nil
    }

    /// Returns the lines to print: on a terminal the link, and the request that sets the password without the web page; in a pipe
    /// the link and its expiry.
    func lines(_ style: OutputStyle) -> [String] {
        let until = "\(offer.expiresAt)"
        guard style.isInteractive else { return ["\(url)\t\(until)"] }
        return [
            "\(offer.user.email.printable) can set a new password, once and until \(style.instant(until)), with this link:",
            "  \(url)",
        ] + (remark.map { ["  \($0)"] } ?? []) + [
            "Or, while the gateway runs:",
            "  curl \(gateway)/api/v1/auth/reset-password -H 'Content-Type: application/json' \\",
            "    --data '{\"token\":\"\(offer.token.reveal())\",\"newPassword\":\"…\"}'",
        ]
    }

    /// The gateway's public address if it has one, else its address on this machine.
    private var gateway: String { base.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? ownAddress }

    /// `{"reset": {"url", "token", "expiresAt"}}`, as in the API.
    var json: [UInt8] {
        let reset = ["url": url, "token": offer.token.reveal(), "expiresAt": "\(offer.expiresAt)"]
        return JSONOutput.document(["reset": reset])
    }
}
