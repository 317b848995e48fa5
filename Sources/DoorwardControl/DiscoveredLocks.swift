package import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardPolicy

/// The use case of looking at what adapters have found and nobody has attached.
package struct DiscoveredLocks: Sendable {
    let adapters: AdapterRegistry
    let directory: PublishedDirectory

    /// Those that the caller could attach somewhere: on a portfolio's way to locks whoever may attach a lock in it, and a super
    /// admin all. In the order of the adapters' kinds, and then of their own.
    package func all(for caller: Caller) -> [FoundLock] {
        let scope = directory.current.transportScope(of: caller)
        return adapters.all.flatMap { adapter in
            adapter.discovered.filter { scope.includes($0.owner) }.map { FoundLock(adapter: adapter.kind, lock: $0) }
        }
    }
}

/// A lock that was found, and by which adapter.
package struct FoundLock: Sendable {
    /// The kind that it is to be attached with.
    package let adapter: String
    /// What the adapter says of it.
    package let lock: DiscoveredLock
}

extension TenancyDirectory {
    /// The ways to locks that somebody may know of: those of the portfolios in which they may attach a lock somewhere. A super
    /// admin knows of all.
    func transportScope(of caller: Caller) -> TransportScope {
        if SecurityService.allows(caller.userID, .deviceAttach, on: .gateway, in: self).isAllowed { return .everything }
        let portfolios = associations(of: caller.userID).compactMap { association -> PortfolioID? in
            let object = ManagedObject(association.entity)
            guard SecurityService.allows(caller.userID, .deviceAttach, on: object, in: self).isAllowed else { return nil }
            return place(of: association.entity).portfolioID
        }
        return .of(Set(portfolios))
    }
}
