import DoorwardAPI
import DoorwardClient

extension CommandFailure {
    /// Converts a failed call to a message for the user of the command.
    ///
    /// - Parameter style: the style of standard error, where the message is printed.
    init(_ error: ClientError, style: OutputStyle = .error) {
        switch error {
        case .noConnection(let server, let why): self.init("no connection to \(server): \(why)", code: 3)
        case .tlsFailed(let server, let why):
            self.init(
                "no connection to \(server): \(why)\n"
                    + "  if it is the gateway's own, give the PEM file of its certificate authority: --ca-file FILE", code: 3)
        case .noResponse(let server, let why):
            self.init("no answer from \(server): \(why); whether anything was done is not known", code: 3)
        case .notAGateway(let server): self.init("the server at \(server) is not a gateway that this version understands")
        case .notSignedIn(let server):
            self.init("not signed in\(server.map { " at \($0)" } ?? ""); run `doorward login --server URL --email ADDRESS`")
        case .sessionExpired(let server, let email, let name):
            let signIn = "doorward login\(name == .default ? "" : " --as \(name)") --server \(server)"
            self.init(
                email.map { "The session has expired; sign in again: \(signIn) --email \($0.shellQuoted)" }
                    ?? "The API key is no longer valid; sign in again: \(signIn) --api-key-stdin")
        case .badAddress(let text, let why): self.init("`\(text.printable)` is not the address of a gateway: \(why)", code: 2)
        case .sessionFile(let path, let why): self.init("\(path): \(why)")
        case .authorityFile(let path, let why): self.init("the certificate file \(path.printable) cannot be used: \(why)")
        case .refused(let refusal): self.init(RefusalWords(refusal, style: style).text)
        }
    }
}

/// The message about a refused request: the gateway's sentence, followed by the known details of the reason.
struct RefusalWords {
    private let refusal: APIError
    private let style: OutputStyle
    private let fieldLines: [String]

    /// - Parameter option: maps a field to its command-line option; if it returns `nil`, the
    ///   message contains the field's own name.
    init(_ refusal: APIError, style: OutputStyle, option: (String) -> FieldOption? = { _ in nil }) {
        (self.refusal, self.style) = (refusal, style)
        fieldLines = refusal.fields.map { DisplayText.problem($0.problem, of: option($0.field) ?? FieldOption($0.field)) }
    }

    var text: String { ([sentence] + (reasons + [request]).compactMap(\.self).map { "  " + $0 }).joined(separator: "\n") }

    /// The gateway's sentence without its reference to `details`: the lines below the sentence name the fields.
    private var sentence: String {
        refusal.message.printable.replacing(#/; see details[A-Za-z.]*(?=\.)/#, with: "")
    }

    private var request: String? { refusal.requestID.map { "request \($0.printable)" } }

    private var reasons: [String?] {
        denialLines + fieldLines + commandLines
    }

    private var denialLines: [String?] {
        guard let denial = refusal.denial else { return [] }
        return [
            denial.opensAt.map { "opens \(style.zonedInstant($0))" },
            denial.closesAt.map { "\(denial.reason == "guest_window_ended" ? "ended" : "ends") \(style.zonedInstant($0))" },
            denial.missing?.role.map {
                $0 == "SUPER_ADMIN" ? "only a super admin may" : "needs the role \(DisplayText.role($0)) or a higher one"
            },
            denial.missing?.operation.map { "needs the operation \(DisplayText.word($0))" },
            denial.missing?.capability.map { "the lock has no \(DisplayText.word($0))" },
            denial.missing?.module.map { "needs \($0.printable) in the subscription" },
            denial.rule?.role.map { "your role there: \(DisplayText.role($0))" },
        ]
    }

    private var commandLines: [String?] {
        guard let command = refusal.command else { return [] }
        let sent = command.sent.map { $0 ? "the command was sent to the lock" : "nothing was sent to the lock" }
        return [
            "command \(command.id.printable)\(command.outcomeDetail.map { ": \(DisplayText.word($0))" } ?? "")",
            sent ?? "it is not known whether the command was sent to the lock",
        ]
    }
}
