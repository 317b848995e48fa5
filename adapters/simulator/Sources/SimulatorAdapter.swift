package import DoorwardAdapterKit
package import DoorwardDomain
import Synchronization

/// Adapter for simulated locks in memory, for demonstrations, tests and measurements: seeded, on the injected clock, with the
/// faults of real locks. The README lists what is simulated and what is not.
package final class SimulatorAdapter {
    /// The value of the field `adapter` of this adapter's devices.
    package let kind = AdapterGuide.simulator.kind
    private let clock: any GatewayClock
    private let executor: (any TaskExecutor)?
    /// Also serializes connecting and disconnecting locks, so that no lock has a listener after `detach` or `stop`.
    private let state = Mutex(State())

    private struct State {
        var locks: [DeviceID: SimulatedLock] = [:]
        /// The receiver of the locks' reports; `nil` before `start` and after `stop`.
        var receiver: (any ReportReceiver)?
    }

    /// - Parameters:
    ///   - clock: measures the travel times.
    ///   - executor: runs the timers of the locks; `nil` for the global executor.
    package init(clock: any GatewayClock, executor: (any TaskExecutor)? = nil) {
        (self.clock, self.executor) = (clock, executor)
    }

    /// Applies an event to a lock. Its reports may be delivered before this returns.
    ///
    /// - Parameter slot: the slot whose code is typed, for `.keypad`; `nil` for the first one of the keypad.
    package func inject(_ event: SimulatorEvent, slot: String? = nil, into device: DeviceID) throws(SimulatorEventError) {
        guard let lock = lock(device) else { throw .notAttached }
        try lock.handle(event, slot: slot)
    }

    /// The actual state of a lock, whatever it reports; `nil` if it is not attached.
    package func condition(of device: DeviceID) -> SimulatedCondition? { lock(device)?.condition }
}

extension SimulatorAdapter: LockAdapter {
    package var addressFields: [AddressField] { AddressField.ofSimulator }

    /// `ok` from `start` to `stop`, as no connection is needed.
    package var health: AdapterHealth { state.withLock { $0.receiver == nil ? .down : .ok } }

    package func check(
        address: [String: JSONValue], within scope: TransportScope
    ) throws(AddressErrors) -> CheckedAddress {
        CheckedAddress(try SimulatorSettings(address: address).capabilities)
    }

    package func start(reports: any ReportReceiver) async throws {
        let locks = state.withLock { state in
            state.receiver = reports
            let locks = state.locks.sorted { $0.key < $1.key }.map(\.value)
            for lock in locks { lock.connect(reports) }
            return locks
        }
        for lock in locks { lock.deliver() }
    }

    package func stop() async {
        state.withLock { state in
            state.receiver = nil
            for lock in state.locks.values { lock.disconnect() }
        }
    }

    package func attach(_ lock: AttachedLock) {
        let new = SimulatedLock(lock, clock: clock, executor: executor)
        state.withLock { state in
            state.locks.updateValue(new, forKey: lock.id)?.disconnect()
            if let receiver = state.receiver { new.connect(receiver) }
        }
        new.deliver()
    }

    package func detach(_ id: DeviceID) {
        state.withLock { $0.locks.removeValue(forKey: id)?.disconnect() }
    }

    package func send(_ command: LockCommand) throws(AdapterError) {
        guard let lock = lock(command.deviceID) else { throw .notAttached }
        try lock.send(command)
    }

    package func refresh(_ id: DeviceID) throws(AdapterError) {
        guard let lock = lock(id) else { throw .notAttached }
        try lock.refresh()
    }

    private func lock(_ id: DeviceID) -> SimulatedLock? { state.withLock { $0.locks[id] } }
}

/// Creates the simulator. It has no section in the configuration, and is part of every gateway.
package struct SimulatorAdapterFactory: Sendable {
    package init() {}
}

extension SimulatorAdapterFactory: AdapterFactory {
    package var guide: AdapterGuide { .simulator }
    package var addressFields: [AddressField] { AddressField.ofSimulator }

    package func configure(_ settings: AdapterSettings) -> (any ConfiguredAdapter)? { Configured() }

    private struct Configured: ConfiguredAdapter {
        func make(_ environment: AdapterEnvironment) -> any LockAdapter { SimulatorAdapter(clock: environment.clock) }
    }
}
