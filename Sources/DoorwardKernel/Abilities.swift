package import DoorwardDomain
package import DoorwardPolicy
import Synchronization

/// What a user may do at one instant, for clients that show only what is permitted.
///
/// A client may hide a button by these rules. The gateway never relies on that: it decides on each request.
package struct Abilities: Sendable {
    /// The rules, in the form of CASL; the last one that matches decides.
    package let rules: [AbilityRule]
    /// When the passing of time next changes the rules; `nil` if it does not.
    package let nextChangeAt: Timestamp?

    package init(rules: [AbilityRule], nextChangeAt: Timestamp?) { (self.rules, self.nextChangeAt) = (rules, nextChangeAt) }
}

/// Rendered abilities that depend only on the user and on one version of the directory. It is freed with this version.
///
/// Every change of a lock can change abilities, so each stream compares them; the streams of a user share this result.
package final class AbilityCache: Sendable {
    /// The number of users that are kept; beyond it, all are dropped.
    static let maxUsers = 1024

    private let values = Mutex<[UserID: [UInt8]]>([:])

    /// The value of a user. `make` is called only if it is not known, and not under the mutex, because it takes long.
    package func value(of user: UserID, _ make: () -> [UInt8]) -> [UInt8] {
        if let known = values.withLock({ $0[user] }) { return known }
        let made = make()
        values.withLock { values in
            if values.count >= Self.maxUsers { values.removeAll() }
            values[user] = made
        }
        return made
    }
}
