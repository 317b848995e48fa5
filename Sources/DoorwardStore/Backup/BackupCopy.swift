internal import DoorwardControl
internal import DoorwardDomain
import GRDB

/// Copies a database page by page within one snapshot of it.
///
/// The snapshot is a read transaction of the connection that is copied from: what the writer commits meanwhile neither shows
/// nor starts the copy anew, and the writer waits for nothing. The copy is raw, so that its cost is that of reading the file
/// once; what was deleted is zeros in it as in the original.
struct BackupCopy {
    /// Steps between two flushes, lest one at the end holds up the writer's own on the same disk.
    private static let stepsPerFlush = 8

    struct Stopped: Error {}

    let partial: PartialBackup
    let running: RunningBackup
    let pagesPerStep: Int
    let hooks: StoreHooks

    /// Copies everything that `source`, which is in a read transaction, sees.
    ///
    /// - Returns: the logs that are in the copy.
    func write(from source: Database) throws -> [LogSize] {
        let logs = try Self.logs(in: source)
        let copy = try DatabaseQueue(path: partial.path)
        do {
            try copy.writeWithoutTransaction { destination in
                // Nobody needs half a copy: what a crash leaves of it has not got its name.
                try destination.execute(
                    sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE")
                var steps = 0
                try source.backup(to: destination, pagesPerStep: CInt(clamping: pagesPerStep)) { progress in
                    try hooks.duringBackup(progress.remainingPageCount)
                    // What is thrown after the last step is lost, and the system tells of a failed flush once.
                    if progress.isCompleted { return }
                    if running.isStopped { throw Stopped() }
                    steps += 1
                    if steps.isMultiple(of: Self.stepsPerFlush) { try partial.flush() }
                }
            }
        } catch {
            try? copy.close()
            throw error
        }
        try copy.close()
        try makeOneFile()
        return logs
    }

    /// A database in WAL mode cannot be read from a folder where nothing can be written. A store that opens the copy
    /// switches it back.
    private func makeOneFile() throws {
        let copy = try DatabaseQueue(path: partial.path)
        defer { try? copy.close() }
        try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    }

    static func logs(in db: Database) throws -> [LogSize] {
        try db.rows("SELECT log_id, size FROM logs WHERE size > 0 ORDER BY log_id") { columns in
            guard let log = LogID(try columns.value(String.self)) else { throw UnreadableColumn(column: "log_id") }
            return LogSize(log: log, size: UInt64(try columns.value(Int64.self)))
        }
    }
}
