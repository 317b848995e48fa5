import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardStore
import DoorwardTesting

/// A database with a row in every table and a value in every column.
struct FullSample {
    let database: TemporaryDatabase
    let script: StoreScript

    init(seed: UInt64) async throws {
        let sample = try await CheckedSample(seed: seed)
        (database, script) = (sample.database, sample.script)
        let tenancy = FullTenancy(seed: seed)
        let store = try database.open()
        let (now, user) = (database.clock.now(), tenancy.user.id)
        let session = Session(
            id: SessionID(high: 1, low: 1), userID: user, createdAt: now, expiresAt: now.advanced(by: .seconds(9)))
        let reset = PasswordReset(
            id: EntityID(high: 2, low: 2), userID: user, createdBy: user, createdAt: now, expiresAt: now.advanced(by: .seconds(9))
        )
        let answered = IdempotencyEntry(
            key: IdempotencyKey(principal: "USER", key: "key"), fingerprint: [1, 2], result: .command(CommandID(high: 3, low: 3)),
            createdAt: now)
        let created = IdempotencyEntry(
            key: IdempotencyKey(principal: "USER", key: "other"), fingerprint: [3], result: .entity(EntityID(high: 4, low: 4)),
            createdAt: now)
        _ = try await store.commit(
            StoreTransaction(
                changes: tenancy.changes + [.removeUser(UserID(high: 5, low: 5))],
                counters: [
                    .takeUse(of: tenancy.guestAccess.id),
                    .setLastCheckpoint(LastCheckpoint(log: .gateway, generation: 2, size: 3, signedAt: now)),
                ],
                clock: [.raiseMark(now), .setUnconfirmed(ClockStep(before: now, after: now.advanced(by: .seconds(90))))],
                credentials: [
                    .setPassword(user, hash: "$scrypt$1"), .beginSession(session, refreshDigest: [7]),
                    .offerReset(reset, digest: [8]), .noteKey(.accessTokens, publicHalf: [9]),
                    .noteKey(.checkpoints, publicHalf: [12]), .noteKey(.checkpoints, publicHalf: [13]),
                    .setRecoveryCodes(of: user, digests: [[10], [11]]),
                ], purchases: [RedeemedPurchase(digest: [14], userID: user, at: now)], idempotency: [answered, created],
                forgets: [.user(UserID(high: 5, low: 5))]))
        _ = try await store.finishErasures()
        var script = sample.script
        var command = script.command(on: script.door, reason: "full")
        _ = try await store.commit(script.begin(command))
        command = script.confirmed(command)
        command.outcomeDetail = "in full"
        _ = try await store.commit(script.end(command))
        var denial = script.event(on: script.door)
        (denial.kind, denial.operation, denial.event, denial.method) = (.denial, .unlock, nil, nil)
        (denial.decision, denial.reason, denial.actor) = (.denied, .noAssociation, script.actor)
        _ = try await store.commit(StoreTransaction(records: [PendingRecord(denial)]))
        // Enough records for a tile, in the last log.
        _ = try await store.commit(StoreTransaction(records: (0..<256).map { _ in PendingRecord(script.gatewayEvent()) }))
        try await store.close()
    }
}
