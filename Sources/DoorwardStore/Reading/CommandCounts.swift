internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// How many commands there are of each device, place and user. The counts are kept as commands are written, so that no list
/// counts its commands.
enum CommandCounts {
    /// An id that is not there, in columns of a primary key.
    private static let none = Data()

    /// Counts a command that is written in the same transaction.
    static func add(
        _ device: DeviceID, log: Int64, property: PropertyID?, unit: UnitID?, actor: UserID?, in db: Database
    ) throws {
        try db.run(
            """
            INSERT INTO command_counts (device_id, log, property_id, unit_id, actor_user_id, commands) VALUES (?, ?, ?, ?, ?, 1)
            ON CONFLICT DO UPDATE SET commands = commands + 1
            """,
            [device, log, property?.blob ?? none, unit?.blob ?? none, actor?.blob ?? none])
        try db.run(
            """
            INSERT INTO command_totals (log, property_id, commands) VALUES (?, ?, 1)
            ON CONFLICT DO UPDATE SET commands = commands + 1
            """, [log, property?.blob ?? none])
    }

    /// The number of commands that a selection matches, each counted once. The cost grows with the places and devices, not with
    /// the commands.
    static func total(of selection: CommandSelection, in db: Database) throws -> Int {
        if let device = selection.device { return try total(of: device, selection, in: db) }
        var total = 0
        for log in selection.logs {
            total += try db.rows("SELECT commands FROM command_totals WHERE log = ?", [log]) { try $0.value(Int.self) }.reduce(
                0, +)
        }
        // Each of the rest without what was counted before it.
        for property in selection.properties where !selection.logs.contains(property.log) {
            let sql = "SELECT commands FROM command_totals WHERE log = ? AND property_id = ?"
            total += try db.firstRow(sql, [property.log, property.id]) { try $0.value(Int.self) } ?? 0
        }
        for unit in selection.units where !selection.logs.contains(unit.log) {
            let sql = "SELECT log, property_id, commands FROM command_counts WHERE unit_id = ?"
            total += try count(sql, [unit.id], in: db) { columns in
                let (log, property): (Int64, Data) = (try columns.value(), try columns.value())
                return log == unit.log && !selection.properties.contains(CommandSelection.Place(id: property, log: log))
            }
        }
        if let actor = selection.actor {
            let sql = "SELECT log, property_id, unit_id, commands FROM command_counts WHERE actor_user_id = ?"
            total += try count(sql, [actor], in: db) { try !selection.hasScope(&$0) }
        }
        return total
    }

    /// In the logs of the scopes, and the actor's own elsewhere.
    private static func total(of device: Data, _ selection: CommandSelection, in db: Database) throws -> Int {
        let logs = selection.scopeLogs
        var total = 0
        for log in logs {
            let sql = """
                SELECT log, property_id, unit_id, actor_user_id, commands FROM command_counts WHERE device_id = ? AND log = ?
                """
            total += try count(sql, [device, log], in: db) { columns in
                let isInScope = try selection.hasScope(&columns)
                let actor: Data = try columns.value()
                return isInScope || actor == selection.actor
            }
        }
        guard let actor = selection.actor else { return total }
        let sql = "SELECT device_id, log, commands FROM command_counts WHERE actor_user_id = ?"
        return try total
            + count(sql, [actor], in: db) { columns in
                let (found, log): (Data, Int64) = (try columns.value(), try columns.value())
                return found == device && !logs.contains(log)
            }
    }

    /// The sum of the last column over the rows that `isCounted` takes, which reads all columns but the last.
    private static func count(
        _ sql: String, _ arguments: StatementArguments, in db: Database, where isCounted: (inout ColumnReader) throws -> Bool
    ) throws -> Int {
        try db.rows(sql, arguments) { columns in
            let isCounted = try isCounted(&columns)
            let commands: Int = try columns.value()
            return isCounted ? commands : 0
        }.reduce(0, +)
    }
}

extension CommandSelection {
    /// Whether the query matches commands of this log, property and unit for every actor.
    fileprivate func hasScope(_ columns: inout ColumnReader) throws -> Bool {
        let (log, property, unit): (Int64, Data, Data) = (try columns.value(), try columns.value(), try columns.value())
        return logs.contains(log) || properties.contains(Place(id: property, log: log))
            || units.contains(Place(id: unit, log: log))
    }
}
