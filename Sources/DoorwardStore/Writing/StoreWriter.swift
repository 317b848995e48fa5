import Dispatch
internal import DoorwardControl
internal import DoorwardDomain
import GRDB
internal import Logging
internal import Metrics

/// The one writer of the file: takes what waits, writes it with one flush, and answers.
///
/// After a failure of the disk it takes nothing until it has opened the database on a new connection. It tries when a
/// transaction arrives or somebody asks, at growing intervals.
actor StoreWriter {
    private enum Condition {
        case open(BatchWriter)
        /// The disk or the database failed. `retryAt` is when the database may be opened again.
        case failed(retryAt: MonotonicInstant, delay: Duration)
        case closed
    }

    private nonisolated let executor: WriterExecutor
    private nonisolated let inbox: Inbox
    private var condition: Condition
    private let path: String
    private let clock: any GatewayClock
    private let random: any RandomNumberGenerator & Sendable
    private let logger: Logger
    private let limits: StoreLimits
    private nonisolated let hooks: StoreHooks
    private let backups: RunningBackup
    private let metrics: StoreMetrics

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(
        path: String, connection: sending WriterConnection, clock: any GatewayClock, random: any RandomNumberGenerator & Sendable,
        logger: Logger, limits: StoreLimits, hooks: StoreHooks, backups: RunningBackup = RunningBackup(),
        metrics: StoreMetrics = StoreMetrics(NOOPMetricsHandler.instance)
    ) {
        self.metrics = metrics
        (self.path, self.clock, self.random, self.logger) = (path, clock, random, logger)
        (self.limits, self.hooks, self.backups) = (limits, hooks, backups)
        executor = WriterExecutor()
        inbox = Inbox(limit: limits.queuedTransactions)
        condition = .open(
            BatchWriter(connection: connection, random: random, logger: logger, limits: limits, hooks: hooks, backups: backups))
    }

    // MARK: From outside

    /// Hands the transaction over and waits until it is durable, refused or lost.
    nonisolated func commit(_ transaction: StoreTransaction) async -> Result<[RecordPlace], StoreError> {
        await withCheckedContinuation { caller in
            switch inbox.admit(WaitingTransaction(transaction: transaction, caller: caller)) {
            case .accepted(let number): hooks.afterAdmission(number)
            case .acceptedFirst(let number):
                wake()
                hooks.afterAdmission(number)
            case .turnedAway: caller.resume(returning: .failure(.unavailable))
            }
        }
    }

    /// Whether a transaction would be taken now. Opens the database anew if it is time to try.
    func isWritable() -> Bool {
        reopenIfDue()
        if case .open = condition { return true }
        return false
    }

    /// The writing connection's settings; `nil` while there is none.
    func settings() throws -> StoreSettings? {
        guard case .open(let writer) = condition else { return nil }
        return try writer.connection.settings()
    }

    /// Writes what waits, and moves the write-ahead log into the file. Nothing is accepted afterwards.
    ///
    /// Called while the readers are open: whatever fails here, the connection that is dropped is not the last one.
    func drain() throws(StoreError) {
        inbox.close()
        while writeNext() {}
        guard case .open(var writer) = condition else { return }
        condition = .closed
        do {
            try writer.projectAll()
            condition = .open(writer)
            try hooks.beforeCheckpoint()
            try writer.connection.cutLog()
            try hooks.afterCheckpoint()
        } catch {
            condition = .closed
            writer.connection.abandon()
            throw .failed("moving the write-ahead log into the database failed: \(describe(error))")
        }
    }

    /// Closes. Called after `drain` and after the readers were closed: the last connection tidies up.
    func close() throws(StoreError) {
        defer { condition = .closed }
        guard case .open(let writer) = condition else { return }
        do {
            try writer.connection.close()
        } catch {
            throw .failed("closing the database failed: \(describe(error))")
        }
    }

    // MARK: On the writer's queue

    /// One look at the queue for each turn on the queue, so that others who ask the writer get theirs.
    private nonisolated func wake() {
        executor.queue.async {
            self.assumeIsolated { writer in
                if writer.writeNext() { writer.wake() }
            }
        }
    }

    /// Writes one batch of what waits.
    ///
    /// - Returns: false when nothing waits.
    private func writeNext() -> Bool {
        let batch = inbox.take(limits.transactionsPerFlush)
        guard !batch.isEmpty else { return false }
        reopenIfDue()
        guard case .open(var writer) = condition else {
            for waiting in batch { waiting.answer(.failure(.unavailable)) }
            return true
        }
        // The writer is changed in place: two owners would make each of its caches a copy.
        condition = .closed
        do {
            let begun = clock.monotonicNow()
            let answers = try writer.write(batch.map(\.transaction))
            metrics.note(answers, after: clock.monotonicNow().duration(since: begun))
            for (waiting, answer) in zip(batch, answers) { waiting.answer(answer) }
            condition = .open(writer)
            checkpointIfDue()
        } catch {
            metrics.failures.increment()
            fail(writer, error)
            for waiting in batch { waiting.answer(.failure(.failed("the transaction may not be durable: \(describe(error))"))) }
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
        logger.error("the database cannot be written; it will be opened anew", metadata: ["reason": "\(describe(error))"])
        // Readers are open, also while `drain` runs: this is not the last connection, and closing it flushes and
        // checkpoints nothing.
        writer.connection.abandon()
        retryLater(after: limits.retryDelay)
    }

    private func retryLater(after delay: Duration) {
        condition = .failed(retryAt: clock.monotonicNow().advanced(by: delay), delay: delay)
    }

    /// Opens the database on a new connection if the last one failed and it is time.
    private func reopenIfDue() {
        guard case .failed(let retryAt, let delay) = condition, retryAt <= clock.monotonicNow() else { return }
        do {
            let connection = try WriterConnection.open(path: path, limits: limits)
            // Copies what was committed into the database file: pages written anew are flushed anew.
            guard isCheckpointed(connection) else {
                connection.abandon()
                return retryLater(after: min(delay * 2, limits.longestRetryDelay))
            }
            condition = .open(
                BatchWriter(
                    connection: connection, random: random, logger: logger, limits: limits, hooks: hooks, backups: backups))
            logger.notice("the database is open again")
        } catch {
            logger.error("the database cannot be opened anew", metadata: ["reason": "\(error)"])
            retryLater(after: min(delay * 2, limits.longestRetryDelay))
        }
    }

    private func isCheckpointed(_ connection: WriterConnection) -> Bool {
        do {
            try hooks.beforeCheckpoint()
            let isComplete = try connection.checkpoint().isComplete
            try hooks.afterCheckpoint()
            return isComplete
        } catch {
            logger.error("the database cannot be checkpointed", metadata: ["reason": "\(describe(error))"])
            return false
        }
    }
}
