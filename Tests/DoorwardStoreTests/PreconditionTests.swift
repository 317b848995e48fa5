import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Synchronization
import Testing

@testable import DoorwardStore

/// Preconditions in a shared flush, after a failed flush, and after reopening the file. The conformance kit tests the meaning
/// of each precondition.
@Suite struct PreconditionTests {
    @Test("In a batch the earlier transactions take the remaining uses, and only the later ones are rejected")
    func oneBatch() async throws {
        let database = try TemporaryDatabase()
        // The first transaction forms a batch of its own; the racing ones are queued behind it.
        let gate = FlushGate(openingAfter: 12)
        let tenancy = FullTenancy(seed: 1)
        let setUp = try database.open()
        _ = try await setUp.commit(StoreTransaction(changes: tenancy.changes))
        try await setUp.close()
        let store = try database.open(hooks: gate.hooks())
        var script = StoreScript(seed: 1)
        let first = StoreTransaction(records: [PendingRecord(script.gatewayEvent())])
        let use = use(of: tenancy.guestAccess.id, max: 3)
        let racing = (0..<11).map { _ in
            var transaction = use
            transaction.records = [PendingRecord(script.gatewayEvent())]
            return transaction
        }
        let results = await withTaskGroup(of: Result<[RecordPosition], StoreError>.self) { group in
            for transaction in [first] + racing {
                group.addTask { await Result { () async throws(StoreError) in try await store.commit(transaction) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count { (try? $0.get()) != nil } == 4)
        #expect(results.count { $0 == .failure(.refused(.usesExhausted(tenancy.guestAccess.id))) } == 8)
        #expect(gate.sizes.reduce(0, +) == 12)
        #expect(try await store.usesTaken() == [tenancy.guestAccess.id: 3])
        try await store.close()
        let logs = try StoredLogs(path: database.path)
        #expect(logs.sizes == [.gateway: 4], "the log has no gap and no record of a rejected transaction")
        #expect(logs.faults.isEmpty)
    }

    @Test("A use that is returned in a batch is available to later transactions of the batch, but not to earlier ones")
    func orderInBatch() async throws {
        let database = try TemporaryDatabase()
        let gate = FlushGate()
        let tenancy = FullTenancy(seed: 2)
        let setUp = try database.open()
        _ = try await setUp.commit(StoreTransaction(changes: tenancy.changes, counters: [.takeUse(of: tenancy.guestAccess.id)]))
        try await setUp.close()
        let (admissions, admitted) = AsyncStream.makeStream(of: Int.self)
        var hooks = gate.hooks()
        hooks.afterAdmission = { admitted.yield($0) }
        let store = try database.open(hooks: hooks)
        let use = use(of: tenancy.guestAccess.id, max: 1)
        let giveBack = StoreTransaction(counters: [.returnUse(of: tenancy.guestAccess.id)])
        // The first transaction forms a batch of its own, which is held back until the others are queued.
        let transactions = [StoreTransaction(), use, giveBack, use, use]
        let answers = await withTaskGroup(of: (Int, Bool).self) { group in
            var turns = admissions.makeAsyncIterator()
            for (index, transaction) in transactions.enumerated() {
                group.addTask { (index, (try? await store.commit(transaction)) != nil) }
                _ = await turns.next()
                if index == 0 { await gate.untilHeld() }
            }
            gate.open()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(answers == [0: true, 1: false, 2: true, 3: true, 4: false])
        #expect(gate.sizes == [1, 4])
        #expect(try await store.usesTaken() == [tenancy.guestAccess.id: 1])
        try await store.close()
    }

    @Test("Uses and open commands are the same after reopening and after a kill")
    func reopened() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        let tenancy = FullTenancy(seed: 3)
        let guest = tenancy.guestAccess.id
        var script = StoreScript(seed: 3)
        _ = try await store.commit(StoreTransaction(changes: tenancy.changes + script.fixture.changes))
        _ = try await store.commit(StoreTransaction(counters: [.takeUse(of: guest), .takeUse(of: guest)]))
        let command = script.command(on: script.door)
        _ = try await store.commit(script.begin(command))
        let killed = try database.copyFiles(to: "killed.db")
        try await store.close()
        for path in [database.path, killed] {
            let next = try database.open(path: path)
            #expect(try await next.usesTaken() == [guest: 2])
            #expect(try await next.openCommands().map(\.command) == [command])
            await #expect(throws: StoreError.refused(.usesExhausted(guest))) {
                try await next.commit(use(of: guest, max: 2))
            }
            _ = try await next.commit(use(of: guest, max: 3))
            try await next.close()
            #expect(try StoreCheck.run(path: path).isWhole)
        }
    }

    @Test("After a failed flush the counters have their durable values", arguments: [true, false])
    func failedFlush(isDurable: Bool) async throws {
        let database = try TemporaryDatabase()
        let disk = FailingDisk()
        let store = try database.open(
            hooks: StoreHooks(
                beforeCommit: { _ in if !isDurable { try disk.pass() } }, afterCommit: { _ in if isDurable { try disk.pass() } }))
        let tenancy = FullTenancy(seed: 4)
        _ = try await store.commit(StoreTransaction(changes: tenancy.changes))
        disk.fail()
        await #expect(throws: StoreError.self) { try await store.commit(use(of: tenancy.guestAccess.id, max: 1)) }
        database.clock.advance(by: StoreLimits().maxRetryDelay)
        #expect(await store.isWritable())
        let again = await Result { () async throws(StoreError) in
            try await store.commit(use(of: tenancy.guestAccess.id, max: 1))
        }
        #expect(again == (isDurable ? .failure(.refused(.usesExhausted(tenancy.guestAccess.id))) : .success([])))
        #expect(try await store.usesTaken() == [tenancy.guestAccess.id: 1])
        try await store.close()
    }

    @Test("An entity with every field set is compared column by column, also if it was read back")
    func everyColumn() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        let tenancy = FullTenancy(seed: 5)
        _ = try await store.commit(StoreTransaction(changes: tenancy.changes))
        var read: [TenancyChange] = []
        try await store.loadTenancy { read.append($0) }
        #expect(Set(read) == Set(tenancy.changes))
        for change in tenancy.changes + read {
            _ = try await store.commit(StoreTransaction(requires: [.unchanged(since: change)]))
        }
        var device = tenancy.device
        device.sealedCode = nil
        await #expect(throws: StoreError.refused(.entityChanged(.device(device.id)))) {
            try await store.commit(StoreTransaction(requires: [.unchanged(since: .putDevice(device))]))
        }
        let unknown = Portfolio(
            id: PortfolioID(high: 9, low: 9), name: "Nowhere", createdAt: device.createdAt, updatedAt: device.createdAt)
        await #expect(throws: StoreError.refused(.entityChanged(.portfolio(unknown.id)))) {
            try await store.commit(StoreTransaction(requires: [.unchanged(since: .putPortfolio(unknown))]))
        }
        try await store.close()
    }

    @Test("A negative count of uses does not prevent the start, and a malformed id makes the read fail")
    func damaged() async throws {
        let sample = try await FullSample(seed: 6)
        try sample.database.edit("UPDATE guest_uses SET taken = -1")
        let store = try sample.database.open()
        #expect(try await store.usesTaken() == [:])
        try await store.close()
        try sample.database.edit("PRAGMA foreign_keys = OFF; UPDATE guest_uses SET taken = 1, guest_access_id = x'00'")
        let next = try sample.database.open()
        await #expect(throws: StoreError.self) { try await next.usesTaken() }
        try await next.close()
    }

    private func use(of id: GuestAccessID, max: Int) -> StoreTransaction {
        StoreTransaction(requires: [.usesLeft(of: id, max: max)], counters: [.takeUse(of: id)])
    }
}

/// Fails once on request.
private final class FailingDisk: Sendable {
    private struct DiskError: Error {}

    private let fails = Mutex(false)

    func fail() { fails.withLock { $0 = true } }

    func pass() throws {
        let isDue = fails.withLock { fails in
            defer { fails = false }
            return fails
        }
        if isDue { throw DiskError() }
    }
}
