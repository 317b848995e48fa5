internal import DoorwardControl
internal import DoorwardDomain

extension StoreConformance {
    static let idempotencyPromises: [StorePromise] = [
        StorePromise("An answer is kept under its key, for its principal, until it is too old") { store in
            var script = StoreScript(seed: 31)
            let taken = entry(command: script.world.id(), at: script.now)
            let answered = entry(command: taken.commandID, at: script.now, answer: answer)
            for entry in [taken, answered] {
                _ = try await store.commit(StoreTransaction(idempotency: [entry]))
                try require(try await find(entry.key, in: store, at: script.now), is: entry, "the entry")
            }
            let stranger = IdempotencyKey(principal: "USER other", key: taken.key.key)
            try require(try await find(stranger, in: store, at: script.now), is: nil, "another principal's entry")
            let later = taken.createdAt.advanced(by: .milliseconds(1))
            try require(try await find(taken.key, in: store, at: later), is: nil, "an entry that is too old")
        },
        StorePromise("A key stands for one request, and for one answer") { store in
            var script = StoreScript(seed: 32)
            let command: CommandID = script.world.id()
            _ = try await store.commit(StoreTransaction(idempotency: [entry(command: command, at: script.now)]))
            let refused = [
                entry(command: script.world.id(), at: script.now), entry(command: command, at: script.now, fingerprint: [9]),
            ]
            for entry in refused {
                try await requireRefusal(.idempotencyKeyTaken, of: StoreTransaction(idempotency: [entry]), by: store)
            }
            let answered = StoreTransaction(idempotency: [entry(command: command, at: script.now, answer: answer)])
            _ = try await store.commit(answered)
            try await requireRefusal(.idempotencyKeyTaken, of: answered, by: store)
        },
        StorePromise("A day later the key is free again") { store in
            var script = StoreScript(seed: 33)
            _ = try await store.commit(StoreTransaction(idempotency: [entry(command: script.world.id(), at: script.now)]))
            let almost = script.now.advanced(by: .milliseconds(86_399_999))
            let early = StoreTransaction(idempotency: [entry(command: nil, at: almost, answer: answer)])
            try await requireRefusal(.idempotencyKeyTaken, of: early, by: store)
            let later = entry(command: nil, at: almost.advanced(by: .milliseconds(1)), answer: answer)
            _ = try await store.commit(StoreTransaction(idempotency: [later]))
            try require(try await find(later.key, in: store, at: script.now), is: later, "the entry")
        },
    ]

    private static let answer = StoredAnswer(status: 201, location: "/api/v1/portfolios/1", body: Array("{}".utf8))

    private static func entry(
        command: CommandID?, at instant: Timestamp, fingerprint: [UInt8] = [1, 2], answer: StoredAnswer? = nil
    ) -> IdempotencyEntry {
        IdempotencyEntry(
            key: IdempotencyKey(principal: "USER one", key: "key"), fingerprint: fingerprint, commandID: command, answer: answer,
            createdAt: instant)
    }

    private static func find(
        _ key: IdempotencyKey, in store: any GatewayStore, at oldest: Timestamp
    ) async throws -> IdempotencyEntry? {
        try await store.idempotentAnswer(key, notOlderThan: oldest)
    }
}
