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

    @Argument(help: ArgumentHelp("The lock: a name or id.", valueName: "lock"), completion: .lockName)
    var lock: String

    @Flag(help: "Keep running and show changes, until Ctrl-C.")
    var watch = false

    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let client = try output.client()
        let lock = try await NameResolver(client).lock(lock)
        guard !watch else {
            let follower = StatusFollower(client: client, isJSON: output.json)
            let entry = try await client.devices.get(lock.id).verbatim
            _ = try await Interruption.withInterrupt { try await follower.run(from: entry) }
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
}

/// Shows the status of a lock and its changes.
struct StatusFollower: Sendable {
    let client: DoorwardClient
    let isJSON: Bool

    private static let revoked = "The lock was removed, or you may not see it any more."

    /// Runs until it is cancelled, or until the output is closed.
    func run(from lock: Verbatim<Doorward.LockDevice>) async throws {
        if !isJSON, OutputStyle.output.canRedraw { try await redraw(lock) } else { try await tell(lock) }
    }

    private func redraw(_ lock: Verbatim<Doorward.LockDevice>) async throws {
        let style = OutputStyle.output
        try await LiveScreen(client: client, style: style, revoked: Self.revoked).run(from: lock.value) { live, show in
            try await watch(lock, on: live) { entry in
                show(entry.value)
                return true
            }
        } draw: { lock, _ in
            Status.lines(lock, style)
        }
    }

    private func tell(_ lock: Verbatim<Doorward.LockDevice>) async throws {
        var shown = Shown(isJSON: isJSON)
        guard try shown.show(lock) else { return }
        try await FollowedStream(client).run(revoked: Self.revoked) { live in
            try await watch(lock, on: live) { try shown.show($0) }
        }
    }

    /// Passes on each newer value of the lock until `show` returns false.
    private func watch(
        _ first: Verbatim<Doorward.LockDevice>, on live: Live, show: (Verbatim<Doorward.LockDevice>) throws -> Bool
    ) async throws {
        var lock = first
        while !Task.isCancelled {
            let property = lock.value.propertyId
            do {
                for try await newer in live.watch(lock.id, in: Self.query(property)) {
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

    /// The narrowest query that selects the lock.
    private static func query(_ property: String?) -> LiveQuery<Verbatim<Doorward.LockDevice>> {
        LiveQuery(filters: property.map { ["propertyId": $0] } ?? [:])
    }

    /// What was printed in a pipe.
    private struct Shown {
        let isJSON: Bool
        var lines: [String] = []
        var changes = LockChanges()

        /// Prints the values that differ from those that were printed.
        ///
        /// - Returns: false if the output was closed.
        mutating func show(_ entry: Verbatim<Doorward.LockDevice>) throws -> Bool {
            if isJSON {
                let isNew = !changes.take([entry]).changed.isEmpty
                return isNew ? StandardStream.output.line(String(decoding: try entry.status, as: UTF8.self)) : true
            }
            let lines = Status.lines(entry.value, .output)
            let changed = lines.filter { !self.lines.contains($0) }
            self.lines = lines
            return changed.isEmpty || StandardStream.output.line(changed.joined(separator: "\n"))
        }
    }
}
