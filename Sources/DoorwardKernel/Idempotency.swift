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

/// The result of a request that can be repeated.
package enum Answered<Value: Sendable>: Sendable {
    /// The result of executing this request.
    case executed(Value)
    /// The entity or command that the first request with the same key created, in its current state.
    case replayed(Value)

    /// The entity or command, created by this or the first request.
    package var value: Value {
        switch self {
        case .executed(let value), .replayed(let value): value
        }
    }

    /// Whether an earlier request with the same key created the value.
    package var isReplay: Bool { if case .replayed = self { true } else { false } }
}

/// An entity type whose creation can be repeated with the same idempotency key: the repeated request looks the entity up.
package protocol CreatedEntity: Sendable {
    /// The id that a repeated call finds again.
    var id: EntityID<Self> { get }
    /// The entity, if it is currently visible to the caller.
    ///
    /// - Throws: the same error as for an id that does not exist or is not visible to the caller.
    static func find(
        _ id: EntityID<Self>, for subject: Subject, at time: DecisionTime, in tenancy: TenancyDirectory
    ) throws(GatewayError) -> Self
}

extension Portfolio: CreatedEntity {
    package static func find(
        _ id: PortfolioID, for subject: Subject, at time: DecisionTime, in tenancy: TenancyDirectory
    ) throws(GatewayError) -> Portfolio {
        guard let portfolio = tenancy.portfolio(id) else { throw .outOfReach(of: subject) }
        try tenancy.requireReach(of: subject, to: .portfolio(id))
        return portfolio
    }
}

extension Property: CreatedEntity {
    package static func find(
        _ id: PropertyID, for subject: Subject, at time: DecisionTime, in tenancy: TenancyDirectory
    ) throws(GatewayError) -> Property {
        guard let property = tenancy.property(id) else { throw .outOfReach(of: subject) }
        try tenancy.requireReach(of: subject, to: .property(id))
        return property
    }
}

extension Unit: CreatedEntity {
    package static func find(
        _ id: UnitID, for subject: Subject, at time: DecisionTime, in tenancy: TenancyDirectory
    ) throws(GatewayError) -> Unit {
        guard let unit = tenancy.unit(id) else { throw .outOfReach(of: subject) }
        try tenancy.requireReach(of: subject, to: .unit(id))
        return unit
    }
}

extension LockDevice: CreatedEntity {
    package static func find(
        _ id: DeviceID, for subject: Subject, at time: DecisionTime, in tenancy: TenancyDirectory
    ) throws(GatewayError) -> LockDevice {
        guard let device = tenancy.device(id) else { throw .outOfReach(of: subject) }
        try tenancy.requireReach(of: subject, to: id, at: time)
        return device
    }
}

extension User: CreatedEntity {
    package static func find(
        _ id: UserID, for subject: Subject, at time: DecisionTime, in tenancy: TenancyDirectory
    ) throws(GatewayError) -> User { try tenancy.visibleUser(id, to: subject) }
}

extension GuestAccess: CreatedEntity {
    package static func find(
        _ id: GuestAccessID, for subject: Subject, at time: DecisionTime, in tenancy: TenancyDirectory
    ) throws(GatewayError) -> GuestAccess { try tenancy.readable(id, to: subject) }
}

/// Ensures that a request with an idempotency key is executed once: concurrent repeats wait for the
/// request in flight, and later repeats get its result.
///
/// Correctness does not depend on the waiting: the store refuses a second entry with the same key.
package final class IdempotencyGuard: Sendable {
    /// The result of looking up a key.
    package enum Finding: Sendable {
        /// The key is unused: the caller executes the request and must call `release` in any case.
        ///
        /// - Parameter hasWaited: whether a concurrent request with the same key had to finish first.
        case unused(hasWaited: Bool)
        /// An earlier request with the key has had this result.
        case existing(IdempotentResult)
    }

    /// How long a key remains reserved for its request.
    package static let lifetime = Duration.seconds(24 * 3600)

    private let store: any CommandStore
    private let clock: any GatewayClock
    private let inFlight = Mutex<[IdempotencyKey: [Promise<Void>]]>([:])

    package init(store: any CommandStore, clock: any GatewayClock) { (self.store, self.clock) = (store, clock) }

    /// Waits for concurrent requests with the same key, then looks up the result of an earlier one.
    ///
    /// - Throws: `.idempotencyMismatch` if the key was used for another request.
    package func begin(_ call: IdempotentCall) async throws(GatewayError) -> Finding {
        let key = call.key
        var hasWaited = false
        while let duplicate = acquire(key) {
            hasWaited = true
            await duplicate.value
        }
        do throws(GatewayError) {
            let oldest = clock.now().advanced(by: .zero - Self.lifetime)
            let entry = try await mappingStoreErrors(await store.idempotentAnswer(key, notOlderThan: oldest))
            guard let entry else { return .unused(hasWaited: hasWaited) }
            guard entry.fingerprint == call.fingerprint else { throw GatewayError.idempotencyMismatch }
            release(key)
            return .existing(entry.result)
        } catch {
            release(key)
            throw error
        }
    }

    /// Releases the key and resumes its concurrent repeats. To be called once for each `begin` that returned `.unused`.
    package func release(_ key: IdempotencyKey) {
        let duplicates = inFlight.withLock { $0.removeValue(forKey: key) } ?? []
        for duplicate in duplicates { duplicate.fulfil(()) }
    }

    /// Acquires the key and returns `nil`; if another request holds it, returns a promise to wait for.
    private func acquire(_ key: IdempotencyKey) -> Promise<Void>? {
        inFlight.withLock { inFlight in
            guard inFlight[key] != nil else {
                inFlight[key] = []
                return nil
            }
            let promise = Promise<Void>()
            inFlight[key, default: []].append(promise)
            return promise
        }
    }
}
