internal import DoorwardAdapterKit
package import DoorwardDomain
internal import DoorwardPolicy

/// The use case of looking at what adapters have found and nobody has attached.
package struct DiscoveredLocks: Sendable {
    let adapters: AdapterRegistry
    let directory: PublishedDirectory

    /// Those that the caller could attach somewhere: on a portfolio's way to locks whoever may attach a lock in it, and a super
    /// admin all.
    package func list(for caller: Caller, _ request: PageRequest<DiscoveredDeviceOrder>) -> Page<DiscoveredDevice> {
        let sight = Sight(directory, caller)
        let scope = sight.tenancy.transportScope(of: sight.subject)
        let found = adapters.all.flatMap { adapter in
            adapter.discovered.filter { scope.includes($0.owner) }.map { DiscoveredDevice($0, adapter: adapter.kind) }
        }
        let ordered = found.sorted { ($0.id, $0.adapter) < ($1.id, $1.adapter) }
        return request.page(of: ordered, in: sight.snapshot) { key, found in
            switch key {
            case .name: .name(found.name ?? "")
            case .createdAt, .firstSeenAt: .number(found.firstSeenAt.milliseconds)
            case .lastSeenAt: .number(found.lastSeenAt.milliseconds)
            }
        }
    }
}

/// `sortBy` of discovered locks; `createdAt`, as for every list, is when a lock was first seen.
package enum DiscoveredDeviceOrder: String, CaseIterable, Sendable {
    /// One without a name first.
    case name
    /// The same as `firstSeenAt`.
    case createdAt
    /// As the gateway heard of it since it was started.
    case firstSeenAt
    /// As the gateway heard of it since it was started.
    case lastSeenAt
}

/// A lock that an adapter has found and nobody has attached, in plain words.
package struct DiscoveredDevice: Hashable, Sendable {
    /// The adapter's own; the same for the same lock as long as it is told of.
    package let id: String
    /// The kind of adapter that it is to be attached with.
    package let adapter: String
    /// What its own system calls it; `nil` where that says nothing.
    package let name: String?
    /// Who made it, as far as its own system says.
    package let manufacturer: String?
    /// The maker's name for it, as far as its own system says.
    package let model: String?
    /// What it is to be attached with, whole unless there is a problem.
    package let address: [String: JSONValue]
    /// What it can do; `nil` where only attaching it tells.
    package let capabilities: LockCapabilities?
    /// Why it cannot be attached as it stands, as a sentence for a person.
    package let problem: String?
    /// When the gateway heard of it first since it was started.
    package let firstSeenAt: Timestamp
    /// When the gateway heard of it last.
    package let lastSeenAt: Timestamp

    init(_ lock: DiscoveredLock, adapter: String) {
        (id, self.adapter, name) = (lock.id, adapter, lock.name)
        (manufacturer, model) = (lock.manufacturer, lock.model)
        (address, capabilities, problem) = (lock.address, lock.capabilities, lock.problem)
        (firstSeenAt, lastSeenAt) = (lock.firstSeenAt, lock.lastSeenAt)
    }
}

extension TenancyDirectory {
    /// The transports that a subject may know of: those of the portfolios in which it may attach a lock somewhere, and all of them
    /// for a super admin.
    func transportScope(of subject: Subject) -> TransportScope {
        if SecurityService.allows(subject, .deviceAttach, on: .gateway, in: self).isAllowed { return .everything }
        let portfolios = subject.roleEntities.compactMap { entity -> PortfolioID? in
            guard SecurityService.allows(subject, .deviceAttach, on: ManagedObject(entity), in: self).isAllowed
            else { return nil }
            return place(of: entity).portfolioID
        }
        return .of(Set(portfolios))
    }
}
