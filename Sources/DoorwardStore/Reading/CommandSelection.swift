internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// The commands that a query means, in the words of their table.
struct CommandSelection {
    /// A column that has an index, and the value to find in it.
    struct Match: Hashable {
        let column: String
        let value: DatabaseValue
        /// The key of the log that the intent must be recorded in; `nil` where the log does not matter.
        var log: DatabaseValue?

        /// The condition for one row. A column behind `+` is compared row by row and chooses no index; the index of devices has
        /// the log as well.
        var sql: String { "\(column) = ?" + (log == nil ? "" : column == "device_id" ? " AND log = ?" : " AND +log = ?") }
        var arguments: StatementArguments { StatementArguments([value] + [log].compactMap(\.self)) }
    }

    /// A property or a unit, in one log.
    struct Place: Hashable {
        let id: Data
        let log: Int64
    }

    /// Matches commands in one of these logs, properties or units, and the actor's own.
    private(set) var logs: Set<Int64> = []
    private(set) var properties: Set<Place> = []
    private(set) var units: Set<Place> = []
    let actor: Data?
    /// Restricts the matches to this device, if there is one.
    let device: Data?
    /// Whether the actor sent commands to the device in a log that no scope covers.
    private var isActorsElsewhere = false

    init(_ query: CommandQuery, in db: Database) throws {
        (actor, device) = (query.actorUserID?.blob, query.deviceID?.blob)
        var keys: [LogID: Int64] = [:]
        for log in Set(query.scopes.map(\.log)) {
            keys[log] = try db.firstRow("SELECT key FROM logs WHERE log_id = ?", [log.description]) { try $0.value() }
        }
        for scope in query.scopes {
            // A log without a key has no record.
            guard let log = keys[scope.log] else { continue }
            switch scope {
            case .gatewayLog, .portfolioLog: logs.insert(log)
            case .property(let id, _): properties.insert(Place(id: id.blob, log: log))
            case .unit(let id, _): units.insert(Place(id: id.blob, log: log))
            }
        }
        guard let actor, let device else { return }
        let sql = "SELECT log FROM command_counts WHERE actor_user_id = ? AND +device_id = ?"
        let actorLogs = Set(try db.rows(sql, [actor, device]) { try $0.value(Int64.self) })
        isActorsElsewhere = !actorLogs.isSubset(of: self.scopeLogs)
    }

    private var matches: [Match] {
        logs.map { Match(column: "log", value: $0.databaseValue) }
            + properties.map { Match(column: "property_id", value: $0.id.databaseValue, log: $0.log.databaseValue) }
            + units.map { Match(column: "unit_id", value: $0.id.databaseValue, log: $0.log.databaseValue) }
            + [actor].compactMap { $0.map { Match(column: "actor_user_id", value: $0.databaseValue) } }
    }

    /// The logs that the scopes cover.
    var scopeLogs: Set<Int64> { logs.union(properties.map(\.log)).union(units.map(\.log)) }

    /// The index scans to merge: one for each match, or one for the device's commands in each log that a scope covers and, if the
    /// actor has commands of it in other logs, one for all of the actor's. Other logs are not read, so a device in them costs the
    /// same as an unknown one. Several scans can return the same command.
    var streams: [Match] {
        let matches = matches
        guard let device else { return matches }
        return scopeLogs.map { Match(column: "device_id", value: device.databaseValue, log: $0.databaseValue) }
            + (isActorsElsewhere ? matches.filter { $0.column == "actor_user_id" } : [])
    }

    /// The further condition on the commands of a stream: none, unless the query has a device.
    var condition: (sql: String, arguments: StatementArguments) {
        guard let device, let visibility else { return ("", []) }
        return (" AND +device_id = ? AND \(visibility.sql)", [device] + visibility.arguments)
    }

    /// The condition that every matching row meets, whichever index finds it; `nil` if no row can match.
    var visibility: (sql: String, arguments: StatementArguments)? {
        let matches = matches
        guard !matches.isEmpty else { return nil }
        // Joined as a balanced tree: a chain of a thousand terms exceeds SQLite's limit on expression depth.
        var terms = matches.map { "(+\($0.sql))" }
        while terms.count > 1 {
            let joined = terms
            terms = stride(from: 0, to: joined.count, by: 2).map { index in
                index + 1 < joined.count ? "(\(joined[index]) OR \(joined[index + 1]))" : joined[index]
            }
        }
        return (terms[0], matches.reduce(into: StatementArguments()) { $0 += $1.arguments })
    }
}
