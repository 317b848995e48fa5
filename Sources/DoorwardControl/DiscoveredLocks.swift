internal import DoorwardAdapterKit
package import DoorwardDomain
internal import DoorwardPolicy

/// The use case of listing locks that adapters have discovered and that are not attached.
package struct DiscoveredLocks: Sendable {
    let adapters: AdapterRegistry
    let directory: CurrentDirectory

    /// The discovered locks that the caller could attach: those on the transports of portfolios in which the caller may attach
    /// a lock; for a super admin, all of them.
    package func list(for caller: Caller, _ request: PageRequest<DiscoveredDeviceOrder>) -> Page<DiscoveredDevice> {
        let current = CallerSnapshot(directory, caller)
        let scope = current.tenancy.transportScope(of: current.subject)
        let found = adapters.all.flatMap { adapter in
            adapter.discovered.filter { scope.includes($0.owner) }.map { DiscoveredDevice($0, adapter: adapter.kind) }
        }
        let ordered = found.sorted { ($0.id, $0.adapter) < ($1.id, $1.adapter) }
        return request.page(of: ordered, in: current.snapshot, named: \.name) { key, found in
            switch key {
            case .name: .name(found.name ?? "")
            case .createdAt, .firstSeenAt: .number(found.firstSeenAt.milliseconds)
            case .lastSeenAt: .number(found.lastSeenAt.milliseconds)
            }
        }
    }
}

/// `sortBy` of discovered locks; `createdAt`, which every list supports, is when a lock was first seen.
package enum DiscoveredDeviceOrder: String, CaseIterable, Sendable {
    /// By name; locks without one come first.
    case name
    /// Same as `firstSeenAt`.
    case createdAt
    /// When the lock was first seen since the gateway was started.
    case firstSeenAt
    /// When the lock was last seen since the gateway was started.
    case lastSeenAt
}

/// A lock that an adapter has discovered and that is not attached.
package struct DiscoveredDevice: Hashable, Sendable {
    /// The id that the adapter assigns to the lock; stable while the lock is being announced.
    package let id: String
    /// The kind of adapter to attach it with.
    package let adapter: String
    /// The lock's name in the system that announces it; `nil` if it has none there.
    package let name: String?
    /// The manufacturer, if the announcing system provides it.
    package let manufacturer: String?
    /// The manufacturer's model name, if the announcing system provides it.
    package let model: String?
    /// The address to attach it with, complete unless there is a `problem`.
    package let address: [String: JSONValue]
    /// Its capabilities; `nil` if they become known only when it is attached.
    package let capabilities: LockCapabilities?
    /// Why it cannot be attached in its current state, as a sentence for people.
    package let problem: String?
    /// When the gateway first received an announcement of it since the gateway was started.
    package let firstSeenAt: Timestamp
    /// When the gateway last received an announcement of it.
    package let lastSeenAt: Timestamp

    init(_ lock: DiscoveredLock, adapter: String) {
        (id, self.adapter, name) = (lock.id, adapter, lock.name)
        (manufacturer, model) = (lock.manufacturer, lock.model)
        (address, capabilities, problem) = (lock.address, lock.capabilities, lock.problem)
        (firstSeenAt, lastSeenAt) = (lock.firstSeenAt, lock.lastSeenAt)
    }
}

extension TenancyDirectory {
    /// The transports that are visible to a subject: those of the portfolios in which the subject
    /// may attach a lock; for a super admin, all of them.
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
