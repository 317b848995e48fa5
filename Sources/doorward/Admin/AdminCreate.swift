import ArgumentParser
import DoorwardControl
import DoorwardDomain
import DoorwardStore
import FoundationEssentials
import Logging

/// `doorward admin create`: creates the first super admin directly in the database.
struct AdminCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a super admin, who can then create portfolios and users.",
        discussion: """
            Asks for the password on the terminal, twice and without showing it. A password has at least 15 characters and at \
            most 1,024 bytes, and must not be a commonly used one. No gateway may run on the database.
            """)

    @Option(help: ArgumentHelp("The address that the person signs in with.", valueName: "address"), transform: { $0.trimmed })
    var email: String

    @Option(help: ArgumentHelp("The person's first name.", valueName: "name"))
    var firstName = "Super"

    @Option(help: ArgumentHelp("The person's last name.", valueName: "name"))
    var lastName = "Admin"

    @Flag(help: "Read the password from the first line of standard input.")
    var passwordStdin = false

    @OptionGroup var store: StoreOptions

    func validate() throws {
        let parts = email.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), email.utf8.count <= 254,
            email.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F })
        else { throw ValidationError("`\(email)` is not an e-mail address.") }
    }

    func run() async throws {
        let configuration = try store.configuration()
        // Check first that no gateway has the database open, so that the password is not typed in vain. A new database file is
        // created only after the password was read.
        if FileManager.default.fileExists(atPath: configuration.store.path) {
            try await create(in: configuration) { try newPassword() }
        } else {
            let password = try newPassword()
            try await create(in: configuration) { password }
        }
        StandardStream.output.line("\(email) is now a super admin in \(configuration.store.path)")
    }

    /// Reads a password that satisfies `PasswordRules`.
    private func newPassword() throws -> Secret<String> {
        let password = try PasswordPrompt.newPassword(fromStandardInput: passwordStdin)
        if let problem = PasswordRules.problem(with: password) { throw CommandFailure(Self.passwordSentence(problem)) }
        return password
    }

    /// - Parameter password: reads the password; called while this process has the database open.
    private func create(in configuration: GatewayConfiguration, password: () throws -> Secret<String>) async throws {
        let clock = SystemClock()
        let opened = try Gateway.openStore(configuration, clock: clock, logger: .errorsOnly)
        do {
            let host = OfflineAdministration(
                store: opened, clock: clock, random: RandomSource(), passwordCost: configuration.auth.passwordCost)
            try await create(by: host, try password())
            try await opened.close()
        } catch {
            try? await opened.close()
            throw error
        }
    }

    private func create(by host: OfflineAdministration, _ password: Secret<String>) async throws {
        do {
            _ = try await host.createSuperAdmin(email: email, firstName: firstName, lastName: lastName, password: password)
        } catch {
            throw Self.failure(error, email: email)
        }
    }

    private static func failure(_ error: GatewayError, email: String) -> CommandFailure {
        switch error {
        case .alreadyExists: CommandFailure("\(email): a user of this address exists already; nothing was done")
        case .invalid(let problems): CommandFailure(passwordSentence(problems.first?.problem))
        default: CommandFailure("the database could not be written: \(error)")
        }
    }

    private static func passwordSentence(_ problem: String?) -> String {
        switch problem {
        case "too_short": "the password is too short: it needs \(PasswordRules.shortest) characters at least"
        case "too_long": "the password is too long: it may have \(PasswordRules.maxBytes) bytes at most"
        default: "the password is a commonly used one; choose another"
        }
    }
}
