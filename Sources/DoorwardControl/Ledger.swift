internal import DoorwardDomain
package import Logging
import Synchronization

/// Writes to the store, and knows whether it can be relied on.
///
/// After a failure nobody knows what is durable, so no command is taken until the store writes again and everything that
/// was in doubt has been read back from it.
package final class Ledger: Sendable {
    /// For reading. Whoever writes goes through the ledger, so that a failure is noticed.
    package let store: any GatewayStore
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

    /// - Parameter feed: is told of what each transaction has written.
    package init(store: any GatewayStore, feed: ChangeFeed, logger: Logger = Logger(label: "doorward.ledger")) {
        (self.store, self.feed, self.logger) = (store, feed, logger)
    }

    /// False from a failed write until everything in doubt has been settled.
    package var isAcceptingCommands: Bool { !doubts.withLock { $0.isFailing } }

    /// Writes all of `transaction` durably or, as far as anybody can know, nothing.
    ///
    /// - Parameter beforeDoubt: run when the write fails, before the store is marked in doubt: marking starts recovery, which
    ///   settles only commands that are not in the table.
    /// - Throws: `.unavailable` when the store failed, `.internalFailure` when it refused what the use case should have seen.
    @discardableResult
    func write(
        _ transaction: StoreTransaction, beforeDoubt: () -> Void = {}
    ) async throws(GatewayError) -> [RecordPlace] {
        do {
            return try await commit(transaction)
        } catch {
            beforeDoubt()
            noteFailure(error)
            throw GatewayError(error)
        }
    }

    /// The same for a transaction that the store itself decides on, such as the exchange of a token.
    ///
    /// - Returns: false when the store refused it, and nothing was written.
    func writeUnlessRefused(_ transaction: StoreTransaction) async throws(GatewayError) -> Bool {
        do {
            _ = try await commit(transaction)
            return true
        } catch .refused {
            return false
        } catch {
            noteFailure(error)
            throw GatewayError(error)
        }
    }

    private func commit(_ transaction: StoreTransaction) async throws(StoreError) -> [RecordPlace] {
        let places = try await store.commit(transaction)
        feed.append(transaction.changedObjects)
        return places
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
