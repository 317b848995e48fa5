internal import DoorwardAdapterTesting
internal import DoorwardControl
internal import DoorwardDomain

extension StoreConformance {
    static let idempotencyChecks: [StoreConformanceCheck] = [
        StoreConformanceCheck("The result of an idempotency key is found by its principal until it is too old") { store in
            var script = StoreScript(seed: 31)
            for (key, result) in [("one", IdempotentResult.command(script.fixture.id())), ("two", .entity(script.fixture.id()))] {
                let taken = entry(key, result, at: script.now)
                _ = try await store.commit(StoreTransaction(idempotency: [taken]))
                try require(try await find(taken.key, in: store, at: script.now), is: taken, "the entry")
                let unknown = IdempotencyKey(principal: "USER other", key: key)
                try require(try await find(unknown, in: store, at: script.now), is: nil, "another principal's entry")
                let later = taken.createdAt.advanced(by: .milliseconds(1))
                try require(try await find(taken.key, in: store, at: later), is: nil, "an entry that is too old")
            }
        },
        StoreConformanceCheck("A second entry with the same idempotency key is refused") { store in
            var script = StoreScript(seed: 32)
            let command = IdempotentResult.command(script.fixture.id())
            _ = try await store.commit(StoreTransaction(idempotency: [entry("key", command, at: script.now)]))
            let refused = [
                entry("key", .command(script.fixture.id()), at: script.now),
                entry("key", .entity(script.fixture.id()), at: script.now),
                entry("key", command, at: script.now, fingerprint: [9]), entry("key", command, at: script.now),
            ]
            for entry in refused {
                try await requireRefusal(.idempotencyKeyTaken(entry.key), of: StoreTransaction(idempotency: [entry]), by: store)
            }
        },
        StoreConformanceCheck("An idempotency key can be used again after 24 hours") { store in
            var script = StoreScript(seed: 33)
            let first = entry("key", .command(script.fixture.id()), at: script.now)
            _ = try await store.commit(StoreTransaction(idempotency: [first]))
            let almost = script.now.advanced(by: .milliseconds(86_399_999))
            let early = StoreTransaction(idempotency: [entry("key", .entity(script.fixture.id()), at: almost)])
            try await requireRefusal(.idempotencyKeyTaken(first.key), of: early, by: store)
            let later = entry("key", .entity(script.fixture.id()), at: almost.advanced(by: .milliseconds(1)))
            _ = try await store.commit(StoreTransaction(idempotency: [later]))
            try require(try await find(later.key, in: store, at: script.now), is: later, "the entry")
        },
    ]

    private static func entry(
        _ key: String, _ result: IdempotentResult, at instant: Timestamp, fingerprint: [UInt8] = [1, 2]
    ) -> IdempotencyEntry {
        IdempotencyEntry(
            key: IdempotencyKey(principal: "USER one", key: key), fingerprint: fingerprint, result: result, createdAt: instant)
    }

    private static func find(
        _ key: IdempotencyKey, in store: any GatewayStore, at oldest: Timestamp
    ) async throws -> IdempotencyEntry? {
        try await store.idempotentAnswer(key, notOlderThan: oldest)
    }
}
