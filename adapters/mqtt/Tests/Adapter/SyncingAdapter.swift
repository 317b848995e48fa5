import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Foundation
import Synchronization

/// An MQTT adapter with an additional marker lock. When the marker has confirmed a command, all earlier messages have been
/// processed.
final class SyncingAdapter: LockAdapter {
    private struct State {
        var names: [DeviceID: String] = [:]
        var attached: [DeviceID: AttachedLock] = [:]
        var isStarted = false
        var isDisconnected = false
        var rounds: UInt64 = 0
    }

    private let mqtt: MQTTAdapter
    private let nuki: SimulatedNuki
    private let clock: VirtualClock
    private let state = Mutex(State())
    private let confirmations = ConfirmationTracker()

    private static let marker = DeviceID(high: 0xFFFF, low: 0xFFFF)
    private static let markerName = "FFFFFFFF"

    init(_ mqtt: MQTTAdapter, _ nuki: SimulatedNuki, _ clock: VirtualClock) {
        (self.mqtt, self.nuki, self.clock) = (mqtt, nuki, clock)
        nuki.addLock(Self.markerName)
        mqtt.attach(AttachedLock(id: Self.marker, address: Self.address(of: Self.markerName)))
    }

    static func address(of name: String) -> [String: JSONValue] {
        ["broker": .string("home"), "profile": .string("nuki-native"), "id": .string(name)]
    }

    // MARK: Functions for a harness

    var names: [String] { state.withLock { $0.names.values.sorted() } }

    func name(of lock: DeviceID) throws -> String {
        guard let name = state.withLock({ $0.names[lock] }) else { throw POSIXError(.ENOENT) }
        return name
    }

    /// Makes the broker deliver a retained state (unlocked) that was published while the lock was detached.
    func republishState(of lock: DeviceID) async throws {
        guard let attached = state.withLock({ $0.attached[lock] }), let name = state.withLock({ $0.names[lock] }) else { return }
        mqtt.detach(lock)
        try await settle()
        nuki.publishRetained("nuki/\(name)/state", "3")
        try await settle()
        mqtt.attach(attached)
    }

    /// Waits until everything sent in either direction, and each reply to it, has arrived.
    func settle() async throws {
        guard state.withLock({ $0.isStarted && !$0.isDisconnected }) else { return }
        // An answer may cause a state request, which causes a further answer.
        for _ in 0..<3 { await roundTrip() }
    }

    private func roundTrip() async {
        while true {
            let round = state.withLock { state in
                state.rounds += 1
                return state.rounds
            }
            let command = LockCommand(
                commandID: CommandID(high: 0xFFFF, low: round), deviceID: Self.marker,
                operation: round.isMultiple(of: 2) ? .lock : .unlock, deadline: clock.now().advanced(by: .seconds(60)))
            if (try? mqtt.send(command)) != nil { return await confirmations.confirmation(of: command.commandID) }
            await wait()
        }
    }

    // MARK: The adapter

    var kind: String { mqtt.kind }
    var addressFields: [AddressField] { mqtt.addressFields }
    var transports: [AdapterTransport] { mqtt.transports }
    var health: AdapterHealth { mqtt.health }
    var discovered: [DiscoveredLock] { mqtt.discovered }
    func owner(of address: [String: JSONValue]) -> TransportOwner? { mqtt.owner(of: address) }

    func check(address: [String: JSONValue], within scope: TransportScope) throws(AddressErrors) -> CheckedAddress {
        try mqtt.check(address: address, within: scope)
    }

    func start(reports: any ReportReceiver) async throws {
        confirmations.set(reports)
        try await mqtt.start(reports: confirmations)
        state.withLock { $0.isStarted = true }
        await connected()
    }

    /// Records that the broker was stopped or started, and waits until the adapter has detected it.
    func setTransport(isAway isDisconnected: Bool) async throws {
        let isStarted = state.withLock { state in
            state.isDisconnected = isDisconnected
            return state.isStarted
        }
        // The simulated locks must be subscribed again even if the adapter has been stopped meanwhile.
        if !isDisconnected { await nuki.waitUntilSubscribed() }
        guard isStarted else { return }
        if isDisconnected {
            let attached = state.withLock { Set($0.attached.keys) }
            await confirmations.waitUntilUnavailable(attached.union([Self.marker]))
        } else {
            await connected()
        }
    }

    private func connected() async {
        guard !state.withLock({ $0.isDisconnected }) else { return }
        while mqtt.health != .ok { await wait() }
    }

    /// Advances virtual time, so that a failed connection attempt is repeated.
    private func wait() async {
        clock.advance(by: .milliseconds(10))
        await nuki.roundTrip()
    }

    func stop() async {
        state.withLock { $0.isStarted = false }
        await mqtt.stop()
    }

    func attach(_ lock: AttachedLock) {
        if case .string(let name)? = lock.address["id"] {
            nuki.addLock(name)
            state.withLock { state in
                state.names[lock.id] = name
                state.attached[lock.id] = lock
            }
        }
        mqtt.attach(lock)
    }

    func detach(_ id: DeviceID) {
        state.withLock { $0.attached[id] = nil }
        mqtt.detach(id)
    }

    func send(_ command: LockCommand) throws(AdapterError) { try mqtt.send(command) }
    func refresh(_ id: DeviceID) throws(AdapterError) { try mqtt.refresh(id) }

    /// Passes reports on, except those of the marker.
    private final class ConfirmationTracker: ReportReceiver {
        private struct State {
            var receiver: (any ReportReceiver)?
            var confirmed: CommandID?
            var waiting: CheckedContinuation<Void, Never>?
            /// Locks whose availability was last reported as unknown.
            var unavailable: Set<DeviceID> = []
            var changes = 0
        }

        private let state = Mutex(State())
        private let changeCount = Count()

        func set(_ receiver: any ReportReceiver) { state.withLock { $0.receiver = receiver } }

        /// Waits until the adapter has reported the availability of each lock as unknown.
        func waitUntilUnavailable(_ locks: Set<DeviceID>) async {
            var seen = 0
            while !state.withLock({ $0.unavailable.isSuperset(of: locks) }) {
                seen = await changeCount.value { [seen] in $0 > seen }
            }
        }

        private func recordAvailability(_ report: LockReport) {
            guard case .availability(let isOnline) = report.fact else { return }
            let number = state.withLock { state in
                if isOnline == nil {
                    state.unavailable.insert(report.deviceID)
                } else {
                    state.unavailable.remove(report.deviceID)
                }
                state.changes += 1
                return state.changes
            }
            changeCount.raise(to: number)
        }

        func receive(_ report: LockReport) {
            defer { recordAvailability(report) }
            guard report.deviceID == SyncingAdapter.marker else { return state.withLock { $0.receiver }?.receive(report) ?? () }
            guard case .state(_, quality: .confirmed, _, _) = report.fact, let command = report.after else { return }
            let waiting = state.withLock { state in
                state.confirmed = command
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume()
        }

        func confirmation(of command: CommandID) async {
            while state.withLock({ $0.confirmed }) != command {
                await withCheckedContinuation { continuation in
                    let isOld = state.withLock { state in
                        guard state.confirmed != command else { return true }
                        state.waiting = continuation
                        return false
                    }
                    if isOld { continuation.resume() }
                }
            }
        }
    }
}
