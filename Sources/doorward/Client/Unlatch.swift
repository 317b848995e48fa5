import ArgumentParser
import DoorwardClient

/// `doorward unlatch`.
struct Unlatch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Pull the latch so that the door can be opened, and wait until the lock confirms.",
        discussion: LockCommandOptions.discussion + "\n\nExample: doorward unlatch \"Front door\" --reason \"delivery\"")

    @OptionGroup var movement: LockCommandOptions

    func run() async throws {
        try await movement.run("Unlatching", "unlatched") { try await $0.unlatch($1, $2) }
    }
}
