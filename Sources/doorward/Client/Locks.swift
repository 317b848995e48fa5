import ArgumentParser
import DoorwardClient

/// `doorward locks`: lists the visible locks.
struct Locks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the locks that you may see.",
        discussion: """
            Shows the name, state, door, battery and place of each lock, whether it is online, and its id, which every command accepts \
            instead of the name. A table on a terminal shows the beginnings of ids; every command accepts these too.

            With --follow the table is redrawn when it changes, until Ctrl-C. In a pipe a line is printed for each changed lock, \
            with --json one JSON object per line.

            Example: doorward locks --property "Quay 1"
            """)

    @Option(help: ArgumentHelp("Only locks of this property: a name or id.", valueName: "property"), completion: .propertyName)
    var property: String?

    @Option(help: ArgumentHelp("Only locks of this unit: a name or id.", valueName: "unit"))
    var unit: String?

    @Flag(help: "Keep running and show changes, until Ctrl-C.")
    var follow = false

    @OptionGroup var table: TableOptions
    @OptionGroup var output: AnswerOptions

    func run() async throws {
        let client = try output.client()
        let place = try await NameResolver(client).place(property: property, unit: unit)
        let locks = try await client.devices.list([("propertyId", place.propertyID), ("unitId", place.unitID)]).all()
        guard !follow else {
            let follower = LocksFollower(
                client: client, propertyID: place.propertyID, unitID: place.unitID, isJSON: output.json, table: table)
            _ = try await Interruption.withInterrupt { try await follower.run(from: locks) }
            return
        }
        let empty = "You see no locks\(property ?? unit == nil ? "" : " there")."
        output.print(json: locks.json) { Self.table(locks.content).lines(table.style($0), empty: empty) }
    }

    /// Locks as a table.
    static func table(_ locks: [Doorward.LockDevice]) -> Table {
        Table(
            locks.map(LockView.init),
            [
                Column("NAME", .cut(to: 8)) { Table.Cell($0.lock.name) }, Column("STATE", .cut(to: 8), \.state),
                Column("DOOR", .whole, \.door), Column("BATTERY", .whole, \.battery), Column("ONLINE", .whole, \.online),
                Column("WHERE", .cut(to: 5)) { Table.Cell($0.place) }, Column("ID", .id) { Table.Cell($0.lock.id, .dim) },
            ])
    }
}

/// Shows locks and their changes.
struct LocksFollower: Sendable {
    let client: DoorwardClient
    let propertyID: String?
    let unitID: String?
    let isJSON: Bool
    let table: TableOptions

    private var query: LiveQuery<Verbatim<Doorward.LockDevice>> {
        LiveQuery(filters: ["propertyId": propertyID, "unitId": unitID].compactMapValues(\.self))
    }

    /// Runs until it is cancelled, or until the output is closed.
    func run(from locks: Response<[Doorward.LockDevice]>) async throws {
        var (changes, layout) = (LockChanges(), Table.Layout?.none)
        let style = table.style(.output)
        let screen = LiveScreen(client: client, style: style, revoked: "You may not see these locks any more.")
        try await screen.follow(locks.verbatimItems(), isJSON: isJSON) { [query] live, show in
            for try await locks in live.watch(query) { guard try show(Self.sorted(locks.value)) else { return } }
        } draw: {
            Self.lines($0.map(\.value), style, rows: $1)
        } tell: { locks in
            let news = changes.take(locks)
            return news.isEmpty || StandardStream.output.line(lines(news, &layout).joined(separator: "\n"))
        }
    }

    /// Locks in the order of their list in the API.
    static func sorted(_ locks: [Verbatim<Doorward.LockDevice>]) -> [Verbatim<Doorward.LockDevice>] {
        locks.map { ($0.value.name.lowercased(), $0) }.sorted { ($0.0, $0.1.id) < ($1.0, $1.1.id) }.map(\.1)
    }

    /// Returns the part of the table that fits into a number of rows.
    static func lines(_ locks: [Doorward.LockDevice], _ style: OutputStyle, rows: Int) -> [String] {
        let lines = Locks.table(locks).lines(style, empty: "You see no locks.")
        guard lines.count > rows else { return lines }
        return lines.prefix(rows - 1) + [style.paint("… and \(lines.count - rows + 1) more", .dim)]
    }

    /// Returns a line for each lock that is new, changed or removed.
    private func lines(_ news: LockChanges.News, _ layout: inout Table.Layout?) -> [String] {
        guard !isJSON else {
            return news.changed.map { String(decoding: $0.json, as: UTF8.self) } + news.removed.map(Self.removal)
        }
        var table = Locks.table(news.changed.map(\.value))
        table.rows += news.removed.map { [Table.Cell($0.name), "removed", "-", "-", "-", "-", Table.Cell($0.id, .dim)] }
        let (style, isFirst) = (self.table.style(.output), layout == nil)
        let shown = layout ?? table.layout(style)
        layout = shown
        return table.lines(style, shown, withHeadings: isFirst)
    }

    /// Returns a JSON object for a removed lock.
    private static func removal(_ lock: Doorward.LockDevice) -> String {
        (["id": lock.id, "removed": true] as JSONObjectText).json
    }
}

/// Compares successive lists of locks.
struct LockChanges: Sendable {
    private var known: [String: Doorward.LockDevice] = [:]

    /// The differences between a list and the previous list.
    struct News: Sendable {
        /// New locks, and locks with any change except the time of the last report, in the order of the list.
        var changed: [Verbatim<Doorward.LockDevice>] = []
        /// Locks that were removed, or that the caller may no longer see, sorted by name.
        var removed: [Doorward.LockDevice] = []

        var isEmpty: Bool { changed.isEmpty && removed.isEmpty }
    }

    mutating func take(_ entries: [Verbatim<Doorward.LockDevice>]) -> News {
        var (news, listed) = (News(), Set<String>())
        for entry in entries where listed.insert(entry.id).inserted {
            var lock = entry.value
            lock.lastSeen = nil
            if known.updateValue(lock, forKey: lock.id) != lock { news.changed.append(entry) }
        }
        news.removed = Set(known.keys).subtracting(listed).compactMap { known.removeValue(forKey: $0) }
            .sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        return news
    }
}

/// Prints the state of a lock.
struct LockView {
    let lock: Doorward.LockDevice

    init(_ lock: Doorward.LockDevice) { self.lock = lock }

    /// Where the lock is: its property, and its unit if it has one.
    var place: String {
        let names = [lock.propertyName, lock.unitName].compactMap(\.self)
        return names.isEmpty ? "no property" : names.joined(separator: " / ")
    }

    /// The state; any state that is not confirmed is marked with its quality.
    var state: Table.Cell {
        guard let state = lock.state else { return Table.Cell(nil) }
        let quality = lock.stateQuality.map { $0 == .confirmed ? "" : " (\(DisplayText.word($0)))" } ?? ""
        return Table.Cell(DisplayText.word(state) + quality, Self.colour(of: state))
    }

    static func colour(of state: Doorward.LockState) -> OutputStyle.Colour? {
        switch state {
        case .locked: .green
        case .jammed: .red
        case .unlocked, .unlatched: .yellow
        default: nil
        }
    }

    var door: Table.Cell { Table.Cell(lock.doorState.map(DisplayText.word), lock.doorState == .open ? .yellow : nil) }

    var battery: Table.Cell {
        guard let level = lock.batteryLevel else { return Table.Cell(lock.batteryLow == true ? "low" : nil, .red) }
        return lock.batteryLow == true ? Table.Cell("\(level) % low", .red) : Table.Cell("\(level) %")
    }

    var online: Table.Cell {
        Table.Cell(lock.isOnline.map { $0 ? "yes" : "no" }, lock.isOnline == false ? .red : nil)
    }
}
