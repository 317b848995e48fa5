import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Logging
import Synchronization
import Testing

@testable import DoorwardKernel

/// Store failures: which writes are in doubt, and until when commands are rejected.
@Suite struct StoreGuardTests {
    private static func storeGuard(_ store: InMemoryStore) -> (storeGuard: StoreGuard, failures: Counter) {
        let storeGuard = StoreGuard(store: store, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let failures = Counter()
        storeGuard.onFailure { failures.increment() }
        return (storeGuard, failures)
    }

    /// Returns a transaction that the store accepts once; each number has its own record id.
    private static func transaction(_ number: UInt64) -> StoreTransaction {
        let at = Timestamp(milliseconds: 1_000)
        return StoreTransaction(records: [
            PendingRecord(
                RecordBody(
                    log: .gateway, id: RecordID(high: 1, low: number), at: at, kind: .gateway, actor: .gateway, source: .gateway,
                    event: .start))
        ])
    }

    @Test("failed writes put the store in doubt until recovery, and start recovery only once")
    func failing() async throws {
        let store = InMemoryStore()
        let (storeGuard, failures) = Self.storeGuard(store)
        #expect(storeGuard.isAcceptingCommands)
        for number in 0..<3 as Range<UInt64> {
            store.failNext(.failed("disk I/O error"))
            store.recover()
            let error = await failure { try await storeGuard.write(Self.transaction(number)) }
            guard case .unavailable = error else {
                Issue.record("expected unavailable, got \(String(describing: error))")
                return
            }
            #expect(!storeGuard.isAcceptingCommands)
        }
        #expect(failures.value == 1)
        #expect(storeGuard.clearInDoubt(asOf: storeGuard.inDoubtGeneration))
        #expect(storeGuard.isAcceptingCommands)
        storeGuard.markInDoubt(reason: "again")
        #expect(failures.value == 2)
    }

    @Test("a write that becomes in doubt during recovery needs another recovery")
    func doubtWhileMending() {
        let (storeGuard, _) = Self.storeGuard(InMemoryStore())
        storeGuard.markInDoubt(reason: "first")
        let count = storeGuard.inDoubtGeneration
        storeGuard.markInDoubt(reason: "second")
        #expect(!storeGuard.clearInDoubt(asOf: count))
        #expect(!storeGuard.isAcceptingCommands)
        #expect(storeGuard.clearInDoubt(asOf: storeGuard.inDoubtGeneration))
    }

    @Test("a refused transaction and an unavailable store put nothing in doubt, because nothing was written")
    func noDoubt() async throws {
        let store = InMemoryStore()
        let (storeGuard, failures) = Self.storeGuard(store)
        try await storeGuard.write(Self.transaction(1))
        guard case .internalFailure = await failure({ try await storeGuard.write(Self.transaction(1)) }) else {
            Issue.record("the same record was accepted twice")
            return
        }
        try await storeGuard.write(Self.transaction(2))
        store.stayUnavailable()
        guard case .unavailable = await failure({ try await storeGuard.write(Self.transaction(3)) }) else {
            Issue.record("an unavailable store accepted a write")
            return
        }
        #expect(storeGuard.isAcceptingCommands)
        #expect(failures.value == 0)
    }

    @Test("the use counts of guest accesses include written transactions, and none that was refused or is in doubt")
    func uses() async throws {
        let store = InMemoryStore()
        let (storeGuard, guest) = (Self.storeGuard(store).storeGuard, try await Self.guestAccess(in: store))
        let use = StoreTransaction(requires: [.usesLeft(of: guest, max: 2)], counters: [.takeUse(of: guest)])
        for expected in [1, 2, 2] {
            _ = await failure { try await storeGuard.write(use) }
            #expect(storeGuard.uses.taken(of: guest) == expected)
        }
        try await storeGuard.write(
            StoreTransaction(counters: [.returnUse(of: guest)]))
        #expect(storeGuard.uses.taken(of: guest) == 1)
        // The write was durable although it failed, so it is counted after the store has been read again.
        store.failNext(.failed("disk I/O error"), isDurable: true)
        _ = await failure { try await storeGuard.write(use) }
        #expect(storeGuard.uses.taken(of: guest) == 1)
        store.recover()
        try await storeGuard.reloadUses()
        #expect(storeGuard.uses.taken(of: guest) == 2)
        let other = Self.storeGuard(store).storeGuard
        #expect(other.uses.taken(of: guest) == 0, "use counts are zero until they are read")
        try await other.reloadUses()
        #expect(other.uses.taken(of: guest) == 2)
    }

    @Test("use counts that are read while others change include each use once", arguments: 1...40 as ClosedRange<UInt64>)
    func usesReadBack(seed: UInt64) async throws {
        let store = InMemoryStore(suspensions: 3)
        let (storeGuard, guest) = (Self.storeGuard(store).storeGuard, try await Self.guestAccess(in: store))
        try SeededExecutor(seed: seed).run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<6 {
                    group.addTask {
                        if index == 3 { return try await storeGuard.reloadUses() }
                        try await storeGuard.write(StoreTransaction(counters: [.takeUse(of: guest)]))
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(storeGuard.uses.taken(of: guest) == 5)
    }

    /// Adds a guest access to the store, and returns its id.
    private static func guestAccess(in store: InMemoryStore) async throws -> GuestAccessID {
        var world = TenancyFixture(seed: 3)
        let property = world.property("No. 5", in: world.portfolio("Oak Street"))
        let (door, user) = (world.device("Door", in: .property(property)), world.user("Ada"))
        let association = world.assign(user, .propertyManager, .property(property))
        let access = world.guestAccess(for: nil, to: [door], under: association)
        let guest = try #require(access)
        try await store.commit(StoreTransaction(changes: world.changes))
        return guest
    }
}

/// A thread-safe counter.
private final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .sequentiallyConsistent) }
    @discardableResult
    func increment() -> Int { count.add(1, ordering: .sequentiallyConsistent).newValue }
    func decrement() { count.subtract(1, ordering: .sequentiallyConsistent) }
}
