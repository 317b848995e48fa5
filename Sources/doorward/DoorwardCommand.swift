import ArgumentParser
import DoorwardAdapterKit
import DoorwardClient
import DoorwardControl
import DoorwardHTTP
import DoorwardStore

/// The command `doorward`.
@main struct DoorwardCommand: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "doorward",
        abstract: "A gateway between people and locks: it decides each command, moves the lock, and records the outcome.",
        discussion: """
            To try it: `doorward demo` runs a simulated house with residents.

            To begin: `doorward admin create --email you@example.org` creates the first super admin in doorward.db, \
            `doorward serve` then serves the HTTP API on http://127.0.0.1:8080, and `doorward login --server \
            http://127.0.0.1:8080 --email you@example.org` signs you in for the other commands.

            Exit codes: 0 done, 1 refused or failed (the reason is on standard error), 2 wrong usage, 3 no \
            connection, 4 a log that was rolled back.
            """,
        version: version,
        subcommands: [Reference.self],
        groupedSubcommands: [
            CommandGroup(name: "Signing in", subcommands: [Login.self, Logout.self, Whoami.self, SessionGroup.self]),
            CommandGroup(
                name: "Locks",
                subcommands: [
                    Locks.self, Status.self, Lock.self, Unlock.self, Unlatch.self, LockdownCommand.self, LiftCommand.self,
                ]),
            CommandGroup(name: "Guests", subcommands: [Grant.self, Grants.self, Change.self, LinkGroup.self, Revoke.self]),
            CommandGroup(name: "Rights", subcommands: [Can.self, WhoCan.self]),
            CommandGroup(
                name: "Places and people",
                subcommands: [
                    PortfolioGroup.self, PropertyGroup.self, UnitGroup.self, UserGroup.self, RoleGroup.self, Invite.self,
                    KeyGroup.self, SubscriptionGroup.self,
                ]),
            CommandGroup(name: "Access log", subcommands: [Log.self, AuditGroup.self]),
            CommandGroup(
                name: "Setup",
                subcommands: [
                    Discovered.self, Attach.self, Notes.self, Detach.self, Simulate.self, Adapters.self, ProfileGroup.self,
                ]),
            CommandGroup(name: "Other", subcommands: [API.self]),
            CommandGroup(
                name: "Running a gateway",
                subcommands: [Demo.self, Serve.self, Ready.self, ConfigGroup.self, Admin.self, StoreGroup.self, ClockGroup.self]),
        ])

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            // For `help` with an unknown command, the parser would print the program's help instead of an error.
            if arguments.first == "help", let misspelling = Misspelling.sentence(about: arguments) {
                throw ValidationError(misspelling)
            }
            var command = try await asyncParseAsRoot(AddressOptions.expanded(arguments))
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            if let failure = StandardStream.outputFailure { throw failure }
        } catch {
            Exit(of: error, arguments: arguments).leave()
        }
    }
}

extension CommandFailure {
    /// The failure of a command that ends with this error.
    ///
    /// - Returns: `nil` for an error whose text is not for the user.
    init?(of error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as ClientError: self.init(error)
        case let error as ConfigurationError: self.init(error.description, code: error.isUsageError ? 2 : 1)
        case let error as RollbackError: self.init(error.description, code: 4)
        case is StoreOpenError, is CheckpointFile.Failure, is ListenFailure: self.init("\(error)")
        default: return nil
        }
    }
}
