internal import DoorwardAdapterKit
internal import DoorwardDomain

/// Reports of a simulated lock that are not sent yet, and those stored while it is unreachable.
struct ReportQueue {
    /// In the order of reporting.
    var said: [LockReport.Fact] = []
    /// Stored until the lock is reachable again, oldest first.
    private(set) var missed: [LockReport.Fact] = []
    // The values last reported to the gateway; `nil` before the first report.
    var state: LockState?
    var door: DoorState?
    var batteryLevel = 0
    var isBatteryLow = false

    mutating func say(_ fact: LockReport.Fact) {
        switch fact {
        case .state(let new, _, _, _): state = new
        case .door(let new): door = new
        default: break
        }
        said.append(fact)
    }

    /// Stores a report.
    ///
    /// - Parameter limit: maximum number of stored reports; the oldest is discarded first.
    mutating func miss(_ fact: LockReport.Fact, limit: Int) {
        guard limit > 0, fact.asEvent != nil else { return }
        missed.append(fact)
        if missed.count > limit { missed.removeFirst(missed.count - limit) }
    }

    /// Returns the stored reports as past events, which do not report the present state.
    ///
    /// Leaves out the last movement of the bolt, and of the door, if it led to the present state and the gateway has not received
    /// that state yet: the state report will also report the movement.
    ///
    /// - Returns: the past events, and the bolt movement that was left out, if any.
    mutating func takeMissed(state now: LockState?, door nowDoor: DoorState) -> (
        events: [LockReport.Fact], last: LockReport.Fact?
    ) {
        var rest = missed
        missed = []
        var last: LockReport.Fact?
        if now != state, let index = rest.lastIndex(where: { $0.state != nil && $0.state == now }) {
            last = rest.remove(at: index)
        }
        if nowDoor != door, let index = rest.lastIndex(of: .door(nowDoor)) { rest.remove(at: index) }
        return (rest.compactMap(\.asEvent), last)
    }
}

extension LockReport.Fact {
    /// The report as an event; `nil` if it only reports a state.
    var asEvent: LockReport.Fact? {
        switch self {
        case .state(let state, _, let method, let name):
            state.event.map { .event($0, method: method, operatorName: name) }
        case .door(let door): .event(door == .open ? .doorOpened : .doorClosed, method: nil, operatorName: nil)
        case .event: self
        case .battery, .availability, .refusal, .faults, .deliveredLate: nil
        }
    }

    fileprivate var state: LockState? { if case .state(let state, _, _, _) = self { state } else { nil } }
}

extension LockState {
    /// `nil` for transitional states.
    fileprivate var event: RecordEvent? {
        switch self {
        case .locked: .locked
        case .unlocked: .unlocked
        case .unlatched: .unlatched
        case .jammed: .jammed
        case .locking, .unlocking, .unknown: nil
        }
    }
}
