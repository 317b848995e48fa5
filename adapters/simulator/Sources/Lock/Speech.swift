internal import DoorwardAdapterKit
internal import DoorwardDomain

/// What a simulated lock has said and not yet sent, and what it would have said while nobody heard it.
struct Speech {
    /// In the order in which it was said.
    var said: [LockReport.Fact] = []
    /// Kept for the moment when the lock is back, oldest first.
    private(set) var missed: [LockReport.Fact] = []
    // What the gateway was told last; `nil` before the first word.
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

    /// - Parameter limit: how much is kept; the oldest goes first.
    mutating func miss(_ fact: LockReport.Fact, limit: Int) {
        guard limit > 0, fact.asEvent != nil else { return }
        missed.append(fact)
        if missed.count > limit { missed.removeFirst(missed.count - limit) }
    }

    /// What was missed, for the lock that is back, as events of the past, which say nothing of where things are now.
    ///
    /// The last movement of the bolt, and of the leaf, is left out where it has brought about what the gateway does not know:
    /// the report of that is the report of the movement.
    ///
    /// - Returns: the events, and the last movement of the bolt if it was left out.
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
    /// The same as something that happened at some time; `nil` for what is a condition and nothing else.
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
    /// `nil` for states that are on the way to another.
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
