internal import DoorwardControl
import GRDB
import Glibc

/// Checks a database file that no gateway has open, and reports its first fault.
///
/// The file is not changed. A write-ahead log beside the file is read and kept. The check
/// holds the lock on `<path>.lock` and on the file, so that no gateway opens the file meanwhile.
package struct StoreCheck {
    /// Checks the file at `path`. Blocks until the check is complete: about 10 s for a million records.
    ///
    /// - Parameters:
    ///   - personKeyFile: the person-key file; `nil` for `<path>.person-keys`. If it does not exist, encrypted values are not
    ///     checked, and counted as such: a backup does not contain the file.
    ///   - progress: called on the caller's thread.
    /// - Throws: if the file cannot be checked at all: a gateway has it open, a newer program wrote it, it is not a Doorward
    ///   database, or a system call fails. A fault in the content is returned in the report.
    package static func run(
        path: String, personKeyFile: String? = nil, progress: (StoreCheckProgress) -> Void = { _ in }
    ) throws(StoreOpenError) -> StoreCheckReport {
        let file = try DatabaseFile(at: path)
        guard access(file.path, F_OK) == 0 else {
            throw .failed(path: file.path, reason: systemError("there is nothing to check"))
        }
        let lock = try FileLock(for: file.path)
        defer { lock.release() }
        let fileLock = try InodeLock(for: file.path)
        defer { fileLock.release() }
        let companions = Companions(of: file.path)
        defer { companions.removeNew() }
        do {
            let queue = try DatabaseQueue(path: file.path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.read { db in
                let keys = try PersonKeyFile.reading(
                    personKeyFile ?? "\(file.path).person-keys", knownTo: file.path, id: try PersonKeyFile.storedID(in: db))
                return try StoreCheck(db: db, path: file.path, keys: keys).report(progress)
            }
        } catch let error as StoreOpenError {
            throw error
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw .notOurs(path: file.path)
        } catch {
            throw .failed(path: file.path, reason: describe(error))
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "doorward.store.check"
        configuration.readonly = true
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768")
        }
        return configuration
    }

    private let db: Database
    private let path: String
    private let keys: PersonKeyFile?

    private func report(_ progress: (StoreCheckProgress) -> Void) throws -> StoreCheckReport {
        try Schema.current.check(db, path: path)
        let schema = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        // Schema 0 is an empty file. A gateway would create a new database in it, so it is not a Doorward database yet.
        guard schema > 0 else { throw StoreOpenError.notOurs(path: path) }
        var report = StoreCheckReport(path: path, bytes: Self.size(of: path), schema: schema, counts: StoreCheckCounts())
        do {
            try SchemaCheck().run(in: db)
            var records = RecordsCheck(db: db, keys: keys)
            defer { report.counts = records.counts }
            try records.run(progress)
            progress(StoreCheckProgress(stage: .structure, done: 0, total: 1))
            try TenancyCheck(db: db, keys: keys).run()
            try StructureCheck(db: db).run()
            progress(StoreCheckProgress(stage: .structure, done: 1, total: 1))
        } catch {
            guard let fault = StoreFault(error) else { throw error }
            report.fault = fault
        }
        return report
    }

    private static func size(of path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }
}

extension SQLiteStore {
    /// The first value of the tenancy, or instant of another table, that no gateway writes; `nil` if there is none, or if the tables cannot
    /// be read. Reads no records. Cancelling the task interrupts it.
    package func damage() async -> StoreFault? {
        let found = try? await reader.read { [keys] db -> StoreFault? in
            do {
                try TenancyCheck(db: db, keys: keys).run()
                try StructureCheck(db: db).checkInstants()
                return nil
            } catch {
                return StoreFault(error)
            }
        }
        return found ?? nil
    }
}

/// The files that SQLite creates beside a database in WAL mode. A read-only connection creates
/// these files and does not remove them.
private struct Companions {
    private let new: [String]

    init(of path: String) {
        new = ["-wal", "-shm"].map { path + $0 }.filter { access($0, F_OK) != 0 }
    }

    /// Removes the files that did not exist before. Call it under the file's lock, when no connection has the file open.
    func removeNew() { for name in new { unlink(name) } }
}
