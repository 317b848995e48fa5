import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Synchronization
import Testing

@testable import DoorwardStore

/// The moment at which the disk fails.
enum FaultyMoment: CaseIterable, Sendable {
    case beforeCommit, afterCommit, beforeCheckpoint, afterCheckpoint
}

/// Fails at one moment, as often as requested.
private final class FaultyDisk: Sendable {
    private let left = Mutex(0)
    private let moment: FaultyMoment

    struct DiskError: Error {}

    init(_ moment: FaultyMoment) { self.moment = moment }

    func failNext(_ count: Int = 1) { left.withLock { $0 = count } }

    private func pass(_ moment: FaultyMoment) throws {
        guard moment == self.moment else { return }
        let fails = left.withLock { left in
            defer { left = max(0, left - 1) }
            return left > 0
        }
        if fails { throw DiskError() }
    }

    var hooks: StoreHooks {
        StoreHooks(
            beforeCommit: { _ in try self.pass(.beforeCommit) }, afterCommit: { _ in try self.pass(.afterCommit) },
            beforeCheckpoint: { try self.pass(.beforeCheckpoint) }, afterCheckpoint: { try self.pass(.afterCheckpoint) })
    }
}

@Suite struct FaultTests {
    @Test(
        "After a disk failure at any moment the store reopens, and has all acknowledged records and no gap",
        arguments: FaultyMoment.allCases, 1...3 as ClosedRange<UInt64>)
    func anyMoment(moment: FaultyMoment, seed: UInt64) async throws {
        let (database, disk) = (try TemporaryDatabase(), FaultyDisk(moment))
        var limits = TemporaryDatabase.limits
        limits.pagesPerCheckpoint = 3
        let store = try database.open(limits: limits, hooks: disk.hooks)
        var (script, random) = (StoreScript(seed: seed), SeededGenerator(seed: seed))
        _ = try await store.commit(script.tenancy)
        var (answered, unknown): (Set<RecordID>, Set<RecordID>) = ([], [])
        for _ in 0..<120 {
            if Int.random(in: 0..<10, using: &random) == 0 { disk.failNext(Int.random(in: 1...2, using: &random)) }
            let bodies = [script.event(on: script.door), script.gatewayEvent()]
            do {
                _ = try await store.commit(StoreTransaction(records: bodies.map { PendingRecord($0) }))
                answered.formUnion(bodies.map(\.id))
            } catch .failed {
                unknown.formUnion(bodies.map(\.id))
            } catch {
                #expect(error == .unavailable)
                database.clock.advance(by: limits.maxRetryDelay)
            }
        }
        disk.failNext(0)
        database.clock.advance(by: limits.maxRetryDelay)
        #expect(await store.isWritable())
        try await store.close()
        let logs = try StoredLogs(path: database.path)
        #expect(logs.integrity == "ok")
        #expect(logs.faults.isEmpty)
        #expect(answered.isSubset(of: logs.recordIDs))
        #expect(logs.recordIDs.subtracting(answered).isSubset(of: unknown))
        // Records whose flush failed after its COMMIT exist, and records whose flush failed before
        // its COMMIT do not. This also shows that failures occurred.
        #expect(logs.recordIDs.isSuperset(of: unknown) == (moment != .beforeCommit) || unknown.isEmpty)
        #expect(unknown.isEmpty == [.beforeCheckpoint, .afterCheckpoint].contains(moment))
    }

    @Test("A transaction that is durable although its caller got an error is kept, and repeating it is rejected")
    func durableButUnanswered() async throws {
        let (database, disk) = (try TemporaryDatabase(), FaultyDisk(.afterCommit))
        let store = try database.open(hooks: disk.hooks)
        var script = StoreScript(seed: 1)
        _ = try await store.commit(script.tenancy)
        let begin = script.begin(script.command(on: script.door))
        disk.failNext()
        let result = await Result { () async throws(StoreError) in try await store.commit(begin) }
        guard case .failure(.failed) = result else {
            Issue.record("not failed: \(result)")
            return
        }
        database.clock.advance(by: StoreLimits().retryDelay)
        #expect(await store.isWritable())
        #expect(try await store.openCommands().count == 1)
        await #expect(throws: StoreError.self) { try await store.commit(begin) }
        let next = try await store.commit(StoreTransaction(records: [PendingRecord(script.event(on: script.door))]))
        #expect(next.map(\.seq) == [1])
        try await store.close()
    }

    @Test(
        "A store whose last checkpoint fails throws from `close`, releases the file, and loses no data",
        arguments: [
            FaultyMoment.beforeCheckpoint, .afterCheckpoint,
        ])
    func failedClose(moment: FaultyMoment) async throws {
        let (database, disk) = (try TemporaryDatabase(), FaultyDisk(moment))
        let store = try database.open(hooks: disk.hooks)
        var script = StoreScript(seed: 2)
        let body = script.gatewayEvent()
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(body)]))
        disk.failNext()
        await #expect(throws: StoreError.self) { try await store.close() }
        await #expect(throws: StoreError.unavailable) { try await store.record(body.id) }
        await #expect(throws: StoreError.unavailable) { try await store.commit(StoreTransaction()) }
        let reopened = try database.open()
        #expect(try await reopened.record(body.id)?.seq == 0)
        try await reopened.close()
        #expect(try StoredLogs(path: database.path).faults.isEmpty)
    }

    @Test("Transactions that cannot be written while the store closes get an error, and the file is released")
    func failedDrain() async throws {
        let (database, disk) = (try TemporaryDatabase(), FaultyDisk(.beforeCommit))
        let store = try database.open(hooks: disk.hooks)
        var script = StoreScript(seed: 3)
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]))
        let transactions = (0..<20).map { _ in StoreTransaction(records: [PendingRecord(script.gatewayEvent())]) }
        disk.failNext(.max)
        let answers = await withTaskGroup(of: Bool.self) { group in
            for transaction in transactions { group.addTask { (try? await store.commit(transaction)) != nil } }
            group.addTask {
                try? await store.close()
                return false
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(!answers.contains(true))
        try await database.open().close()
        #expect(try StoredLogs(path: database.path).sizes == [.gateway: 1])
    }
}
