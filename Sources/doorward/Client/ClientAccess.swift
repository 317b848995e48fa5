import ArgumentParser
import DoorwardClient
import DoorwardDomain
import FoundationEssentials

// This import is needed because DoorwardDomain has a type `Session`, too.
import struct DoorwardClient.Session

/// Determines which gateway the commands call, and with which sign-in.
struct ClientAccess {
    private let environment: [String: String]
    /// The value of `--as`.
    private let signIn: String?
    /// The value of `--ca-file`.
    private let caFileOption: String?

    init(environment: [String: String] = ProcessInfo.processInfo.environment, signIn: String? = nil, caFile: String? = nil) {
        (self.environment, self.signIn, caFileOption) = (environment, signIn, caFile)
    }

    /// - Parameter words: an incomplete command line, which may contain the options of `ClientOptions`.
    init(environment: [String: String] = ProcessInfo.processInfo.environment, words: [String]) {
        func value(_ option: String) -> String? {
            if let joined = words.last(where: { $0.hasPrefix("\(option)=") }) {
                return String(joined.dropFirst(option.count + 1))
            }
            return words.lastIndex(of: option).flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
        }
        self.init(environment: environment, signIn: value("--as"), caFile: value("--ca-file"))
    }

    /// A variable's value; an empty one counts as absent.
    private func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    // MARK: - Sign-ins

    /// Returns the folder of the sign-ins on this machine.
    ///
    /// - Throws: an error if neither `XDG_CONFIG_HOME` nor `HOME` names a folder.
    func sessions() throws -> SessionFolder {
        // Ignore a path that is not absolute, as the XDG Base Directory Specification requires.
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return SessionFolder("\(folder)/doorward") }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw CommandFailure("there is no folder for the session: set HOME, or DOORWARD_SERVER and DOORWARD_TOKEN")
        }
        return SessionFolder("\(home)/.config/doorward")
    }

    /// Returns the name of the sign-in to use: from `--as`, else from `DOORWARD_AS`.
    func name() throws -> SessionName {
        guard let text = signIn ?? variable("DOORWARD_AS") else { return .default }
        guard let name = SessionName(text) else {
            throw CommandFailure("\(signIn == nil ? "DOORWARD_AS" : "--as") \(Self.wrongName(text))", code: 2)
        }
        return name
    }

    /// Returns the message for a text that is not a valid name, to be printed after the option or variable that contains the
    /// text.
    static func wrongName(_ text: String) -> String {
        "`\(text.printable)` is not a name: use 1 to 64 letters, digits, hyphens, underscores and dots"
    }

    /// Returns the file of the sign-in, whether the file exists or not.
    func sessionFile() throws -> SessionFile { try sessions().file(name()) }

    /// Returns the sign-in and its file; `nil` if there is no sign-in and no name was given.
    ///
    /// - Throws: an error that lists the existing sign-ins if no sign-in has the given name.
    func session() throws -> (file: SessionFile, session: Session)? {
        let file = try sessionFile()
        if let session = try file.read() { return (file, session) }
        guard file.name != .default else { return nil }
        let names = try sessions().names().map(\.description)
        let hint = nearestName(to: file.name.description, among: names).map { "; did you mean `\($0)`?" } ?? ""
        let known = names.isEmpty ? "there are none on this machine" : "there are: \(names.joined(separator: ", "))"
        throw CommandFailure(
            "there is no sign-in `\(file.name)`\(hint)\n  \(known)\n"
                + "  to create it: doorward login --as \(file.name) --server URL --email ADDRESS")
    }

    // MARK: - Clients

    /// The gateway's address from the environment.
    var server: String? { variable("DOORWARD_SERVER") }

    /// The access token or API key from the environment. A sign-in that is named on the command line has precedence over it.
    var token: String? { signIn == nil ? variable("DOORWARD_TOKEN") : nil }

    /// The absolute path of the certificates, from the command line or the environment.
    var caFile: String? {
        (caFileOption ?? variable("DOORWARD_CA_FILE")).map {
            BackupCommand.absolute($0, from: FileManager.default.currentDirectoryPath)
        }
    }

    /// Returns a client with the current credentials. A sign-in named on the command line has precedence over the environment,
    /// and the environment over the stored session. A session's secrets are sent only to its own gateway.
    ///
    /// - Parameter isRenewing: whether an expired session is renewed.
    func client(isRenewing: Bool = true) throws -> DoorwardClient {
        if let token {
            let missing = "DOORWARD_TOKEN is set; set DOORWARD_SERVER to the gateway that the token is for, too"
            guard let server else { throw CommandFailure(missing, code: 2) }
            return try client(server: server, .bearer(token), caFile: caFile)
        }
        guard let (file, session) = try session() else { throw ClientError.notSignedIn(server: server) }
        let credentials: Credentials = isRenewing ? .session(file) : .sessionWithoutRefresh(file)
        let server = signIn == nil ? server ?? session.server : session.server
        return try client(server: server, credentials, caFile: caFile ?? session.caFile)
    }

    /// Returns a client for a new sign-in. The client trusts the CA file given on the command line
    /// or in the environment. If none is given, it trusts the CA file of the stored sign-in with
    /// the same name, provided that this sign-in is for the same server.
    func client(server: String, _ credentials: Credentials) throws -> DoorwardClient {
        try client(server: server, credentials, caFile: caFile(at: server))
    }

    /// Returns the CA file for a new sign-in at a gateway: from the command line, the environment, or the sign-in that the new
    /// one replaces.
    func caFile(at server: String) -> String? {
        if let caFile { return caFile }
        guard let session = try? sessionFile().read(), session.server == (try? ServerAddress(server))?.description else {
            return nil
        }
        return session.caFile
    }

    func client(server: String, _ credentials: Credentials, caFile: String?) throws -> DoorwardClient {
        try DoorwardClient(server: server, credentials: credentials, source: "cli", caFile: caFile)
    }
}

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
        case .refused(let refusal): self.init(refusal.sentence(style))
        }
    }
}

extension APIError {
    /// The message about the refused request: the gateway's sentence, followed by the known details of the reason.
    ///
    /// - Parameters:
    ///   - style: the style of standard error.
    ///   - option: maps a field to its command-line option; if it returns `nil`, the message contains the field's own name.
    func sentence(_ style: OutputStyle, option: (String) -> FieldOption? = { _ in nil }) -> String {
        // Without its reference to `details`: the lines below the sentence name the fields.
        let sentence = message.printable.replacing(#/; see details[A-Za-z.]*(?=\.)/#, with: "")
        let fieldLines = fields.map { DisplayText.problem($0.problem, of: option($0.field) ?? FieldOption($0.field)) }
        let request = requestID.map { "request \($0.printable)" }
        let details = (denialLines(style) + fieldLines + commandLines + [request]).compactMap(\.self)
        return ([sentence] + details.map { "  " + $0 }).joined(separator: "\n")
    }

    private func denialLines(_ style: OutputStyle) -> [String?] {
        guard let denial else { return [] }
        let missing = denial.missing
        return [
            denial.opensAt.map { "opens \(style.zonedInstant($0))" },
            denial.closesAt.map { "\(denial.reason == "guest_window_ended" ? "ended" : "ends") \(style.zonedInstant($0))" },
            missing?.role.map {
                $0 == .superAdmin ? "only a super admin may" : "needs the role \(DisplayText.word($0)) or a higher one"
            },
            missing?.operation.map { "needs the operation \(DisplayText.word($0))" },
            missing?.capability.map { "the lock has no \(DisplayText.word($0))" },
            missing?.module.map { "needs \($0.rawValue.printable) in the subscription" },
            denial.rule?.role.map { "your role there: \(DisplayText.word($0))" },
        ]
    }

    private var commandLines: [String?] {
        guard let command else { return [] }
        let sent = command.sent.map { $0 ? "the command was sent to the lock" : "nothing was sent to the lock" }
        return [
            "command \(command.id.printable)\(command.outcomeDetail.map { ": \(DisplayText.word($0))" } ?? "")",
            sent ?? "it is not known whether the command was sent to the lock",
        ]
    }
}

/// The command-line option that sets a field of a request, for messages about the field.
struct FieldOption: Equatable, Sendable, ExpressibleByStringLiteral {
    /// An option such as `--until`, or a noun for a positional argument.
    let name: String
    /// The typed value; `nil` if it is not a single text.
    var value: String?
    /// The allowed values or keys of the field; empty if they are not known here.
    var candidates: [String] = []

    init(_ name: String, value: String? = nil, candidates: [String] = []) {
        (self.name, self.value, self.candidates) = (name, value, candidates)
    }

    init(stringLiteral name: String) { self.init(name) }
}

/// Runs `body`, and names rejected fields of its request by their command-line options.
///
/// - Parameters:
///   - options: the options by the names of the fields; a field stands also for the fields that it contains.
///   - explain: the sentence about a refusal that the command words itself; `nil` for any other refusal.
func namingOptions<Result>(
    _ options: [String: FieldOption] = [:], explain: (APIError) -> String? = { _ in nil }, _ body: () async throws -> Result
) async throws -> Result {
    try await namingOptions({ options[$0] ?? options[String($0.prefix { $0 != "." && $0 != "[" })] }, explain: explain, body)
}

/// Runs `body`, and names rejected fields of its request by their command-line options.
///
/// - Parameters:
///   - option: maps a field to its option; `nil` for a field without one.
///   - explain: the sentence about a refusal that the command words itself; `nil` for any other refusal.
/// - Throws: a `CommandFailure` for a request with wrong fields, and for a refusal with a sentence; every other error unchanged.
func namingOptions<Result>(
    _ option: (String) -> FieldOption?, explain: (APIError) async -> String? = { _ in nil }, _ body: () async throws -> Result
) async throws -> Result {
    do {
        return try await body()
    } catch ClientError.refused(let refusal) {
        if let sentence = await explain(refusal) { throw CommandFailure(sentence) }
        throw refusal.fields.isEmpty ? ClientError.refused(refusal) : CommandFailure(refusal.sentence(.error, option: option))
    }
}

/// The options of every command that calls a gateway: the sign-in, and the trusted certificates.
struct ClientOptions: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("The sign-in to use, by its name. (default: DOORWARD_AS, else `default`)", valueName: "name"),
        completion: .signInName)
    var signIn: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file with the certificates to trust, in place of the system's. (default: DOORWARD_CA_FILE, else the sign-in's)",
            valueName: "file"), completion: .file(extensions: ["pem", "crt", "cer"]))
    var caFile: String?

    func validate() throws {
        if let signIn, SessionName(signIn) == nil { throw ValidationError("--as \(ClientAccess.wrongName(signIn))") }
    }

    /// The gateway and the sign-in according to these options and the environment.
    var access: ClientAccess { ClientAccess(signIn: signIn, caFile: caFile) }

    /// Returns a client for the sign-in.
    func client() throws -> DoorwardClient { try access.client() }
}

/// The option for the output format of a command.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON document, for programs.")
    var json = false

    /// Prints the gateway's own JSON, or text lines.
    func print(json bytes: [UInt8], lines: (OutputStyle) -> [String]) {
        let lines = json ? [String(decoding: bytes, as: UTF8.self)] : lines(.output)
        if !lines.isEmpty { StandardStream.output.line(lines.joined(separator: "\n")) }
    }
}

/// The options of every command that calls a gateway and prints its answer.
struct AnswerOptions: ParsableArguments {
    @OptionGroup private var format: OutputOptions
    @OptionGroup var gateway: ClientOptions

    var json: Bool { format.json }

    /// Returns a client for the sign-in.
    func client() throws -> DoorwardClient { try gateway.client() }

    /// Prints the gateway's own JSON, or text lines.
    func print(json bytes: [UInt8], lines: (OutputStyle) -> [String]) { format.print(json: bytes, lines: lines) }

    /// Prints the gateway's own JSON, or a sentence on a terminal, or values in a pipe.
    func print(json bytes: [UInt8], sentence: String, values: String...) {
        print(json: bytes) { [$0.isInteractive ? sentence : values.map(\.printable).joined(separator: "\t")] }
    }

    /// Prints sentences to standard error if a program reads standard output, as a person may see them there.
    func warn(_ sentences: [String]) {
        guard !json, !OutputStyle.output.isInteractive else { return }
        for sentence in sentences { StandardStream.error.line("doorward: \(sentence)") }
    }

    /// Prints a created object: a sentence on a terminal; the name and the id in a pipe.
    func printCreated(_ json: [UInt8], _ noun: String, name: String, id: String) {
        print(json: json, sentence: "Created \(noun) \(name.printable), id \(id.printable).", values: name, id)
    }

    /// Prints a renamed object: a sentence on a terminal; the new name and the id in a pipe.
    func printRenamed(_ json: [UInt8], _ oldName: String, to name: String, id: String) {
        print(json: json, sentence: "Renamed \(oldName.printable) to \(name.printable).", values: name, id)
    }
}

/// The option for tables on a terminal.
struct TableOptions: ParsableArguments {
    @Flag(help: "On a terminal, show ids and long texts in full, even if the table is wider than the window.")
    var wide = false

    /// Returns the style for a table. With `--wide` the table has no maximum width.
    func style(_ style: OutputStyle) -> OutputStyle {
        var style = style
        if wide { style.columns = nil }
        return style
    }
}

/// The JSON documents of commands: keys are sorted, and slashes are not escaped.
enum JSONOutput {
    static func document(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { Array($0) } ?? []
    }
}

extension JSONValue {
    /// A number of records or the like.
    static func count(_ number: UInt64) -> JSONValue { .integer(Int64(clamping: number)) }
}
