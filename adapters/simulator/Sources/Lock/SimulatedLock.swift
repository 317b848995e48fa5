internal import DoorwardAdapterKit
package import DoorwardDomain
import Synchronization

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
        if let seconds = lock.settings.autoRelockSeconds { read?.setAutoRelock(seconds: seconds) }
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
        try handleInput { (state) throws(AdapterError) in
            try state.machine.execute(command.operation, settings: command.settings)
            state.commandCount += 1
            state.lastCommand = command.commandID
        } unlessConnected: {
            .offline
        }
    }

    func refresh() throws(AdapterError) {
        try handleInput { (state) throws(AdapterError) in
            try state.machine.refresh()
        } unlessConnected: {
            .offline
        }
    }

    func handle(_ event: SimulatorEvent, slot: String?) throws(SimulatorEventError) {
        try handleInput { (state) throws(SimulatorEventError) in
            try state.machine.handle(event, slot: slot)
        } unlessConnected: {
            .notAttached
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
        _ body: (inout State) throws(Failure) -> Void, unlessConnected: () -> Failure
    ) throws(Failure) {
        try state.withLock { (state) throws(Failure) in
            guard state.outbox.isOpen else { throw unlessConnected() }
            advanceToNow(&state)
            try body(&state)
            transmitReports(&state)
        }
        deliver()
    }

    private func timerFired(_ setting: DeadlineTimer.Setting) {
        state.withLock { state in
            if state.timer.expire(setting) { advanceToNow(&state) }
        }
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
