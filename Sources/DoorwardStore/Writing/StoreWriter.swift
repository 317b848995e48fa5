import Dispatch
internal import DoorwardDomain
internal import DoorwardKernel
import GRDB
internal import Logging
internal import Metrics
import Synchronization

/// The only writer of the file. It takes the queued transactions, writes them with one flush, and resumes their callers.
///
/// After a disk failure, the writer rejects transactions until it has opened the database on a new connection. It retries, at
/// growing intervals, when a transaction arrives or `isWritable` is called.
actor StoreWriter {
    private enum Condition {
        case open(BatchWriter)
        /// The disk or the database failed. The writer may try to reopen the database at `retryAt`.
        case failed(retryAt: MonotonicInstant, delay: Duration)
        case closed
    }

    private struct Queue {
        var waiting: [(transaction: PreparedTransaction, caller: CheckedContinuation<BatchWriter.Answer, Never>)] = []
        var accepted = 0
        var isClosed = false
        /// Whether the writer was woken and will take transactions from the queue again.
        var isWriterAwake = false
    }

    private nonisolated let executor: WriterExecutor
    /// Transactions take effect in the order in which they were accepted here.
    private nonisolated let queue = Mutex(Queue())
    private var condition: Condition
    private nonisolated let context: StoreContext
    /// The keys of the person-key file. A reopened connection uses them too.
    private nonisolated let keys: PersonKeyFile
    /// Replaces the person-key file. A flush of the file must not hold the writer.
    private nonisolated let keyFileThread = BlockingThread("store.keys")
    /// The last call that finishes erasures, and whether it has begun: until then, further calls join it.
    private var (finish, hasFinishBegun): (Task<Result<Bool, StoreError>, Never>?, Bool) = (nil, false)

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(connection: sending WriterConnection, context: StoreContext) {
        (self.context, keys) = (context, connection.keys)
        executor = WriterExecutor()
        condition = .open(BatchWriter(connection: connection, context: context))
    }

    // MARK: Called from any thread

    /// Removes the wrapping keys of erased persons from the person-key file, and moves the write-ahead log into the database, so
    /// that no copy of erased or removed content is left in it.
    ///
    /// Transactions wait neither for the flush of the file nor for readers. Calls during a replacement share the next one, which
    /// includes the erasures of all of them.
    ///
    /// - Returns: false if a reader, such as a backup, still needs the write-ahead log.
    /// - Throws: `.failed` if the file cannot be replaced. Calling it again repeats what is left to do.
    func finishErasures() async throws(StoreError) -> Bool {
        if let waiting = finish, !hasFinishBegun { return try await waiting.value.get() }
        let before = finish
        let next = Task {
            _ = await before?.value
            return await self.finishNow()
        }
        (finish, hasFinishBegun) = (next, false)
        return try await next.value.get()
    }

    private func finishNow() async -> Result<Bool, StoreError> {
        hasFinishBegun = true
        do {
            // The writer itself is not kept during the wait: the next batch would have to copy its caches.
            guard let erased = try connection?.erasedPersons() else { return .failure(.unavailable) }
            try await keyFileThread.run { [keys] in try keys.erase(erased) }
            // A batch may have failed, or the store may have been closed meanwhile.
            guard let connection else { return .failure(.unavailable) }
            return .success(try !context.backups.isRunning && connection.truncateWAL(waitsForReaders: false))
        } catch {
            let failure = error as? DurableFile.Failure
            let reason = failure.map { "the person-key file cannot be \($0.verb): \($0.reason)" } ?? describe(error)
            context.logger.error(
                "an erasure is recorded, but its keys are not destroyed yet; repeat it, or restart the gateway",
                metadata: ["reason": "\(reason)"])
            return .failure(.failed(reason))
        }
    }

    /// `nil` unless the database is open.
    var connection: WriterConnection? { if case .open(let writer) = condition { writer.connection } else { nil } }

    /// Queues the transaction and waits until it is durable, was refused or has failed.
    nonisolated func commit(_ transaction: StoreTransaction) async -> BatchWriter.Answer {
        let transaction = PreparedTransaction(transaction)
        return await withCheckedContinuation { caller in
            let accepted = queue.withLock { queue -> (number: Int, wakes: Bool)? in
                guard !queue.isClosed, queue.waiting.count < context.limits.queuedTransactions else { return nil }
                queue.waiting.append((transaction, caller))
                queue.accepted += 1
                defer { queue.isWriterAwake = true }
                return (queue.accepted, !queue.isWriterAwake)
            }
            guard let accepted else { return caller.resume(returning: .failure(.unavailable)) }
            if accepted.wakes { wake() }
            context.hooks.afterAdmission(accepted.number)
        }
    }

    /// Returns whether a transaction would be accepted now. Reopens the database if the retry delay has passed.
    func isWritable() -> Bool {
        reopenIfDue()
        if case .open = condition { return true }
        return false
    }

    /// Writes the queued transactions, and moves the write-ahead log into the file. Afterwards, no transaction is accepted.
    ///
    /// Call it while the readers are open: a connection that is dropped after a failure must not be the last one, because
    /// closing the last connection checkpoints.
    func drain() throws(StoreError) {
        queue.withLock { $0.isClosed = true }
        while writeNext() {}
        guard case .open(var writer) = condition else { return }
        condition = .closed
        do {
            try writer.projectAll()
            condition = .open(writer)
            try context.hooks.beforeCheckpoint()
            try writer.connection.truncateWAL(waitsForReaders: true)
            try context.hooks.afterCheckpoint()
        } catch {
            condition = .closed
            writer.connection.abandon()
            throw .failed("moving the write-ahead log into the database failed: \(describe(error))")
        }
    }

    /// Closes the connection. Call it after `drain`, whatever it has thrown, and after closing the readers, because the last connection
    /// removes the write-ahead log. Afterwards nothing replaces the person-key file any more.
    func close() async throws(StoreError) {
        let last = connection
        condition = .closed
        while let running = finish {
            _ = await running.value
            if finish == running { finish = nil }
        }
        guard let last else { return }
        do {
            try last.close()
        } catch {
            throw .failed("closing the database failed: \(describe(error))")
        }
    }

    // MARK: On the writer's queue

    /// Writes the queued transactions, one batch per job on the queue, so that other calls to the writer can run between two
    /// batches.
    private nonisolated func wake() {
        executor.queue.async {
            self.assumeIsolated { writer in
                if writer.writeNext() { writer.wake() }
            }
        }
    }

    /// Writes one batch of the queued transactions.
    ///
    /// - Returns: false if the queue is empty.
    private func writeNext() -> Bool {
        let batch = queue.withLock { queue in
            let taken = Array(queue.waiting.prefix(context.limits.transactionsPerFlush))
            queue.waiting.removeFirst(taken.count)
            // If there are none, the next accepted transaction must wake the writer.
            queue.isWriterAwake = !taken.isEmpty
            return taken
        }
        guard !batch.isEmpty else { return false }
        reopenIfDue()
        guard case .open(var writer) = condition else {
            for waiting in batch { waiting.caller.resume(returning: .failure(.unavailable)) }
            return true
        }
        // Change the writer in place: a second reference to it in `condition` would cause each of its caches to be copied.
        condition = .closed
        do {
            let begun = context.clock.monotonicNow()
            let answers = try writer.write(batch.map(\.transaction))
            context.metrics.note(answers, after: context.clock.monotonicNow().duration(since: begun))
            for (waiting, answer) in zip(batch, answers) { waiting.caller.resume(returning: answer) }
            condition = .open(writer)
            checkpointIfDue()
        } catch {
            context.metrics.failures.increment()
            fail(writer, error)
            let failure = StoreError.failed("the transaction may not be durable: \(describe(error))")
            for waiting in batch { waiting.caller.resume(returning: .failure(failure)) }
        }
        return true
    }

    private func checkpointIfDue() {
        guard case .open(var writer) = condition else { return }
        condition = .closed
        do {
            try writer.checkpointIfDue()
            condition = .open(writer)
        } catch {
            fail(writer, error)
        }
    }

    private func fail(_ writer: BatchWriter, _ error: any Error) {
        context.logger.error("writing to the database failed; it will be reopened", metadata: ["reason": "\(describe(error))"])
        // Readers are open, also during `drain`. So this is not the last connection, and closing it neither flushes nor
        // checkpoints.
        writer.connection.abandon()
        retryLater(after: context.limits.retryDelay)
    }

    private func retryLater(after delay: Duration) {
        condition = .failed(retryAt: context.clock.monotonicNow().advanced(by: delay), delay: delay)
    }

    /// Opens the database on a new connection if the last one failed and the retry delay has passed.
    private func reopenIfDue() {
        guard case .failed(let retryAt, let delay) = condition, retryAt <= context.clock.monotonicNow() else { return }
        do {
            guard context.hooks.isDescriptorReserveFree() else {
                throw StoreOpenError.failed(path: context.path, reason: "too many open files")
            }
            let connection = try WriterConnection.open(path: context.path, limits: context.limits) { [keys] _ in keys }
            // A checkpoint writes all committed pages again, so that they are also flushed again.
            guard isCheckpointed(connection) else {
                connection.abandon()
                return retryLater(after: min(delay * 2, context.limits.maxRetryDelay))
            }
            condition = .open(BatchWriter(connection: connection, context: context))
            context.logger.notice("the database is open again")
        } catch {
            context.logger.error("reopening the database failed", metadata: ["reason": "\(error)"])
            retryLater(after: min(delay * 2, context.limits.maxRetryDelay))
        }
    }

    private func isCheckpointed(_ connection: WriterConnection) -> Bool {
        do {
            try context.hooks.beforeCheckpoint()
            let isComplete = try connection.checkpoint().isComplete
            try context.hooks.afterCheckpoint()
            return isComplete
        } catch {
            context.logger.error("the checkpoint of the database failed", metadata: ["reason": "\(describe(error))"])
            return false
        }
    }
}

/// Runs the writer on its own serial queue. A flush blocks its thread, which must not be one of Swift's cooperative threads.
final class WriterExecutor: SerialExecutor {
    let queue = DispatchQueue(label: "doorward.store.writer", qos: .userInitiated)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

/// Removes expired rows, a bounded number at a time.
enum Pruning {
    /// The number of expired rows that are removed from a table with each insertion. It is more than one, so that the table
    /// shrinks.
    static let rowsPerInsert = 8
    /// The number of expired rows that one transaction removes from a table when the store is opened.
    static let atOpening = 4096

    /// Removes expired sessions, ended or not, with their tokens. Used tokens of other sessions are kept, so that a second use
    /// of a token is detected, which indicates theft.
    ///
    /// - Returns: the number of removed rows.
    @discardableResult
    static func sessions(expiredAt now: Timestamp, limit: Int, in db: Database) throws -> Int {
        // A session has several tokens. It is removed after the last of them.
        try db.run(
            """
            DELETE FROM refresh_tokens WHERE digest IN
                (SELECT digest FROM sessions JOIN refresh_tokens ON session_id = sessions.id WHERE expires_at <= ?
                 ORDER BY expires_at LIMIT ?)
            """, [now.milliseconds, limit * 4])
        let tokens = db.changesCount
        try db.run(
            """
            DELETE FROM sessions WHERE id IN
                (SELECT id FROM sessions WHERE expires_at <= ?
                 AND NOT EXISTS (SELECT 1 FROM refresh_tokens WHERE session_id = sessions.id) ORDER BY expires_at LIMIT ?)
            """, [now.milliseconds, limit])
        return tokens + db.changesCount
    }

    /// Removes expired idempotency keys.
    ///
    /// - Returns: the number of removed rows.
    @discardableResult
    static func idempotency(before oldest: Timestamp, limit: Int, in db: Database) throws -> Int {
        try db.run(
            """
            DELETE FROM idempotency WHERE (principal, key) IN
                (SELECT principal, key FROM idempotency WHERE created_at < ? ORDER BY created_at LIMIT ?)
            """, [oldest.milliseconds, limit])
        return db.changesCount
    }
}
