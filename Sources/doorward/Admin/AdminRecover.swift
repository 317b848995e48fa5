import ArgumentParser
import DoorwardControl
import DoorwardDomain
import DoorwardStore
import FoundationEssentials

/// `doorward admin recover`: creates a one-time link for a super admin who forgot the password.
struct AdminRecover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Create a one-time link that sets a super admin's password.",
        discussion: """
            The link is valid for 24 hours; an earlier link for the same person becomes invalid. The holder of the link can \
            take over the account: hand it over in person. Using it ends all sessions of the user.

            The link begins with gateway.publicUrl of the configuration. If that is not set, only the path is printed.

            No gateway may run on the database meanwhile; start it afterwards.

            Example: doorward admin recover --email you@example.org
            """)

    @Option(help: ArgumentHelp("The address that the person signs in with.", valueName: "address"), transform: { $0.trimmed })
    var email: String

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let configuration = try store.configuration()
        // Opening a missing file would create a database, which contains no user to recover.
        guard FileManager.default.fileExists(atPath: configuration.store.path) else {
            throw CommandFailure(
                "\(configuration.store.path): there is no such database; name it with --store-path or --config")
        }
        let clock = SystemClock()
        let opened = try Gateway.openStore(configuration, clock: clock, logger: .errorsOnly)
        let offer: PasswordReset.Offer
        do {
            offer = try await recover(in: opened, configuration, clock)
            try await opened.close()
        } catch {
            try? await opened.close()
            throw error
        }
        let reset = ResetView(offer, configuration)
        output.print(json: reset.json) { reset.lines($0) }
        // If a program reads the output, the remark goes to standard error, where a person may still see it.
        if let remark = reset.remark, output.json || !OutputStyle.output.isInteractive {
            StandardStream.error.line("doorward: \(remark)")
        }
    }

    private func recover(
        in store: SQLiteStore, _ configuration: GatewayConfiguration, _ clock: SystemClock
    ) async throws -> PasswordReset.Offer {
        let host = OfflineAdministration(
            store: store, clock: clock, random: RandomSource(), passwordCost: configuration.auth.passwordCost)
        do {
            return try await host.recover(email: email)
        } catch GatewayError.notFound {
            throw CommandFailure("\(email.printable): no user has this address; nothing was done")
        } catch GatewayError.conflict(let sentence) {
            throw CommandFailure("\(email.printable): nothing was done. \(sentence)")
        } catch {
            throw CommandFailure("the database could not be written: \(error)")
        }
    }
}
