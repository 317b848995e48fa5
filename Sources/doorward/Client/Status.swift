import ArgumentParser
import DoorwardClient

/// `doorward status`: shows the state of one lock.
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the state of a lock.",
        discussion: """
            LOCK is an id, or a name that is unique among the locks that you may see.

            With --watch the values are redrawn when they change, until Ctrl-C. In a pipe each changed value is printed on a line; with \
            --json each change prints the whole status on one line.

            Example: doorward status "Front door" --watch
            """)

    @OptionGroup var lock: NounArgument<Doorward.LockDevice>

    @Flag(help: "Keep running and show changes, until Ctrl-C.")
    var watch = false

    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let (client, lock) = try await lock.find(at: output.gateway)
        guard !watch else {
            let (isJSON, entry) = (output.json, try await client.devices.get(lock.id).verbatim)
            _ = try await Interruption.withInterrupt { try await Self.follow(entry, client, isJSON: isJSON) }
            return
        }
        if output.json {
            return output.print(json: try await client.devices.status(lock.id)) { _ in [] }
        }
        let device = try await client.devices.get(lock.id).content
        output.print(json: []) { Self.lines(device, $0) }
    }

    /// Returns a line for each value, with the value's name first.
    static func lines(_ device: Doorward.LockDevice, _ style: OutputStyle) -> [String] {
        let view = LockView(device)
        let since = Table.Cell(device.stateAt.map(style.instant))
        let online = device.isOnline == true ? [] : [[Table.Cell("last seen"), Table.Cell(device.lastSeen.map(style.instant))]]
        let facts: [[Table.Cell]] =
            [["name", Table.Cell(device.name, .bold)], ["state", view.state], ["since", since], ["door", view.door]]
            + [["battery", view.battery], ["online", view.online]] + online
            + [
                ["faults", Table.Cell(device.faults.map { $0.map(DisplayText.kind).joined(separator: ", ") }, .red)],
                ["where", Table.Cell(view.place)],
                ["can", Table.Cell(device.capabilities.map { $0.map(DisplayText.word).joined(separator: ", ") })],
            ] + (device.notes.map { [["notes", Table.Cell($0)]] } ?? []) + [["id", Table.Cell(device.id)]]
        return Table("", "", rows: facts).lines(style, withHeadings: false)
    }

    // MARK: - With --watch

    private static func follow(_ entry: Verbatim<Doorward.LockDevice>, _ client: DoorwardClient, isJSON: Bool) async throws {
        // What was printed in a pipe.
        var (shown, changes) = ([String](), LockChanges())
        let revoked = "The lock was removed, or you may not see it any more."
        let screen = LiveScreen(client: client, style: .output, revoked: revoked)
        try await screen.follow(entry, isJSON: isJSON) {
            try await watch(entry, client, on: $0, show: $1)
        } draw: { lock, _ in
            lines(lock.value, .output)
        } tell: { entry in
            if isJSON {
                let isNew = !changes.take([entry]).changed.isEmpty
                return isNew ? StandardStream.output.line(String(decoding: try entry.status, as: UTF8.self)) : true
            }
            let values = lines(entry.value, .output)
            let changed = values.filter { !shown.contains($0) }
            shown = values
            return changed.isEmpty || StandardStream.output.line(changed.joined(separator: "\n"))
        }
    }

    /// Passes on each newer value of the lock until `show` returns false.
    private static func watch(
        _ first: Verbatim<Doorward.LockDevice>, _ client: DoorwardClient, on live: Live,
        show: (Verbatim<Doorward.LockDevice>) throws -> Bool
    ) async throws {
        var lock = first
        while !Task.isCancelled {
            let property = lock.value.propertyId
            // The narrowest query that selects the lock.
            let query = LiveQuery<Verbatim<Doorward.LockDevice>>(filters: property.map { ["propertyId": $0] } ?? [:])
            do {
                for try await newer in live.watch(lock.id, in: query) {
                    guard try show(newer.value) else { return }
                }
                return
            } catch DoorwardError.notLoaded {
                // The lock may have been moved to another property.
                lock = try await client.devices.get(lock.id).verbatim
                guard lock.value.propertyId != property else { throw DoorwardError.notLoaded }
            }
        }
    }
}
