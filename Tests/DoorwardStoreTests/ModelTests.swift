import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardStore
import DoorwardTesting
import Testing

/// The store in SQLite beside the one in memory: the same transactions, and then the same answer to every question.
@Suite struct ModelTests {
    @Test(
        "Random transactions, many of them refused, leave SQLite and memory with the same answers, also after opening anew",
        arguments: 1...6 as ClosedRange<UInt64>)
    func sameAnswers(seed: UInt64) async throws {
        let database = try TemporaryDatabase()
        var limits = StoreLimits()
        (limits.cachedEntries, limits.rowsPerCheckpoint) = (Int(seed % 4), 25)
        var store = try database.open(limits: limits)
        let model = InMemoryStore(suspensions: 0)
        var draw = RandomTransactions(seed: seed, now: database.clock.now())
        _ = try await store.commit(draw.tenancy)
        _ = try await model.commit(draw.tenancy)
        var (taken, refused): (Int, Set<String>) = (0, [])
        for round in 0..<8 {
            for _ in 0..<25 {
                let transaction = draw.next()
                let expected = await Result { () async throws(StoreError) in try await model.commit(transaction) }
                let found = await Result { () async throws(StoreError) in try await store.commit(transaction) }
                #expect(found == expected)
                switch expected {
                case .success: taken += 1
                case .failure(.refused(let rule)): refused.insert(rule)
                case .failure: break
                }
            }
            if round % 3 == 2 {
                try await store.close()
                store = try database.open(limits: limits)
            }
            try await compare(store, model, &draw)
        }
        #expect(taken > 50)
        #expect(refused.count >= 5, "\(refused)")
        try await store.close()
        let report = try StoreCheck.run(path: database.path)
        #expect(report.fault == nil)
    }

    private func compare(_ store: SQLiteStore, _ model: InMemoryStore, _ draw: inout RandomTransactions) async throws {
        #expect(try await tenancy(of: store) == tenancy(of: model))
        try await compareCommands(store, model, draw)
        try await compareRecords(store, model, &draw)
        try await compareSignIn(store, model, draw)
        for key in draw.idempotencyKeys {
            for oldest in [Timestamp(milliseconds: 0), draw.script.now] {
                let found = try await store.idempotentAnswer(key, notOlderThan: oldest)
                #expect(try await model.idempotentAnswer(key, notOlderThan: oldest) == found)
            }
        }
    }

    private func compareCommands(_ store: SQLiteStore, _ model: InMemoryStore, _ draw: RandomTransactions) async throws {
        let (open, expected) = (try await store.openCommands(), try await model.openCommands())
        #expect(open.map(\.command) == expected.map(\.command))
        #expect(open.map(\.log) == expected.map(\.log))
        #expect(open.map(\.device) == expected.map(\.device))
        for command in draw.commands {
            let found = try await store.command(command.id)
            #expect(try await model.command(command.id) == found)
        }
        for (offset, limit) in [(0, 10), (7, 5), (40, 100)] {
            let page = try await store.commands(of: draw.devices, offset: offset, limit: limit)
            let other = try await model.commands(of: draw.devices, offset: offset, limit: limit)
            #expect(page.commands == other.commands)
            #expect(page.total == other.total)
        }
    }

    private func compareRecords(_ store: SQLiteStore, _ model: InMemoryStore, _ draw: inout RandomTransactions) async throws {
        var last: RecordPlace?
        for id in draw.records {
            let found = try await store.record(id)
            #expect(try await model.record(id) == found)
            if let found { last = RecordPlace(log: found.body.log, seq: found.seq, at: found.body.at) }
        }
        for _ in 0..<12 {
            let query = draw.query(after: last)
            let page = try await store.records(query)
            #expect(try await model.records(query) == page, "\(query)")
            if let middle = page.dropFirst(page.count / 2).first {
                last = RecordPlace(log: middle.body.log, seq: middle.seq, at: middle.body.at)
            }
        }
    }

    private func compareSignIn(_ store: SQLiteStore, _ model: InMemoryStore, _ draw: RandomTransactions) async throws {
        let live = try await store.liveSessions(at: draw.script.now)
        #expect(try await model.liveSessions(at: draw.script.now) == live)
        for digest in draw.digests {
            let found = try await store.refreshToken(digest: digest)
            #expect(try await model.refreshToken(digest: digest) == found)
        }
        for user in draw.users {
            let found = try await store.passwordHash(of: user)
            #expect(try await model.passwordHash(of: user) == found)
        }
        let key = try await store.publicKey(for: .accessTokens)
        #expect(try await model.publicKey(for: .accessTokens) == key)
    }

    private func tenancy(of store: any GatewayStore) async throws -> Set<TenancyChange> {
        var changes: Set<TenancyChange> = []
        try await store.loadTenancy { changes.insert($0) }
        return changes
    }
}
