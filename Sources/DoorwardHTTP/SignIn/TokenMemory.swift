internal import DoorwardDomain
internal import Synchronization

/// Remembers tokens that were checked, so that each costs one signature check. What is remembered is only that the token
/// is genuine; its end and its session are looked at every time.
final class TokenMemory: Sendable {
    private struct Generations {
        var young: [String: VerifiedToken] = [:]
        var old: [String: VerifiedToken] = [:]
    }

    /// Half of how many are remembered; the older half is forgotten at once when the younger is full.
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

    /// How many are remembered.
    var count: Int { generations.withLock { $0.young.count + $0.old.count } }
}
