import DequeModule
internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardKernel
import Synchronization

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

    private let queue = Mutex(Queue())
    private let gate = Mutex(())

    /// Reserves a position at the end of the queue.
    ///
    /// - Parameter isUrgent: whether to reserve a position ahead of all commands that are not urgent. The limits neither apply to
    ///   urgent commands nor count them.
    /// - Returns: `nil` if the queue is full, or has the maximum number of commands of this principal.
    func reserve(for principal: Principal, isUrgent: Bool = false) -> QueueReservation? {
        queue.withLock { queue in
            let reservation = QueueReservation(principal: principal, isUrgent: isUrgent)
            guard queue.running != nil else {
                queue.running = reservation
                reservation.admission.fulfil(.admitted)
                return reservation
            }
            guard !isUrgent else {
                queue.waiting.insert(reservation, at: queue.waiting.firstIndex { !$0.isUrgent } ?? queue.waiting.endIndex)
                return reservation
            }
            let bounded = queue.waiting.count { !$0.isUrgent }
            let ofPrincipal = queue.waiting.count { $0.principal == principal && !$0.isUrgent }
            guard bounded < Self.maxQueued, ofPrincipal < Self.maxPerPrincipal else { return nil }
            queue.waiting.append(reservation)
            return reservation
        }
    }

    /// Releases the reservation. If its command was at the head, the next command that still waits may run.
    ///
    /// - Returns: whether the queue is now empty.
    func leave(_ reservation: QueueReservation) -> Bool {
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
        for reservation in queue.withLock({ Array($0.waiting) }) { reservation.admission.fulfil(.shuttingDown) }
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
    enum WaitResult: Sendable {
        /// The command is at the head of the queue.
        case admitted
        case deadlinePassed
        case shuttingDown
    }

    let principal: Principal
    /// Whether the command goes ahead of those that are not urgent.
    let isUrgent: Bool
    let admission = Promise<WaitResult>()

    init(principal: Principal, isUrgent: Bool) { (self.principal, self.isUrgent) = (principal, isUrgent) }
}

/// A command between its dispatch and its confirmation.
final class InFlightCommand: Sendable {
    enum Result: Sendable {
        /// A live report has a state that fulfils the operation.
        case confirmed(LockState)
        /// A report has the settings of the command.
        case settingsConfirmed
        case jammed
        case refused(LockRefusal)
        case deadlinePassed
        /// The gateway is stopping and cannot wait any longer.
        case abandoned
        /// The device was bound to another lock, so no confirmation can come from the lock that the command was sent to.
        case replaced
    }

    let commandID: CommandID
    let operation: LockOperation
    /// The new settings; present for `.changeSettings` only.
    let settings: LockSettings?
    let result = Promise<Result>()

    init(commandID: CommandID, operation: LockOperation, settings: LockSettings? = nil) {
        (self.commandID, self.operation, self.settings) = (commandID, operation, settings)
    }

    /// Ends the command if `report` confirms or rejects it.
    ///
    /// A report ends the command only if it follows the dispatch of the command. Retained, assumed
    /// and stale states never end a command: they do not show what the lock did after the dispatch.
    ///
    /// - Returns: whether this report ended the command.
    func ends(_ report: LockReport) -> Bool {
        guard report.after == commandID else { return false }
        switch report.fact {
        case .state(let state, quality: .confirmed, _, _) where operation.isMovement:
            if state.satisfies(operation) { return result.fulfil(.confirmed(state)) }
            if state == .jammed { return result.fulfil(.jammed) }
            return false
        case .settings(settings): return result.fulfil(.settingsConfirmed)
        case .refusal(let cause): return result.fulfil(.refused(cause))
        case .state, .door, .battery, .availability, .event, .faults, .settings, .product, .deliveredLate: return false
        }
    }
}
