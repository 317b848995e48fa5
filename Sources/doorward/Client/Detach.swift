import ArgumentParser
import DoorwardClient

/// `doorward detach`: ends the gateway's dealings with a lock.
struct Detach: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Detach a lock: the gateway no longer moves it nor listens to it.",
        discussion: """
            Commands that wait for the lock are denied, guest accesses end for it, and its records stay in the log, where they \
            are found by its id.

            Example: doorward detach "Front door"
            """)

    @Argument(help: ArgumentHelp("The lock: a name or id.", valueName: "lock"), completion: .lockName)
    var lock: String

    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        let client = try gateway.client()
        let lock = try await Finder(client).lock(lock)
        try await client.devices.detach(lock.id)
        StandardStream.output.line(
            Style.output.isForPerson
                // By its id: the name names nothing any more.
                ? "Detached \(lock.name.printable).\n  its history: doorward log \(lock.id.printable)"
                : "\(lock.name.printable)\tdetached")
    }
}
