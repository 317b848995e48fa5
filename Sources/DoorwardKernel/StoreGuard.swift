package import DoorwardDomain
package import DoorwardPolicy
package import Logging
import Synchronization

/// Writes to the store, and tracks whether the store is in doubt and which commands are in flight: those of this process that have an
/// intent and no outcome yet.
///
/// After a failed write the store is in doubt: the transaction may or may not be durable. No command is accepted until the store
/// can write again and everything in doubt has been reloaded from it.
package final class StoreGuard: Sendable {
    /// Private, so that every write and every failure passes through this type.
    private let store: any GatewayStore
    /// The number of taken uses of each guest access.
    package let uses = GuestUseCounts()
    private let feed: ChangeFeed
    /// Gives the high-water mark that is written with other changes; `nil` for no mark.
    private let clock: TrustedClock?
    private let logger: Logger
    private let doubts = Mutex(Doubts())
    /// Called once each time the store starts failing; set by recovery.
    private let failureHandler = Mutex<(@Sendable () -> Void)?>(nil)
    private let erasures = Atomic<UInt64>(0)
    private let inFlight = Mutex(InFlight())

    private struct InFlight {
        var executions: [CommandID: any InFlightExecution] = [:]
        var isStopped = false
        /// Fulfilled when no command is in flight.
        var idle: Promise<Void>?
    }

    private struct Doubts {
        var isFailing = false
        /// How many times the store was marked in doubt.
        var count = 0
    }

    /// - Parameters:
    ///   - feed: receives the changes of each committed transaction; by default a feed without readers.
    ///   - clock: its high-water mark is written with the transactions, at most once a second; `nil` for no mark.
    package init(
        store: any GatewayStore, feed: ChangeFeed = ChangeFeed(clock: SystemClock()), clock: TrustedClock? = nil,
        logger: Logger = Logger(label: "doorward.storeGuard")
    ) {
        (self.store, self.feed, self.clock, self.logger) = (store, feed, clock, logger)
    }

    // The read-only protocols of the store, one for each group of use cases.

    /// Reads lists of records, and proofs.
    package var log: any AccessLogStore { store }
    /// Reads the entities of the tenancy, and the state of the clock.
    package var tenancy: any TenancyStore { store }
    /// Reads credentials, for signing in.
    package var credentials: any CredentialStore { store }
    /// Reads commands and the results of idempotency keys.
    package var commands: any CommandStore { store }
    /// Makes backups, and closes the store.
    package var maintenance: any StoreMaintenance { store }

    /// Reads the whole tenancy.
    package func readTenancy() async throws(GatewayError) -> TenancyDirectory {
        let read = Mutex(TenancyDirectory())
        try await mappingStoreErrors(await store.loadTenancy { change in read.withLock { $0.apply(change) } })
        return read.withLock { $0 }
    }

    /// False from a failed write until recovery has settled everything in doubt.
    package var isAcceptingCommands: Bool { !doubts.withLock { $0.isFailing } }

    /// The number of erasures of personal values so far. Data that was read before the last erasure may contain erased values.
    package var erasureCount: UInt64 { erasures.load(ordering: .acquiring) }

    /// Writes `transaction` durably, completely or not at all; after a failure it may have been written.
    ///
    /// - Throws: `.unavailable` if the store failed; the error for the violated constraint if the store refused the transaction
    ///   and wrote nothing.
    @discardableResult
    package func write(_ transaction: StoreTransaction) async throws(GatewayError) -> [RecordPosition] {
        try await mappingStoreErrors(await commit(transaction))
    }

    /// Writes `transaction` as `write` does, and throws the error of the store, for a caller that acts on a violated constraint.
    @discardableResult
    package func commit(_ transaction: StoreTransaction) async throws(StoreError) -> [RecordPosition] {
        var transaction = transaction
        if let mark = clock?.markToWrite() { transaction.clock.append(.raiseMark(mark)) }
        let changedUses = transaction.useChanges
        uses.begin(changedUses)
        do {
            let places: [RecordPosition]
            do {
                // Count an erasure before the change feed announces it, and also after a failed write, because it may be durable.
                defer { if !transaction.forgets.isEmpty { erasures.add(1, ordering: .releasing) } }
                places = try await store.commit(transaction)
            }
            uses.end(changedUses, isWritten: true)
            // Before the change feed announces the commands: a stream that reads one then must get its new state.
            for change in transaction.commands {
                inFlight.withLock { $0.executions[change.command.id] }?.show(change.command)
            }
            feed.append(transaction.changedObjects(changedUses))
            return places
        } catch {
            uses.end(changedUses, isWritten: false)
            // Recovery, which a failure starts, settles only commands that are not in flight. A command whose further intent was not
            // written goes on, and writes its outcome itself.
            for change in transaction.commands {
                if case .update = change { continue }
                end(change.command.id)
            }
            if case .failed(let cause) = error { markInDoubt(reason: cause) }
            throw error
        }
    }

    // MARK: - Commands in flight

    /// Writes the intent of a command, which is in flight from now on, unless the write fails.
    ///
    /// - Returns: false, and nothing is written, after `stopCommands`.
    package func begin(_ execution: some InFlightExecution, _ transaction: StoreTransaction) async throws(StoreError) -> Bool {
        let id = execution.id
        let isStopped = inFlight.withLock { inFlight in
            if !inFlight.isStopped { inFlight.executions[id] = execution }
            return inFlight.isStopped
        }
        if !isStopped { try await commit(transaction) }
        return !isStopped
    }

    /// Removes a command that has ended; without effect for any other one.
    package func end(_ id: CommandID) {
        let idle = inFlight.withLock { inFlight -> Promise<Void>? in
            inFlight.executions[id] = nil
            guard inFlight.executions.isEmpty else { return nil }
            return inFlight.idle.take()
        }
        idle?.fulfil(())
    }

    /// Refuses further commands, from now on.
    package func stopCommands() { inFlight.withLock { $0.isStopped = true } }

    /// Whether the gateway is stopping: no command may be sent any more.
    package var hasStoppedCommands: Bool { inFlight.withLock { $0.isStopped } }

    /// Waits until no command is in flight.
    package func allEnded() async {
        let idle = inFlight.withLock { inFlight -> Promise<Void>? in
            if inFlight.idle == nil, !inFlight.executions.isEmpty { inFlight.idle = Promise() }
            return inFlight.idle
        }
        await idle?.value
    }

    /// The command as last written; `nil` if it is not in flight.
    package func commandInFlight(_ id: CommandID) -> StoredCommand? { inFlight.withLock { $0.executions[id] }?.stored }

    /// Whether the command is in flight.
    package func isInFlight(_ id: CommandID) -> Bool { inFlight.withLock { $0.executions[id] != nil } }

    /// The number of commands in flight.
    package var inFlightCount: Int { inFlight.withLock { $0.executions.count } }

    // MARK: - Doubt

    /// Reloads the uses of guest accesses, at the start and after a write in doubt.
    package func reloadUses() async throws(GatewayError) {
        var isLoaded = false
        while !isLoaded {
            let generation = uses.generation
            let stored = try await mappingStoreErrors(await store.usesTaken())
            isLoaded = uses.replace(with: stored, ifGenerationIs: generation)
            // A transaction in flight must end before the counts can be replaced. Yield, as reading may not suspend.
            if !isLoaded { await Task.yield() }
        }
    }

    /// Sets what is called once each time the store starts to fail.
    package func onFailure(_ handler: @escaping @Sendable () -> Void) { failureHandler.withLock { $0 = handler } }

    /// How many times the store was marked in doubt. Recovery reads it first, and passes it to `clearInDoubt` at the end.
    package var inDoubtGeneration: Int { doubts.withLock { $0.count } }

    /// Ends the in-doubt state that was current at generation `count`: commands are accepted again.
    ///
    /// - Returns: false, without a change, if the store was marked in doubt again since.
    package func clearInDoubt(asOf count: Int) -> Bool {
        doubts.withLock { doubts in
            guard doubts.count == count else { return false }
            doubts.isFailing = false
            return true
        }
    }

    /// Marks the store in doubt because an event may not have been recorded: no command is accepted until the store has been
    /// reloaded.
    package func markInDoubt(reason cause: String) {
        logger.error("the store cannot write; commands are rejected until it can", metadata: ["cause": "\(cause)"])
        let begins = doubts.withLock { doubts in
            defer { doubts.isFailing = true }
            doubts.count += 1
            return !doubts.isFailing
        }
        if begins { failureHandler.withLock { $0 }?() }
    }
}

extension StoreTransaction {
    /// The logs, commands and counts of uses that a committed transaction has changed. Tenancy changes are not included: the
    /// directory appends them to the feed when it publishes them.
    fileprivate func changedObjects(_ uses: GuestUseCounts.Changes) -> [ChangedObject] {
        var objects: [ChangedObject] = []
        objects.reserveCapacity(records.count + commands.count)
        for record in records where objects.last != .log(record.body.log) { objects.append(.log(record.body.log)) }
        for change in commands { objects.append(.command(change.command.id, by: change.command.actor.userID)) }
        objects += (uses.taken + uses.returned).map { .guestAccess($0) }
        return objects
    }

    /// The changes of the uses of guest accesses.
    fileprivate var useChanges: GuestUseCounts.Changes {
        var uses = GuestUseCounts.Changes()
        for counter in counters {
            switch counter {
            case .takeUse(let id): uses.taken.append(id)
            case .returnUse(let id): uses.returned.append(id)
            case .setLastCheckpoint: break
            }
        }
        for case .removeGuestAccess(let id) in changes { uses.removed.append(id) }
        return uses
    }
}

/// A command that has an intent and no outcome yet.
package protocol InFlightExecution: Sendable {
    /// The id of the command.
    var id: CommandID { get }
    /// The current state, with the log of the intent.
    var stored: StoredCommand { get }
    /// Shows the command as it was written.
    func show(_ command: Command)
}
