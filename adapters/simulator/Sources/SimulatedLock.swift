internal import DoorwardAdapterKit
internal import DoorwardDomain
import Synchronization

/// One simulated lock: a `LockMachine` with a clock, a timer, and somebody who listens.
///
/// Reports are delivered one at a time in the order in which they arose, never under the lock of the state: the listener
/// may give the next order from inside `receive`.
final class SimulatedLock: Sendable {
    private let id: DeviceID
    private let clock: any GatewayClock
    private let executor: (any TaskExecutor)?
    private let state: Mutex<State>

    private struct State {
        var machine: LockMachine
        /// `nil` before `connect` and after `disconnect`.
        var listener: (any ReportReceiver)?
        var outbox: [LockReport] = []
        var isDelivering = false
        var timer: Task<Void, Never>?
        /// Tells a timer that fires from one that was replaced while it woke up.
        var timerNumber: UInt64 = 0
    }

    init(id: DeviceID, address: [String: JSONValue], clock: any GatewayClock, executor: (any TaskExecutor)?) {
        (self.id, self.clock, self.executor) = (id, clock, executor)
        let machine: LockMachine
        do { machine = LockMachine(try SimulatorSettings(address: address), id: id) } catch {
            machine = LockMachine(unreadable: id)
        }
        state = Mutex(State(machine: machine))
    }

    // MARK: Listening

    /// From now on reports go to `listener`, the lock's whole condition first; `deliver` hands them over.
    func connect(_ listener: any ReportReceiver) {
        state.withLock { state in
            state.listener = listener
            take(LockMachine.Response(facts: state.machine.condition), into: &state)
        }
    }

    /// Drops what was not delivered, and any movement under way.
    func disconnect() {
        let timer = state.withLock { state in
            (state.listener, state.outbox) = (nil, [])
            state.timerNumber += 1
            defer { state.timer = nil }
            return state.timer
        }
        timer?.cancel()
    }

    // MARK: Input

    func send(_ operation: LockOperation) throws(AdapterError) {
        try respond { (machine) throws(AdapterError) in
            try machine.order(operation)
        } unlessConnected: {
            .offline
        }
    }

    func refresh() throws(AdapterError) {
        try respond { (machine) throws(AdapterError) in
            try machine.refresh()
        } unlessConnected: {
            .offline
        }
    }

    func happen(_ event: SimulatorEvent) throws(SimulatorEventError) {
        try respond { (machine) throws(SimulatorEventError) in
            try machine.happen(event)
        } unlessConnected: {
            .notAttached
        }
    }

    private func respond<Failure: Error>(
        _ body: (inout LockMachine) throws(Failure) -> LockMachine.Response, unlessConnected: () -> Failure
    ) throws(Failure) {
        try state.withLock { (state) throws(Failure) in
            guard state.listener != nil else { throw unlessConnected() }
            take(try body(&state.machine), into: &state)
        }
        deliver()
    }

    private func timerFired(number: UInt64) {
        state.withLock { state in
            guard state.timerNumber == number else { return }
            take(state.machine.timerFired(), into: &state)
        }
        deliver()
    }

    // MARK: Output

    private func take(_ response: LockMachine.Response, into state: inout State) {
        for fact in response.facts { state.outbox.append(LockReport(deviceID: id, fact)) }
        switch response.timer {
        case .keep: break
        case .cancel: replaceTimer(in: &state, with: nil)
        case .start(let delay): replaceTimer(in: &state, with: delay)
        }
    }

    private func replaceTimer(in state: inout State, with delay: Duration?) {
        guard state.timer != nil || delay != nil else { return }
        state.timer?.cancel()
        state.timer = nil
        state.timerNumber += 1
        guard let delay else { return }
        let (due, number) = (clock.monotonicNow().advanced(by: delay), state.timerNumber)
        state.timer = Task(executorPreference: executor) { [weak self, clock] in
            do { try await clock.sleep(until: due) } catch { return }
            self?.timerFired(number: number)
        }
    }

    /// Empties the outbox, unless another thread does so already, or this one further up.
    func deliver() {
        var isFirst = true
        while let (report, listener) = state.withLock({ next(in: &$0, isFirst: isFirst) }) {
            isFirst = false
            listener.receive(report)
        }
    }

    private func next(in state: inout State, isFirst: Bool) -> (report: LockReport, listener: any ReportReceiver)? {
        if isFirst, state.isDelivering { return nil }
        guard let listener = state.listener, !state.outbox.isEmpty else {
            state.isDelivering = false
            return nil
        }
        state.isDelivering = true
        return (state.outbox.removeFirst(), listener)
    }
}
