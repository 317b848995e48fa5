import ArgumentParser
import DoorwardAPI
import DoorwardClient
import DoorwardDomain

/// `doorward login`: signs in at a gateway and keeps the session.
struct Login: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sign in at a gateway.",
        discussion: """
            Keeps the session in $XDG_CONFIG_HOME/doorward/ (else ~/.config/doorward/), readable by you alone; the other \
            commands use it, until `doorward logout`. Where nobody can sign in, as in a script, the variables DOORWARD_SERVER and \
            DOORWARD_TOKEN (an access token or API key) take its place.

            Passwords and tokens are sent over https only, or over plain http to this same machine.

            Example: doorward login --server https://doors.example --email you@example.org
            """)

    @Option(help: ArgumentHelp("The gateway's address. (default: DOORWARD_SERVER)", valueName: "url"))
    var server: String?

    @Option(help: ArgumentHelp("The address that you sign in with.", valueName: "address"))
    var email: String?

    @Flag(help: "Read the password from the first line of standard input instead of asking for it.")
    var passwordStdin = false

    @Flag(help: "Read an API key, for machines, from the first line of standard input; no email address is needed.")
    var apiKeyStdin = false

    func validate() throws {
        if apiKeyStdin {
            guard email == nil, !passwordStdin else {
                throw ValidationError("An API key stands alone: leave out --email and --password-stdin.")
            }
        } else if email == nil {
            throw ValidationError("Missing expected argument '--email <address>'")
        }
    }

    func run() async throws {
        let access = ClientAccess()
        guard let server = server ?? access.server else {
            throw CommandFailure("which gateway? name it with --server URL, or in DOORWARD_SERVER", code: 2)
        }
        let file = try access.sessionFile()
        if let email {
            try await signIn(at: server, as: email, keeping: file)
        } else {
            try await useKey(at: server, keeping: file)
        }
    }

    private func signIn(at server: String, as email: String, keeping file: SessionFile) async throws {
        let client = try ClientAccess.client(server: server, .none)
        let password = try PasswordPrompt.password(of: email, fromStandardInput: passwordStdin)
        let signedIn = try await Self.refusing("the email address or the password is wrong") {
            try await client.authentication.signIn(email: email, password: password.reveal())
        }
        try await file.locked { try file.write(signedIn.session) }
        StandardStream.output.line("signed in at \(client.server) as \((signedIn.user.fullName ?? email).printable)")
    }

    private func useKey(at server: String, keeping file: SessionFile) async throws {
        // The address is looked at before the secret is read.
        _ = try ClientAccess.client(server: server, .none)
        let key = try PasswordPrompt.firstLine("API key").reveal()
        guard !key.isEmpty, key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw CommandFailure("this is no API key") }
        let client = try ClientAccess.client(server: server, .bearer(key))
        _ = try await Self.refusing("the gateway does not take this API key") { try await client.devices.first() }
        try await file.locked { try file.write(Session(server: client.server, apiKey: key)) }
        StandardStream.output.line("signed in at \(client.server) with an API key")
    }

    /// Says what a 401 means here.
    private static func refusing<Result>(_ sentence: String, _ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch ClientError.refused(let refusal) where refusal.status == 401 {
            throw CommandFailure("\(sentence); nothing was kept")
        }
    }
}
