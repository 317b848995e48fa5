import DoorwardControl
import DoorwardDomain
import DoorwardStore
import DoorwardTesting
import Foundation
import GRDB
import Testing

@Suite struct UpkeepTests {
    @Test("Each new idempotency entry deletes a limited number of entries older than a day")
    func pruning() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        let start = database.clock.now()
        let old = (0..<40).map { entry("old \($0)", at: start) }
        _ = try await store.commit(StoreTransaction(idempotency: old))
        #expect(try count(database) == 40)
        let later = start.advanced(by: .seconds(86_401))
        _ = try await store.commit(StoreTransaction(idempotency: [entry("new", at: later)]))
        let left = try count(database)
        #expect((2..<41).contains(left))
        _ = try await store.commit(StoreTransaction(idempotency: (0..<40).map { entry("newer \($0)", at: later) }))
        #expect(try count(database) == 41)
        try await store.close()
    }

    @Test("The write-ahead log is truncated when it exceeds its limit")
    func logIsCut() async throws {
        let database = try TemporaryDatabase()
        var limits = StoreLimits()
        (limits.pagesPerCheckpoint, limits.pagesBeforeCut) = (1, 0)
        let store = try database.open(limits: limits)
        var script = StoreScript(seed: 1)
        for _ in 0..<20 { _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())])) }
        // The writer makes the checkpoint after the answer, and handles this call after the checkpoint.
        #expect(await store.isWritable())
        let size = try FileManager.default.attributesOfItem(atPath: database.path + "-wal")[.size] as? Int
        #expect(size == 0)
        try await store.close()
    }

    @Test("After closing, the database file alone contains everything")
    func closedFile() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 2)
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]))
        try await store.close()
        try? FileManager.default.removeItem(atPath: database.path + "-wal")
        #expect(try StoredLogs(path: database.path).sizes == [.gateway: 1])
    }

    private func entry(_ key: String, at instant: Timestamp) -> IdempotencyEntry {
        IdempotencyEntry(
            key: IdempotencyKey(principal: "USER one", key: key), fingerprint: [1], result: .command(CommandID(high: 0, low: 1)),
            createdAt: instant)
    }

    private func count(_ database: TemporaryDatabase) throws -> Int {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: database.path, configuration: configuration)
        defer { try? queue.close() }
        return try #require(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM idempotency") })
    }
}
