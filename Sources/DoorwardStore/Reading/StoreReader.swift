import Dispatch
internal import DoorwardControl
internal import DoorwardDomain
import GRDB
import Synchronization

/// The connections for reading. They are read-only, and therefore never checkpoint.
///
/// Lists wait in a queue, which keeps `StoreLimits.pointReaders` connections free for reads by id or key, and one for a backup.
final class StoreReader: Sendable {
    private let pool: DatabasePool
    private let clock: any GatewayClock
    private let limits: StoreLimits
    /// The queue in which lists wait for a connection.
    let lists: ListQueue
    private let isClosed = Atomic(false)

    init(path: String, limits: StoreLimits = StoreLimits(), clock: any GatewayClock) throws(StoreOpenError) {
        (self.limits, self.clock, lists) = (limits, clock, ListQueue(limits: limits))
        var configuration = Configuration()
        configuration.label = "doorward.store.reader"
        configuration.readonly = true
        configuration.maximumReaderCount = limits.connectionsToRead
        configuration.busyMode = .timeout(1)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY")
        }
        do {
            pool = try DatabasePool(path: path, configuration: configuration)
            try Self.openAll(of: pool, limits.connectionsToRead)
            // A connection that has read once keeps the file open until the store closes. The writer's connection is therefore
            // never the last to close; SQLite would checkpoint when the last connection closes. The barrier waits for the reads
            // of `openAll`: an open read would make the next checkpoint incomplete.
            try pool.barrierWriteWithoutTransaction { db in
                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM logs")
            }
        } catch {
            throw .failed(path: path, reason: describe(error))
        }
    }

    /// Opens all connections now. Otherwise, the pool would open each connection when it is first needed, and no file
    /// descriptor might be free then. Blocks until all are open.
    private static func openAll(of pool: DatabasePool, _ count: Int) throws {
        let (opened, failure) = (DispatchGroup(), FirstFailure())
        for _ in 0..<count { opened.enter() }
        for _ in 0..<count {
            pool.asyncRead { result in
                do {
                    let db = try result.get()
                    // The read opens the write-ahead log too.
                    _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM logs")
                    opened.leave()
                    // Keep this connection in use until the last one is open.
                    // Blocks: the reader's own thread.
                    opened.wait()
                } catch {
                    failure.note(error)
                    opened.leave()
                }
            }
        }
        // Blocks: the thread that opens the store, for reads that need no other thread of the pool.
        opened.wait()
        if let error = failure.error { throw error }
    }

    /// Reads one page of a list in one snapshot, within the limits of a page. Waits in the queue for a connection first.
    ///
    /// - Throws: `.tooManyReads` if the queue is full, `.readTimedOut` if the read was interrupted at its deadline, `.unavailable` if
    ///   the task is cancelled.
    func list<Value: Sendable>(
        for reader: ListReader, _ body: @escaping @Sendable (Database, inout ReadBudget) throws -> Value
    ) async throws(StoreError) -> Value {
        try await lists.enter(reader)
        defer { lists.leave(reader) }
        return try await read { [limits, clock] db in
            let begun = clock.monotonicNow()
            var budget = ReadBudget(rows: limits.rowsPerPage, endsAt: begun.advanced(by: limits.timePerPage), clock: clock)
            return try ReadDeadline.enforce(begun.advanced(by: limits.maxRead), clock: clock, on: db) {
                try body(db, &budget)
            }
        }
    }

    /// Reads in one snapshot, on a thread that is not one of Swift's cooperative threads. Cancelling the task interrupts the
    /// read.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws(StoreError) -> Value {
        guard !isClosed.load(ordering: .acquiring) else { throw .unavailable }
        do {
            return try await pool.read(body)
        } catch let error as StoreError {
            throw error
        } catch is CancellationError {
            throw .unavailable
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            throw .unavailable
        } catch {
            throw .failed("reading the database failed: \(describe(error))")
        }
    }

    /// Copies the database to a backup file on a separate thread; see `BackupCopy`.
    ///
    /// - Returns: the instant of the snapshot, and the logs in it.
    func backup(
        _ copy: BackupCopy, clock: any GatewayClock
    ) async throws(StoreBackupError) -> (at: Timestamp, logs: [LogSize]) {
        guard !isClosed.load(ordering: .acquiring) else { throw .unavailable }
        do {
            return try await pool.read { db in
                // Take the instant before the first read, which starts the snapshot. Everything acknowledged before this
                // instant is then in the snapshot.
                let at = clock.now()
                return (at, try copy.write(from: db))
            }
        } catch is BackupCopy.Stopped {
            throw .unavailable
        } catch let error as StoreBackupError {
            throw error
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            throw .refused(.diskFull)
        } catch {
            throw .failed("copying the database failed: \(describe(error))")
        }
    }

    /// Waits until the running reads have ended, then closes the connections. Reads that begin afterwards throw.
    func close() async {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // Blocks: a thread of its own. `close` fails only while a read is running; the connections then close when the last read
        // has ended.
        await blocking { [pool] in try? pool.close() }
    }
}

/// The first error that several threads have reported.
private final class FirstFailure: Sendable {
    private let state = Mutex<(any Error)?>(nil)

    var error: (any Error)? { state.withLock { $0 } }

    func note(_ error: any Error) { state.withLock { $0 = $0 ?? error } }
}
