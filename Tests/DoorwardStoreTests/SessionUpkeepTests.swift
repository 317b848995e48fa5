import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardStore

@Suite struct SessionUpkeepTests {
    @Test("Each new session deletes a limited number of expired sessions, whether ended or not, with their tokens")
    func pruning() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 1)
        script.now = database.clock.now()
        _ = try await store.commit(script.tenancy)
        for index in 0..<UInt8(40) {
            let session = script.session()
            var changes: [CredentialChange] = [
                .beginSession(session, refreshDigest: [index, 0]),
                .rotateRefresh(session.id, oldDigest: [index, 0], newDigest: [index, 1], expiresAt: session.expiresAt),
            ]
            if index.isMultiple(of: 2) { changes.append(.endSession(session.id)) }
            _ = try await store.commit(StoreTransaction(credentials: changes))
        }
        #expect(try sizes(database) == [40, 80])
        script.now = script.now.advanced(by: .seconds(3599))
        try await begin(&script, [100], in: store)
        #expect(try sizes(database) == [41, 81], "all of them are valid for another second")
        script.now = script.now.advanced(by: .seconds(1))
        try await begin(&script, [101], in: store)
        let left = try sizes(database)
        #expect((42 - Pruning.rowsPerInsert...41).contains(left[0]))
        for index in 0..<UInt8(20) { try await begin(&script, [102, index], in: store) }
        #expect(try sizes(database) == [22, 22])
        try await store.close()
    }

    @Test("A used token of a live session is kept, however old it is")
    func reuseIsFound() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 2)
        script.now = database.clock.now()
        _ = try await store.commit(script.tenancy)
        var session = script.session()
        _ = try await store.commit(StoreTransaction(credentials: [.beginSession(session, refreshDigest: [0])]))
        for index in 0..<UInt8(50) {
            script.now = script.now.advanced(by: .seconds(3000))
            session.expiresAt = script.now.advanced(by: .seconds(3600))
            let rotation = CredentialChange.rotateRefresh(
                session.id, oldDigest: [index], newDigest: [index + 1], expiresAt: session.expiresAt)
            _ = try await store.commit(StoreTransaction(credentials: [rotation]))
            try await begin(&script, [200, index], in: store)
        }
        #expect(try await store.refreshToken(digest: [0])?.isUsed == true)
        #expect(try await store.refreshToken(digest: [50])?.isUsed == false)
        #expect(try await store.refreshToken(digest: [200, 0]) == nil)
        try await store.close()
    }

    @Test("Opening the store deletes everything that has expired at once, and nothing else")
    func atOpening() async throws {
        let database = try TemporaryDatabase()
        var store = try database.open()
        var script = StoreScript(seed: 3)
        script.now = database.clock.now()
        _ = try await store.commit(script.tenancy)
        let entries = (0..<30).map { index in
            IdempotencyEntry(
                key: IdempotencyKey(principal: "USER", key: "\(index)"), fingerprint: [1],
                result: .command(CommandID(high: 0, low: 1)),
                createdAt: script.now.advanced(by: .seconds(index < 20 ? 0 : 60)))
        }
        _ = try await store.commit(StoreTransaction(idempotency: entries))
        for index in 0..<UInt8(30) { try await begin(&script, [index], in: store) }
        script.now = script.now.advanced(by: .seconds(83_000))
        try await begin(&script, [99], in: store)
        try await store.close()
        database.clock.advance(by: .seconds(86_401))
        store = try database.open()
        #expect(try sizes(database) == [1, 1])
        #expect(try database.count("SELECT count(*) FROM idempotency") == 10)
        #expect(try await store.refreshToken(digest: [99]) != nil)
        try await store.close()
    }

    private func begin(_ script: inout StoreScript, _ digest: [UInt8], in store: SQLiteStore) async throws {
        _ = try await store.commit(StoreTransaction(credentials: [.beginSession(script.session(), refreshDigest: digest)]))
    }

    /// Returns the numbers of sessions and of tokens.
    private func sizes(_ database: TemporaryDatabase) throws -> [Int] {
        try ["sessions", "refresh_tokens"].map { try database.count("SELECT count(*) FROM \($0)") }
    }
}
