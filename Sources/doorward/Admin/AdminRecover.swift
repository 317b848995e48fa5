import ArgumentParser
import DoorwardControl
import DoorwardDomain
import DoorwardStore
import FoundationEssentials

/// `doorward admin recover`: a one-time link for a super admin who forgot the password.
struct AdminRecover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "Make a link with which a super admin sets a new password, once.",
        discussion: """
            The link is good for 24 hours. An earlier one for the same person is good for nothing from now on. Whoever has it can \
            become this super admin: hand it over in person. Using it ends all of their sessions.

            The link begins with gateway.publicUrl of the configuration; without that it is only the part after the address.

            No gateway may run on the database meanwhile; start it afterwards.

            Example: doorward admin recover --email you@example.org
            """)

    @Option(help: ArgumentHelp("The address that the person signs in with.", valueName: "address"))
    var email: String

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let configuration = try store.configuration()
        // Opening would make a database where there is none, and nobody to recover would be in it.
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
        // Where a program reads the output, the remark goes to standard error, where a person may still see it.
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
