import Dispatch
internal import DoorwardDomain
internal import DoorwardKernel
import GRDB
internal import GRDBSQLite
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
        let opened = DispatchGroup()
        let failure = Mutex<(any Error)?>(nil)
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
                    failure.withLock { $0 = $0 ?? error }
                    opened.leave()
                }
            }
        }
        // Blocks: the thread that opens the store, for reads that need no other thread of the pool.
        opened.wait()
        if let error = failure.withLock({ $0 }) { throw error }
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
    func backup(_ copy: BackupCopy) async throws(StoreBackupError) -> (at: Timestamp, logs: [LogSize]) {
        guard !isClosed.load(ordering: .acquiring) else { throw .unavailable }
        do {
            return try await pool.read { [clock] db in
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

/// Interrupts the statements of a connection once a deadline has passed.
final class ReadDeadline {
    private let deadline: MonotonicInstant
    private let clock: any GatewayClock
    private var hasInterrupted = false

    /// The number of steps of SQLite's virtual machine between two clock checks. They usually take less than a millisecond.
    private static let stepsBetweenChecks: CInt = 10_000

    private init(_ deadline: MonotonicInstant, _ clock: any GatewayClock) { (self.deadline, self.clock) = (deadline, clock) }

    /// - Throws: `StoreError.readTimedOut` if a statement was interrupted.
    static func enforce<Value>(
        _ deadline: MonotonicInstant, clock: any GatewayClock, on db: Database, _ body: () throws -> Value
    ) throws -> Value {
        let watch = ReadDeadline(deadline, clock)
        return try withExtendedLifetime(watch) {
            sqlite3_progress_handler(
                db.sqliteConnection, stepsBetweenChecks,
                { context in
                    guard let context else { return 0 }
                    return Unmanaged<ReadDeadline>.fromOpaque(context).takeUnretainedValue().interrupts() ? 1 : 0
                }, Unmanaged.passUnretained(watch).toOpaque())
            defer { sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil) }
            do {
                return try body()
            } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT && watch.hasInterrupted {
                throw StoreError.readTimedOut
            }
        }
    }

    private func interrupts() -> Bool {
        hasInterrupted = clock.monotonicNow() >= deadline
        return hasInterrupted
    }
}

/// Allocates the list readers: connections that are reserved for reading lists. A user has at most one at a time, and the users
/// of one portfolio have a limited number. Waiting calls get the next free reader round-robin, first by portfolio, then by user.
final class ListQueue: Sendable {
    private typealias Admission = Result<Void, StoreError>

    private struct Waiter {
        let reader: ListReader
        let ticket: UInt64
        let continuation: CheckedContinuation<Admission, Never>
    }

    private struct State {
        /// The waiting calls of each user, oldest first, of each portfolio. No array is empty. The portfolios, and in each the users, that
        /// were served last are at the end.
        var queues: [[[Waiter]]] = []
        var waiting = 0
        /// The users whose lists are being read.
        var running: [ListReader] = []
        var tickets: UInt64 = 0
    }

    private let limits: StoreLimits
    private let state = Mutex(State())

    init(limits: StoreLimits) { self.limits = limits }

    /// The number of waiting calls.
    var waitingCount: Int { state.withLock(\.waiting) }

    /// Waits for a list reader. Each call that returns without an error must be followed by a call of `leave`.
    ///
    /// - Throws: `.tooManyReads` if the queue is full, `.unavailable` if the task is cancelled.
    func enter(_ reader: ListReader) async throws(StoreError) {
        let ticket = state.withLock { state -> UInt64? in
            guard !take(reader, &state) else { return nil }
            state.tickets += 1
            return state.tickets
        }
        guard let ticket else { return }
        let admission = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(reader: reader, ticket: ticket, continuation: continuation)
                // The cancellation handler may have run before the waiter was queued.
                if let admission = state.withLock({ admit(waiter, Task.isCancelled, &$0) }) {
                    continuation.resume(returning: admission)
                }
            }
        } onCancel: {
            state.withLock { remove(ticket, of: reader, &$0) }?.continuation.resume(returning: .failure(.unavailable))
        }
        try admission.get()
    }

    /// Releases a list reader and passes it to the next waiting call.
    func leave(_ reader: ListReader) {
        let granted = state.withLock { state in
            if let index = state.running.firstIndex(of: reader) { state.running.remove(at: index) }
            return grant(&state)
        }
        for waiter in granted { waiter.continuation.resume(returning: .success(())) }
    }

    // MARK: Under the lock

    /// Takes a list reader if one is free for this user. This does not overtake waiting calls unfairly: while a reader is free,
    /// each waiting call is blocked by the limit of its own user or portfolio.
    private func take(_ reader: ListReader, _ state: inout State) -> Bool {
        guard state.running.count < limits.listReaders, !state.running.contains(reader),
            state.running.count(where: { $0.logs == reader.logs }) < limits.listReadersPerPortfolio
        else { return false }
        state.running.append(reader)
        return true
    }

    /// - Returns: `nil` if the waiter was added to the queue.
    private func admit(_ waiter: Waiter, _ isCancelled: Bool, _ state: inout State) -> Admission? {
        if isCancelled { return .failure(.unavailable) }
        if take(waiter.reader, &state) { return .success(()) }
        let (group, user) = place(of: waiter.reader, state)
        let waitingOfGroup = group.map { state.queues[$0].reduce(0) { $0 + $1.count } } ?? 0
        let waitingOfUser = user.flatMap { user in group.map { state.queues[$0][user].count } } ?? 0
        guard waitingOfUser < limits.waitingListsPerUser, waitingOfGroup < limits.waitingListsPerPortfolio,
            state.waiting < limits.waitingLists
        else { return .failure(.tooManyReads) }
        state.waiting += 1
        switch (group, user) {
        case (let group?, let user?): state.queues[group][user].append(waiter)
        case (let group?, nil): state.queues[group].append([waiter])
        case (nil, _): state.queues.append([[waiter]])
        }
        return nil
    }

    /// The queues of the user and of the user's portfolios; `nil` if no call of theirs waits.
    private func place(of reader: ListReader, _ state: State) -> (group: Int?, user: Int?) {
        let group = state.queues.firstIndex { $0[0][0].reader.logs == reader.logs }
        return (group, group.flatMap { state.queues[$0].firstIndex { $0[0].reader == reader } })
    }

    private func remove(_ ticket: UInt64, of reader: ListReader, _ state: inout State) -> Waiter? {
        guard case (let group?, let user?) = place(of: reader, state),
            let index = state.queues[group][user].firstIndex(where: { $0.ticket == ticket })
        else { return nil }
        state.waiting -= 1
        let waiter = state.queues[group][user].remove(at: index)
        state.queues[group].removeAll(where: \.isEmpty)
        state.queues.removeAll(where: \.isEmpty)
        return waiter
    }

    /// Takes free list readers for the next waiting calls.
    private func grant(_ state: inout State) -> [Waiter] {
        var granted: [Waiter] = []
        while state.running.count < limits.listReaders, let waiter = next(&state) { granted.append(waiter) }
        return granted
    }

    private func next(_ state: inout State) -> Waiter? {
        for group in state.queues.indices {
            for user in state.queues[group].indices where take(state.queues[group][user][0].reader, &state) {
                var portfolio = state.queues.remove(at: group)
                var calls = portfolio.remove(at: user)
                let waiter = calls.removeFirst()
                if !calls.isEmpty { portfolio.append(calls) }
                if !portfolio.isEmpty { state.queues.append(portfolio) }
                state.waiting -= 1
                return waiter
            }
        }
        return nil
    }
}
