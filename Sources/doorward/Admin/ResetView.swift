import DoorwardControl
import DoorwardDomain
import DoorwardHTTP
import FoundationEssentials

/// How the right to set a new password is handed over.
struct ResetView {
    private let offer: PasswordReset.Offer
    private let url: String
    private let base: String?
    /// Where the gateway is reached from this machine.
    private let ownAddress: String

    /// - Parameter configuration: its `gateway.publicUrl` begins the link; without one the link is a path alone.
    init(_ offer: PasswordReset.Offer, _ configuration: GatewayConfiguration) {
        (self.offer, base) = (offer, configuration.gateway.publicURL)
        url = offer.url(under: base).reveal()
        let settings = HTTPSettings(configuration)
        ownAddress = settings.ownAddress(port: settings.port)
    }

    /// What is missing from the link; `nil` where nothing is.
    var remark: String? {
        base == nil
            ? "the link lacks the gateway's address, because gateway.publicUrl is not set; put it before the path" : nil
    }

    /// For a person the link, and the call that does without a page; in a pipe the link and its end.
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

    /// The public address, else the one on this machine.
    private var gateway: String { base.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? ownAddress }

    /// `{"reset": {"url", "token", "expiresAt"}}`, as the API has it.
    var json: [UInt8] {
        let reset = ["url": url, "token": offer.token.reveal(), "expiresAt": "\(offer.expiresAt)"]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(["reset": reset])).map(Array.init) ?? []
    }
}
