internal import DoorwardDomain
package import DoorwardPolicy
import Synchronization

/// A call that its caller may repeat: the key, what was asked, and how its answer is kept.
package struct IdempotentCall<Value: Sendable>: Sendable {
    /// Whose call it is, and under which key it is repeated.
    package let key: IdempotencyKey
    /// HMAC-SHA-256 of method, path and canonical body.
    package let fingerprint: [UInt8]
    /// Makes the answer that a repeat gets; called on the directory in which `Value` is in force.
    package let render: @Sendable (Value, TenancyDirectory) -> StoredAnswer

    package init(
        key: IdempotencyKey, fingerprint: [UInt8], render: @escaping @Sendable (Value, TenancyDirectory) -> StoredAnswer
    ) {
        (self.key, self.fingerprint, self.render) = (key, fingerprint, render)
    }
}

/// What a call that can be repeated comes to.
package enum Answered<Value: Sendable>: Sendable {
    /// What the call itself came to.
    case fresh(Value)
    /// The answer of the first call with the same key.
    case replayed(StoredAnswer)
}

/// Sees to it that a key does its work once: twins wait for the call that is under way, repeats get its answer.
///
/// No correctness rests on the waiting: the store refuses a second entry under one key.
final class IdempotencyGuard: Sendable {
    /// What was found under a key.
    enum Finding: Sendable {
        /// Nothing: the caller goes ahead and calls `finish` in any case.
        case fresh
        case answer(StoredAnswer)
        /// A command whose answer was lost with the process that made it.
        case command(CommandID)
    }

    /// How long an answer is kept.
    static let lifetime = Duration.seconds(24 * 3600)

    private let store: any GatewayStore
    private let clock: any GatewayClock
    private let underWay = Mutex<[IdempotencyKey: [Promise<Void>]]>([:])

    init(store: any GatewayStore, clock: any GatewayClock) { (self.store, self.clock) = (store, clock) }

    /// Waits for a twin under way, then looks for an answer.
    ///
    /// - Throws: `.idempotencyMismatch` when the key was used for another request.
    func begin(_ key: IdempotencyKey, fingerprint: [UInt8]) async throws(GatewayError) -> Finding {
        while let twin = claim(key) { await twin.value }
        do throws(GatewayError) {
            let oldest = clock.now().advanced(by: .zero - Self.lifetime)
            let entry = try await storing { () throws(StoreError) in
                try await store.idempotentAnswer(key, notOlderThan: oldest)
            }
            guard let entry else { return .fresh }
            let finding = try finding(entry, fingerprint: fingerprint)
            finish(key)
            return finding
        } catch {
            finish(key)
            throw error
        }
    }

    private func finding(_ entry: IdempotencyEntry, fingerprint: [UInt8]) throws(GatewayError) -> Finding {
        guard entry.fingerprint == fingerprint else { throw .idempotencyMismatch }
        if let answer = entry.answer { return .answer(answer) }
        if let command = entry.commandID { return .command(command) }
        throw .internalFailure("an idempotency entry holds neither answer nor command")
    }

    /// Lets the twins look again. Called once for each `begin` that found `.fresh`.
    func finish(_ key: IdempotencyKey) {
        let twins = underWay.withLock { $0.removeValue(forKey: key) } ?? []
        for twin in twins { twin.fulfil(()) }
    }

    /// `nil` when the key is now the caller's; else what to wait for.
    private func claim(_ key: IdempotencyKey) -> Promise<Void>? {
        underWay.withLock { underWay in
            guard underWay[key] != nil else {
                underWay[key] = []
                return nil
            }
            let promise = Promise<Void>()
            underWay[key, default: []].append(promise)
            return promise
        }
    }
}
