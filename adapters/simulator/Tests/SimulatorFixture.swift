import AdapterSimulator
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting

/// One simulated lock on a virtual clock, and a recorder of its reports.
struct SimulatorFixture: Sendable {
    let clock: VirtualClock
    let adapter: SimulatorAdapter
    let recorder: ReportRecorder
    let device: DeviceID

    enum Step: Sendable {
        case command(LockOperation)
        /// A command that sets these seconds of the auto-relock.
        case settings(Int)
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
            let fixture = SimulatorFixture(
                clock: clock, adapter: SimulatorAdapter(clock: clock, executor: executor), recorder: ReportRecorder(clock: clock),
                device: DeviceID(high: 1, low: 2))
            try await fixture.adapter.start(reports: fixture.recorder)
            fixture.adapter.attach(AttachedLock(id: fixture.device, address: address))
            fixture.recorder.forget()
            for step in steps { try await fixture.perform(step, address: address) }
            await fixture.adapter.stop()
            return fixture.recorder.texts
        }
    }

    private func perform(_ step: Step, address: [String: JSONValue]) async throws {
        switch step {
        case .command(let operation): recordError { () throws(AdapterError) in try adapter.send(command(operation)) }
        case .settings(let seconds):
            let settings = LockSettings(autoRelockSeconds: seconds)
            recordError { () throws(AdapterError) in try adapter.send(command(.changeSettings, settings)) }
        case .event(let event): recordError { () throws(SimulatorEventError) in try adapter.inject(event, into: device) }
        case .code(let slot):
            recordError { () throws(SimulatorEventError) in try adapter.inject(.keypad, slot: slot, into: device) }
        case .refresh: recordError { () throws(AdapterError) in try adapter.refresh(device) }
        case .wait(let ms):
            // Sleep one nanosecond longer, so that events due at this millisecond have happened.
            let end = clock.monotonicNow().advanced(by: .milliseconds(ms) + .nanoseconds(1))
            try await clock.sleep(until: end)
        case .detach: adapter.detach(device)
        case .attach: adapter.attach(AttachedLock(id: device, address: address))
        case .stop: await adapter.stop()
        }
    }

    private func recordError<Failure: Error>(_ body: () throws(Failure) -> Void) {
        do { try body() } catch { recorder.note("!\(error)") }
    }

    private func command(_ operation: LockOperation, _ settings: LockSettings? = nil) -> LockCommand {
        LockCommand(
            commandID: CommandID(high: 3, low: 4), deviceID: device, operation: operation, settings: settings,
            deadline: clock.now())
    }
}
