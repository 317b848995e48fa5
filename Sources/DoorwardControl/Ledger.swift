package import DoorwardDomain
package import Logging
import Synchronization

/// Writes to the store, and knows whether it can be relied on.
///
/// After a failure nobody knows what is durable, so no command is taken until the store writes again and everything that
/// was in doubt has been read back from it.
package final class Ledger: Sendable {
    /// Nobody else has it, so that nothing is written past the ledger and every failure is noticed.
    private let store: any GatewayStore
    /// The uses of guest accesses that are taken.
    package let uses = GuestUseCounts()
    private let feed: ChangeFeed
    private let logger: Logger
    private let doubts = Mutex(Doubts())
    /// Called once for each failure that begins; set by whoever mends.
    private let failureHandler = Mutex<(@Sendable () -> Void)?>(nil)

    private struct Doubts {
        var isFailing = false
        /// How many there have been.
        var count = 0
    }

    /// - Parameter feed: gets what each transaction has written; by default one without readers.
    package init(
        store: any GatewayStore, feed: ChangeFeed = ChangeFeed(clock: SystemClock()),
        logger: Logger = Logger(label: "doorward.ledger")
    ) {
        (self.store, self.feed, self.logger) = (store, feed, logger)
    }

    // What use cases read, each through the narrowest port. None of them writes.

    /// For lists of records, and proofs.
    package var log: any AccessLogStore { store }
    /// For the start, and after a write in doubt.
    package var tenancy: any TenancyStore { store }
    /// For signing in.
    package var credentials: any CredentialStore { store }
    /// For commands and repeats.
    package var commands: any CommandStore { store }
    /// For backups, and the end.
    package var maintenance: any StoreMaintenance { store }

    /// False from a failed write until everything in doubt has been settled.
    package var isAcceptingCommands: Bool { !doubts.withLock { $0.isFailing } }

    /// Writes all of `transaction` durably or, as far as anybody can know, nothing.
    ///
    /// - Parameter beforeDoubt: run when the write fails, before the store is marked in doubt: marking starts recovery, which
    ///   settles only commands that are not in the table.
    /// - Throws: `.unavailable` when the store failed; what the broken rule is to a caller when it refused, and wrote nothing.
    @discardableResult
    package func write(
        _ transaction: StoreTransaction, beforeDoubt: () -> Void = {}
    ) async throws(GatewayError) -> [RecordPlace] {
        uses.begin(transaction.counters)
        do {
            let places = try await store.commit(transaction)
            uses.end(transaction.counters, isWritten: true)
            feed.append(transaction.changedObjects)
            return places
        } catch {
            uses.end(transaction.counters, isWritten: false)
            beforeDoubt()
            noteFailure(error)
            throw GatewayError(error)
        }
    }

    /// Reads the uses of guest accesses back, at the start and after a write in doubt.
    func reloadUses() async throws(GatewayError) {
        var isLoaded = false
        while !isLoaded {
            let mark = uses.changes
            let stored = try await storing { () throws(StoreError) in try await store.usesTaken() }
            isLoaded = uses.replace(with: stored, ifChangesAre: mark)
            // What is in flight has to end first, also where reading does not suspend.
            if !isLoaded { await Task.yield() }
        }
    }

    func onFailure(_ handler: @escaping @Sendable () -> Void) { failureHandler.withLock { $0 = handler } }

    /// How often something came to be in doubt. Whoever mends reads it first, and hands it to `settle` at the end.
    var doubtCount: Int { doubts.withLock { $0.count } }

    /// Everything that was in doubt at `count` has been settled: commands are taken again.
    ///
    /// - Returns: false when something else has come to be in doubt since, and nothing changes.
    func settle(asOf count: Int) -> Bool {
        doubts.withLock { doubts in
            guard doubts.count == count else { return false }
            doubts.isFailing = false
            return true
        }
    }

    private func noteFailure(_ error: StoreError) {
        if case .failed(let cause) = error { doubt(because: cause) }
    }

    /// Something that has happened could not be written down: nothing more is begun until the store has been read back.
    func doubt(because cause: String) {
        logger.error("the store failed; no command is taken until it writes again", metadata: ["cause": "\(cause)"])
        let begins = doubts.withLock { doubts in
            defer { doubts.isFailing = true }
            doubts.count += 1
            return !doubts.isFailing
        }
        if begins { failureHandler.withLock { $0 }?() }
    }
}

extension StoreTransaction {
    /// The logs and commands that a committed transaction has written; the directory tells of the tenancy when it is in force.
    fileprivate var changedObjects: [ChangedObject] {
        var objects: [ChangedObject] = []
        objects.reserveCapacity(records.count + commands.count)
        for record in records where objects.last != .log(record.body.log) { objects.append(.log(record.body.log)) }
        for change in commands { objects.append(.commands(for: change.command.deviceID)) }
        return objects
    }
}

/// How many uses of each guest access are taken: what the store has, in memory, beside the directory and never in it, since each
/// use would make a new version of the directory. The store alone decides whether one is left.
package final class GuestUseCounts: Sendable {
    private struct State {
        var taken: [GuestAccessID: Int] = [:]
        /// Transactions that take or return uses and have no answer yet.
        var inFlight = 0
        /// How often such a transaction began or ended.
        var changes = 0
    }

    private let state = Mutex(State())

    init() {}

    /// 0 for a guest access that none is taken of.
    package func taken(of id: GuestAccessID) -> Int { state.withLock { $0.taken[id, default: 0] } }

    /// Passed to `replace`, from before the store was read.
    fileprivate var changes: Int { state.withLock { $0.changes } }

    fileprivate func begin(_ counters: [CounterChange]) {
        guard !counters.isEmpty else { return }
        state.withLock { ($0.inFlight, $0.changes) = ($0.inFlight + 1, $0.changes + 1) }
    }

    fileprivate func end(_ counters: [CounterChange], isWritten: Bool) {
        guard !counters.isEmpty else { return }
        state.withLock { state in
            (state.inFlight, state.changes) = (state.inFlight - 1, state.changes + 1)
            for counter in counters where isWritten {
                switch counter {
                case .takeUse(let id): state.taken[id, default: 0] += 1
                case .returnUse(let id):
                    let left = state.taken[id, default: 0] - 1
                    state.taken[id] = left > 0 ? left : nil
                case .raiseEpoch, .setLease: break
                }
            }
        }
    }

    /// - Returns: false, and nothing changes, where a transaction was in flight while the store was read: it may be in what was
    ///   read or not.
    fileprivate func replace(with stored: [GuestAccessID: Int], ifChangesAre mark: Int) -> Bool {
        state.withLock { state in
            guard state.inFlight == 0, state.changes == mark else { return false }
            state.taken = stored
            return true
        }
    }
}
