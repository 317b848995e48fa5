import DoorwardDomain
import DoorwardTesting
import Logging
import Synchronization
import Testing

@testable import DoorwardControl

/// What the gateway does with a store that fails, and until when.
@Suite struct LedgerTests {
    private static func ledger(_ store: InMemoryStore) -> (ledger: Ledger, failures: Counter) {
        let ledger = Ledger(store: store, feed: ChangeFeed(clock: VirtualClock()), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let failures = Counter()
        ledger.onFailure { failures.increment() }
        return (ledger, failures)
    }

    /// A transaction that a store takes, each with another id.
    private static func transaction(_ number: UInt64) -> StoreTransaction {
        let at = Timestamp(milliseconds: 1_000)
        return StoreTransaction(records: [
            PendingRecord(
                RecordBody(
                    log: .gateway, id: RecordID(high: 1, low: number), at: at, kind: .gateway, actor: .gateway, source: .gateway,
                    event: .start))
        ])
    }

    @Test("a failure is in doubt until it is settled, and calls for mending once")
    func failing() async throws {
        let store = InMemoryStore()
        let (ledger, failures) = Self.ledger(store)
        #expect(ledger.isAcceptingCommands)
        for number in 0..<3 as Range<UInt64> {
            store.failNext(.failed("disk I/O error"))
            store.recover()
            let error = await failure { try await ledger.write(Self.transaction(number)) }
            guard case .unavailable = error else {
                Issue.record("expected unavailable, got \(String(describing: error))")
                return
            }
            #expect(!ledger.isAcceptingCommands)
        }
        #expect(failures.value == 1)
        #expect(ledger.settle(asOf: ledger.doubtCount))
        #expect(ledger.isAcceptingCommands)
        ledger.doubt(because: "again")
        #expect(failures.value == 2)
    }

    @Test("what comes to be in doubt while something is settled is settled again")
    func doubtWhileMending() {
        let (ledger, _) = Self.ledger(InMemoryStore())
        ledger.doubt(because: "first")
        let count = ledger.doubtCount
        ledger.doubt(because: "second")
        #expect(!ledger.settle(asOf: count))
        #expect(!ledger.isAcceptingCommands)
        #expect(ledger.settle(asOf: ledger.doubtCount))
    }

    @Test("a refusal, and a store that is away, put nothing in doubt: nothing was written")
    func noDoubt() async throws {
        let store = InMemoryStore()
        let (ledger, failures) = Self.ledger(store)
        try await ledger.write(Self.transaction(1))
        guard case .internalFailure = await failure({ try await ledger.write(Self.transaction(1)) }) else {
            Issue.record("the same record twice was taken")
            return
        }
        #expect(try await ledger.writeUnlessRefused(Self.transaction(1)) == false)
        #expect(try await ledger.writeUnlessRefused(Self.transaction(2)))
        store.stayUnavailable()
        guard case .unavailable = await failure({ try await ledger.write(Self.transaction(3)) }) else {
            Issue.record("a store that is away wrote")
            return
        }
        #expect(ledger.isAcceptingCommands)
        #expect(failures.value == 0)
    }

    @Test("a failure among those that the store decides is a failure")
    func failingDecision() async {
        let store = InMemoryStore()
        let (ledger, failures) = Self.ledger(store)
        store.failNext(.failed("disk I/O error"))
        guard case .unavailable = await failure({ _ = try await ledger.writeUnlessRefused(Self.transaction(1)) }) else {
            Issue.record("a failed write passed for a decision")
            return
        }
        #expect(failures.value == 1)
    }
}

/// Counts calls.
final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .sequentiallyConsistent) }
    @discardableResult
    func increment() -> Int { count.add(1, ordering: .sequentiallyConsistent).newValue }
    func decrement() { count.subtract(1, ordering: .sequentiallyConsistent) }
}
