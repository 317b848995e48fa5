import DequeModule
internal import DoorwardAdapterKit
internal import DoorwardDomain
import Synchronization

/// The commands of one device: one runs, the others wait their turn in order; and the gate that its orders leave by.
final class DeviceLane: Sendable {
    /// How many commands wait at the most, beside the one that runs.
    static let longestQueue = 16
    /// How many of them may be of one principal.
    static let mostOfOnePrincipal = 4

    private struct Queue {
        var running: QueuePlace?
        var waiting = Deque<QueuePlace>()
        /// The order that was sent, or is just being sent, and waits for the lock's word.
        var order: OrderUnderWay?
    }

    private let queue = Mutex(Queue())
    private let gate = Mutex(())

    /// Takes a place at the end of the queue.
    ///
    /// - Returns: `nil` when the queue is full, or holds enough of this principal.
    func reserve(for principal: Principal) -> QueuePlace? {
        queue.withLock { queue in
            let place = QueuePlace(principal: principal)
            guard queue.running != nil else {
                queue.running = place
                place.turn.fulfil(.come)
                return place
            }
            let ofPrincipal = queue.waiting.count { $0.principal == principal }
            guard queue.waiting.count < Self.longestQueue, ofPrincipal < Self.mostOfOnePrincipal else { return nil }
            queue.waiting.append(place)
            return place
        }
    }

    /// Gives the place up. If it was at the head, the next one that still waits has its turn.
    ///
    /// - Returns: true when nobody is left in the lane.
    func leave(_ place: QueuePlace) -> Bool {
        queue.withLock { queue in
            if queue.running === place {
                queue.running = nil
                queue.order = nil
                while queue.running == nil, let next = queue.waiting.popFirst() {
                    if next.turn.fulfil(.come) { queue.running = next }
                }
            } else {
                queue.waiting.removeAll { $0 === place }
            }
            return queue.running == nil
        }
    }

    /// How many wait for their turn.
    var waitingCount: Int { queue.withLock { $0.waiting.count } }

    /// Ends the waiting of all who wait their turn.
    func dismissWaiting() {
        for place in queue.withLock({ Array($0.waiting) }) { place.turn.fulfil(.shuttingDown) }
    }

    /// Runs `body` alone in the device's dispatch gate: whoever takes a right away passes through it after publishing, and
    /// then knows that no decision on the old directory is still under way here.
    func inGate<Value>(_ body: () -> sending Value) -> sending Value { gate.withLock { _ in body() } }

    /// Waits until whoever is in the gate has left it.
    func passGate() { gate.withLock { _ in } }

    /// Announces the order that is about to be sent, so that an answer that comes at once finds it.
    func expect(_ order: OrderUnderWay) { queue.withLock { $0.order = order } }

    /// Forgets the announced order: it was not sent, or its command has ended.
    func expectNothing() { queue.withLock { $0.order = nil } }

    var orderUnderWay: OrderUnderWay? { queue.withLock { $0.order } }
}

/// One command's place in a lane.
final class QueuePlace: Sendable {
    enum Turn: Sendable {
        /// The place is at the head of the queue.
        case come
        case deadlinePassed
        case shuttingDown
    }

    let principal: Principal
    let turn = Promise<Turn>()

    init(principal: Principal) { self.principal = principal }
}

/// An order between its dispatch and the lock's word.
final class OrderUnderWay: Sendable {
    enum Ending: Sendable {
        /// A live report says that the lock is where the operation wanted it.
        case confirmed(LockState)
        case jammed
        case refused(RefusalCause)
        case deadlinePassed
        /// The gateway stops and cannot wait any longer.
        case abandoned
        /// The device is another lock now: the one that was told to move has no more to say.
        case replaced
    }

    let commandID: CommandID
    let operation: LockOperation
    let ending = Promise<Ending>()

    init(commandID: CommandID, operation: LockOperation) { (self.commandID, self.operation) = (commandID, operation) }

    /// Ends the order if `report` is the lock's word on it.
    ///
    /// What the lock said before the order had left never ends it, and retained, assumed and stale states, which say nothing of
    /// what it did afterwards, do not either.
    ///
    /// - Returns: whether the report ended this order, now.
    func consider(_ report: LockReport) -> Bool {
        guard report.after == commandID else { return false }
        switch report.fact {
        case .state(let state, quality: .confirmed, _, _):
            if state.satisfies(operation) { return ending.fulfil(.confirmed(state)) }
            if state == .jammed { return ending.fulfil(.jammed) }
            return false
        case .refusal(let cause): return ending.fulfil(.refused(cause))
        case .state, .door, .battery, .availability, .event, .faults, .deliveredLate: return false
        }
    }
}
