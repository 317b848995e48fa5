internal import DoorwardAudit
internal import DoorwardControl
internal import DoorwardDomain
import GRDB

/// Reads the sizes, frontiers and checkpoint marks of the logs.
enum LogHeadReading {
    static func heads(in db: Database) throws -> [LogHead] {
        var marks = try db.rows("SELECT log_id, generation, size, signed_at FROM log_checkpoints", []) { columns in
            CheckpointMark(
                log: try Self.log(columns.value()), generation: Int(clamping: try columns.value(Int64.self)),
                size: UInt64(clamping: try columns.value(Int64.self)),
                signedAt: try columns.optionalInstant())
        }.reduce(into: [LogID: CheckpointMark]()) { $0[$1.log] = $1 }
        var heads = try db.rows("SELECT log_id, size FROM logs", []) { columns in
            let log = try Self.log(columns.value())
            return LogHead(log: log, size: UInt64(clamping: try columns.value(Int64.self)), mark: marks.removeValue(forKey: log))
        }
        heads += marks.values.map { LogHead(log: $0.log, size: 0, mark: $0) }
        return heads.sorted { $0.log.description < $1.log.description }
    }

    static func frontier(of log: LogID, in db: Database) throws -> MerkleFrontier? {
        let bytes = try db.firstRow("SELECT frontier FROM logs WHERE log_id = ?", [log.description]) { try $0.bytes() }
        guard let bytes else { return nil }
        guard let frontier = MerkleFrontier(bytes: bytes) else { throw UnreadableColumn(column: "frontier") }
        return frontier
    }

    private static func log(_ name: String) throws -> LogID {
        guard let log = LogID(name) else { throw UnreadableColumn(column: "log_id") }
        return log
    }
}
