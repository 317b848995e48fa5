internal import DoorwardDomain
internal import DoorwardPolicy
import Synchronization

/// The sorted ids of lists that were read in one version of the directory, so that further pages cost what they show.
///
/// The cost of the first page of a list and of the first search in it, after each change of the tenancy, is proportional to the
/// number of objects that its reader sees. Contains only lists that do not depend on the time.
final class ListCache: Sendable {
    /// A list of one reader in one order.
    struct Key: Hashable {
        let principal: Principal
        let list: List
        let order: String?
        let isDescending: Bool
    }

    /// The objects of a list.
    enum List: Hashable {
        case portfolios, devices, users, guestAccesses
        /// All properties, or those of one portfolio.
        case properties(PortfolioID?)
        /// All units, or those of one property.
        case units(PropertyID?)
    }

    /// The number of lists that are kept; beyond it, all are dropped.
    static let maxLists = 64

    private let lists = Mutex<[Key: any Sendable]>([:])
    private let names = Mutex<[Key: SearchableNames]>([:])

    /// The ids of a list in its order. `sorted` is called only if they are not known.
    func ids<Entity>(_ key: Key, _ sorted: () -> [EntityID<Entity>]) -> [EntityID<Entity>] {
        if let known = lists.withLock({ $0[key] }) as? [EntityID<Entity>] { return known }
        let ids = sorted()
        Self.keep(ids, key, in: lists)
        return ids
    }

    /// The names of a list in its order. `read` is called only if they are not known.
    func names(_ key: Key, _ read: () -> [String?]) -> SearchableNames {
        if let known = names.withLock({ $0[key] }) { return known }
        let read = SearchableNames(read())
        Self.keep(read, key, in: names)
        return read
    }

    private static func keep<Value: Sendable>(_ value: Value, _ key: Key, in known: borrowing Mutex<[Key: Value]>) {
        known.withLock { known in
            if known.count >= maxLists { known.removeAll() }
            known[key] = value
        }
    }
}
