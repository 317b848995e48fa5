internal import DoorwardAdapterKit
internal import DoorwardDomain

/// Reports of the lock.
extension LockMachine {
    /// Returns the reports since the last call.
    mutating func takePending() -> [LockReport.Fact] {
        defer { reportQueue.pending = [] }
        return reportQueue.pending
    }

    mutating func report(_ fact: LockReport.Fact) {
        guard isUnreachable else { return reportQueue.append(fact) }
        if !battery.isEmpty { reportQueue.storeMissed(fact, limit: settings.offlineMemory) }
    }

    mutating func reportState(_ state: LockState, _ cause: Movement.Cause?) {
        report(.state(state, quality: .confirmed, method: cause?.method, operatorName: cause?.operatorName))
    }

    /// Reports a jam, if the lock can detect one.
    mutating func reportJam(_ cause: Movement.Cause?) {
        if settings.capabilities.contains(.jam) { reportState(.jammed, cause) }
    }

    /// Reports that the lock is unreachable. The transport reports this, not the lock, so the
    /// report is delivered while the lock is unreachable.
    mutating func reportUnavailable() { reportQueue.append(.availability(false)) }

    /// Reports the battery if its percentage or its warning has changed. If the battery has become
    /// empty, reports instead that the lock is unreachable.
    ///
    /// - Parameter always: whether to report the battery even if nothing has changed.
    mutating func reportBattery(always: Bool = false) {
        let isNew = reportQueue.battery != batteryFact
        guard isNew || always, settings.capabilities.contains(.battery) else { return }
        reportQueue.battery = batteryFact
        guard !battery.isEmpty else {
            // The battery has just become empty, so a lock that was reachable becomes unreachable.
            if isNew { stopMotor() }
            if isNew, !faults.isOffline { reportUnavailable() }
            return
        }
        report(batteryFact)
    }

    /// Reports the events that were stored while the lock was unreachable, then the whole state, as after attaching.
    mutating func reportAll() {
        reportQueue.battery = batteryFact
        if isUnreachable { return reportUnavailable() }
        reportQueue.append(.availability(true))
        let missed = reportQueue.takeMissed(state: reportedState, door: door.contact)
        for event in missed.events { reportQueue.append(event) }
        if let last = missed.last {
            reportQueue.append(last)
        } else if let state = reportedState {
            reportState(state, nil)
        }
        if settings.capabilities.contains(.door) { report(.door(door.contact)) }
        if settings.capabilities.contains(.battery) { report(batteryFact) }
    }

    var batteryFact: LockReport.Fact { .battery(level: battery.level, low: battery.isLow) }

    /// The state of the bolt to report. It is `nil` while the bolt moves if the lock does not report movements, and for a jammed
    /// bolt if the lock does not detect jams: the former state would look like the response to a command.
    private var reportedState: LockState? {
        if isStuck { return settings.capabilities.contains(.jam) ? .jammed : nil }
        if let movement, case .arrive = movement.step { return moving }
        return faults.reportsWrongState ? position.opposite : position
    }

    /// `.locking` or `.unlocking` while the bolt moves, if the lock reports movements.
    var moving: LockState? {
        guard case .arrive(let target, _)? = movement?.step, settings.capabilities.contains(.intermediateStates) else {
            return nil
        }
        return target == .locked ? .locking : .unlocking
    }
}

/// Reports of a simulated lock that are not sent yet, and those stored while it is unreachable.
struct ReportQueue {
    /// The reports to send, in order.
    var pending: [LockReport.Fact] = []
    /// The reports stored until the lock is reachable again, oldest first.
    private(set) var missed: [LockReport.Fact] = []
    // The values last reported to the gateway; `nil` before the first report.
    var state: LockState?
    var door: DoorState?
    /// The battery when `reportBattery` or `reportAll` was last called, whether or not it was reported.
    var battery: LockReport.Fact?

    mutating func append(_ fact: LockReport.Fact) {
        switch fact {
        case .state(let new, _, _, _): state = new
        case .door(let new): door = new
        default: break
        }
        pending.append(fact)
    }

    /// Stores a report.
    ///
    /// - Parameter limit: maximum number of stored reports; the oldest is discarded first.
    mutating func storeMissed(_ fact: LockReport.Fact, limit: Int) {
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
        case .battery, .availability, .refusal, .faults, .settings, .product, .deliveredLate: nil
        }
    }

    fileprivate var state: LockState? { if case .state(let state, _, _, _) = self { state } else { nil } }
}

extension LockState {
    /// The event of a movement to this state; `nil` for transitional states and the unknown state.
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
