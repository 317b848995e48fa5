import ArgumentParser
import DoorwardClient

/// `doorward unlock`.
struct Unlock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Unlock a lock, and wait until it confirms.",
        discussion: LockCommandOptions.discussion + "\n\nExample: doorward unlock \"Front door\" --reason \"delivery\"")

    @OptionGroup var movement: LockCommandOptions

    func run() async throws {
        try await movement.run("Unlocking", "unlocked") { try await $0.unlock($1, $2) }
    }
}
