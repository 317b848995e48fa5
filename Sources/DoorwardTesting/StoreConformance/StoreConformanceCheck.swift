internal import DoorwardAdapterTesting
package import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
import FoundationEssentials

/// One requirement of `GatewayStore`, with a check that tests whether a store meets it.
package struct StoreConformanceCheck: Sendable, CustomStringConvertible {
    /// The requirement as a sentence.
    package let description: String
    /// Checks a new, empty store.
    ///
    /// - Throws: `ConformanceFailure`, or any unexpected error of the store.
    package let check: @Sendable (any GatewayStore) async throws -> Void

    init(_ description: String, check: @escaping @Sendable (any GatewayStore) async throws -> Void) {
        (self.description, self.check) = (description, check)
    }
}

/// The requirements that every store must meet. A test runs each check with a new store.
package enum StoreConformance {
    /// All checks, grouped by topic. Each check requires a new, empty store, and may leave any content in it.
    package static let checks: [StoreConformanceCheck] =
        tenancyChecks + removalChecks + credentialChecks + resetChecks + accountChecks + commandChecks + idempotencyChecks
        + recordChecks + queryChecks + backupChecks + preconditionChecks + treeChecks + cutChecks
        + clockChecks
}

/// Requires that the store refuses the transaction.
///
/// - Throws: `ConformanceFailure` unless the store refuses it because of exactly this rule.
func requireRefusal(_ rule: StoreRefusal, of transaction: StoreTransaction, by store: any GatewayStore) async throws {
    do {
        _ = try await store.commit(transaction)
    } catch {
        return try require(error, is: .refused(rule), "the refusal")
    }
    throw ConformanceFailure("a transaction was accepted that should be refused: \(rule)")
}

/// Returns the changes that the store's `loadTenancy` passes to its receiver.
func tenancy(of store: any GatewayStore) async throws -> Set<TenancyChange> {
    var changes: Set<TenancyChange> = []
    try await store.loadTenancy { changes.insert($0) }
    return changes
}

extension StoreConformance {
    static let clockChecks: [StoreConformanceCheck] = [
        StoreConformanceCheck("The mark of the clock only rises, unless it is set, and keeps the unconfirmed step") { store in
            let start = Timestamp(milliseconds: 1_795_248_000_000)
            let step = UnconfirmedStep(before: start, after: start.advanced(by: .seconds(86_400)))
            try require(try await store.storedClock(), is: nil, "the clock of a new store")
            let cases: [(StoredClockChange, StoredClock)] = [
                (.raiseMark(start), StoredClock(mark: start)),
                (.raiseMark(start.advanced(by: .seconds(-1))), StoredClock(mark: start)),
                (.setUnconfirmed(step), StoredClock(mark: start, unconfirmed: step)),
                (
                    .raiseMark(start.advanced(by: .seconds(1))),
                    StoredClock(mark: start.advanced(by: .seconds(1)), unconfirmed: step)
                ),
                (
                    .setMark(start.advanced(by: .seconds(-9))),
                    StoredClock(mark: start.advanced(by: .seconds(-9)), unconfirmed: step)
                ),
                (.setUnconfirmed(nil), StoredClock(mark: start.advanced(by: .seconds(-9)))),
            ]
            for (change, expected) in cases {
                _ = try await store.commit(StoreTransaction(clock: [change]))
                try require(try await store.storedClock(), is: expected, "the clock after \(change)")
            }
        },
        StoreConformanceCheck("A refused transaction does not change the clock") { store in
            let mark = Timestamp(milliseconds: 1_795_248_000_000)
            let transaction = StoreTransaction(
                requires: [.usesLeft(of: GuestAccessID(high: 0, low: 1), max: 0)], clock: [.raiseMark(mark)])
            do {
                _ = try await store.commit(transaction)
            } catch {
                return try require(try await store.storedClock(), is: nil, "the clock after the refusal")
            }
            throw ConformanceFailure("a transaction was accepted whose precondition does not hold")
        },
    ]
}

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

extension StoreConformance {
    static let resetChecks: [StoreConformanceCheck] = [
        StoreConformanceCheck("A password reset is found by its token's digest, and can be used once") { store in
            var script = StoreScript(seed: 15)
            _ = try await store.commit(script.tenancy)
            let reset = reset(of: script.user, &script)
            _ = try await store.commit(StoreTransaction(credentials: [.offerReset(reset, digest: [1])]))
            try require(try await store.passwordReset(digest: [1]), is: reset, "the reset")
            try require(try await store.passwordReset(digest: [2]), is: nil, "an unknown token")
            let use = StoreTransaction(credentials: [.useReset(digest: [1], at: script.now)])
            _ = try await store.commit(use)
            try require(try await store.passwordReset(digest: [1]), is: nil, "the used reset")
            try await requireRefusal(.resetTokenSpent, of: use, by: store)
        },
        StoreConformanceCheck("A new password reset replaces only the earlier reset of the same user") { store in
            var script = StoreScript(seed: 16)
            let other = script.fixture.user("Grace")
            _ = try await store.commit(script.tenancy)
            let (first, second, others) = (
                reset(of: script.user, &script), reset(of: script.user, &script), reset(of: other, &script)
            )
            for (reset, digest) in [(first, 1), (others, 2), (second, 3)] as [(PasswordReset, UInt8)] {
                _ = try await store.commit(StoreTransaction(credentials: [.offerReset(reset, digest: [digest])]))
            }
            try require(try await store.passwordReset(digest: [1]), is: nil, "the replaced reset")
            try require(try await store.passwordReset(digest: [2]), is: others, "the other user's reset")
            try require(try await store.passwordReset(digest: [3]), is: second, "the new reset")
            try await requireRefusal(
                .resetTokenSpent, of: StoreTransaction(credentials: [.useReset(digest: [1], at: script.now)]), by: store)
            let unknown = reset(of: script.fixture.id(), &script)
            try await requireRefusal(
                .parentUnknown, of: StoreTransaction(credentials: [.offerReset(unknown, digest: [4])]), by: store)
        },
        StoreConformanceCheck("An expired password reset is refused with its whole transaction") { store in
            var script = StoreScript(seed: 17)
            _ = try await store.commit(script.tenancy)
            let reset = reset(of: script.user, &script)
            _ = try await store.commit(StoreTransaction(credentials: [.offerReset(reset, digest: [1])]))
            let late = StoreTransaction(credentials: [
                .setPassword(script.user, hash: "$scrypt$1"), .useReset(digest: [1], at: reset.expiresAt),
            ])
            try await requireRefusal(.resetTokenSpent, of: late, by: store)
            try require(try await store.passwordHash(of: script.user), is: nil, "the password")
            _ = try await store.commit(
                StoreTransaction(credentials: [
                    .useReset(digest: [1], at: reset.expiresAt.advanced(by: .milliseconds(-1)))
                ]))
        },
        StoreConformanceCheck("Resets can be ended by their user or by their creator; other resets are kept") { store in
            var script = StoreScript(seed: 18)
            let (maker, other) = (script.fixture.user("Grace"), script.fixture.user("Linus"))
            _ = try await store.commit(script.tenancy)
            let (first, second) = (reset(of: script.user, by: maker, &script), reset(of: other, by: other, &script))
            func offerBoth() async throws {
                _ = try await store.commit(
                    StoreTransaction(credentials: [.offerReset(first, digest: [1]), .offerReset(second, digest: [2])]))
            }
            for end in [CredentialChange.endReset(of: script.user), .endResets(madeBy: maker)] {
                try await offerBoth()
                _ = try await store.commit(StoreTransaction(credentials: [end]))
                try require(try await store.passwordReset(digest: [1]), is: nil, "the ended reset")
                try require(try await store.passwordReset(digest: [2]), is: second, "the other reset")
            }
        },
    ]

    private static func reset(of user: UserID, by maker: UserID? = nil, _ script: inout StoreScript) -> PasswordReset {
        PasswordReset(
            id: script.fixture.id(), userID: user, madeBy: maker, createdAt: script.now,
            expiresAt: script.now.advanced(by: .seconds(60)))
    }
}

extension StoreConformance {
    static let backupChecks: [StoreConformanceCheck] = [
        StoreConformanceCheck("A backup is a new file readable only by its owner, and reports each log's size") { store in
            try await withFolder { folder in
                var script = StoreScript(seed: 61)
                _ = try await store.commit(script.tenancy)
                let devices = [script.door, script.door, script.otherDoor]
                for device in devices {
                    _ = try await store.commit(StoreTransaction(records: [PendingRecord(script.event(on: device))]))
                }
                let backup = try await store.backup(to: folder + "/copy.db")
                let sizes = [(script.portfolio, UInt64(2)), (script.otherPortfolio, 1)].map {
                    LogSize(log: .portfolio($0.0), size: $0.1)
                }
                try require(backup.logs, is: sizes.sorted { $0.log.description < $1.log.description }, "the logs of the copy")
                try require(backup.path, is: folder + "/copy.db", "the name of the copy")
                let attributes = try FileManager.default.attributesOfItem(atPath: backup.path)
                try require((attributes[.size] as? Int).map { Int64($0) }, is: backup.bytes, "the size of the copy")
                try require(attributes[.posixPermissions] as? Int, is: 0o600, "the mode of the copy")
                try require(try FileManager.default.contentsOfDirectory(atPath: folder), is: ["copy.db"], "the folder's content")
            }
        },
        StoreConformanceCheck("A backup to an unusable path is refused, creates no file and does not affect the store") { store in
            try await withFolder { folder in
                let taken = folder + "/taken"
                _ = FileManager.default.createFile(atPath: taken, contents: Data([1]))
                try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/nothing")
                let before = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
                let cases: [(String, StoreBackupProblem)] = [
                    ("copy.db", .notAbsolute), ("", .notAbsolute), ("./copy.db", .notAbsolute), (folder + "/", .noFileName),
                    (folder + "/..", .noFileName), (folder + "/" + String(repeating: "x", count: 250), .noFileName),
                    (folder + "/missing/copy.db", .folderMissing), (taken + "/copy.db", .folderMissing),
                    (taken, .alreadyExists), (folder, .alreadyExists), (folder + "/link", .alreadyExists),
                ]
                for (path, problem) in cases { try await requireRefusal(problem, of: path, by: store) }
                try require(Set(try FileManager.default.contentsOfDirectory(atPath: folder)), is: before, "the folder's content")
                try require(await store.isWritable(), "the store still accepts transactions")
            }
        },
        StoreConformanceCheck("A closed store rejects a backup") { store in
            try await withFolder { folder in
                try await store.close()
                do {
                    _ = try await store.backup(to: folder + "/copy.db")
                } catch {
                    try require(error as? StoreBackupError, is: .unavailable, "the refusal")
                    return try require(
                        try FileManager.default.contentsOfDirectory(atPath: folder), is: [], "the folder's content")
                }
                throw ConformanceFailure("a closed store made a backup")
            }
        },
    ]

    private static func requireRefusal(
        _ problem: StoreBackupProblem, of path: String, by store: any GatewayStore
    ) async throws {
        do {
            _ = try await store.backup(to: path)
        } catch {
            return try require(error, is: .refused(problem), "the refusal of '\(path)'")
        }
        throw ConformanceFailure("a backup was made at '\(path)', which should be refused: \(problem.rawValue)")
    }

    /// Calls `body` with the canonical path of a new folder, and removes the folder afterwards.
    private static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "doorward-conformance-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.resolvingSymlinksInPath().path)
    }
}

extension StoreConformance {
    static let recordChecks: [StoreConformanceCheck] = [
        StoreConformanceCheck("A record is read back with all fields, including the personal values") { store in
            var script = StoreScript(seed: 41)
            let body = fullRecord(&script)
            let place = try await store.commit(StoreTransaction(records: [PendingRecord(body)]))[0]
            try require(place, is: RecordPosition(log: body.log, seq: 0, at: body.at), "the place")
            try require(try await store.record(body.id), is: AccessRecord(seq: 0, body: body), "the record")
            try require(try await store.record(script.fixture.id()), is: nil, "an unknown record")
        },
        StoreConformanceCheck("Each log numbers its records from 0; refused transactions leave no gaps") { store in
            var script = StoreScript(seed: 42)
            _ = try await store.commit(script.tenancy)
            var expected: [LogID: UInt64] = [:]
            for index in 0..<30 {
                let bodies = [script.event(on: script.door), script.gatewayEvent(), script.event(on: script.otherDoor)]
                let records = bodies.prefix(1 + index % 3).map { PendingRecord($0) }
                if index % 4 == 3 {
                    let unknown = script.confirmed(script.command(on: script.door))
                    let refused = StoreTransaction(commands: [.end(unknown)], records: records)
                    try await requireRefusal(.commandUnknown(unknown.id), of: refused, by: store)
                    continue
                }
                for (place, record) in zip(try await store.commit(StoreTransaction(records: records)), records) {
                    try require(place.log, is: record.body.log, "the log")
                    try require(place.seq, is: expected[place.log, default: 0], "the seq in \(place.log)")
                    expected[place.log, default: 0] += 1
                }
            }
        },
        StoreConformanceCheck("A record earlier than its predecessor gets the predecessor's time, and a note of it") { store in
            var script = StoreScript(seed: 43)
            let first = script.event(on: script.door)
            script.now = script.now.advanced(by: .seconds(-5))
            let (held, elsewhere) = (script.event(on: script.door), script.event(on: script.otherDoor))
            let records = [first, held, elsewhere].map { PendingRecord($0) }
            let places = try await store.commit(StoreTransaction(records: records))
            try require(places.map(\.at), is: [first.at, first.at, elsewhere.at], "the instants")
            let read = try await store.record(held.id)
            try require(read?.body.at, is: first.at, "the instant of the record")
            try require(read?.body.details["clock"], is: .string("held"), "the note about the clock")
            try require(try await store.record(first.id)?.body.details, is: [:], "the details of the record before")
        },
        StoreConformanceCheck("A record can refer to an earlier record of its transaction by log and seq") { store in
            var script = StoreScript(seed: 44)
            let (inside, outside) = (script.event(on: script.door), script.gatewayEvent())
            let records = [PendingRecord(inside), PendingRecord(outside, counterpart: 0)]
            _ = try await store.commit(StoreTransaction(records: records))
            let counterpart = RecordValue.object(["logId": .string(script.portfolio.description), "seq": .integer(0)])
            try require(try await store.record(outside.id)?.body.details, is: ["counterpart": counterpart], "the details")
            let forward = StoreTransaction(records: [PendingRecord(script.gatewayEvent(), counterpart: 0)])
            try await requireRefusal(.parentUnknown, of: forward, by: store)
        },
        StoreConformanceCheck("A second record with the same id is refused") { store in
            var script = StoreScript(seed: 45)
            let transaction = StoreTransaction(records: [PendingRecord(script.gatewayEvent())])
            _ = try await store.commit(transaction)
            try await requireRefusal(.duplicate, of: transaction, by: store)
        },
    ]

    /// Returns a record with a value in every field.
    private static func fullRecord(_ script: inout StoreScript) -> RecordBody {
        RecordBody(
            log: .portfolio(script.portfolio), id: script.fixture.id(), at: script.now, kind: .denial, actor: script.actor,
            source: .console,
            operation: .unlock, decision: .denied, reason: .guestWindowEnded, rule: .guestAccess(script.fixture.id()),
            clientAddress: "192.0.2.7", requestID: "request-1", device: script.snapshot(script.door),
            commandID: script.fixture.id(),
            outcome: .denied, outcomeDetail: "guest_window_ended", stateBefore: .locked, stateAfter: .unknown, latencyMs: 7,
            statedReason: "parcel", override: "fire", event: .attemptFailed, method: .app, action: .update,
            target: RecordTarget(type: "Portfolio", id: script.portfolio.description),
            details: [
                "before": .object(["name": .personal("Ada", person: script.user), "count": .integer(3)]),
                "names": .array([.personal("Somebody", person: nil), .null, .bool(true)]),
            ])
    }
}
