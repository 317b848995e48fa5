public import DoorwardDomain
import Synchronization

/// What an adapter needs for one attached lock beside the lock's own protocol. It
///
/// - takes one command at a time: another is refused with `.transportBusy` until the first is answered or its deadline has passed,
/// - names in each report the order that it follows, as `LockReport.after` demands,
/// - delivers reports one at a time in their order, never under a mutex, so that the receiver may send the next order at once,
/// - gives a command up at its deadline, by the injected clock.
///
/// An adapter makes one for each `attach`, opens it while the adapter runs, and closes it at `detach` and `stop`. All of it may be
/// called from any thread, and from inside `handOver` and `receive`.
public final class LockChannel: Sendable {
    /// The lock that its reports are of.
    public let id: DeviceID
    private let clock: any GatewayClock
    private let executor: (any TaskExecutor)?
    private let state = Mutex(State())

    /// No command waits longer for its answer, whatever its deadline.
    public static let maxLifetime = Duration.seconds(3600)

    fileprivate struct State {
        var outbox = ReportOutbox<LockReport>()
        var command: InFlight?
        /// The command that was the last to be handed over.
        var last: (number: UInt64, id: CommandID)?
        var timer = DeadlineTimer()
        /// How many commands were taken.
        var commands: UInt64 = 0
    }

    fileprivate struct InFlight {
        let id: CommandID
        let number: UInt64
        let due: MonotonicInstant
        let onGivenUp: (@Sendable () -> Void)?
    }

    /// Closed.
    ///
    /// - Parameters:
    ///   - clock: what deadlines are measured on: the one that the adapter was made with.
    ///   - executor: where deadlines are waited for; `nil` for the global one. A test hands in its own.
    public init(_ id: DeviceID, clock: any GatewayClock, executor: (any TaskExecutor)? = nil) {
        (self.id, self.clock, self.executor) = (id, clock, executor)
    }

    /// From now on the lock's reports are delivered to this receiver, and commands are taken. Reports nothing by itself.
    public func open(to receiver: any ReportReceiver) { state.withLock { $0.outbox.open(to: receiver) } }

    /// Drops the reports that were not delivered, and gives up the command in flight. Commands and reports are refused afterwards.
    public func close() {
        let command = state.withLock { state in
            state.outbox.close()
            return state.giveUp()
        }
        command?.onGivenUp?()
    }

    /// Whether it was opened and not closed since.
    public var isOpen: Bool { state.withLock { $0.outbox.isOpen } }

    /// The command that was handed over, or is being handed over, and has neither an answer nor reached its deadline.
    public var commandInFlight: CommandID? {
        let now = clock.monotonicNow()
        return state.withLock { state in state.command.flatMap { $0.due > now ? $0.id : nil } }
    }

    // MARK: - Commands

    /// Hands an order over, if no other is in flight.
    ///
    /// - Parameters:
    ///   - onGivenUp: called once if the command gets no answer: at its deadline, or when the channel is closed. A transport that
    ///     answers later ends its exchange here, so that nothing of it leaves late.
    ///   - handOver: hands the order's bytes to the transport, now, or throws; what `LockAdapter.send` MUST NOT do it must not
    ///     either. It is called without a mutex: `answer` may come before it returns.
    /// - Throws: `.offline` while the channel is closed, `.transportBusy` while another command is in flight and after the order's
    ///   deadline, and what `handOver` throws.
    public func send(
        _ order: LockCommand, onGivenUp: (@Sendable () -> Void)? = nil, handOver: () throws(AdapterError) -> Void
    ) throws(AdapterError) {
        let wallNow = clock.now()
        guard order.deadline > wallNow else { throw .transportBusy }
        let now = clock.monotonicNow()
        let lifetime = min(order.deadline, wallNow.advanced(by: Self.maxLifetime)).duration(since: wallNow)
        let due = now.advanced(by: lifetime)
        let (number, overdue) = try state.withLock { (state) throws(AdapterError) -> (UInt64, InFlight?) in
            guard state.outbox.isOpen else { throw .offline }
            // Overdue by the clock, whether its timer has woken up or not.
            let overdue = state.command.flatMap { $0.due <= now ? $0 : nil }
            if overdue != nil { state.command = nil }
            guard state.command == nil else { throw .transportBusy }
            state.commands += 1
            state.command = InFlight(id: order.commandID, number: state.commands, due: due, onGivenUp: onGivenUp)
            setTimer(in: &state)
            return (state.commands, overdue)
        }
        overdue?.onGivenUp?()
        do throws(AdapterError) {
            try handOver()
        } catch {
            state.withLock { state in
                guard state.command?.number == number else { return }
                state.command = nil
                setTimer(in: &state)
            }
            throw error
        }
        state.withLock { $0.noteHandedOver(number, order.commandID) }
    }

    // MARK: - Reports

    /// Ends a command with what the lock, or its bridge, has answered to it, and reports that as following it.
    ///
    /// An answer after the deadline is reported too, as long as no other command was handed over since. After that it is dropped: the
    /// lock gave it before it took the later command, of which it says nothing.
    ///
    /// - Parameters:
    ///   - command: the command that the answer names; `nil` in a protocol whose answers name none, for the last one.
    ///   - facts: `.refusal` where the lock does not do it, the state where the bolt has arrived, `.state(.jammed, …)` where it stuck.
    /// - Returns: whether the answer was reported.
    @discardableResult
    public func answer(_ command: CommandID?, _ facts: [LockReport.Fact]) -> Bool {
        let isReported = state.withLock { state in
            guard state.outbox.isOpen else { return false }
            if let current = state.command, command == nil || command == current.id {
                state.noteHandedOver(current.number, current.id)
                state.command = nil
                setTimer(in: &state)
            } else if state.command != nil || command != nil && command != state.last?.id {
                return false
            }
            state.report(facts, of: id)
            return true
        }
        deliver()
        return isReported
    }

    /// Reports what the lock says by itself. Ends no command, and follows the last one that was handed over before this call.
    public func report(_ facts: [LockReport.Fact]) {
        state.withLock { $0.report(facts, of: id) }
        deliver()
    }

    private func deliver() {
        var isFirst = true
        while let (report, receiver) = state.withLock({ $0.outbox.next(isFirst: isFirst) }) {
            isFirst = false
            receiver.receive(report)
        }
    }

    // MARK: - Deadlines

    private func setTimer(in state: inout State) {
        state.timer.set(state.command?.due, clock: clock, executor: executor) { [weak self] in self?.timerFired($0) }
    }

    private func timerFired(_ setting: DeadlineTimer.Setting) {
        let command = state.withLock { state in state.timer.expire(setting) ? state.giveUp() : nil }
        command?.onGivenUp?()
    }
}

extension LockChannel.State {
    /// Frees the channel of its command.
    fileprivate mutating func giveUp() -> LockChannel.InFlight? {
        timer.cancel()
        defer { command = nil }
        return command
    }

    /// What is reported from now on follows this command, unless a later one was handed over meanwhile.
    fileprivate mutating func noteHandedOver(_ number: UInt64, _ command: CommandID) {
        if number > last?.number ?? 0 { last = (number, command) }
    }

    fileprivate mutating func report(_ facts: [LockReport.Fact], of device: DeviceID) {
        outbox.append(contentsOf: facts.map { LockReport(deviceID: device, $0, after: last?.id) })
    }
}
