import ArgumentParser
import DoorwardClient

/// `doorward lock`.
struct Lock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lock a lock, and wait until it confirms.",
        discussion: LockCommandOptions.discussion + "\n\nExample: doorward lock \"Front door\" --reason \"delivery\"")

    @OptionGroup var movement: LockCommandOptions

    func run() async throws {
        try await movement.run("Locking", "locked") { try await $0.lock($1, $2) }
    }
}
