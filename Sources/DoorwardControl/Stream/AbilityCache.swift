internal import DoorwardDomain
import Synchronization

/// Rendered abilities that depend only on the user and on one version of the directory. It is freed with this version.
///
/// Every change of a lock can change abilities, so each stream compares them; a user can have many streams.
final class AbilityCache: Sendable {
    /// The number of users that are kept; beyond it, all are dropped.
    static let maxUsers = 1024

    private let values = Mutex<[UserID: [UInt8]]>([:])

    /// The value of a user. `make` is called only if it is not known, and not under the mutex, because it takes long.
    func value(of user: UserID, _ make: () -> [UInt8]) -> [UInt8] {
        if let known = values.withLock({ $0[user] }) { return known }
        let made = make()
        values.withLock { values in
            if values.count >= Self.maxUsers { values.removeAll() }
            values[user] = made
        }
        return made
    }
}
