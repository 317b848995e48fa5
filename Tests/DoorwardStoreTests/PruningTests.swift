import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import GRDB
import Testing

@testable import DoorwardStore

/// The limits between data that is deleted and data that is kept.
@Suite struct PruningTests {
    @Test("A session is deleted when it expires, and not a millisecond earlier", arguments: [(-1, 1), (0, 0), (1, 0)])
    func sessionBorder(offset: Int64, left: Int) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 1)
        _ = try await store.commit(script.tenancy)
        let session = script.session()
        _ = try await store.commit(StoreTransaction(credentials: [.beginSession(session, refreshDigest: [1])]))
        try await store.close()
        try database.prune {
            try Pruning.sessions(expiredAt: session.expiresAt.advanced(by: .milliseconds(offset)), limit: 10, in: $0)
        }
        #expect(try database.count("SELECT count(*) FROM sessions") == left)
        #expect(try database.count("SELECT count(*) FROM refresh_tokens") == left)
    }

    @Test("An idempotency entry is kept for a day, and deleted a millisecond later", arguments: [(0, 1), (1, 0)])
    func answerBorder(offset: Int64, left: Int) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        let kept = IdempotencyEntry(
            key: IdempotencyKey(principal: "USER", key: "k"), fingerprint: [1], result: .command(CommandID(high: 0, low: 1)),
            createdAt: database.clock.now())
        _ = try await store.commit(StoreTransaction(idempotency: [kept]))
        try await store.close()
        database.clock.advance(by: .seconds(86_400) + .milliseconds(offset))
        try await database.open().close()
        #expect(try database.count("SELECT count(*) FROM idempotency") == left)
    }

    @Test("A session with more tokens than are deleted at once is kept until its last token is deleted")
    func manyTokens() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 2)
        _ = try await store.commit(script.tenancy)
        let session = script.session()
        var changes: [CredentialChange] = [.beginSession(session, refreshDigest: [0])]
        for index in 0..<UInt8(29) {
            changes.append(
                .rotateRefresh(session.id, oldDigest: [index], newDigest: [index + 1], expiresAt: session.expiresAt))
        }
        _ = try await store.commit(StoreTransaction(credentials: changes))
        try await store.close()
        var counts: [Int] = []
        while try database.count("SELECT count(*) FROM sessions") > 0, counts.count < 20 {
            counts.append(try database.count("SELECT count(*) FROM refresh_tokens"))
            let gone = try database.prune { try Pruning.sessions(expiredAt: session.expiresAt, limit: 2, in: $0) }
            #expect(gone > 0)
        }
        #expect(counts == [30, 22, 14, 6])
        #expect(try database.prune { try Pruning.sessions(expiredAt: session.expiresAt, limit: 2, in: $0) } == 0)
    }

    @Test("The oldest entries are deleted first, and at most as many as the limit", arguments: [1, 3, 10])
    func oldestFirst(limit: Int) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        let start = database.clock.now()
        let entries = (0..<8).reversed().map { index in
            IdempotencyEntry(
                key: IdempotencyKey(principal: "USER", key: "\(index)"), fingerprint: [1],
                result: .command(CommandID(high: 0, low: 1)),
                createdAt: start.advanced(by: .milliseconds(Int64(index))))
        }
        _ = try await store.commit(StoreTransaction(idempotency: entries))
        try await store.close()
        let gone = try database.prune {
            try Pruning.idempotency(before: start.advanced(by: .milliseconds(5)), limit: limit, in: $0)
        }
        #expect(gone == min(limit, 5))
        #expect(try database.count("SELECT min(CAST(key AS INTEGER)) FROM idempotency") == gone)
    }

    @Test(
        "Opening the store deletes all expired rows, even if that takes several transactions",
        arguments: [4095, 4096, 4097, 9000])
    func manyAtOpening(count: Int) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 4)
        script.now = database.clock.now()
        _ = try await store.commit(script.tenancy)
        try await store.close()
        let (numbers, now) = ("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))", script.now)
        // Every tenth row is a millisecond younger than the others, and is kept at first.
        let at = "\(now.milliseconds) + (i % 10 = 0)"
        try database.edit(
            """
            \(numbers) INSERT INTO idempotency (principal, key, fingerprint, created_at) SELECT 'USER', i, x'00', \(at) FROM n;
            \(numbers) INSERT INTO sessions SELECT CAST(printf('%016d', i) AS BLOB), (SELECT id FROM users), 0, \(at) + 86400000, 0
            FROM n;
            INSERT INTO refresh_tokens SELECT id, id, 0 FROM sessions;
            INSERT INTO refresh_tokens SELECT CAST(id || 'x' AS BLOB), id, 1 FROM sessions
            """)
        database.clock.advance(by: .seconds(86_400))
        try await database.open().close()
        #expect(try database.count("SELECT count(*) FROM idempotency") == count, "they are exactly a day old")
        #expect(try database.count("SELECT count(*) FROM sessions") == count / 10)
        #expect(try database.count("SELECT count(*) FROM refresh_tokens") == count / 10 * 2)
        database.clock.advance(by: .milliseconds(1))
        try await database.open().close()
        #expect(try database.count("SELECT count(*) FROM idempotency") == count / 10)
        #expect(try database.count("SELECT count(*) FROM sessions") == 0)
        #expect(try database.count("SELECT count(*) FROM refresh_tokens") == 0)
    }

    @Test("Records, commands and persons' keys are never deleted, however old they are")
    func neverPruned() async throws {
        let sample = try await CheckedSample(seed: 3)
        let before = try StoreCheck.run(path: sample.database.path).counts
        sample.database.clock.advance(by: .seconds(100 * 366 * 86_400))
        try await sample.database.open().close()
        #expect(try StoreCheck.run(path: sample.database.path).counts == before)
    }
}

extension TemporaryDatabase {
    /// Runs one step of pruning without the store, with foreign keys enforced.
    @discardableResult
    fileprivate func prune(_ body: (Database) throws -> Int) throws -> Int {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.write(body)
    }
}
