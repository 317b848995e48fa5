package import DoorwardDomain
package import DoorwardPolicy
import Synchronization

/// The idempotency key and the fingerprint of a request that its caller may repeat.
package struct IdempotentCall: Sendable {
    /// The principal and the idempotency key.
    package let key: IdempotencyKey
    /// HMAC-SHA-256 of method, path and canonical body.
    package let fingerprint: [UInt8]

    package init(key: IdempotencyKey, fingerprint: [UInt8]) { (self.key, self.fingerprint) = (key, fingerprint) }

    /// What to store when the call has had this result.
    package func entry(_ result: IdempotentResult, at instant: Timestamp) -> IdempotencyEntry {
        IdempotencyEntry(key: key, fingerprint: fingerprint, result: result, createdAt: instant)
    }
}

/// The entity or command that a request which can be repeated has created.
package struct Answered<Value: Sendable>: Sendable {
    /// The entity or command, created by this or the first request, in its current state.
    package let value: Value
    /// Whether an earlier request with the same key created the value.
    package let isReplay: Bool

    package init(_ value: Value, isReplay: Bool = false) { (self.value, self.isReplay) = (value, isReplay) }
}

/// An entity type whose creation can be repeated with the same idempotency key: the repeated request looks the entity up.
package protocol CreatedEntity: Sendable {
    /// The id that a repeated call finds again.
    var id: EntityID<Self> { get }
    /// The entity as a request names it: a repeated request gets it if it is visible to the caller.
    static func reach(_ id: EntityID<Self>) -> Reach
    /// The entity; `nil` if it does not exist any more.
    static func stored(_ id: EntityID<Self>, in tenancy: TenancyDirectory) -> Self?
}

extension Portfolio: CreatedEntity {
    package static func reach(_ id: PortfolioID) -> Reach { .entity(.portfolio(id)) }
    package static func stored(_ id: PortfolioID, in tenancy: TenancyDirectory) -> Portfolio? { tenancy.portfolio(id) }
}

extension Property: CreatedEntity {
    package static func reach(_ id: PropertyID) -> Reach { .entity(.property(id)) }
    package static func stored(_ id: PropertyID, in tenancy: TenancyDirectory) -> Property? { tenancy.property(id) }
}

extension Unit: CreatedEntity {
    package static func reach(_ id: UnitID) -> Reach { .entity(.unit(id)) }
    package static func stored(_ id: UnitID, in tenancy: TenancyDirectory) -> Unit? { tenancy.unit(id) }
}

extension LockDevice: CreatedEntity {
    package static func reach(_ id: DeviceID) -> Reach { .device(id) }
    package static func stored(_ id: DeviceID, in tenancy: TenancyDirectory) -> LockDevice? { tenancy.device(id) }
}

extension User: CreatedEntity {
    package static func reach(_ id: UserID) -> Reach { .user(id) }
    package static func stored(_ id: UserID, in tenancy: TenancyDirectory) -> User? { tenancy.user(id) }
}

extension GuestAccess: CreatedEntity {
    package static func reach(_ id: GuestAccessID) -> Reach { .guestAccess(id) }
    package static func stored(_ id: GuestAccessID, in tenancy: TenancyDirectory) -> GuestAccess? { tenancy.guestAccess(id) }
}

/// Ensures that a request with an idempotency key is executed once: concurrent repeats wait for the
/// request in flight, and later repeats get its result.
///
/// Correctness does not depend on the waiting: the store refuses a second entry with the same key.
package final class IdempotencyGuard: Sendable {
    /// How long a key remains reserved for its request.
    package static let lifetime = Duration.seconds(24 * 3600)

    private let store: any CommandStore
    private let clock: any GatewayClock
    private let inFlight = Mutex<[IdempotencyKey: Promise<Void>]>([:])

    package init(store: any CommandStore, clock: any GatewayClock) { (self.store, self.clock) = (store, clock) }

    /// Waits for concurrent requests with the same key, then looks up the result of an earlier one.
    ///
    /// - Returns: the result; `nil` if the key is unused. The caller then executes the request, and must call `release` in any case.
    /// - Throws: `.idempotencyMismatch` if the key was used for another request.
    package func begin(_ call: IdempotentCall) async throws(GatewayError) -> IdempotentResult? {
        let key = call.key
        while let duplicate = acquire(key) { await duplicate.value }
        var isUnused = false
        defer { if !isUnused { release(key) } }
        let oldest = clock.now().advanced(by: .zero - Self.lifetime)
        let entry = try await mappingStoreErrors(await store.idempotentAnswer(key, notOlderThan: oldest))
        isUnused = entry == nil
        if let entry, entry.fingerprint != call.fingerprint { throw .idempotencyMismatch }
        return entry?.result
    }

    /// Releases the key and resumes its concurrent repeats. To be called once for each `begin` that returned `nil`.
    package func release(_ key: IdempotencyKey) {
        inFlight.withLock { $0.removeValue(forKey: key) }?.fulfil(())
    }

    /// Acquires the key and returns `nil`; if another request holds it, returns a promise to wait for.
    private func acquire(_ key: IdempotencyKey) -> Promise<Void>? {
        inFlight.withLock { inFlight in
            if let holder = inFlight[key] { return holder }
            inFlight[key] = Promise()
            return nil
        }
    }
}
