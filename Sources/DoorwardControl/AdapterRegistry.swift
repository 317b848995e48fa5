package import DoorwardAdapterKit
package import DoorwardDomain
internal import DoorwardPolicy
internal import Logging
import Synchronization

/// The adapters of this gateway, by kind. The set is fixed at the start.
package struct AdapterRegistry: Sendable {
    /// The state of an adapter's start.
    enum Start: Hashable, Sendable {
        case pending
        case started
        /// The reason for the failure, for an operator.
        case failed(String)
    }

    private final class Starts: Sendable {
        let byKind = Mutex<[String: Start]>([:])
    }

    private let adapters: [String: any LockAdapter]
    private let starts = Starts()

    /// - Parameter adapters: if two have the same kind, the first is used.
    package init(_ adapters: [any LockAdapter]) {
        self.adapters = Dictionary(adapters.map { ($0.kind, $0) }) { first, _ in first }
    }

    /// The adapter of that kind; `nil` if the gateway was started without it.
    package subscript(_ kind: String) -> (any LockAdapter)? { adapters[kind] }

    /// All adapters, sorted by kind.
    package var all: [any LockAdapter] { adapters.sorted { $0.key < $1.key }.map(\.value) }

    /// The kinds of all adapters, sorted.
    package var kinds: [String] { adapters.keys.sorted() }

    func start(of kind: String) -> Start { starts.byKind.withLock { $0[kind] ?? .pending } }

    func setStart(_ start: Start, of kind: String) { starts.byKind.withLock { $0[kind] = start } }

    /// - Returns: false, without a change, if the adapter has started meanwhile.
    func noteFailure(_ reason: String, of kind: String) -> Bool {
        starts.byKind.withLock { starts in
            guard starts[kind] != .started else { return false }
            starts[kind] = .failed(reason)
            return true
        }
    }

    /// Whether the adapter has started, so that it accepts commands and locks.
    func isStarted(_ kind: String) -> Bool { start(of: kind) == .started }

    /// Why an adapter has not started; `nil` if no failure has been noted.
    func problem(of adapter: any LockAdapter) -> String? {
        if case .failed(let reason) = start(of: adapter.kind) { reason } else { nil }
    }

    /// An adapter's health; `down` if it has not started.
    func health(of adapter: any LockAdapter) -> AdapterHealth { isStarted(adapter.kind) ? adapter.health : .down }
}

/// The use case of inspecting the adapters: their health, their transports, and the address fields that they need.
package struct AdapterStates: Sendable {
    let adapters: AdapterRegistry
    let directory: CurrentDirectory
    let devices: DeviceRuntimes
    let clock: TrustedClock

    /// Every adapter, sorted by kind, with the transports over which the caller may attach locks, and the locks that the caller sees.
    ///
    /// To a super admin, everything is visible. To others, nothing shows that another portfolio has a transport or a lock.
    ///
    /// - Throws: `.denied` for a caller who may attach locks nowhere.
    package func all(for caller: Caller) throws(GatewayError) -> [AdapterState] {
        let (tenancy, subject) = directory.resolve(caller)
        let scope = tenancy.transportScope(of: subject)
        guard !scope.isEmpty else { throw .denied(Denial(.roleInsufficient, hasReach: true), operation: nil, deviceID: nil) }
        var counts: [String: (devices: Int, online: Int)] = [:]
        for id in SecurityService.visibleDeviceIDs(for: subject, at: clock.decisionTime(), in: tenancy) {
            guard let adapter = tenancy.device(id)?.adapter else { continue }
            counts[adapter, default: (0, 0)].devices += 1
            if devices.status(of: id).isOnline == true { counts[adapter, default: (0, 0)].online += 1 }
        }
        return adapters.all.map { state(of: $0, counts[$0.kind] ?? (0, 0), in: scope) }
    }

    private func state(
        of adapter: any LockAdapter, _ count: (devices: Int, online: Int), in scope: TransportScope
    ) -> AdapterState {
        let all = adapter.transports
        let visible = all.filter { scope.includes($0.owner) }
        let names = Set(all.map(\.name))
        let hidden = names.subtracting(visible.map(\.name))
        // The health of the whole adapter and the reason of a failed start may be about others' transports.
        let health = hidden.isEmpty ? adapters.health(of: adapter) : adapters.isStarted(adapter.kind) ? visible.health : .down
        return AdapterState(
            kind: adapter.kind, health: health.rawValue, problem: hidden.isEmpty ? adapters.problem(of: adapter) : nil,
            deviceCount: count.devices, onlineCount: count.online,
            addressKeys: adapter.addressFields.map { AddressKey($0, (names, hidden)) },
            transports: visible.map { TransportState($0) })
    }

    /// Requires the right to manage the gateway's adapters.
    ///
    /// - Throws: `.denied`.
    package func requireReading(by caller: Caller) throws(GatewayError) {
        let (tenancy, subject) = directory.resolve(caller)
        try tenancy.require(.adaptersManage, of: subject, on: .gateway)
    }
}

extension [AdapterTransport] {
    /// The health of an adapter that has only these transports.
    fileprivate var health: AdapterHealth {
        if allSatisfy({ $0.health == .ok }) { return .ok }
        return contains { $0.health == .ok } ? .degraded : .down
    }
}

/// The current state of one adapter.
package struct AdapterState: Sendable {
    /// The adapter's name, as in the `adapter` of devices.
    package let kind: String
    /// Whether the adapter is operational: `ok`, `degraded` or `down`.
    package let health: String
    /// Why the adapter has not started, as a text for an operator; `nil` once the adapter has
    /// started, and for a caller who does not see all of its transports. Later connection problems are in `transports`.
    package let problem: String?
    /// The number of devices that are attached to the adapter and visible to the caller.
    package let deviceCount: Int
    /// The number of these devices that are known to be online.
    package let onlineCount: Int
    /// The keys that an address for the adapter can contain.
    package let addressKeys: [AddressKey]
    /// The transports to the adapter's locks, by name; empty if the adapter needs none.
    package let transports: [TransportState]
}

/// The current state of a transport to an adapter's locks.
package struct TransportState: Sendable {
    /// The name of the transport in addresses.
    package let name: String
    /// Whether locks are reachable through the transport: `ok` or `down`.
    package let health: String
    /// Why the locks are not reachable, as a text for an operator; `nil` if they are reachable, or if this is not yet known.
    package let problem: String?
    /// The portfolio whose locks use the transport; `nil` if the transport is assigned to no portfolio.
    package let portfolioID: PortfolioID?

    init(_ transport: AdapterTransport) {
        (name, health, problem) = (transport.name, transport.health.rawValue, transport.problem)
        if case .portfolio(let id) = transport.owner { portfolioID = id } else { portfolioID = nil }
    }
}

extension AdapterRegistry {
    /// Logs brokers assigned to a portfolio that does not exist: no lock can be attached through them, and no other log message
    /// reports the cause.
    func logUnknownOwners(in tenancy: TenancyDirectory, to logger: Logger) {
        for adapter in all {
            for transport in adapter.transports {
                guard case .portfolio(let id) = transport.owner, tenancy.portfolio(id) == nil else { continue }
                logger.warning(
                    "broker `\(transport.name)` belongs to portfolio \(id), which does not exist: its locks cannot be attached",
                    metadata: ["adapter": "\(adapter.kind)", "broker": "\(transport.name)", "portfolio": "\(id)"])
            }
        }
    }
}
