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
            _ = try await withInterrupt { try await follower.run(from: locks) }
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
            return news.changed.map { String(decoding: $0.json, as: UTF8.self) }
                + news.removed.map { (["id": $0.id, "removed": true] as JSONObjectText).json }
        }
        var table = Locks.table(news.changed.map(\.value))
        table.rows += news.removed.map { [Table.Cell($0.name), "removed", "-", "-", "-", "-", Table.Cell($0.id, .dim)] }
        let (style, isFirst) = (self.table.style(.output), layout == nil)
        let shown = layout ?? table.layout(style)
        layout = shown
        return table.lines(style, shown, withHeadings: isFirst)
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
            _ = try await withInterrupt { try await Self.follow(entry, client, isJSON: isJSON) }
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

/// `doorward notes`: shows and changes what is noted about a lock.
struct Notes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show or change what is noted about a lock.",
        discussion: """
            Notes are one line of at most 256 characters, such as where the key box is. Managers of the place change them; \
            they and auditors see them, also in `doorward status`. Without TEXT the command prints them.

            Examples:
              doorward notes "Front door"
              doorward notes "Front door" "Key box left of the gate"
              doorward notes "Front door" --clear
            """)

    @OptionGroup var lock: NounArgument<Doorward.LockDevice>

    @Argument(help: ArgumentHelp("The new notes.", valueName: "text"))
    var text: String?

    @Flag(help: "Remove the notes.")
    var clear = false

    @OptionGroup var output: AnswerOptions

    func validate() throws {
        if clear, text != nil { throw ValidationError("--clear cannot be combined with new notes.") }
    }

    func run() async throws {
        let (client, lock) = try await lock.find(at: output.gateway)
        guard clear || text != nil else {
            let answer = try await client.devices.get(lock.id)
            guard Doorward.FieldAccess.canViewField("notes", of: answer.content) else {
                throw CommandFailure("You may not see the notes of \(answer.content.name.printable).")
            }
            return output.print(json: answer.json) { Self.lines(answer.content, $0) }
        }
        let answer = try await namingOptions(["notes": "the text"]) {
            try await client.devices.change(lock.id, ["notes": text])
        }
        output.print(json: answer.json) { Self.changed(answer.content, $0) }
    }

    /// The notes; on a terminal a sentence if there are none.
    static func lines(_ device: Doorward.LockDevice, _ style: OutputStyle) -> [String] {
        if let notes = device.notes { return [notes.printable] }
        return style.isInteractive ? ["Nothing is noted about \(device.name.printable)."] : []
    }

    /// The changed lock: a sentence on a terminal; the name and the notes in a pipe.
    static func changed(_ device: Doorward.LockDevice, _ style: OutputStyle) -> [String] {
        let (name, notes) = (device.name.printable, device.notes?.printable)
        guard style.isInteractive else { return ["\(name)\t\(notes ?? "-")"] }
        return [notes.map { "Noted about \(name): \($0)" } ?? "\(name) has no notes."]
    }
}
