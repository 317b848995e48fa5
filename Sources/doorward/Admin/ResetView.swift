import DoorwardControl
import DoorwardDomain
import FoundationEssentials

/// How the right to set a new password is handed over.
struct ResetView {
    private let offer: PasswordReset.Offer
    private let url: String
    private let base: String?

    /// - Parameter base: where people reach the gateway; `nil` where nobody said so, and the link is a path alone.
    init(_ offer: PasswordReset.Offer, under base: String?) {
        (self.offer, self.base) = (offer, base)
        url = offer.url(under: base).reveal()
    }

    /// For a person the link, and the call that does without a page; in a pipe the link and its end.
    func lines(_ style: Style) -> [String] {
        let until = "\(offer.expiresAt)"
        guard style.isForPerson else { return ["\(url)\t\(until)"] }
        return [
            "\(offer.user.email.printable) can set a new password, once and until \(style.instant(until)), with this link:",
            "  \(url)",
            base == nil
                ? "It stands under the gateway's address, which gateway.publicUrl does not say. Or, while the gateway runs:"
                : "Or, while the gateway runs:",
            "  curl \(gateway)/api/v1/auth/reset-password -H 'Content-Type: application/json' \\",
            "    --data '{\"token\":\"\(offer.token.reveal())\",\"newPassword\":\"…\"}'",
        ]
    }

    /// Where the gateway is reached, as somebody on this machine would unless it says otherwise.
    private var gateway: String { base.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? "http://127.0.0.1:8080" }

    /// `{"reset": {"url", "token", "expiresAt"}}`, as the API has it.
    var json: [UInt8] {
        let reset = ["url": url, "token": offer.token.reveal(), "expiresAt": "\(offer.expiresAt)"]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(["reset": reset])).map(Array.init) ?? []
    }
}
