import DoorwardAudit
import DoorwardDomain
import FoundationEssentials
import GRDB

@testable import DoorwardStore

/// The state of a file's logs, read without the store.
struct StoredLogs {
    /// The first fault of each log that has one.
    var faults: [LogID: LogFault] = [:]
    var sizes: [LogID: Int] = [:]
    /// The ids of all records.
    var recordIDs: Set<RecordID> = []
    var integrity = ""

    init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        let database = try DatabaseQueue(path: path, configuration: configuration)
        try database.read { db in
            integrity = try String.fetchOne(db, sql: "PRAGMA integrity_check") ?? ""
            for row in try Row.fetchAll(db, sql: "SELECT log_id, frontier, first_seq FROM logs") {
                // A column of a damaged file may have any value.
                guard let name = row["log_id"] as String?, let log = LogID(name), let frontier = row["frontier"] as Data?,
                    let first = row["first_seq"] as Int64?, (0..<1 << 20).contains(first)
                else {
                    if integrity == "ok" { integrity = "a log whose row cannot be read" }
                    continue
                }
                let records = try Self.records(of: name, in: db)
                sizes[log] = records.count
                var removed = MerkleFrontier()
                let nodes = (0..<UInt64(first)).map { MerkleNode(level: 0, index: $0) }
                for leaf in try LogTiles.hashes(of: nodes, in: log, db) ?? [] { removed.append(leafHash: leaf) }
                var check = LogCheck(log: log, after: removed)
                do throws(LogFault) {
                    for record in records { try check.add(record.bytes, leafHash: record.leafHash) }
                    try check.finish(storedFrontier: [UInt8](frontier))
                } catch {
                    faults[log] = error
                }
                for record in records { recordIDs.insert(try RecordEncoding.decode(record.bytes).record.body.id) }
            }
        }
        try database.close()
    }

    private static func records(of log: String, in db: Database) throws -> [(bytes: [UInt8], leafHash: [UInt8])] {
        try Row.fetchAll(db, sql: "SELECT bytes, leaf_hash FROM records WHERE log_id = ? ORDER BY position", arguments: [log])
            .map { ([UInt8]($0["bytes"] as Data? ?? Data()), [UInt8]($0["leaf_hash"] as Data? ?? Data())) }
    }
}
