internal import DoorwardDomain
internal import Synchronization

/// Caches verified tokens, so that the signature of each is verified only once. Only the verification is cached: expiry and session
/// are checked every time.
final class VerifiedTokenCache: Sendable {
    private struct Generations {
        var young: [String: VerifiedToken] = [:]
        var old: [String: VerifiedToken] = [:]
    }

    /// Half the maximum number of tokens. When the younger half is full, the older half is dropped.
    private let capacity: Int
    private let generations = Mutex(Generations())

    init(capacity: Int = 8192) { self.capacity = capacity }

    func token(_ text: String, at now: Timestamp) -> VerifiedToken? {
        let found = generations.withLock { $0.young[text] ?? $0.old[text] }
        return found.flatMap { now < $0.expiresAt ? $0 : nil }
    }

    func remember(_ token: VerifiedToken, as text: String) {
        generations.withLock { generations in
            if generations.young.count >= capacity {
                generations.old = generations.young
                generations.young = [:]
            }
            generations.young[text] = token
        }
    }

    /// The number of cached tokens.
    var count: Int { generations.withLock { $0.young.count + $0.old.count } }
}
