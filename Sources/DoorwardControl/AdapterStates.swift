internal import DoorwardAdapterKit
package import DoorwardDomain
internal import DoorwardPolicy

/// The use case of inspecting the adapters: their health, their transports, and the address fields that they need.
package struct AdapterStates: Sendable {
    let adapters: AdapterRegistry
    let directory: CurrentDirectory
    let devices: DeviceRuntimes

    /// Every adapter, sorted by kind.
    ///
    /// The counts and transports span all tenants, so only a super admin, from whom no tenant is hidden, may read them.
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

    /// Requires the right to manage the gateway's adapters.
    ///
    /// - Throws: `.denied`.
    package func requireReading(by caller: Caller) throws(GatewayError) {
        let (tenancy, subject) = directory.resolve(caller)
        try tenancy.require(.adaptersManage, of: subject, on: .gateway)
    }
}

/// The current state of one adapter.
package struct AdapterState: Sendable {
    /// The adapter's name, as in the `adapter` of devices.
    package let kind: String
    /// Whether it is operational: `ok`, `degraded` or `down`.
    package let health: String
    /// Why the adapter has not started, for an operator; `nil` once it has. Later connection problems are in `transports`.
    package let problem: String?
    /// How many devices are attached to it.
    package let deviceCount: Int
    /// How many of these are known to be online.
    package let onlineCount: Int
    /// The keys that an address for the adapter can contain.
    package let addressKeys: [AddressKey]
    /// The transports to its locks, by name; empty if it needs none.
    package let transports: [TransportState]
}

/// The current state of a transport to an adapter's locks.
package struct TransportState: Sendable {
    /// The name by which addresses refer to it.
    package let name: String
    /// Whether locks are reachable through it: `ok` or `down`.
    package let health: String
    /// Why they are not reachable, for an operator; `nil` if they are, or if this is not yet known.
    package let problem: String?
    /// The portfolio whose locks use it; `nil` if it is assigned to no portfolio.
    package let portfolioID: PortfolioID?

    init(_ transport: AdapterTransport) {
        (name, health, problem) = (transport.name, transport.health.rawValue, transport.problem)
        if case .portfolio(let id) = transport.owner { portfolioID = id } else { portfolioID = nil }
    }
}
