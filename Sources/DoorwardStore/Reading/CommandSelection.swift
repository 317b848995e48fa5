internal import DoorwardControl
internal import DoorwardDomain
import FoundationEssentials
import GRDB

/// The commands that a query means, in the words of their table.
struct CommandSelection {
    /// A column that has an index, and what it is to hold.
    struct Match: Hashable {
        let column: String
        let value: DatabaseValue
    }

    /// A command is meant of which at least one holds.
    private let matches: Set<Match>
    /// And only of this device, if there is one.
    private let device: Match?

    init(_ query: CommandQuery, in db: Database) throws {
        var matches = Set(try query.scopes.compactMap { try Self.match($0, in: db) })
        if let actor = query.actorUserID { matches.insert(Match(column: "actor_user_id", value: actor.blob.databaseValue)) }
        self.matches = matches
        device = query.deviceID.map { Match(column: "device_id", value: $0.blob.databaseValue) }
    }

    /// `nil` for a log that nothing stands in.
    private static func match(_ scope: RecordScope, in db: Database) throws -> Match? {
        switch scope {
        case .gatewayLog: try log(.gateway, in: db)
        case .portfolioLog(let id): try log(.portfolio(id), in: db)
        case .property(let id): Match(column: "property_id", value: id.blob.databaseValue)
        case .unit(let id): Match(column: "unit_id", value: id.blob.databaseValue)
        }
    }

    private static func log(_ id: LogID, in db: Database) throws -> Match? {
        try db.firstRow("SELECT key FROM logs WHERE log_id = ?", [id.description]) { try $0.value(Int64.self) }
            .map { Match(column: "log", value: $0.databaseValue) }
    }

    /// What is read one by one, each by its index: the device's commands, or those of each match. A command can come in more
    /// than one.
    var streams: [Match] { matches.isEmpty ? [] : device.map { [$0] } ?? Array(matches) }

    /// What the commands of a stream must fulfil besides: nothing, unless they are read by their device.
    var condition: (sql: String, arguments: StatementArguments) {
        // A column behind `+` is compared row by row and chooses no index.
        device == nil ? ("", []) : (" AND \(anyMatch(prefix: "+"))", arguments)
    }

    /// How many there are, each counted once.
    func count(in db: Database) throws -> Int {
        guard !matches.isEmpty else { return 0 }
        guard let device else { return try countByColumns(in: db) }
        let sql = "SELECT count(*) FROM commands WHERE device_id = ?" + condition.sql
        return try db.firstRow(sql, [device.value] + arguments) { try $0.value(Int.self) } ?? 0
    }

    /// Column by column, each by its own index and without what an earlier one has counted: one query for all of them would
    /// gather every command before it counts.
    private func countByColumns(in db: Database) throws -> Int {
        var (total, counted, earlier) = (0, "", StatementArguments())
        for (name, values) in columns {
            let marks = values.map { _ in "?" }.joined(separator: ", ")
            total +=
                try db.firstRow(
                    "SELECT count(*) FROM commands WHERE \(name) IN (\(marks))\(counted)", StatementArguments(values) + earlier
                ) { try $0.value(Int.self) } ?? 0
            // Behind `+` it chooses no index; a column without a value is none of the values.
            counted += " AND (+\(name) IN (\(marks))) IS NOT TRUE"
            earlier += StatementArguments(values)
        }
        return total
    }

    private var columns: [(name: String, values: [DatabaseValue])] {
        let found = Dictionary(grouping: matches, by: \.column)
        // Widest first: what a log holds is counted in its index alone.
        return ["log", "property_id", "unit_id", "actor_user_id"].compactMap { name in
            found[name].map { (name: name, values: $0.map(\.value)) }
        }
    }

    private func anyMatch(prefix: String) -> String {
        let terms = columns.map { column in
            "\(prefix)\(column.name) IN (\(column.values.map { _ in "?" }.joined(separator: ", ")))"
        }
        return "(\(terms.joined(separator: " OR ")))"
    }

    private var arguments: StatementArguments { StatementArguments(columns.flatMap(\.values)) }
}
