import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardStore
import DoorwardTesting
import Testing

/// The rows of sessions, tokens, password resets, keys and idempotency entries, and how they are distinguished.
@Suite struct SignInRowTests {
    @Test("Digests are distinguished by every byte and by their length", arguments: 0..<5)
    func digests(index: Int) async throws {
        let digests: [[UInt8]] = [[], [0], [0, 0], [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 31) + [1]]
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 1)
        let other = script.fixture.user("Grace")
        _ = try await store.commit(script.tenancy)
        let sessions = digests.map { _ in script.session() }
        for (session, digest) in zip(sessions, digests) {
            _ = try await store.commit(StoreTransaction(credentials: [.beginSession(session, refreshDigest: digest)]))
        }
        let found = try await store.refreshToken(digest: digests[index])
        #expect(found == StoredRefreshToken(session: sessions[index], isUsed: false, isSessionEnded: false))
        let again = StoreTransaction(credentials: [.beginSession(script.session(), refreshDigest: digests[index])])
        await #expect(throws: StoreError.refused(.duplicate)) { try await store.commit(again) }
        let reset = reset(of: script.user, script)
        _ = try await store.commit(StoreTransaction(credentials: [.offerReset(reset, digest: digests[index])]))
        for (place, digest) in digests.enumerated() {
            #expect(try await store.passwordReset(digest: digest) == (place == index ? reset : nil))
        }
        // With this digest one link would open two accounts.
        let stolen = StoreTransaction(credentials: [.offerReset(self.reset(of: other, script), digest: digests[index])])
        await #expect(throws: StoreError.refused(.duplicate)) { try await store.commit(stolen) }
        #expect(try await store.passwordReset(digest: digests[index]) == reset)
        try await store.close()
    }

    @Test("A rotation to an existing digest is rejected and changes neither the old token nor the session's expiry")
    func rotationUndone() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 2)
        _ = try await store.commit(script.tenancy)
        let (session, other) = (script.session(), script.session())
        _ = try await store.commit(
            StoreTransaction(credentials: [.beginSession(session, refreshDigest: [1]), .beginSession(other, refreshDigest: [2])]))
        let later = session.expiresAt.advanced(by: .seconds(60))
        for taken in [[1], [2]] as [[UInt8]] {
            let rotation = CredentialChange.rotateRefresh(session.id, oldDigest: [1], newDigest: taken, expiresAt: later)
            await #expect(throws: StoreError.refused(.duplicate)) {
                try await store.commit(StoreTransaction(credentials: [rotation]))
            }
        }
        let unspent = StoredRefreshToken(session: session, isUsed: false, isSessionEnded: false)
        #expect(try await store.refreshToken(digest: [1]) == unspent)
        #expect(try await Set(store.liveSessions(at: script.now)) == [session, other])
        try await store.close()
    }

    @Test("A rotation can shorten its session, and does not change another one")
    func rotationShortens() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 3)
        _ = try await store.commit(script.tenancy)
        var (session, other) = (script.session(), script.session())
        _ = try await store.commit(
            StoreTransaction(credentials: [.beginSession(session, refreshDigest: [1]), .beginSession(other, refreshDigest: [2])]))
        session.expiresAt = session.createdAt.advanced(by: .milliseconds(1))
        let rotation = CredentialChange.rotateRefresh(
            session.id, oldDigest: [1], newDigest: [3], expiresAt: session.expiresAt)
        _ = try await store.commit(StoreTransaction(credentials: [rotation]))
        #expect(try await Set(store.liveSessions(at: session.createdAt)) == [session, other])
        #expect(try await store.liveSessions(at: session.expiresAt) == [other])
        #expect(try await store.refreshToken(digest: [3])?.session == session)
        #expect(try await store.refreshToken(digest: [2])?.session == other)
        try await store.close()
    }

    @Test("Ending a session is permanent and ends no other session; ending an unknown session is not an error")
    func ending() async throws {
        let database = try TemporaryDatabase()
        var store = try database.open()
        var script = StoreScript(seed: 4)
        script.now = database.clock.now()
        _ = try await store.commit(script.tenancy)
        let sessions = (0..<3).map { _ in script.session() }
        for (index, session) in sessions.enumerated() {
            _ = try await store.commit(
                StoreTransaction(credentials: [.beginSession(session, refreshDigest: [UInt8(index)])]))
        }
        for id in [sessions[1].id, sessions[1].id, script.fixture.id()] {
            _ = try await store.commit(StoreTransaction(credentials: [.endSession(id)]))
        }
        try await store.close()
        store = try database.open()
        #expect(try await Set(store.liveSessions(at: script.now)) == [sessions[0], sessions[2]])
        for index in 0..<UInt8(3) {
            #expect(try await store.refreshToken(digest: [index])?.isSessionEnded == (index == 1))
        }
        try await store.close()
    }

    @Test(
        "Live sessions are listed in the order of their ids, in whatever order they began",
        arguments: 1...3 as ClosedRange<UInt64>)
    func liveOrder(seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var (script, random) = (StoreScript(seed: seed), SeededGenerator(seed: seed))
        _ = try await store.commit(script.tenancy)
        var live: [Session] = []
        for index in 0..<60 {
            let lifetime = Duration.milliseconds(Int.random(in: 1...40, using: &random))
            let session = Session(
                id: SessionID(high: random.next(), low: random.next()), userID: script.user, createdAt: script.now,
                expiresAt: script.now.advanced(by: lifetime))
            _ = try await store.commit(
                StoreTransaction(credentials: [.beginSession(session, refreshDigest: [UInt8(index)])]))
            live.append(session)
        }
        for offset in [0, 1, 20, 39, 40] {
            let now = script.now.advanced(by: .milliseconds(offset))
            let expected = live.filter { $0.expiresAt > now }.sorted { $0.id < $1.id }
            #expect(try await store.liveSessions(at: now) == expected)
        }
        try await store.close()
    }

    @Test(
        "A new public key of the gateway replaces the previous one completely",
        arguments: [[], [0], [UInt8](repeating: 255, count: 4096)])
    func publicKey(bytes: [UInt8]) async throws {
        let database = try TemporaryDatabase()
        var store = try database.open()
        #expect(try await store.publicKey(for: .accessTokens) == nil)
        for key in [[1, 2, 3], bytes] {
            _ = try await store.commit(StoreTransaction(credentials: [.noteKey(.accessTokens, publicHalf: key)]))
        }
        try await store.close()
        store = try database.open()
        #expect(try await store.publicKey(for: .accessTokens) == bytes)
        try await store.close()
    }

    // MARK: Idempotency keys

    @Test("An idempotency entry keeps the kind of the result, command or entity, and its id")
    func results() async throws {
        let database = try TemporaryDatabase()
        var store = try database.open()
        let now = database.clock.now()
        let results: [IdempotentResult] = [(0, 0), (1, 2), (.max, .max)].flatMap { high, low in
            [.command(CommandID(high: high, low: low)), .entity(EntityID(high: high, low: low))]
        }
        var entries: [IdempotencyEntry] = []
        for (number, fingerprint) in [[], [0], [UInt8](repeating: 9, count: 32)].enumerated() {
            for (index, result) in results.enumerated() {
                let key = IdempotencyKey(principal: "USER", key: "\(number) \(index)")
                entries.append(IdempotencyEntry(key: key, fingerprint: fingerprint, result: result, createdAt: now))
            }
        }
        _ = try await store.commit(StoreTransaction(idempotency: entries))
        try await store.close()
        store = try database.open()
        for entry in entries { #expect(try await store.idempotentAnswer(entry.key, notOlderThan: now) == entry) }
        try await store.close()
    }

    @Test("Principal and key are separate texts, and each is compared byte for byte")
    func keysApart() async throws {
        let pairs = [
            ("USER a", "b"), ("USER", "a b"), ("USER a b", ""), ("", "USER a b"), ("b", "USER a"), ("user a", "b"),
            ("USER a", "B"), ("USER a", "b "), ("USER a", "\u{E9}"), ("USER a", "e\u{301}"), ("USER a", "%"), ("USER %", "b"),
        ]
        let database = try TemporaryDatabase()
        let store = try database.open()
        let now = database.clock.now()
        for (index, pair) in pairs.enumerated() {
            let entry = IdempotencyEntry(
                key: IdempotencyKey(principal: pair.0, key: pair.1), fingerprint: [UInt8(index)],
                result: .command(CommandID(high: 0, low: 1)),
                createdAt: now)
            _ = try await store.commit(StoreTransaction(idempotency: [entry]))
        }
        for (index, pair) in pairs.enumerated() {
            let found = try await store.idempotentAnswer(
                IdempotencyKey(principal: pair.0, key: pair.1), notOlderThan: now)
            #expect(found?.fingerprint == [UInt8(index)], "\(pair)")
        }
        try await store.close()
    }

    @Test("A rejected idempotency key rolls back its whole transaction, with records, commands and entities")
    func refusedKey() async throws {
        let database = try TemporaryDatabase()
        let store = try database.open()
        var script = StoreScript(seed: 7)
        _ = try await store.commit(script.tenancy)
        let entry = IdempotencyEntry(
            key: IdempotencyKey(principal: "USER", key: "k"), fingerprint: [1], result: .command(CommandID(high: 0, low: 1)),
            createdAt: script.now
        )
        _ = try await store.commit(StoreTransaction(idempotency: [entry]))
        let command = script.command(on: script.door)
        var transaction = script.begin(command)
        let portfolio = script.fixture.portfolio("Third Street")
        transaction.changes = Array(script.fixture.changes.suffix(1))
        transaction.credentials = [.setPassword(script.user, hash: "$scrypt$1")]
        transaction.idempotency = [
            IdempotencyEntry(
                key: IdempotencyKey(principal: "USER", key: "new"), fingerprint: [1],
                result: .command(CommandID(high: 0, low: 1)),
                createdAt: script.now),
            IdempotencyEntry(
                key: entry.key, fingerprint: [2], result: .command(CommandID(high: 0, low: 1)), createdAt: script.now),
        ]
        await #expect(throws: StoreError.refused(.idempotencyKeyTaken(entry.key))) { try await store.commit(transaction) }
        #expect(try await store.command(command.id) == nil)
        #expect(try await store.record(transaction.records[0].body.id) == nil)
        #expect(try await store.passwordHash(of: script.user) == nil)
        #expect(try await store.idempotentAnswer(transaction.idempotency[0].key, notOlderThan: script.now) == nil)
        #expect(try await store.idempotentAnswer(entry.key, notOlderThan: script.now) == entry)
        var portfolios: Set<PortfolioID> = []
        try await store.loadTenancy { if case .putPortfolio(let found) = $0 { portfolios.insert(found.id) } }
        #expect(!portfolios.contains(portfolio))
        try await store.close()
        #expect(try StoredLogs(path: database.path).sizes.values.allSatisfy { $0 == 0 })
    }

    private func reset(of user: UserID, _ script: StoreScript) -> PasswordReset {
        PasswordReset(
            id: EntityID(high: 1, low: 1), userID: user, createdBy: nil, createdAt: script.now,
            expiresAt: script.now.advanced(by: .seconds(60)))
    }
}
