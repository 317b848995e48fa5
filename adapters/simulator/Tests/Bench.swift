import AdapterSimulator
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting

/// One simulated lock on a virtual clock, and a recorder of its reports.
struct Bench: Sendable {
    let clock: VirtualClock
    let adapter: SimulatorAdapter
    let heard: Heard
    let device: DeviceID

    enum Step: Sendable {
        case order(LockOperation)
        case event(SimulatorEvent)
        /// The code of this slot is typed on the keypad.
        case code(String)
        case refresh
        case wait(ms: Int)
        case detach
        case attach
        case stop
    }

    /// Plays the steps on a lock with this address and returns the reports after attaching.
    static func play(_ address: [String: JSONValue], _ steps: [Step], seed: UInt64 = 1) throws -> [String] {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        return try executor.run {
            let bench = Bench(
                clock: clock, adapter: SimulatorAdapter(clock: clock, executor: executor), heard: Heard(clock: clock),
                device: DeviceID(high: 1, low: 2))
            try await bench.adapter.start(reports: bench.heard)
            bench.adapter.attach(AttachedLock(id: bench.device, address: address))
            bench.heard.forget()
            for step in steps { try await bench.take(step, address: address) }
            await bench.adapter.stop()
            return bench.heard.texts
        }
    }

    private func take(_ step: Step, address: [String: JSONValue]) async throws {
        switch step {
        case .order(let operation): note { () throws(AdapterError) in try adapter.send(order(operation)) }
        case .event(let event): note { () throws(SimulatorEventError) in try adapter.inject(event, into: device) }
        case .code(let slot): note { () throws(SimulatorEventError) in try adapter.inject(.keypad, slot: slot, into: device) }
        case .refresh: note { () throws(AdapterError) in try adapter.refresh(device) }
        case .wait(let ms):
            // Sleep one nanosecond longer, so that events due at this millisecond have happened.
            let end = clock.monotonicNow().advanced(by: .milliseconds(ms) + .nanoseconds(1))
            try await clock.sleep(until: end)
        case .detach: adapter.detach(device)
        case .attach: adapter.attach(AttachedLock(id: device, address: address))
        case .stop: await adapter.stop()
        }
    }

    private func note<Failure: Error>(_ body: () throws(Failure) -> Void) {
        do { try body() } catch { heard.note("!\(error)") }
    }

    private func order(_ operation: LockOperation) -> LockCommand {
        LockCommand(commandID: CommandID(high: 3, low: 4), deviceID: device, operation: operation, deadline: clock.now())
    }
}
