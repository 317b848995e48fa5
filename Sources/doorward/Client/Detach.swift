import ArgumentParser
import DoorwardAPI
import DoorwardClient
import DoorwardControl
import Glibc

/// `doorward detach`: detaches a lock from the gateway.
struct Detach: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Detach a lock: the gateway no longer operates it nor receives its reports.",
        discussion: """
            Queued commands for the lock are denied, and guest accesses to it end. Its records stay in the log, where they can \
            be found by its id.

            Asks for confirmation. Without a terminal it detaches the lock only with --yes.

            Example: doorward detach "Front door"
            """)

    @Argument(help: ArgumentHelp("The lock: a name or id.", valueName: "lock"), completion: .lockName)
    var lock: String

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var gateway: ClientOptions

    func run() async throws {
        guard yes || isatty(0) == 1 else {
            throw CommandFailure(
                "There is no terminal to ask on; nothing was detached. Add --yes to detach without a question.", code: 2)
        }
        let client = try gateway.client()
        var lock = try await NameResolver(client).lock(lock)
        if !yes {
            // Look up the name of a lock that was given by its id, for the confirmation question.
            lock = NameResolver.FoundLock(id: lock.id, name: try await client.devices.device(lock.id).content.device.name)
            try Self.confirm(Self.question(lock.name, guestAccesses: try await openGuestAccesses(lock.id, client)))
        }
        try await client.devices.detach(lock.id)
        StandardStream.output.line(
            OutputStyle.output.isInteractive
                // Use the id: the name no longer refers to a lock.
                ? "Detached \(lock.name.printable).\n  its history: doorward log \(lock.id.printable)"
                : "\(lock.name.printable)\tdetached")
    }

    /// Returns the number of guest accesses to the lock that have not ended and are visible to the caller.
    private func openGuestAccesses(_ id: String, _ client: DoorwardClient) async throws -> Int {
        let now = SystemClock().now()
        return try await client.guestAccesses.list(deviceID: id).all().content
            .count { !GuestAccessView($0, names: GuestNames(), now: now).isOver }
    }

    static func question(_ name: String, guestAccesses count: Int) -> String {
        let ends =
            switch count {
            case 0: ""
            case 1: " 1 guest access ends for it."
            default: " \(count) guest accesses end for it."
            }
        return "Detach \(name.printable)?\(ends) [y/N] "
    }

    private static func confirm(_ question: String) throws {
        StandardStream.error.write(question)
        let answer = readLine()
        if answer == nil { StandardStream.error.line("") }
        guard let answer, isYes(answer) else { throw CommandFailure("Nothing was detached.") }
    }

    static func isYes(_ answer: String) -> Bool {
        ["y", "yes"].contains(answer.lowercased().filter { !$0.isWhitespace })
    }
}
