import ArgumentParser
import DoorwardClient
import DoorwardDomain
import FoundationEssentials

// This import is needed because DoorwardDomain has a type `Session`, too.
import struct DoorwardClient.Session

/// `doorward login`: signs in at a gateway and stores the session.
struct Login: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sign in at a gateway.",
        discussion: """
            Keeps the session in $XDG_CONFIG_HOME/doorward/ (else ~/.config/doorward/), readable by you alone; the other \
            commands use it, until `doorward logout`. In scripts, the variables DOORWARD_SERVER and \
            DOORWARD_TOKEN (an access token or API key) take its place.

            Several sign-ins can be kept at the same time: --as NAME, or the variable DOORWARD_AS, says which one a command makes or \
            uses, and `doorward whoami --all` lists them. `default` is the one without a name. The option --as takes precedence over \
            DOORWARD_TOKEN, and DOORWARD_TOKEN over DOORWARD_AS.

            Passwords and tokens are sent over https only, or over plain http to this same machine. --ca-file is for a gateway \
            whose certificate no public authority has signed; its path is kept with the session.

            Example: doorward login --server https://doors.example --email you@example.org
            """)

    @Option(help: ArgumentHelp("The gateway's address. (default: DOORWARD_SERVER)", valueName: "url"))
    var server: String?

    @Option(help: ArgumentHelp("The address that you sign in with.", valueName: "address"), transform: { $0.trimmed })
    var email: String?

    @Flag(help: "Read the password from the first line of standard input instead of asking for it.")
    var passwordStdin = false

    @Flag(help: "Read an API key, for machines, from the first line of standard input; no email address is needed.")
    var apiKeyStdin = false

    @OptionGroup var gateway: ClientOptions

    func validate() throws {
        if apiKeyStdin {
            guard email == nil, !passwordStdin else {
                throw ValidationError("An API key is used without an email address: leave out --email and --password-stdin.")
            }
        } else if email == nil {
            throw ValidationError("Missing expected argument '--email <address>'")
        }
    }

    func run() async throws {
        let access = gateway.access
        guard let server = server ?? access.server else {
            throw CommandFailure("no gateway given; use --server URL or DOORWARD_SERVER", code: 2)
        }
        let file = try access.sessionFile()
        // Check the address before the secret is read.
        let client = try access.client(server: server, .none)
        guard let email else { return try await useKey(at: server, access, keeping: file) }
        let password = try PasswordPrompt.password(of: email, fromStandardInput: passwordStdin)
        let wrong = "the email address or the password is wrong; nothing was kept"
        let signedIn = try await namingOptions(explain: { $0.status == 401 ? wrong : nil }) {
            try await client.signIn(email: email, password: password.reveal())
        }
        let sentence = "signed in at \(client.server) as \((signedIn.user.fullName ?? email).printable)"
        try await keep(signedIn.session, access, in: file, sentence)
    }

    private func useKey(at server: String, _ access: ClientAccess, keeping file: SessionFile) async throws {
        let key = try PasswordPrompt.firstLine("API key").reveal()
        guard !key.isEmpty, key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw CommandFailure("this is not an API key")
        }
        let client = try access.client(server: server, .bearer(key))
        let wrong = "the gateway does not accept this API key; nothing was kept"
        _ = try await namingOptions(explain: { $0.status == 401 ? wrong : nil }) { try await client.devices.first() }
        let session = Session(server: client.server, apiKey: key)
        try await keep(session, access, in: file, "signed in at \(client.server) with an API key")
    }

    /// Stores the session together with the CA file with which it was created, and prints the sentence.
    private func keep(_ session: Session, _ access: ClientAccess, in file: SessionFile, _ sentence: String) async throws {
        var session = session
        session.caFile = access.caFile(at: session.server)
        let kept = session
        try await file.locked { try file.write(kept) }
        StandardStream.output.line(file.name == .default ? sentence : "\(sentence); use it with --as \(file.name)")
    }
}

/// `doorward logout`: ends the session at the gateway and deletes it here.
struct Logout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sign out, and forget the session.",
        discussion: """
            An API key is deleted from this machine only; the gateway still accepts it. With --as only that sign-in ends.

            Example: doorward logout
            """)

    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let access = gateway.access
        guard let (file, session) = try access.session() else {
            StandardStream.output.line("not signed in")
            return
        }
        let ending = await Self.end(session, access, file)
        try await file.locked { try file.remove() }
        StandardStream.output.line("signed out: \(session.description.printable)")
        if let ending { throw ending }
    }

    /// Ends the session at the gateway, unless it is an API key. A failure is returned and not thrown, so that the session file
    /// is deleted before the failure is reported.
    private static func end(_ session: Session, _ access: ClientAccess, _ file: SessionFile) async -> CommandFailure? {
        guard session.refreshToken != nil else { return nil }
        do {
            try await access.client(server: session.server, .session(file), caFile: access.caFile ?? session.caFile).signOut()
            return nil
        } catch ClientError.notSignedIn, ClientError.sessionExpired {
            return nil
        } catch {
            let failure = Exit(of: error)
            return CommandFailure("the session could not be ended at the gateway: \(failure.message)", code: failure.code)
        }
    }
}

extension Timestamp {
    /// The expiry of an access token, from its unverified claims: only the gateway can verify the token.
    ///
    /// - Returns: `nil` for a text that is not a JSON Web Token (RFC 7519) with an expiry, such as an API key.
    init?(expiryOf token: String) {
        struct Claims: Decodable { let exp: Int64 }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1].utf8),
            let claims = try? JSONDecoder().decode(Claims.self, from: Data(payload)),
            // The years 1970 to 9999.
            (0...253_402_300_799).contains(claims.exp)
        else { return nil }
        self.init(milliseconds: claims.exp * 1000)
    }
}

/// `doorward session`: shows and ends one's own sessions.
struct SessionGroup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Show and end your own sessions at the gateway.",
        discussion: "Each sign-in, on any machine, is a session. `doorward whoami --all` lists the sign-ins on this machine.",
        subcommands: [SessionList.self, SessionEnd.self])
}

/// `doorward session list`: lists the caller's sessions.
struct SessionList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List your sessions.", discussion: "Example: doorward session list")

    @OptionGroup var table: TableOptions
    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let sessions = try await output.client().sessions()
        output.print(json: sessions.json) { Self.lines(sessions.content, table.style($0)) }
    }

    static func lines(_ sessions: [Doorward.OwnSession], _ style: OutputStyle) -> [String] {
        Table(
            sessions,
            [
                Column("SIGNED IN") { Table.Cell(style.instant($0.createdAt)) },
                Column("EXPIRES") { Table.Cell(style.instant($0.expiresAt)) },
                Column("THIS ONE") { Table.Cell($0.isCurrent ? "yes" : "no", $0.isCurrent ? .green : nil) },
                Column("ID", .id) { Table.Cell($0.id, .dim) },
            ]
        ).lines(style, empty: "You have no sessions.")
    }
}

/// `doorward session end`: ends one of the caller's sessions.
struct SessionEnd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "End one of your sessions.",
        discussion: """
            After exit code 0 the gateway no longer accepts the session's tokens. `doorward logout` ends the session of this \
            machine, and forgets it here.

            Example: doorward session end 0199a3c0
            """)

    @Argument(help: ArgumentHelp("The session: an id, or its beginning.", valueName: "session"))
    var session: String

    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let sessions = try await client.sessions().content
        let found = try NameMatch.one(
            session, of: sessions.map { NameMatch(id: $0.id, name: $0.id, place: "since \($0.createdAt)") }, noun: "session",
            listing: "`doorward session list` lists your sessions.")
        try await client.endSession(found.id)
        StandardStream.tell("Ended session \(found.id.printable).", values: found.id, "ended")
    }
}

/// `doorward whoami`: shows the current sign-in, or all of them.
struct Whoami: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show who is signed in, and where.",
        discussion: """
            Asks the gateway who is signed in: with the sign-in of --as NAME, else with the token in the environment, else with the \
            default sign-in. --json prints the gateway's own response.

            --all lists the sign-ins on this machine, without a request to a gateway.

            Example: doorward whoami --as work
            """)

    @Flag(help: "List all sign-ins on this machine; no request is sent.")
    var all = false

    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let access = output.gateway.access
        if all {
            let list = try SignInList(access)
            return output.print(json: list.json) { list.lines($0) }
        }
        let client = try access.client()
        let answer = try await user(client, access)
        if output.json, let answer { return output.print(json: answer.json) { _ in [] } }
        let (user, credential) = (answer?.content, try Self.credential(access))
        let places = try await NameResolver(client).names(of: user.map { Doorward.User.kinds(shownWith: [$0]) } ?? [])
        output.print(json: []) { Self.lines(user, server: client.server.description, credential, places: places, $0) }
    }

    /// - Returns: `nil` for a valid API key that belongs to no user.
    private func user(_ client: DoorwardClient, _ access: ClientAccess) async throws -> Response<Doorward.User>? {
        do {
            return try await client.users.me()
        } catch ClientError.refused(let refusal) where !output.json && (refusal.status == 403 || refusal.status == 404) {
            if try Self.credential(access).expiresAt == nil { return nil }
            throw ClientError.refused(refusal)
        }
    }

    private static func credential(_ access: ClientAccess) throws -> Credential {
        if let token = access.token { return Credential(token: token) }
        // Read the session again: the request may have renewed it.
        guard let (file, session) = try access.session() else { throw ClientError.notSignedIn(server: access.server) }
        return Credential(file.name, session)
    }

    /// Returns a line for each value, with the value's name first.
    ///
    /// - Parameter user: `nil` for an API key that belongs to no user.
    static func lines(
        _ user: Doorward.User?, server: String, _ credential: Credential, places: [String: String], _ style: OutputStyle
    ) -> [String] {
        let facts: [[Table.Cell]] = [
            ["email", Table.Cell(user?.email)], ["name", Table.Cell(user == nil ? "an API key" : user?.fullName, .bold)],
            ["roles", Table.Cell(user.flatMap { $0.roles(places: places) })], ["server", Table.Cell(server)],
            ["sign-in", Table.Cell(credential.name)], ["session", Table.Cell(credential.validity(style))],
        ]
        return Table("", "", rows: facts).lines(style, withHeadings: false)
    }
}

/// What identifies the caller to the gateway.
struct Credential: Equatable {
    /// The name of the sign-in, or the variable that contains the token.
    let name: String
    /// When the access token expires; `nil` for an API key.
    let expiresAt: Timestamp?
    /// Whether the client renews the access token.
    private let isRenewed: Bool

    init(_ name: SessionName, _ session: Session) {
        (self.name, isRenewed) = (name.description, true)
        expiresAt = session.expiresAt.map { Timestamp(milliseconds: $0 * 1000) }
    }

    init(token: String) { (name, expiresAt, isRenewed) = ("DOORWARD_TOKEN", Timestamp(expiryOf: token), false) }

    /// Returns the expiry of the access token, if it is known. The API does not return the end of a session.
    func validity(_ style: OutputStyle) -> String {
        guard let time = expiresAt.map({ style.instant(Doorward.Instant($0)) }) else { return "an API key" }
        return isRenewed ? "token until \(time), renewed by itself" : "until \(time), not renewed"
    }
}

/// The sign-ins on this machine, as `doorward whoami --all` shows them.
struct SignInList {
    private let entries: [Entry]

    /// One sign-in, or the problem of its file.
    private struct Entry {
        let name: SessionName
        let session: Session?
        let problem: String?
        let isCurrent: Bool
    }

    /// - Throws: an error if there is no folder for sign-ins, or if the name of the current one is invalid.
    init(_ access: ClientAccess) throws {
        let (sessions, current) = (try access.sessions(), try access.name())
        entries = sessions.names().compactMap { name in
            let isCurrent = name == current && access.token == nil
            do throws(ClientError) {
                // Skip a sign-in that was removed meanwhile.
                return try sessions.file(name).read().map { Entry(name: name, session: $0, problem: nil, isCurrent: isCurrent) }
            } catch {
                return Entry(name: name, session: nil, problem: CommandFailure(error).sentence, isCurrent: isCurrent)
            }
        }
    }

    func lines(_ style: OutputStyle) -> [String] {
        Table(
            entries,
            [
                Column("NAME", .cut(to: 7)) { Table.Cell($0.name.description, .bold) },
                Column("WHO", .cut(to: 12)) { Table.Cell($0.session.map { $0.email ?? "an API key" }) },
                Column("SERVER", .cut(to: 12)) { Table.Cell($0.session?.server) },
                Column("SESSION", .cut(to: 17)) { entry in
                    entry.session.map { Table.Cell(Credential(entry.name, $0).validity(style)) }
                        ?? Table.Cell(entry.problem, .red)
                },
                Column("IN USE") { Table.Cell($0.isCurrent ? "yes" : "no", $0.isCurrent ? .green : nil) },
            ]
        ).lines(style, empty: "There are no sign-ins on this machine.")
    }

    /// `{"signIns": [{"name", "email", "server", "tokenExpiresAt", "caFile", "isInUse", "problem"}]}`.
    var json: [UInt8] {
        let items = entries.map { entry -> [String: Doorward.JSONValue] in
            let expiresAt = entry.session.flatMap { Credential(entry.name, $0).expiresAt?.description }
            let texts = [
                "name": entry.name.description, "email": entry.session?.email, "server": entry.session?.server,
                "tokenExpiresAt": expiresAt, "caFile": entry.session?.caFile, "problem": entry.problem,
            ]
            return texts.compactMapValues { $0.map { .string($0) } }.merging(["isInUse": .bool(entry.isCurrent)]) { $1 }
        }
        return JSONOutput.document(["signIns": items])
    }
}
