package import DoorwardAdapterKit
package import DoorwardDomain
package import DoorwardKernel
package import DoorwardPolicy
package import Logging
import Synchronization

/// The adapters of this gateway, by kind. The set is fixed at the start.
package final class AdapterRegistry: Sendable {
    /// The state of an adapter's start.
    package enum Start: Hashable, Sendable {
        /// Not tried yet, or being tried.
        case pending
        /// Its locks can be attached.
        case started
        /// The reason for the failure, for an operator.
        case failed(String)
    }

    private let adapters: [String: any LockAdapter]
    private let starts = Mutex<[String: Start]>([:])

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

    func start(of kind: String) -> Start { starts.withLock { $0[kind] ?? .pending } }

    /// Notes the state of an adapter's start.
    package func setStart(_ start: Start, of kind: String) { starts.withLock { $0[kind] = start } }

    /// - Returns: false, without a change, if the adapter has started meanwhile.
    func setFailure(_ reason: String, of kind: String) -> Bool {
        starts.withLock { starts in
            guard starts[kind] != .started else { return false }
            starts[kind] = .failed(reason)
            return true
        }
    }

    /// Whether the adapter has started, so that it accepts commands and locks.
    package func isStarted(_ kind: String) -> Bool { start(of: kind) == .started }

    /// Why an adapter has not started; `nil` if no failure has been noted.
    func problem(of adapter: any LockAdapter) -> String? {
        if case .failed(let reason) = start(of: adapter.kind) { reason } else { nil }
    }

    /// An adapter's health; `down` if it has not started.
    func health(of adapter: any LockAdapter) -> AdapterHealth { isStarted(adapter.kind) ? adapter.health : .down }

    /// Logs brokers assigned to a portfolio that does not exist: no lock can be attached through them, and no other log message
    /// reports the cause.
    package func logUnknownOwners(in tenancy: TenancyDirectory, to logger: Logger) {
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

/// The use cases of inspecting the adapters: their health, their transports, the address fields that they need, and the locks that they
/// have discovered and that are not attached.
package struct AdapterStates: Sendable {
    private let kernel: Kernel
    private let adapters: AdapterRegistry
    private let devices: DeviceRuntimes

    package init(_ kernel: Kernel, adapters: AdapterRegistry, devices: DeviceRuntimes) {
        (self.kernel, self.adapters, self.devices) = (kernel, adapters, devices)
    }

    /// Every adapter, sorted by kind, with the transports over which the caller may attach locks, and the locks that the caller sees.
    ///
    /// To a super admin, everything is visible. For other callers, the result does not reveal that another portfolio has a transport or a
    /// lock.
    ///
    /// - Throws: `.denied` for a caller who may attach locks nowhere.
    package func all(for caller: Caller) throws(GatewayError) -> [AdapterState] {
        let (tenancy, subject) = kernel.directory.resolve(caller)
        let scope = tenancy.transportScope(of: subject)
        guard !scope.isEmpty else { throw .denied(Denial(.roleInsufficient, hasReach: true), operation: nil, deviceID: nil) }
        var counts: [String: (devices: Int, online: Int)] = [:]
        for id in SecurityService.visibleDeviceIDs(for: subject, at: kernel.clock.decisionTime(), in: tenancy) {
            guard let adapter = tenancy.device(id)?.adapter else { continue }
            counts[adapter, default: (0, 0)].devices += 1
            if devices.status(of: id).isOnline == true { counts[adapter, default: (0, 0)].online += 1 }
        }
        return adapters.all.map { state(of: $0, counts[$0.kind] ?? (0, 0), in: scope) }
    }

    /// The discovered locks that the caller could attach: those on the transports of portfolios in which the caller may attach
    /// a lock; for a super admin, all of them.
    package func discovered(for caller: Caller, _ request: PageRequest<DiscoveredDeviceOrder>) -> Page<DiscoveredDevice> {
        let current = CallerSnapshot(kernel.directory, caller)
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

/// Starts the adapters concurrently and retries failed starts: no adapter blocks the gateway or another adapter.
package final class AdapterStarter: Sendable {
    /// How long the gateway waits for an adapter before it continues without the adapter. The start
    /// then continues in the background; it is retried only after it has failed.
    static let startTimeout = Duration.seconds(10)
    private static let initialBackoff = Duration.seconds(1)
    private static let maximumBackoff = Duration.seconds(60)

    private let adapters: AdapterRegistry
    private let clock: any GatewayClock
    private let executor: (any TaskExecutor)?
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        /// Tasks that outlive the start: retries, and attempts that have not returned.
        var tasks: [Task<Void, Never>] = []
        /// The activations of adapters that have started.
        var activations: [Task<Void, Never>] = []
        var isStopped = false
    }

    /// Starts nothing before `start`.
    package init(_ adapters: AdapterRegistry, clock: any GatewayClock, executor: (any TaskExecutor)?, logger: Logger) {
        (self.adapters, self.clock, self.executor, self.logger) = (adapters, clock, executor, logger)
    }

    /// Starts every adapter. Returns when each has started, failed for the first time or taken longer than `startTimeout`.
    ///
    /// - Parameter activate: called when an adapter has started; the gateway stops waiting for the adapter only after this call.
    package func start(reports: any ReportReceiver, activate: @escaping @Sendable (any LockAdapter) async -> Void) async {
        let deadline = clock.monotonicNow().advanced(by: Self.startTimeout)
        // A queue of its own, because the timer of a cancelled deadline sleeps until the queue is released.
        let deadlines = DeadlineQueue(clock: clock, executor: executor)
        let first = adapters.all.map { adapter in
            let tried = Promise<Void>()
            let task = Task(executorPreference: executor) { [self] in
                await keepStarting(adapter, reports: reports, activate: activate) { tried.fulfil(()) }
            }
            state.withLock { $0.tasks.append(task) }
            return (adapter, tried)
        }
        for (adapter, tried) in first {
            await deadlines.value(of: tried, until: deadline) { [self] in
                if tried.fulfil(()) { fail(adapter, "it has not started within 10 seconds", retryIn: nil) }
            }
        }
    }

    /// Stops retrying, and waits for adapters that are being activated. An adapter whose start has not returned yet is stopped as
    /// soon as its start returns.
    package func stop() async {
        let (tasks, activations) = state.withLock { state in
            defer { state = State(isStopped: true) }
            return (state.tasks, state.activations)
        }
        for task in tasks { task.cancel() }
        for activation in activations { await activation.value }
    }

    /// Activates a started adapter in a task that `stop` waits for.
    ///
    /// - Returns: `nil` if the gateway is stopping.
    private func activation(
        of adapter: any LockAdapter, _ activate: @escaping @Sendable (any LockAdapter) async -> Void
    ) -> Task<Void, Never>? {
        state.withLock { state in
            guard !state.isStopped else { return nil }
            let task = Task(executorPreference: executor) { await activate(adapter) }
            state.activations.append(task)
            return task
        }
    }

    private func keepStarting(
        _ adapter: any LockAdapter, reports: any ReportReceiver,
        activate: @escaping @Sendable (any LockAdapter) async -> Void, onFirstAttempt: () -> Void
    ) async {
        var pause = Self.initialBackoff
        while !Task.isCancelled {
            do {
                try await adapter.start(reports: reports)
                guard let activation = activation(of: adapter, activate) else { return await adapter.stop() }
                await activation.value
                return onFirstAttempt()
            } catch {
                fail(adapter, "\(error)", retryIn: pause)
                onFirstAttempt()
                guard await clock.pause(pause) else { return }
                pause = min(pause * 2, Self.maximumBackoff)
            }
        }
    }

    private func fail(_ adapter: any LockAdapter, _ reason: String, retryIn pause: Duration?) {
        // Ignore the timeout if the adapter has started and is already attaching its locks.
        guard adapters.setFailure(reason, of: adapter.kind) else { return }
        var metadata: Logger.Metadata = ["adapter": "\(adapter.kind)", "error": "\(reason)"]
        if let pause { metadata["retryInSeconds"] = "\(pause.components.seconds)" }
        logger.error("an adapter has not started; its locks are offline", metadata: metadata)
    }
}

/// Attaches locks to the adapters and detaches them, according to changes of the tenancy that have taken effect.
package struct Attachments: Sendable {
    /// The state of each attached lock.
    package let devices: DeviceRuntimes
    /// The adapters of this gateway.
    package let adapters: AdapterRegistry
    /// Seals the codes of locks.
    package let codes: LockCodeSealer

    package init(devices: DeviceRuntimes, adapters: AdapterRegistry, codes: LockCodeSealer) {
        (self.devices, self.adapters, self.codes) = (devices, adapters, codes)
    }

    /// Why a device's lock could not be attached, for the operator's log.
    package enum AttachFailure: String {
        /// The configuration names no adapter of this kind any more.
        case noAdapter = "this gateway has no such adapter"
        /// The lock is attached once the adapter has started.
        case notStarted = "its adapter has not started"
        /// This occurs if the configuration was changed after the lock was attached.
        case foreign = "its broker belongs to a portfolio other than the lock's"
    }

    /// Attaches a lock to its adapter.
    ///
    /// - Parameter isRebinding: whether the address changed, so that the device is bound to another lock.
    /// - Returns: `nil` if the lock was attached.
    @discardableResult
    package func attach(_ device: LockDevice, isRebinding: Bool = false) -> AttachFailure? {
        // Create the runtime before attaching, so that the lock's first report finds the runtime.
        let runtime = devices.device(device.id)
        guard let adapter = adapters[device.adapter] else { return .noAdapter }
        if isRebinding {
            adapter.detach(device.id)
            runtime.rebind()
        }
        guard adapters.isStarted(adapter.kind) else {
            runtime.update { $0.isOnline = false }
            return .notStarted
        }
        // The device was marked as offline only because the adapter had not started; now it is unknown whether it is online.
        runtime.update { if $0.lastSeen == nil, $0.isOnline == false { $0.isOnline = nil } }
        guard adapter.owner(of: device.address)?.allows(placementIn: device.portfolioID) ?? true else { return .foreign }
        setCode(of: device)
        adapter.attach(AttachedLock(id: device.id, address: device.address, settings: device.settings))
        return nil
    }

    /// Passes a lock's stored code to its adapter; passes `nil` if there is none or it cannot be decrypted.
    package func setCode(of device: LockDevice) {
        adapters[device.adapter]?.setCode(device.sealedCode.flatMap { codes.open($0, of: device.id) }, for: device.id)
    }

    /// Detaches a lock that the tenancy no longer contains, unless one of its commands is still queued or in flight. In that
    /// case, the last command in the queue calls this function again when it ends.
    package func detachIfIdle(of id: DeviceID) {
        guard devices.forget(id) else { return }
        for adapter in adapters.all { adapter.detach(id) }
    }
}
