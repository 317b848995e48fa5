internal import DoorwardControl
internal import DoorwardDomain
import GRDB

/// Copies a database page by page within one snapshot of it.
///
/// The snapshot is a read transaction of the source connection. Later commits are not visible in the snapshot and do not restart
/// the copy, and the writer never waits for the copy. Pages are copied unchanged, so the cost is the cost of reading the file
/// once. Deleted data is overwritten with zeros in the copy, as in the original.
struct BackupCopy {
    /// The number of steps between two flushes. A single flush at the end would delay the writer's own flushes on the same disk.
    private static let stepsPerFlush = 8

    struct Stopped: Error {}

    let partial: PartialBackup
    let running: RunningBackup
    let pagesPerStep: Int
    let hooks: StoreHooks

    /// Copies the snapshot of `source`, which is in a read transaction.
    ///
    /// - Returns: the logs in the copy.
    func write(from source: Database) throws -> [LogSize] {
        let logs = try Self.logs(in: source)
        let copy = try DatabaseQueue(path: partial.path)
        do {
            try copy.writeWithoutTransaction { destination in
                // Disable SQLite's journal and flushes: a crash leaves only a partial file, which
                // does not have the backup's name.
                try destination.execute(
                    sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE")
                var steps = 0
                try source.backup(to: destination, pagesPerStep: CInt(clamping: pagesPerStep)) { progress in
                    try hooks.duringBackup(progress.remainingPageCount)
                    // Neither throw nor flush after the last step: an error thrown there would be
                    // lost, and the system reports a failed flush only once.
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

    /// Switches the copy from WAL to a rollback journal: a database in WAL mode cannot be read in a folder without write permission.
    /// A store that opens the copy switches it back.
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
