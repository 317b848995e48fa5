import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import GRDB
import Synchronization
import Testing

@testable import DoorwardStore

/// The SQLite settings of the writer's and of every reader's connection.
@Suite struct SettingsTests {
    @Test(
        "A deviation in one setting of the writer's connection is reported by name",
        arguments: [
            ("PRAGMA journal_mode = DELETE", "write-ahead logging"), ("PRAGMA synchronous = NORMAL", "synchronous = FULL"),
            ("PRAGMA synchronous = OFF", "synchronous = FULL"), ("PRAGMA synchronous = EXTRA", "synchronous = FULL"),
            ("PRAGMA secure_delete = OFF", "secure_delete"), ("PRAGMA secure_delete = FAST", "secure_delete"),
            ("PRAGMA wal_autocheckpoint = 1000", "wal_autocheckpoint = 0"), ("PRAGMA foreign_keys = OFF", "foreign_keys"),
        ])
    func deviation(sql: String, violation: String) throws {
        let database = try TemporaryDatabase()
        let connection = try WriterConnection.open(path: database.path, limits: StoreLimits())
        try connection.queue.writeWithoutTransaction { (db: Database) throws in
            #expect(try StoreSettings.violation(in: db) == nil)
            try db.execute(sql: sql)
            #expect(try StoreSettings.violation(in: db) == violation)
        }
        try connection.close()
    }

    @Test("The writer trusts no function in the schema, keeps temporary data in memory, and observes the maximum number of pages")
    func writer() throws {
        let database = try TemporaryDatabase()
        var limits = StoreLimits()
        limits.maximumPages = 123
        let connection = try WriterConnection.open(path: database.path, limits: limits)
        let found = try connection.queue.writeWithoutTransaction { try numbers(Self.pragmas + ["max_page_count"], in: $0) }
        #expect(found == [0, 2, 0, 123])
        try connection.close()
    }

    @Test("Every concurrent reader connection has the settings of a reader and never checkpoints", arguments: [1, 7])
    func readers(count: Int) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        let reader = try StoreReader(path: database.path, clock: database.clock)
        let meeting = Meeting(of: count)
        let found = try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<count {
                group.addTask {
                    try await reader.read { db in
                        // No reader continues before all have arrived, so each has its own connection.
                        // Blocks: the reader's own thread.
                        meeting.wait()
                        return try numbers(Self.pragmas, in: db)
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(found == Array(repeating: [0, 2, 0], count: count))
        await reader.close()
        try await store.close()
    }

    @Test(
        "A reader connection cannot write",
        arguments: ["DELETE FROM logs", "CREATE TABLE theirs (a)", "PRAGMA user_version = 9", "VACUUM"])
    func readOnly(sql: String) async throws {
        let sample = try await CheckedSample(seed: 71, isClosed: false)
        let reader = try StoreReader(path: sample.database.path, clock: sample.database.clock)
        let result = await Result { () async throws(StoreError) in try await reader.read { try $0.execute(sql: sql) } }
        guard case .failure(.failed) = result else {
            Issue.record("written: \(result)")
            return
        }
        await reader.close()
        try await sample.holder?.close()
        #expect(try StoreCheck.run(path: sample.database.path).isWhole)
        #expect(try sample.database.count("PRAGMA user_version") == Schema.current.number)
    }

    @Test("All queries of one read see the same state of the database, even if a transaction is committed meanwhile")
    func snapshot() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 72)
        let reader = try StoreReader(path: database.path, clock: database.clock)
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]))
        let (begun, gate) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        async let counts = reader.read { db in
            let before = try numbers(["SELECT count(*) FROM entries"], in: db)
            begun.continuation.yield()
            // Blocks: the reader's own thread.
            gate.wait()
            return before + (try numbers(["SELECT count(*) FROM entries"], in: db))
        }
        for await _ in begun.stream { break }
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.gatewayEvent())]))
        gate.signal()
        #expect(try await counts == [1, 1])
        #expect(try await reader.read { try numbers(["SELECT count(*) FROM entries"], in: $0) } == [2])
        await reader.close()
        try await store.close()
    }

    /// Settings with the same values on all connections: 0 (off), 2 (in memory) and 0 (off).
    private static let pragmas = ["trusted_schema", "temp_store", "wal_autocheckpoint"]
}

/// Returns the number that each pragma or query gives.
private func numbers(_ queries: [String], in db: Database) throws -> [Int] {
    try queries.map { query in
        try Int.fetchOne(db, sql: query.hasPrefix("SELECT") ? query : "PRAGMA \(query)") ?? -1
    }
}

/// A barrier: no caller continues before all callers have arrived. The callers are threads of readers, which may be blocked.
private final class Meeting: Sendable {
    private let expected: Int
    private let arrived = Mutex(0)
    private let gate = DispatchSemaphore(value: 0)

    init(of expected: Int) { self.expected = expected }

    func wait() {
        let isLast = arrived.withLock { count in
            count += 1
            return count == expected
        }
        if isLast { gate.signal() }
        // Blocks: the reader's own thread.
        gate.wait()
        gate.signal()
    }
}
