import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import GRDB
import Testing

@testable import DoorwardStore

/// A destroyed key is removed from the file and from the writer's cache. The conformance kit tests what readers see afterwards.
@Suite struct ForgottenKeyTests {
    @Test(
        "After a person's key was destroyed, the next record of the person is encrypted with a new key",
        arguments: [0, 16_384])
    func newKey(cachedEntries: Int) async throws {
        let database = try TemporaryDatabase()
        var limits = TemporaryDatabase.limits
        limits.cachedEntries = cachedEntries
        let store = try database.open(limits: limits)
        var script = StoreScript(seed: 1)
        _ = try await store.commit(script.tenancy)
        _ = try await store.commit(StoreTransaction(records: [named(&script)]))
        let first = try keys(database)
        #expect(first.count == 1)
        _ = try await store.commit(StoreTransaction(forgets: [.user(script.user)]))
        #expect(try keys(database).isEmpty)
        _ = try await store.commit(StoreTransaction(records: [named(&script), named(&script)]))
        let second = try keys(database)
        #expect(second.count == 1)
        #expect(second != first)
        // This transaction writes a record under the person's key and destroys the key; the next one creates a new key.
        _ = try await store.commit(StoreTransaction(records: [named(&script)], forgets: [.user(script.user)]))
        _ = try await store.commit(StoreTransaction(records: [named(&script)]))
        let third = try keys(database)
        #expect(third.count == 1 && third != second)
        let scope = RecordScope.portfolioLog(script.portfolio)
        let names = try await store.records(RecordQuery(scopes: [scope], order: .oldestFirst, limit: 9)).map(\.body.actor.name)
        #expect(names == [nil, nil, nil, nil, "Ada Lovelace"])
        try await store.close()
        let report = try StoreCheck.run(path: database.path)
        #expect(report.isWhole)
        #expect(report.counts.erasedValues == 4)
    }

    @Test("A transaction that is rejected or whose flush fails destroys no key, neither in the file nor in the writer's cache")
    func undone() async throws {
        struct DiskError: Error {}
        let database = try TemporaryDatabase()
        let gate = FlushGate(openingAfter: 24)
        let setUp = try database.open()
        var script = StoreScript(seed: 2)
        _ = try await setUp.commit(script.tenancy)
        _ = try await setUp.commit(StoreTransaction(records: [named(&script)]))
        let before = try keys(database)
        try await setUp.close()
        // Each rejection makes the batch start again, and must not destroy the key for the other transactions.
        let store = try database.open(hooks: gate.hooks())
        let transactions = (0..<12).flatMap { _ in
            [
                StoreTransaction(records: [named(&script)]),
                StoreTransaction(
                    requires: [.usesLeft(of: GuestAccessID(high: 0, low: 1), max: 0)], records: [named(&script)],
                    forgets: [.user(script.user)]),
            ]
        }
        await withTaskGroup(of: Void.self) { group in
            for transaction in transactions { group.addTask { _ = try? await store.commit(transaction) } }
        }
        #expect(try keys(database) == before)
        let scope = RecordScope.portfolioLog(script.portfolio)
        let names = try await store.records(RecordQuery(scopes: [scope], limit: 50)).map(\.body.actor.name)
        #expect(names == Array(repeating: "Ada Lovelace", count: 13))
        try await store.close()
        let failing = try database.open(hooks: StoreHooks(beforeCommit: { _ in throw DiskError() }))
        await #expect(throws: StoreError.self) { try await failing.commit(StoreTransaction(forgets: [.user(script.user)])) }
        try? await failing.close()
        #expect(try keys(database) == before)
    }

    @Test("No file contains a destroyed key after the write-ahead log was copied into the database")
    func noBytes() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 3)
        _ = try await store.commit(script.tenancy)
        _ = try await store.commit(StoreTransaction(records: [named(&script)]))
        let key = try #require(try keys(database).first)
        _ = try await store.commit(StoreTransaction(forgets: [.user(script.user)]))
        try await store.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: database.folder.path) {
            let bytes = try Data(contentsOf: database.folder.appending(path: name))
            #expect(bytes.range(of: key) == nil, "\(name)")
        }
    }

    @Test("The keys of days are destroyed like those of persons, each separately")
    func days() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 4)
        for day in 0..<3 {
            script.now = script.fixture.createdAt.advanced(by: .seconds(86_400 * Int64(day)))
            var body = script.gatewayEvent()
            body.clientAddress = "192.0.2.\(day)"
            _ = try await store.commit(StoreTransaction(records: [PendingRecord(body)]))
        }
        let middle = Timestamp(milliseconds: script.fixture.createdAt.milliseconds + 86_400_000)
        _ = try await store.commit(StoreTransaction(forgets: [.day(of: middle)]))
        let found = try await store.records(RecordQuery(scopes: [.gatewayLog], order: .oldestFirst, limit: 9))
        #expect(found.map(\.body.clientAddress) == ["192.0.2.0", nil, "192.0.2.2"])
        try await store.close()
    }

    private func named(_ script: inout StoreScript) -> PendingRecord {
        var body = script.event(on: script.door)
        body.actor = script.actor
        return PendingRecord(body)
    }

    private func keys(_ database: TemporaryDatabase) throws -> [Data] {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: database.path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.read { try Data.fetchAll($0, sql: "SELECT key FROM person_keys") }
    }
}
