import DoorwardAPI
import DoorwardClient

/// Shows the status of a lock and its changes.
struct StatusFollower: Sendable {
    let client: DoorwardClient
    let isJSON: Bool

    private static let revoked = "The lock was removed, or you may not see it any more."

    /// Runs until it is cancelled, or until the output is closed.
    func run(from lock: Devices.Entry) async throws {
        if !isJSON, OutputStyle.output.canRedraw { try await redraw(lock) } else { try await tell(lock) }
    }

    private func redraw(_ lock: Devices.Entry) async throws {
        let style = OutputStyle.output
        try await LiveScreen(client: client, style: style, revoked: Self.revoked).run(from: lock.lock) { live, show in
            try await watch(lock, on: live) { entry in
                show(entry.lock)
                return true
            }
        } draw: { lock, _ in
            Status.lines(lock, style)
        }
    }

    private func tell(_ lock: Devices.Entry) async throws {
        var shown = Shown(isJSON: isJSON)
        guard try shown.show(lock) else { return }
        try await FollowedStream(client).run(revoked: Self.revoked) { live in
            try await watch(lock, on: live) { try shown.show($0) }
        }
    }

    /// Passes on each newer value of the lock until `show` returns false.
    private func watch(_ first: Devices.Entry, on live: Live, show: (Devices.Entry) throws -> Bool) async throws {
        var lock = first
        while !Task.isCancelled {
            let property = lock.lock.propertyId
            do {
                for try await newer in live.watch(lock.id, in: Self.query(property)) {
                    guard try show(newer.value) else { return }
                }
                return
            } catch DoorwardError.notLoaded {
                // The lock may have been moved to another property.
                lock = try await client.devices.device(lock.id).entry
                guard lock.lock.propertyId != property else { throw DoorwardError.notLoaded }
            }
        }
    }

    /// The narrowest query that selects the lock.
    private static func query(_ property: String?) -> LiveQuery<Devices.Entry> {
        LiveQuery(filters: property.map { ["propertyId": $0] } ?? [:])
    }

    /// What was printed in a pipe.
    private struct Shown {
        let isJSON: Bool
        private var lines: [String] = []
        private var lock: Wire.Device?

        init(isJSON: Bool) { self.isJSON = isJSON }

        /// Prints the values that differ from those that were printed.
        ///
        /// - Returns: false if the output was closed.
        mutating func show(_ entry: Devices.Entry) throws -> Bool {
            var lock = entry.lock
            lock.lastSeen = nil
            let isNew = lock != self.lock
            self.lock = lock
            if isJSON {
                guard isNew else { return true }
                return StandardStream.output.line(String(decoding: try entry.status, as: UTF8.self))
            }
            let lines = Status.lines(entry.lock, .output)
            let changed = lines.filter { !self.lines.contains($0) }
            self.lines = lines
            return changed.isEmpty || StandardStream.output.line(changed.joined(separator: "\n"))
        }
    }
}
