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

    package func check(address: [String: JSONValue], within scope: TransportScope) throws(AddressErrors) -> CheckedAddress {
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

/// One simulated lock: a `LockMachine` with its transmission channel to the gateway, a clock, a timer and a listener.
///
/// Reports are delivered one at a time in the order of their arrival, never while the mutex of the
/// state is held: the listener may send the next command from inside `receive`.
final class SimulatedLock: Sendable {
    private let id: DeviceID
    private let clock: any GatewayClock
    private let executor: (any TaskExecutor)?
    private let state: Mutex<State>

    private struct State {
        var machine: LockMachine
        var channel: FaultyChannel
        var replayFilter: ReplayFilter
        /// Number of commands sent to the lock, which accepts each at once.
        var commandCount: UInt64 = 0
        /// The last command sent.
        var lastCommand: CommandID?
        /// Reports that have arrived and are not delivered yet; open from `connect` to `disconnect`.
        var outbox = ReportOutbox<SequencedReport>()
        var timer = DeadlineTimer()
    }

    init(_ lock: AttachedLock, clock: any GatewayClock, executor: (any TaskExecutor)?) {
        (id, self.clock, self.executor) = (lock.id, clock, executor)
        let now = clock.monotonicNow()
        var read = try? SimulatorSettings(address: lock.address)
        // The lock keeps the settings of an earlier command.
        if let seconds = lock.settings.autoRelockSeconds { read?.autoRelockSeconds = seconds }
        let settings = read ?? SimulatorSettings()
        let machine = read.map { LockMachine($0, id: lock.id, at: now) } ?? LockMachine(invalidAddressOf: lock.id, at: now)
        let channel = FaultyChannel(settings, random: settings.channelRandom(of: id))
        state = Mutex(
            State(machine: machine, channel: channel, replayFilter: ReplayFilter(usesSequenceNumbers: settings.reportsNumbered)))
    }

    // MARK: Listening

    /// Opens the outbox of reports to `receiver`, and adds the lock's whole state to it. `deliver` delivers the reports.
    func connect(_ receiver: any ReportReceiver) {
        state.withLock { state in
            state.outbox.open(to: receiver)
            state.machine.advance(to: clock.monotonicNow())
            _ = state.machine.takePending()
            state.machine.reportAll()
            transmitReports(&state)
        }
    }

    /// Discards undelivered reports, and any movement in progress.
    func disconnect() {
        state.withLock { state in
            state.outbox.close()
            state.channel.cut()
            state.machine.reset()
            state.timer.cancel()
        }
    }

    // MARK: Input

    func send(_ command: LockCommand) throws(AdapterError) {
        try handleInput(unlessConnected: AdapterError.offline) { (state) throws(AdapterError) in
            try state.machine.execute(command.operation, settings: command.settings)
            state.commandCount += 1
            state.lastCommand = command.commandID
        }
    }

    func refresh() throws(AdapterError) {
        try handleInput(unlessConnected: AdapterError.offline) { (state) throws(AdapterError) in try state.machine.refresh() }
    }

    func handle(_ event: SimulatorEvent, slot: String?) throws(SimulatorEventError) {
        try handleInput(unlessConnected: SimulatorEventError.notAttached) { (state) throws(SimulatorEventError) in
            try state.machine.handle(event, slot: slot)
        }
    }

    /// The actual state at this moment.
    var condition: SimulatedCondition {
        state.withLock { state in
            advanceToNow(&state)
            return SimulatedCondition(state.machine)
        }
    }

    /// Applies everything that is due, whether its timer has fired or not, then `body`.
    private func handleInput<Failure: Error>(
        unlessConnected failure: Failure, _ body: (inout State) throws(Failure) -> Void
    ) throws(Failure) {
        try state.withLock { (state) throws(Failure) in
            guard state.outbox.isOpen else { throw failure }
            advanceToNow(&state)
            try body(&state)
            transmitReports(&state)
        }
        deliver()
    }

    private func timerFired(_ setting: DeadlineTimer.Setting) {
        state.withLock { state in if state.timer.expire(setting) { advanceToNow(&state) } }
        deliver()
    }

    private func advanceToNow(_ state: inout State) {
        guard state.outbox.isOpen else { return }
        let now = clock.monotonicNow()
        // Apply each change at its own instant, so that its reports are sent in order.
        while let due = state.machine.nextDue, due <= now {
            state.machine.advance(to: due)
            transmitReports(&state)
        }
        state.machine.advance(to: now)
        transmitReports(&state)
    }

    // MARK: Output

    /// Sends the machine's new reports over the channel, and moves those that have arrived to the outbox.
    private func transmitReports(_ state: inout State) {
        if state.machine.isUnreachable { state.channel.cut() }
        for fact in state.machine.takePending() {
            state.channel.send(fact, commandsAccepted: state.commandCount, faults: state.machine.faults, at: state.machine.now)
        }
        state.outbox.append(contentsOf: state.channel.takeArrived(by: state.machine.now))
        setTimer(in: &state)
    }

    private func setTimer(in state: inout State) {
        let due = [state.machine.nextDue, state.channel.nextDue].compactMap { $0 }.min()
        state.timer.set(due, clock: clock, executor: executor) { [weak self] in self?.timerFired($0) }
    }

    /// Delivers the reports of the outbox, unless another thread or an outer call on this thread already does so.
    func deliver() {
        var isFirst = true
        while let (report, receiver) = state.withLock({ next(in: &$0, isFirst: isFirst) }) {
            isFirst = false
            receiver.receive(report)
        }
    }

    /// Returns the next report, live or converted. Whether a report is live is decided only now,
    /// because a command that was sent while the report was queued makes the report old.
    private func next(in state: inout State, isFirst: Bool) -> (report: LockReport, receiver: any ReportReceiver)? {
        var isFirst = isFirst
        while let (report, receiver) = state.outbox.next(isFirst: isFirst) {
            isFirst = false
            if let fact = state.replayFilter.receive(report, commandsSent: state.commandCount) {
                return (LockReport(deviceID: id, fact, after: state.lastCommand), receiver)
            }
        }
        return nil
    }
}

/// The actual state of a simulated lock, whatever it reports: for views that show the door, and for tests.
package struct SimulatedCondition: Hashable, Sendable {
    /// Resting position of the bolt, or its position before the movement in progress: `.locked`,
    /// `.unlocked` or, while the latch is held, `.unlatched`.
    package let position: LockState
    /// Whether the last movement jammed and the bolt has not been freed since.
    package let isStuck: Bool
    /// Whether the door is closed.
    package let isDoorClosed: Bool
    /// Whole percent, rounded up.
    package let batteryLevel: Int
    /// Whether the lock is unreachable for the gateway: offline, or without power.
    package let isUnreachable: Bool

    init(_ machine: LockMachine) {
        (position, isStuck, isDoorClosed) = (machine.position, machine.isStuck, machine.door == .closed)
        (batteryLevel, isUnreachable) = (machine.battery.level, machine.isUnreachable)
    }

    /// Whether the door opens when pushed: the bolt is withdrawn, or the leaf is not closed anyway.
    package var isPassable: Bool { position != .locked || !isDoorClosed }
}
