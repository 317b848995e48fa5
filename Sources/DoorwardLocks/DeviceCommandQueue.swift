import DequeModule
internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardKernel
import Synchronization

/// The queues that are not empty, by device. A change of rights waits for the dispatch gates of these devices only.
final class BusyQueues: Sendable {
    let queues = Mutex<[DeviceID: DeviceCommandQueue]>([:])
}

/// The command queue of one device: one command runs, and the others wait in order. The queue
/// includes the gate in which commands are sent.
final class DeviceCommandQueue: Sendable {
    /// The maximum number of waiting commands, in addition to the running one.
    static let maxQueued = 16
    /// The maximum number of waiting commands of one principal.
    static let maxPerPrincipal = 4

    private struct Queue {
        var running: QueueReservation?
        var waiting = Deque<QueueReservation>()
        /// The command that was sent, or is being sent, and is not yet confirmed.
        var inFlight: InFlightCommand?
    }

    private let device: DeviceID
    private let busy: BusyQueues
    private let queue = Mutex(Queue())
    private let gate = Mutex(())

    init(of device: DeviceID, busy: BusyQueues) { (self.device, self.busy) = (device, busy) }

    /// Reserves a position at the end of the queue.
    ///
    /// - Parameter isUrgent: whether to reserve a position ahead of all commands that are not urgent. The limits neither apply to
    ///   urgent commands nor count them.
    /// - Returns: `nil` if the queue is full, or has the maximum number of commands of this principal.
    func reserve(for principal: Principal, isUrgent: Bool = false) -> QueueReservation? {
        let reservation = QueueReservation(principal: principal, isUrgent: isUrgent)
        let isReserved = queue.withLock { queue in
            guard queue.running != nil else {
                queue.running = reservation
                return reservation.admission.fulfil(.admitted)
            }
            guard !isUrgent else {
                queue.waiting.insert(reservation, at: queue.waiting.firstIndex { !$0.isUrgent } ?? queue.waiting.endIndex)
                return true
            }
            let bounded = queue.waiting.count { !$0.isUrgent }
            let ofPrincipal = queue.waiting.count { $0.principal == principal && !$0.isUrgent }
            guard bounded < Self.maxQueued, ofPrincipal < Self.maxPerPrincipal else { return false }
            queue.waiting.append(reservation)
            return true
        }
        guard isReserved else { return nil }
        busy.queues.withLock { $0[device] = self }
        return reservation
    }

    /// Releases the reservation. If its command was at the head, the next command that still waits may run.
    func leave(_ reservation: QueueReservation) {
        // Release it while holding this mutex, so that a queue with a new reservation is not removed.
        busy.queues.withLock { if release(reservation) { $0[device] = nil } }
    }

    /// - Returns: whether the queue is now empty.
    private func release(_ reservation: QueueReservation) -> Bool {
        queue.withLock { queue in
            if queue.running === reservation {
                queue.running = nil
                queue.inFlight = nil
                while queue.running == nil, let next = queue.waiting.popFirst() {
                    if next.admission.fulfil(.admitted) { queue.running = next }
                }
            } else {
                queue.waiting.removeAll { $0 === reservation }
            }
            return queue.running == nil
        }
    }

    /// The number of waiting commands.
    var waitingCount: Int { queue.withLock { $0.waiting.count } }

    /// Cancels all waiting commands.
    func cancelQueued() {
        for reservation in queue.withLock({ Array($0.waiting) }) { reservation.admission.fulfil(.ended(.shuttingDown)) }
    }

    /// Runs `body` exclusively in the device's dispatch gate. A writer that revokes a right publishes the new directory and then
    /// calls `awaitDispatchGate`; after that call, no decision on the old directory is in progress in the gate.
    func withDispatchGate<Value>(_ body: () -> sending Value) -> sending Value { gate.withLock { _ in body() } }

    /// Waits until the code that is currently in the gate has left the gate.
    func awaitDispatchGate() { gate.withLock { _ in } }

    /// Sets the command in flight. Called before the command is sent, so that an immediate confirmation finds the command.
    func setInFlight(_ command: InFlightCommand) { queue.withLock { $0.inFlight = command } }

    /// Clears the command in flight: it was not sent, or it has ended.
    func clearInFlight() { queue.withLock { $0.inFlight = nil } }

    var inFlightCommand: InFlightCommand? { queue.withLock { $0.inFlight } }
}

/// The reservation of one command in a queue.
final class QueueReservation: Sendable {
    enum Admission: Hashable, Sendable {
        /// The command is at the head of the queue.
        case admitted
        /// The command is not to run.
        case ended(CommandOutcome)
    }

    let principal: Principal
    /// Whether the command goes ahead of those that are not urgent.
    let isUrgent: Bool
    let admission = Promise<Admission>()

    init(principal: Principal, isUrgent: Bool) { (self.principal, self.isUrgent) = (principal, isUrgent) }
}

/// A command between its dispatch and its confirmation.
final class InFlightCommand: Sendable {
    /// The command as the adapter got it.
    let command: LockCommand
    let result = Promise<CommandOutcome>()

    init(_ command: LockCommand) { self.command = command }

    /// Ends the command if `report` confirms or rejects it.
    ///
    /// A report ends the command only if it follows the dispatch of the command. Retained, assumed
    /// and stale states never end a command: they do not show what the lock did after the dispatch.
    ///
    /// - Returns: whether this report ended the command.
    func ends(_ report: LockReport) -> Bool {
        guard report.after == command.commandID else { return false }
        switch report.fact {
        case .state(let state, quality: .confirmed, _, _) where command.operation.isMovement:
            if state.satisfies(command.operation) { return result.fulfil(.confirmed(state)) }
            if state == .jammed { return result.fulfil(.jammed) }
            return false
        case .settings(command.settings): return result.fulfil(.settingsConfirmed)
        case .refusal(let cause): return result.fulfil(.refused(cause))
        case .state, .door, .battery, .availability, .event, .faults, .settings, .product, .deliveredLate: return false
        }
    }
}

/// How a command ended. `apply` maps each outcome to the command's state and detail.
enum CommandOutcome: Hashable, Sendable {
    // MARK: The command was sent

    /// A live report has a state that fulfils the operation.
    case confirmed(LockState)
    /// A report has the settings of the command.
    case settingsConfirmed
    case jammed
    case refused(LockRefusal)
    /// The lock has not answered before the deadline.
    case timedOut
    /// The gateway is stopping and cannot wait any longer.
    case abandoned
    /// The device was bound to another lock, so no confirmation can come from the lock that the command was sent to.
    case replaced

    // MARK: The command was not sent, or its outcome is not durable

    /// Denied by the decision in the dispatch gate.
    case denied(Denial)
    case deadlinePassed
    /// The adapter did not send the command.
    case notSent(AdapterError)
    case shuttingDown
    /// The store cannot write, so nothing was sent: the intent with the current rule, and the outcome, would not be durable.
    case intentNotWritten
    /// The outcome could not be made durable.
    ///
    /// - Parameter wasSent: false if the command was certainly not sent; `nil` if the lock may have moved.
    case outcomeNotWritten(wasSent: Bool?)

    /// Whether a confirmation of the lock may still arrive.
    var isUnanswered: Bool {
        switch self {
        case .timedOut, .abandoned: true
        default: false
        }
    }

    /// Whether the adapter may be able to report the cause of this outcome.
    var isFailedDelivery: Bool {
        switch self {
        case .notSent, .timedOut, .refused: true
        default: false
        }
    }

    var denial: Denial? { if case .denied(let denial) = self { denial } else { nil } }

    /// Applies the outcome to `command`.
    ///
    /// - Parameter stateNow: the currently known state of the lock.
    func apply(to command: inout Command, at completed: Timestamp, stateNow: LockState) {
        command.completedAt = completed
        command.stateAfter = stateNow
        command.changed = nil
        switch self {
        case .confirmed(let state):
            command.changed = command.stateBefore?.satisfies(command.operation) != true
            command.stateAfter = state
            command.end(.confirmed, nil, sent: true)
        case .settingsConfirmed:
            command.changed = true
            command.end(.confirmed, nil, sent: true)
        case .jammed:
            command.stateAfter = .jammed
            command.end(.failed, "jammed", sent: true)
        case .refused(let cause): command.end(.failed, cause.rawValue, sent: true)
        case .timedOut: command.end(.timedOut, nil, sent: true)
        case .abandoned: command.end(.unknown, nil, sent: nil)
        case .replaced:
            command.stateAfter = nil
            command.end(.unknown, nil, sent: nil)
        case .denied(let denial): command.end(.denied, denial.reason.rawValue, sent: false)
        case .deadlinePassed: command.end(.failed, "deadline_passed", sent: false)
        case .notSent(.offline): command.end(.failed, "device_offline", sent: false)
        case .notSent(.transportBusy): command.end(.failed, LockRefusal.transport.rawValue, sent: false)
        case .notSent(.unsupported): command.end(.failed, LockRefusal.unsupported.rawValue, sent: false)
        case .notSent(.notAttached): command.end(.failed, LockRefusal.other.rawValue, sent: false)
        case .notSent(.codeRequired): command.end(.failed, LockRefusal.invalidCode.rawValue, sent: false)
        case .shuttingDown: command.end(.failed, "shutting_down", sent: false)
        case .intentNotWritten:
            command.stateAfter = nil
            command.end(.unknown, nil, sent: false)
        case .outcomeNotWritten(let wasSent):
            command.stateAfter = nil
            command.end(.unknown, nil, sent: wasSent)
        }
    }
}

extension Command {
    /// Whether an ended command counts as a use of a guest access: the lock was opened, or may have been.
    var consumesUse: Bool {
        switch state {
        case .confirmed, .timedOut: true
        case .unknown: sent != false
        case .accepted, .dispatched, .failed, .denied: false
        }
    }

    fileprivate mutating func end(_ state: CommandState, _ detail: String?, sent: Bool?) {
        self.state = state
        outcomeDetail = detail
        self.sent = sent
    }
}
