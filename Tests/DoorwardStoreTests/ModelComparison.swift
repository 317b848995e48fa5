import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Runs all kinds of queries for the random data on two stores, and finds the results that differ.
struct ModelComparison {
    private var draw: RandomTransactions
    private var differences: [String] = []

    init(_ draw: RandomTransactions) { self.draw = draw }

    /// Expects that all queries have the same results in both stores.
    func expectSame(
        _ store: any GatewayStore, _ model: any GatewayStore, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let differences = try await differences(store, model)
        #expect(differences.isEmpty, sourceLocation: sourceLocation)
    }

    func isSame(_ store: any GatewayStore, _ model: any GatewayStore) async throws -> Bool {
        try await differences(store, model).isEmpty
    }

    private func differences(_ store: any GatewayStore, _ model: any GatewayStore) async throws -> [String] {
        var comparison = self
        try await comparison.compareTenancy(store, model)
        try await comparison.compareCommands(store, model)
        try await comparison.compareRecords(store, model)
        try await comparison.compareSignIn(store, model)
        try await comparison.compareCounters(store, model)
        return comparison.differences
    }

    private mutating func note<Value: Equatable>(_ question: String, _ found: Value, _ expected: Value) {
        if found != expected { differences.append("\(question): \(found), expected \(expected)") }
    }

    private mutating func compareTenancy(_ store: any GatewayStore, _ model: any GatewayStore) async throws {
        note("tenancy", try await tenancy(of: store), try await tenancy(of: model))
        for key in draw.idempotencyKeys {
            for oldest in [Timestamp(milliseconds: 0), draw.script.now] {
                let found = try await store.idempotentAnswer(key, notOlderThan: oldest)
                note("answer \(key)", found, try await model.idempotentAnswer(key, notOlderThan: oldest))
            }
        }
    }

    private mutating func compareCommands(_ store: any GatewayStore, _ model: any GatewayStore) async throws {
        let (open, expected) = (try await store.openCommands(), try await model.openCommands())
        note("open commands", open.map(\.command), expected.map(\.command))
        note("their logs", open.map(\.log), expected.map(\.log))
        note("their devices", open.map(\.device), expected.map(\.device))
        for command in draw.commands {
            note("command \(command.id)", try await store.command(command.id), try await model.command(command.id))
        }
        let scopes: [RecordScope] = [
            .portfolioLog(draw.script.portfolio), .property(draw.script.otherProperty, in: draw.script.otherPortfolio),
        ]
        for (offset, limit) in [(0, 10), (7, 5), (40, 100)] {
            for device in [nil, draw.script.gate] {
                let query = CommandQuery(
                    scopes: scopes, actorUserID: draw.script.user, deviceID: device, offset: offset, limit: limit)
                let (page, other) = (try await store.commands(query), try await model.commands(query))
                note("commands from \(offset)", page.commands, other.commands)
                note("their number", page.total, other.total)
            }
        }
    }

    private mutating func compareRecords(_ store: any GatewayStore, _ model: any GatewayStore) async throws {
        var last: RecordPosition?
        for id in draw.records {
            let found = try await store.record(id)
            note("record \(id)", found, try await model.record(id))
            if let found { last = RecordPosition(log: found.body.log, seq: found.seq, at: found.body.at) }
        }
        for _ in 0..<16 {
            let query = draw.query(after: last)
            let page = try await store.records(query)
            note("\(query)", page, try await model.records(query))
            if let middle = page.dropFirst(page.count / 2).first {
                last = RecordPosition(log: middle.body.log, seq: middle.seq, at: middle.body.at)
            }
        }
    }

    private mutating func compareSignIn(_ store: any GatewayStore, _ model: any GatewayStore) async throws {
        let now = draw.script.now
        note("live sessions", try await store.liveSessions(at: now), try await model.liveSessions(at: now))
        for digest in draw.digests {
            let (token, reset) = (try await store.refreshToken(digest: digest), try await store.passwordReset(digest: digest))
            note("token \(digest)", token, try await model.refreshToken(digest: digest))
            note("reset \(digest)", reset, try await model.passwordReset(digest: digest))
        }
        for user in draw.users {
            note("password of \(user)", try await store.passwordHash(of: user), try await model.passwordHash(of: user))
        }
        let key = try await store.publicKey(for: .accessTokens)
        note("public key", key, try await model.publicKey(for: .accessTokens))
        note("public keys", try await store.publicKeys(for: .accessTokens), try await model.publicKeys(for: .accessTokens))
    }

    private mutating func compareCounters(_ store: any GatewayStore, _ model: any GatewayStore) async throws {
        note("uses", try await store.usesTaken(), try await model.usesTaken())
        note("heads", try await store.logHeads(), try await model.logHeads())
    }

    private func tenancy(of store: any GatewayStore) async throws -> Set<TenancyChange> {
        var changes: Set<TenancyChange> = []
        try await store.loadTenancy { changes.insert($0) }
        return changes
    }
}
