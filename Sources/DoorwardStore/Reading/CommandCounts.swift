internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// The numbers of commands by log, device, property, unit and user. They are stored together with the posting lists, so that
/// command lists do not have to count commands.
enum CommandCounts {
    /// The columns that commands are counted by.
    struct Key: Hashable {
        let log: Int64
        let device: DeviceID
        var property: PropertyID?
        var unit: UnitID?
        var actor: UserID?

        init(log: Int64, device: DeviceID, property: PropertyID? = nil, unit: UnitID? = nil, actor: UserID? = nil) {
            (self.log, self.device, self.property, self.unit, self.actor) = (log, device, property, unit, actor)
        }

        /// Returns `nil` for an entry that is not the intent of a new command.
        init?(_ entry: IndexedEntry) {
            guard entry.isCommand else { return nil }
            var (device, property, unit, actor): (DeviceID?, PropertyID?, UnitID?, UserID?) = (nil, nil, nil, nil)
            for match in entry.matches {
                switch match {
                case .device(let id): device = id
                case .property(let id): property = id
                case .unit(let id): unit = id
                case .actor(let id): actor = id
                case .denied, .kind, .operation, .reason, .outcome: break
                }
            }
            guard let device else { return nil }
            self.init(log: entry.position.logKey, device: device, property: property, unit: unit, actor: actor)
        }
    }

    /// The value that represents a missing id in primary key columns.
    private static let none: [UInt8] = []

    /// Adds negative `counts`, and removes the rows that are 0 afterwards, as if their commands had never been.
    static func subtract(_ counts: [Key: Int], in db: Database) throws {
        guard !counts.isEmpty else { return }
        try add(counts, in: db)
        for key in counts.keys {
            try db.run(
                """
                DELETE FROM command_counts
                WHERE device_id = ? AND log = ? AND property_id = ? AND unit_id = ? AND actor_user_id = ? AND commands = 0
                """, [key.device, key.log, key.property ?? none, key.unit ?? none, key.actor ?? none])
            try db.run(
                "DELETE FROM command_totals WHERE log = ? AND property_id = ? AND commands = 0", [key.log, key.property ?? none])
        }
    }

    /// Adds `counts` to the stored counts.
    static func add(_ counts: [Key: Int], in db: Database) throws {
        var totals: [Key: Int] = [:]
        for (key, count) in counts {
            try db.run(
                """
                INSERT INTO command_counts (device_id, log, property_id, unit_id, actor_user_id, commands) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET commands = commands + excluded.commands
                """,
                [key.device, key.log, key.property ?? none, key.unit ?? none, key.actor ?? none, count])
            // Totals are stored by log and property alone.
            totals[Key(log: key.log, device: DeviceID(high: 0, low: 0), property: key.property), default: 0] += count
        }
        for (key, count) in totals {
            try db.run(
                """
                INSERT INTO command_totals (log, property_id, commands) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET commands = commands + excluded.commands
                """, [key.log, key.property ?? none, count])
        }
    }

    /// Returns the logs that contain commands of an actor, or commands of the actor on one device.
    static func logs(of actor: UserID, device: DeviceID?, in db: Database) throws -> Set<Int64> {
        var logs: Set<Int64> = []
        try db.step("SELECT log, device_id FROM command_counts WHERE actor_user_id = ?", [actor]) { row in
            if device == nil || row.id(1) == device { logs.insert(row.integer(0)) }
        }
        return logs
    }

    /// Returns the number of commands that a selection without a beginning matches, each counted once. The cost grows with the
    /// number of scopes and devices, not with the number of commands.
    static func total(
        of selection: CommandSelection, _ unprojected: inout UnprojectedPositions, in db: Database
    ) throws -> Int {
        var total = 0
        for log in try unprojected.logKeys() where selection.logs[log] != nil {
            total += try unprojected.commands(in: log).count(where: selection.matches)
        }
        if let device = selection.device { return try total + counted(on: device, selection, in: db) }
        for log in selection.wholeLogs {
            try db.step("SELECT commands FROM command_totals WHERE log = ?", [log]) { total += Int($0.integer(0)) }
        }
        // Leave out the commands that a wider scope has already counted.
        for (log, ids) in selection.properties where !selection.wholeLogs.contains(log) {
            for id in ids {
                try db.step("SELECT commands FROM command_totals WHERE log = ? AND property_id = ?", [log, id]) {
                    total += Int($0.integer(0))
                }
            }
        }
        if let actor = selection.actor {
            total += try sum("actor_user_id = ?", [actor], in: db) {
                !selection.hasScope(log: $0.log, property: $0.property)
            }
        }
        return total
    }

    /// Counts the matching commands of a device: in the logs of the scopes, all of them; in other logs, only those of the actor.
    private static func counted(on device: DeviceID, _ selection: CommandSelection, in db: Database) throws -> Int {
        var total = 0
        for log in selection.scopeLogs {
            total += try sum("device_id = ? AND log = ?", [device, log], in: db, where: selection.matches)
        }
        guard let actor = selection.actor else { return total }
        return try total
            + sum("actor_user_id = ?", [actor], in: db) { $0.device == device && !selection.scopeLogs.contains($0.log) }
    }

    /// Returns the sum of the counts that match the SQL condition and satisfy `isCounted`.
    private static func sum(
        _ condition: String, _ arguments: [(any Bindable)?], in db: Database, where isCounted: (Key) -> Bool
    ) throws -> Int {
        var total = 0
        try db.step(
            "SELECT log, device_id, property_id, unit_id, actor_user_id, commands FROM command_counts WHERE \(condition)",
            arguments
        ) { row in
            guard let device: DeviceID = row.id(1) else { throw UnreadableColumn(column: "device_id") }
            let key = Key(log: row.integer(0), device: device, property: row.id(2), unit: row.id(3), actor: row.id(4))
            if isCounted(key) { total += Int(row.integer(5)) }
        }
        return total
    }
}
