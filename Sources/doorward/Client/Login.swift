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
        if let email {
            try await signIn(at: server, as: email, access, keeping: file)
        } else {
            try await useKey(at: server, access, keeping: file)
        }
    }

    private func signIn(
        at server: String, as email: String, _ access: ClientAccess, keeping file: SessionFile
    ) async throws {
        let client = try access.client(server: server, .none)
        let password = try PasswordPrompt.password(of: email, fromStandardInput: passwordStdin)
        let wrong = "the email address or the password is wrong; nothing was kept"
        let signedIn = try await namingOptions(explain: { $0.status == 401 ? wrong : nil }) {
            try await client.signIn(email: email, password: password.reveal())
        }
        let sentence = "signed in at \(client.server) as \((signedIn.user.fullName ?? email).printable)"
        try await keep(signedIn.session, access, in: file, sentence)
    }

    private func useKey(at server: String, _ access: ClientAccess, keeping file: SessionFile) async throws {
        // Check the address before the secret is read.
        _ = try access.client(server: server, .none)
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
    private func keep(
        _ session: Session, _ access: ClientAccess, in file: SessionFile, _ sentence: String
    ) async throws {
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
            try await access.client(server: session.server, .session(file)).signOut()
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
