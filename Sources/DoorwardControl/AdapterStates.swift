internal import DoorwardAdapterKit
package import DoorwardDomain
internal import DoorwardPolicy

/// The use case of looking at the adapters: which there are, how they are, and what they need to know of a lock.
package struct AdapterStates: Sendable {
    let adapters: AdapterRegistry
    let directory: PublishedDirectory
    let devices: LiveDevices

    /// Every adapter, in the order of the kinds.
    ///
    /// The counts and the ways to locks are over all tenants: nobody but a super admin, to whom none is hidden, is told them.
    ///
    /// - Throws: `.denied`.
    package func all(for caller: Caller) throws(GatewayError) -> [AdapterState] {
        try requireReading(by: caller)
        let tenancy = directory.current
        var counts: [String: (devices: Int, online: Int)] = [:]
        for id in tenancy.deviceIDs {
            guard let adapter = tenancy.device(id)?.adapter else { continue }
            counts[adapter, default: (0, 0)].devices += 1
            if devices.status(of: id).isOnline == true { counts[adapter, default: (0, 0)].online += 1 }
        }
        return adapters.all.map { adapter in
            AdapterState(
                kind: adapter.kind, health: adapters.health(of: adapter).rawValue, problem: adapters.problem(of: adapter),
                deviceCount: counts[adapter.kind]?.devices ?? 0,
                onlineCount: counts[adapter.kind]?.online ?? 0, addressKeys: adapter.addressFields.map { AddressKey($0) },
                transports: adapter.transports.map { TransportState($0) })
        }
    }

    /// Lets pass whoever may look after the gateway itself.
    ///
    /// - Throws: `.denied`.
    package func requireReading(by caller: Caller) throws(GatewayError) {
        let (tenancy, subject) = directory.resolve(caller)
        try tenancy.require(.adaptersManage, of: subject, on: .gateway)
    }
}

/// One adapter as it is at this moment.
package struct AdapterState: Sendable {
    /// The name that devices carry in `adapter`.
    package let kind: String
    /// Whether it can do its work: `ok`, `degraded` or `down`.
    package let health: String
    /// Why the adapter has not started, for an operator; `nil` once it has. Later connection problems are in `transports`.
    package let problem: String?
    /// How many devices are attached to it.
    package let deviceCount: Int
    /// How many of these are known to be within reach.
    package let onlineCount: Int
    /// The keys that an address for it may hold.
    package let addressKeys: [AddressKey]
    /// The ways to its locks, by name; none where it needs none.
    package let transports: [TransportState]
}

/// A way to an adapter's locks as it is at this moment.
package struct TransportState: Sendable {
    /// What addresses name it by.
    package let name: String
    /// Whether locks can be reached by it: `ok` or `down`.
    package let health: String
    /// Why they cannot be reached, for an operator; `nil` where they can, and until that is known.
    package let problem: String?
    /// Whose locks hang on it; `nil` where it was given to no portfolio.
    package let portfolioID: PortfolioID?

    init(_ transport: AdapterTransport) {
        (name, health, problem) = (transport.name, transport.health.rawValue, transport.problem)
        if case .portfolio(let id) = transport.owner { portfolioID = id } else { portfolioID = nil }
    }
}
