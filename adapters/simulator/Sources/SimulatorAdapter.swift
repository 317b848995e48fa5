package import DoorwardAdapterKit
package import DoorwardDomain
import Synchronization

/// Locks in memory, for demonstrations, tests and measurements: seeded, on the injected clock, with the faults that real
/// locks have. What it plays and what it leaves out is in its README.
package final class SimulatorAdapter {
    /// What devices carry in `adapter`.
    package let kind = "simulator"
    private let clock: any GatewayClock
    private let executor: (any TaskExecutor)?
    /// Locks are connected and disconnected under this one, so that none is left listening after `detach` or `stop`.
    private let state = Mutex(State())

    private struct State {
        var locks: [DeviceID: SimulatedLock] = [:]
        /// `nil` before `start` and after `stop`.
        var listener: (any ReportReceiver)?
    }

    /// - Parameters:
    ///   - clock: what travel times are measured on.
    ///   - executor: where locks in motion wait; `nil` for the global one.
    package init(clock: any GatewayClock, executor: (any TaskExecutor)? = nil) {
        (self.clock, self.executor) = (clock, executor)
    }

    /// Makes something happen to a lock. Its reports may be delivered before this returns.
    ///
    /// - Parameter slot: whose code is typed, for `.keypad`; `nil` for the first that the keypad knows.
    package func inject(_ event: SimulatorEvent, slot: String? = nil, into device: DeviceID) throws(SimulatorEventError) {
        guard let lock = lock(device) else { throw .notAttached }
        try lock.happen(event, slot: slot)
    }

    /// How things are at a lock, whatever it says; `nil` for one that is not attached.
    package func condition(of device: DeviceID) -> SimulatedCondition? { lock(device)?.condition }
}

extension SimulatorAdapter: LockAdapter {
    package var addressFields: [AddressField] { AddressField.ofSimulator }

    /// Needs no connection: it can do its work from `start` to `stop`.
    package var health: AdapterHealth { state.withLock { $0.listener == nil ? .down : .ok } }

    package func check(
        address: [String: JSONValue], within scope: TransportScope
    ) throws(AddressMistakes) -> CheckedAddress {
        CheckedAddress(try SimulatorSettings(address: address).capabilities)
    }

    package func start(reports: any ReportReceiver) async throws {
        let locks = state.withLock { state in
            state.listener = reports
            let locks = state.locks.sorted { $0.key < $1.key }.map(\.value)
            for lock in locks { lock.connect(reports) }
            return locks
        }
        for lock in locks { lock.deliver() }
    }

    package func stop() async {
        state.withLock { state in
            state.listener = nil
            for lock in state.locks.values { lock.disconnect() }
        }
    }

    package func attach(_ lock: AttachedLock) {
        let new = SimulatedLock(id: lock.id, address: lock.address, clock: clock, executor: executor)
        state.withLock { state in
            state.locks.updateValue(new, forKey: lock.id)?.disconnect()
            if let listener = state.listener { new.connect(listener) }
        }
        new.deliver()
    }

    package func detach(_ id: DeviceID) {
        state.withLock { $0.locks.removeValue(forKey: id)?.disconnect() }
    }

    package func send(_ order: LockOrder) throws(AdapterError) {
        guard let lock = lock(order.deviceID) else { throw .notAttached }
        try lock.send(order)
    }

    package func refresh(_ id: DeviceID) throws(AdapterError) {
        guard let lock = lock(id) else { throw .notAttached }
        try lock.refresh()
    }

    private func lock(_ id: DeviceID) -> SimulatedLock? { state.withLock { $0.locks[id] } }
}
