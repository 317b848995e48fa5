import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import FoundationEssentials
import GRDB

@testable import DoorwardStore

/// What the store has promised, and whether a database file keeps it.
struct Promises {
    private var records: Set<RecordID> = []
    private var shown: [LogID: (size: UInt64, root: [UInt8])] = [:]
    private var erased: Set<UserID> = []

    mutating func add(_ event: DiskRecorder.Event) {
        switch event {
        case .answered(let ids): records.formUnion(ids)
        case .shown(let log, let size, let root): if size >= shown[log]?.size ?? 0 { shown[log] = (size, root) }
        case .erased(let user): erased.insert(user)
        default: break
        }
    }

    /// The promises that a closed database breaks.
    func violations(of path: String) throws -> [String] {
        var violations: [String] = []
        let report = try StoreCheck.run(path: path)
        if let fault = report.fault { violations.append("the check finds \(fault)") }
        let logs = try StoredLogs(path: path)
        if logs.integrity != "ok" { violations.append("SQLite finds \(logs.integrity)") }
        for (log, fault) in logs.faults { violations.append("\(log): \(fault)") }
        let lost = records.subtracting(logs.recordIDs)
        if !lost.isEmpty { violations.append("\(lost.count) answered records are lost") }
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        try queue.read { db in
            for (log, promised) in shown {
                let sql = "SELECT leaf_hash FROM records WHERE log_id = ? ORDER BY position LIMIT ?"
                let leaves = try Data.fetchAll(db, sql: sql, arguments: [log.description, Int64(promised.size)]).map { Array($0) }
                if MerkleTree.root(ofLeafHashes: leaves) != promised.root {
                    violations.append("\(log): a reader saw \(promised.size) records that are not there")
                }
            }
            for user in erased {
                if try !PersonKeys.logs(of: .user(user), in: db).isEmpty {
                    violations.append("a key of an erased person is there")
                }
            }
        }
        return violations
    }
}
