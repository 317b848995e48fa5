import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import GRDB
import Synchronization
import Testing

@testable import DoorwardStore

/// Makes the next flushes fail, as many as requested.
private final class Fault: Sendable {
    private let left = Mutex(0)
    /// Whether the store can open the database again.
    let isReserveFree = Mutex(true)

    struct DiskError: Error {}

    func failNext(_ count: Int = 1) { left.withLock { $0 = count } }

    var hooks: StoreHooks {
        StoreHooks(
            beforeCommit: { _ in
                let fails = self.left.withLock { left in
                    defer { left = max(0, left - 1) }
                    return left > 0
                }
                if fails { throw DiskError() }
            }, isDescriptorReserveFree: { self.isReserveFree.withLock { $0 } })
    }
}

@Suite struct RecoveryTests {
    @Test("After a failed flush the store rejects writes and still reads; after a wait it accepts writes on a new connection")
    func recovery() async throws {
        let (database, fault) = (try TemporaryDatabase(), Fault())
        let store = try database.open(hooks: fault.hooks)
        var script = StoreScript(seed: 1)
        let (first, lost) = (script.gatewayEvent(), script.gatewayEvent())
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(first)]))
        fault.failNext()
        await expectFailed(StoreTransaction(records: [PendingRecord(lost)]), by: store)
        #expect(await store.isWritable() == false)
        #expect(try await store.writer.pragma("synchronous") == nil)
        await #expect(throws: StoreError.unavailable) {
            try await store.commit(StoreTransaction(records: [PendingRecord(lost)]))
        }
        #expect(try await store.record(first.id)?.seq == 0)

        database.clock.advance(by: StoreLimits().retryDelay)
        #expect(try await store.commit(StoreTransaction(records: [PendingRecord(lost)])).map(\.seq) == [1])
        #expect(await store.isWritable())
        #expect(try await store.writer.pragma("synchronous") == 2.databaseValue)
        try await store.close()
        let logs = try StoredLogs(path: database.path)
        #expect(logs.sizes == [.gateway: 2])
        #expect(logs.faults.isEmpty)
    }

    @Test("`isWritable` reopens the store when the wait is over")
    func readinessReopens() async throws {
        let (database, fault) = (try TemporaryDatabase(), Fault())
        let store = try database.open(hooks: fault.hooks)
        var script = StoreScript(seed: 2)
        fault.failNext()
        await expectFailed(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]), by: store)
        database.clock.advance(by: StoreLimits().retryDelay - .milliseconds(1))
        #expect(await store.isWritable() == false)
        database.clock.advance(by: .milliseconds(1))
        #expect(await store.isWritable())
        try await store.close()
    }

    @Test("Every transaction of a failed flush gets the error that it may not be durable")
    func wholeBatchFails() async throws {
        let (database, fault) = (try TemporaryDatabase(), Fault())
        let store = try database.open(hooks: fault.hooks)
        var script = StoreScript(seed: 3)
        let transactions = (0..<50).map { _ in StoreTransaction(records: [PendingRecord(script.gatewayEvent())]) }
        fault.failNext(.max)
        let results = await withTaskGroup(of: Result<[RecordPosition], StoreError>.self) { group in
            for transaction in transactions {
                group.addTask { await Result { () async throws(StoreError) in try await store.commit(transaction) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let failed = results.filter { if case .failure(.failed) = $0 { true } else { false } }
        #expect(!failed.isEmpty)
        #expect(failed.count + results.filter { $0 == .failure(.unavailable) }.count == 50)
        try await store.close()
        #expect(try StoredLogs(path: database.path).sizes.isEmpty)
    }

    @Test("Closing a failed connection does not change the database file")
    func noSecondFlush() async throws {
        let (database, fault) = (try TemporaryDatabase(), Fault())
        let store = try database.open(hooks: fault.hooks)
        var script = StoreScript(seed: 4)
        _ = try await store.commit(script.tenancy)
        let file = URL(filePath: database.path)
        let before = try Data(contentsOf: file)
        fault.failNext()
        await expectFailed(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]), by: store)
        #expect(try Data(contentsOf: file) == before)
        database.clock.advance(by: StoreLimits().retryDelay)
        #expect(await store.isWritable())
        #expect(try Data(contentsOf: file) != before, "the new connection moves the committed pages into the file")
        try await store.close()
    }

    @Test("If the database cannot be reopened, the next attempt follows after twice the wait")
    func growingWait() async throws {
        let (database, fault) = (try TemporaryDatabase(), Fault())
        let store = try database.open(hooks: fault.hooks)
        var script = StoreScript(seed: 5)
        // A reader outside the store holds an old snapshot of the file, so that a checkpoint cannot finish.
        let outside = try DatabaseQueue(path: database.path, configuration: unsafeReader())
        try await outside.writeWithoutTransaction { try $0.execute(sql: "BEGIN; SELECT count(*) FROM logs") }
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]))
        fault.failNext()
        await expectFailed(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]), by: store)
        let delay = StoreLimits().retryDelay
        database.clock.advance(by: delay)
        #expect(await store.isWritable() == false)
        try await outside.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        try outside.close()
        database.clock.advance(by: delay)
        #expect(await store.isWritable() == false)
        database.clock.advance(by: delay)
        #expect(await store.isWritable())
        try await store.close()
    }

    @Test("A database is not reopened with the last file descriptors; it is reopened once more are free")
    func noDescriptors() async throws {
        let (database, fault) = (try TemporaryDatabase(), Fault())
        fault.isReserveFree.withLock { $0 = false }
        let store = try database.open(hooks: fault.hooks)
        var script = StoreScript(seed: 7)
        fault.failNext()
        await expectFailed(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]), by: store)
        database.clock.advance(by: StoreLimits().retryDelay)
        #expect(await store.isWritable() == false)
        fault.isReserveFree.withLock { $0 = true }
        database.clock.advance(by: StoreLimits().retryDelay * 2)
        #expect(await store.isWritable())
        #expect(try await store.commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())])).map(\.seq) == [0])
        try await store.close()
    }

    @Test("On a full disk the transaction fails, no acknowledged data is lost, and the store works again after a wait")
    func fullDisk() async throws {
        let database = try TemporaryDatabase()
        var limits = StoreLimits()
        limits.maximumPages = 200
        let store = try database.open(limits: limits)
        var script = StoreScript(seed: 6)
        _ = try await store.commit(script.tenancy)
        let large = StoreTransaction(records: (0..<2000).map { _ in PendingRecord(script.event(on: script.door)) })
        await expectFailed(large, by: store)
        #expect(await store.isWritable() == false)
        database.clock.advance(by: limits.retryDelay)
        let small = StoreTransaction(records: [PendingRecord(script.event(on: script.door))])
        #expect(try await store.commit(small).map(\.seq) == [0])
        try await store.close()
        let logs = try StoredLogs(path: database.path)
        #expect(logs.integrity == "ok")
        #expect(logs.sizes == [.portfolio(script.portfolio): 1])
        #expect(logs.faults.isEmpty)
    }

    private func unsafeReader() -> Configuration {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.allowsUnsafeTransactions = true
        return configuration
    }

    private func expectFailed(
        _ transaction: StoreTransaction, by store: SQLiteStore, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let result = await Result { () async throws(StoreError) in try await store.commit(transaction) }
        guard case .failure(.failed(let reason)) = result else {
            Issue.record("not failed: \(result)", sourceLocation: sourceLocation)
            return
        }
        #expect(reason.contains("may not be durable"), sourceLocation: sourceLocation)
    }
}
