import ArgumentParser
import DoorwardAPI
import DoorwardClient
import DoorwardControl

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
        try Confirmation.requireTerminal(unless: yes, "detach", "detached")
        let client = try gateway.client()
        var lock = try await NameResolver(client).lock(lock)
        if !yes {
            // Look up the name of a lock that was given by its id, for the confirmation question.
            lock = NameResolver.FoundLock(id: lock.id, name: try await client.devices.device(lock.id).content.device.name)
            let count = try await openGuestAccesses(lock.id, client)
            try Confirmation.ask(Self.question(lock.name, guestAccesses: count), otherwise: "Nothing was detached.")
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
            .count { !GuestAccessView($0, now: now).isOver }
    }

    static func question(_ name: String, guestAccesses count: Int) -> String {
        let ends =
            switch count {
            case 0: ""
            case 1: " 1 guest access ends for it."
            default: " \(count) guest accesses end for it."
            }
        return "Detach \(name.printable)?\(ends)"
    }
}
