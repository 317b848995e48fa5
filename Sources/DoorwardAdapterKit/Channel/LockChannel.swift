public import DoorwardDomain
import Synchronization

/// Handles the commands and reports of one attached lock for its adapter, for any protocol. A channel
///
/// - allows one command in flight at a time: it rejects other commands with `.transportBusy` until
///   the command in flight has a response or its deadline has passed,
/// - sets `LockReport.after` of each report to the last command that was handed over before the report,
/// - delivers reports one at a time and in order, never under a mutex, so that the receiver may send the next command at once,
/// - drops a command at its deadline, by the injected clock.
///
/// An adapter creates one channel for each `attach`, opens it while the adapter runs, and closes it at `detach` and `stop`. All
/// members may be called from any thread, and from inside `handOver` and `receive`.
public final class LockChannel: Sendable {
    /// The lock that the channel belongs to.
    public let id: DeviceID
    private let clock: any GatewayClock
    private let executor: (any TaskExecutor)?
    private let state = Mutex(State())

    /// The maximum time that a command waits for its response, even if its deadline is later.
    public static let maxLifetime = Duration.seconds(3600)

    fileprivate struct State {
        var outbox = ReportOutbox<LockReport>()
        var command: InFlight?
        /// The last command that was handed over.
        var last: (number: UInt64, id: CommandID)?
        var timer = DeadlineTimer()
        /// The number of commands accepted so far.
        var commands: UInt64 = 0
    }

    fileprivate struct InFlight {
        let id: CommandID
        let number: UInt64
        let due: MonotonicInstant
        let onGivenUp: (@Sendable () -> Void)?
    }

    /// Creates a closed channel.
    ///
    /// - Parameters:
    ///   - clock: the clock for deadlines: the one that the adapter was created with.
    ///   - executor: runs the waits for deadlines; `nil` for the global executor. Tests pass their own.
    public init(_ id: DeviceID, clock: any GatewayClock, executor: (any TaskExecutor)? = nil) {
        (self.id, self.clock, self.executor) = (id, clock, executor)
    }

    /// Opens the channel: from now on, it accepts commands and delivers reports to this receiver. Opening causes no report.
    public func open(to receiver: any ReportReceiver) { state.withLock { $0.outbox.open(to: receiver) } }

    /// Closes the channel. Drops undelivered reports and the command in flight; further commands
    /// are rejected, and further reports are dropped.
    public func close() {
        let command = state.withLock { state in
            state.outbox.close()
            return state.removeInFlight()
        }
        command?.onGivenUp?()
    }

    /// Whether the channel is open.
    public var isOpen: Bool { state.withLock { $0.outbox.isOpen } }

    /// The command that was handed over, or is being handed over, if it has no response yet and its deadline has not passed.
    public var commandInFlight: CommandID? {
        let now = clock.monotonicNow()
        return state.withLock { state in state.command.flatMap { $0.due > now ? $0.id : nil } }
    }

    // MARK: - Commands

    /// Hands a command over if no other command is in flight.
    ///
    /// - Parameters:
    ///   - onGivenUp: called once if the command gets no response: at its deadline, or when the channel is closed. A transport
    ///     must then cancel a request that is still in progress, so that none of its bytes is sent late.
    ///   - handOver: hands the command's bytes to the transport at once, or throws. The restrictions of `LockAdapter.send` apply
    ///     to this closure too. The channel holds no mutex during the call, so `answer` may be called before the closure returns.
    /// - Throws: `.offline` while the channel is closed, `.transportBusy` while another command is in flight or if the deadline has
    ///   passed, and any error of `handOver`.
    public func send(
        _ command: LockCommand, onGivenUp: (@Sendable () -> Void)? = nil, handOver: () throws(AdapterError) -> Void
    ) throws(AdapterError) {
        let lifetime = try command.lifetime(at: clock.now())
        let now = clock.monotonicNow()
        let due = now.advanced(by: lifetime)
        let (number, overdue) = try state.withLock { (state) throws(AdapterError) -> (UInt64, InFlight?) in
            guard state.outbox.isOpen else { throw .offline }
            // A command whose deadline has passed is no longer in flight, even if the timer has not fired yet.
            let overdue = state.command.flatMap { $0.due <= now ? $0 : nil }
            if overdue != nil { state.command = nil }
            guard state.command == nil else { throw .transportBusy }
            state.commands += 1
            state.command = InFlight(id: command.commandID, number: state.commands, due: due, onGivenUp: onGivenUp)
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
        state.withLock { $0.recordHandOver(number, command.commandID) }
    }

    // MARK: - Reports

    /// Ends a command with the response of the lock or its bridge, and reports that response with the command in `after`.
    ///
    /// A response after the deadline is reported too, unless another command was handed over in the meantime. The response is
    /// then dropped, because it must not be reported with the later command in `after`.
    ///
    /// - Parameters:
    ///   - command: the command that the response refers to; `nil` for the last command, if the
    ///     protocol's responses do not identify a command.
    ///   - facts: `.refusal` if the lock does not execute the command, the state if the bolt has reached its position,
    ///     `.state(.jammed, …)` if the bolt is stuck.
    /// - Returns: whether the response was reported.
    @discardableResult
    public func answer(_ command: CommandID?, _ facts: [LockReport.Fact]) -> Bool {
        let isReported = state.withLock { state in
            guard state.outbox.isOpen else { return false }
            if let current = state.command, command == nil || command == current.id {
                state.recordHandOver(current.number, current.id)
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

    /// Reports facts that are not a response to a command. Ends no command. `after` of the reports
    /// is the last command that was handed over before this call.
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
        let command = state.withLock { state in state.timer.expire(setting) ? state.removeInFlight() : nil }
        command?.onGivenUp?()
    }
}

extension LockChannel.State {
    /// Removes the command in flight and returns it.
    fileprivate mutating func removeInFlight() -> LockChannel.InFlight? {
        timer.cancel()
        defer { command = nil }
        return command
    }

    /// Makes this command the `after` of the following reports, unless a later command was handed over in the meantime.
    fileprivate mutating func recordHandOver(_ number: UInt64, _ command: CommandID) {
        if number > last?.number ?? 0 { last = (number, command) }
    }

    fileprivate mutating func report(_ facts: [LockReport.Fact], of device: DeviceID) {
        outbox.append(contentsOf: facts.map { LockReport(deviceID: device, $0, after: last?.id) })
    }
}

/// A timer on the injected clock. The timer is part of a state that a mutex protects; set, change
/// and cancel it only under that mutex.
///
/// When the timer is changed, the task of the previous setting may already be running. `onDue` therefore receives its setting,
/// and MUST call `expire` under the mutex to test whether the setting is still current.
package struct DeadlineTimer: Sendable {
    /// Identifies one setting of one timer.
    package struct Setting: Hashable, Sendable { fileprivate let number: UInt64 }

    /// When the timer is due; `nil` while it is not set.
    package private(set) var due: MonotonicInstant?
    private var task: Task<Void, Never>?
    private var settingCount: UInt64 = 0

    /// Creates a timer that is not set.
    package init() {}

    /// Sets the timer to another instant, or cancels it. Does nothing if it is already set to that instant.
    ///
    /// - Parameters:
    ///   - due: the instant; `nil` cancels.
    ///   - executor: runs the wait and `onDue`; `nil` for the global executor.
    ///   - onDue: called without the mutex, at `due` or as soon as possible afterwards.
    package mutating func set(
        _ due: MonotonicInstant?, clock: any GatewayClock, executor: (any TaskExecutor)?,
        onDue: @escaping @Sendable (Setting) -> Void
    ) {
        guard due != self.due else { return }
        cancel()
        guard let due else { return }
        self.due = due
        let setting = Setting(number: settingCount)
        task = Task(executorPreference: executor) {
            do { try await clock.sleep(until: due) } catch { return }
            onDue(setting)
        }
    }

    /// Cancels the timer. `expire` then returns false for a setting whose task is already running.
    package mutating func cancel() {
        task?.cancel()
        (task, due) = (nil, nil)
        settingCount += 1
    }

    /// Clears the timer if `setting` is still its current setting.
    ///
    /// - Returns: false, without any change, if the timer was changed or cancelled in the meantime.
    package mutating func expire(_ setting: Setting) -> Bool {
        guard setting.number == settingCount, due != nil else { return false }
        (task, due) = (nil, nil)
        return true
    }
}

/// The queue of undelivered reports of one lock. The queue is part of a state that a mutex
/// protects. Reports are delivered one at a time and in order. The mutex is not held during
/// delivery, because the receiver may send the next command from inside `receive`.
///
///     func deliver() {
///         var isFirst = true
///         while let (report, receiver) = state.withLock({ $0.outbox.next(isFirst: isFirst) }) {
///             isFirst = false
///             receiver.receive(report)
///         }
///     }
package struct ReportOutbox<Element: Sendable>: Sendable {
    private var receiver: (any ReportReceiver)?
    private var queue: [Element] = []
    private var isDelivering = false

    /// Creates a closed outbox.
    package init() {}

    /// Whether the outbox has a receiver.
    package var isOpen: Bool { receiver != nil }

    /// Opens the outbox: from now on reports are delivered to this receiver.
    package mutating func open(to receiver: any ReportReceiver) { self.receiver = receiver }

    /// Drops the reports that have not been delivered. A call of `receive` that has begun is not interrupted.
    package mutating func close() { (receiver, queue) = (nil, []) }

    /// Appends elements to be delivered; drops them while the outbox is closed.
    package mutating func append(contentsOf elements: some Sequence<Element>) {
        if isOpen { queue.append(contentsOf: elements) }
    }

    /// Removes and returns the next element, for the caller to deliver.
    ///
    /// - Parameter isFirst: whether this is the first call in the caller's loop. If another loop is already delivering, on
    ///   another thread or further up the call stack, it delivers the remaining elements, and this call returns `nil`.
    /// - Returns: `nil` if there is no element, or if another loop is already delivering.
    package mutating func next(isFirst: Bool) -> (element: Element, receiver: any ReportReceiver)? {
        if isFirst, isDelivering { return nil }
        isDelivering = false
        guard let receiver, !queue.isEmpty else { return nil }
        isDelivering = true
        return (queue.removeFirst(), receiver)
    }
}
