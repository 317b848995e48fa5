import DoorwardAPI
import DoorwardClient

/// Shows locks and their changes.
struct LocksFollower: Sendable {
    let client: DoorwardClient
    let propertyID: String?
    let unitID: String?
    let isJSON: Bool
    let table: TableOptions

    private static let revoked = "You may not see these locks any more."

    private var query: LiveQuery<Devices.Entry> {
        LiveQuery(filters: ["propertyId": propertyID, "unitId": unitID].compactMapValues(\.self))
    }

    /// Runs until it is cancelled, or until the output is closed.
    func run(from locks: Response<[Wire.Device]>) async throws {
        if !isJSON, OutputStyle.output.canRedraw { try await redraw(locks) } else { try await tell(locks) }
    }

    /// Locks in the order of their list in the API.
    static func sorted(_ locks: [Devices.Entry]) -> [Devices.Entry] {
        locks.map { ($0.lock.name.lowercased(), $0) }.sorted { ($0.0, $0.1.id) < ($1.0, $1.1.id) }.map(\.1)
    }

    // MARK: - On a terminal

    /// Shows a table of all locks, which is redrawn in place.
    private func redraw(_ locks: Response<[Wire.Device]>) async throws {
        let style = table.style(.output)
        let screen = LiveScreen(client: client, style: style, revoked: Self.revoked)
        try await screen.run(from: locks.content) { [query] live, show in
            for try await locks in live.watch(query) { show(Self.sorted(locks.value).map(\.lock)) }
        } draw: {
            Self.lines($0, style, rows: $1)
        }
    }

    /// Returns the part of the table that fits into a number of rows.
    static func lines(_ locks: [Wire.Device], _ style: OutputStyle, rows: Int) -> [String] {
        let lines = locks.isEmpty ? ["You see no locks."] : Locks.table(locks).lines(style)
        guard lines.count > rows else { return lines }
        return lines.prefix(rows - 1) + [style.paint("… and \(lines.count - rows + 1) more", .dim)]
    }

    // MARK: - In a pipe

    /// Prints a line for each lock, and then a line for each changed lock.
    private func tell(_ locks: Response<[Wire.Device]>) async throws {
        var (changes, layout) = (LockChanges(), Table.Layout?.none)
        guard tell(changes.take(locks.entries), &layout) else { return }
        try await FollowedStream(client).run(revoked: Self.revoked) { live in
            for try await locks in live.watch(query) {
                guard tell(changes.take(Self.sorted(locks.value)), &layout) else { return }
            }
        }
    }

    /// - Returns: false if the output was closed.
    private func tell(_ news: LockChanges.News, _ layout: inout Table.Layout?) -> Bool {
        guard !news.isEmpty else { return true }
        return StandardStream.output.line(lines(news, &layout).joined(separator: "\n"))
    }

    private func lines(_ news: LockChanges.News, _ layout: inout Table.Layout?) -> [String] {
        guard !isJSON else {
            return news.changed.map { String(decoding: $0.json, as: UTF8.self) } + news.removed.map(Self.removal)
        }
        var table = Locks.table(news.changed.map(\.lock))
        table.rows += news.removed.map { [Table.Cell($0.name), "removed", "-", "-", "-", "-", Table.Cell($0.id, .dim)] }
        let (style, isFirst) = (self.table.style(.output), layout == nil)
        let shown = layout ?? table.layout(style)
        layout = shown
        return table.lines(style, shown, withHeadings: isFirst)
    }

    /// Returns a JSON object for a removed lock.
    private static func removal(_ lock: Wire.Device) -> String {
        var object = JSONObjectText()
        object.add("id", lock.id)
        object.add("removed", true)
        return object.text
    }
}
