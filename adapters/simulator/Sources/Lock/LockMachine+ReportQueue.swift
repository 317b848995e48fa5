internal import DoorwardAdapterKit
internal import DoorwardDomain

/// Reports of the lock.
extension LockMachine {
    /// Returns the reports since the last call.
    mutating func takePending() -> [LockReport.Fact] {
        defer { speech.said = [] }
        return speech.said
    }

    mutating func say(_ fact: LockReport.Fact) {
        guard isAway else { return speech.say(fact) }
        if !battery.isDead { speech.miss(fact, limit: settings.offlineMemory) }
    }

    mutating func reportState(_ state: LockState, _ cause: Movement.Cause?) {
        say(.state(state, quality: .confirmed, method: cause?.method, operatorName: cause?.operatorName))
    }

    /// Reports a jam, if the lock can detect one.
    mutating func reportJam(_ cause: Movement.Cause?) {
        if settings.capabilities.contains(.jam) { reportState(.jammed, cause) }
    }

    /// Reports that the lock is unreachable. The transport reports this, so it is delivered while the lock is away.
    mutating func reportAway() { speech.say(.availability(false)) }

    /// Reports the battery if its percentage or its warning has changed, or if it died.
    ///
    /// - Parameter always: reports it even if nothing has changed.
    mutating func reportBattery(always: Bool = false) {
        let isNew = battery.level != speech.batteryLevel || battery.isLow != speech.isBatteryLow
        guard isNew || always, settings.capabilities.contains(.battery) else { return }
        (speech.batteryLevel, speech.isBatteryLow) = (battery.level, battery.isLow)
        guard !battery.isDead else {
            // The battery has just become empty: a lock that was reachable no longer is.
            if isNew { stopMotor() }
            if isNew, !faults.isOffline { reportAway() }
            return
        }
        say(batteryFact)
    }

    /// Reports the whole state, as after attaching; before that, the events stored while it was away.
    mutating func reportAll() {
        (speech.batteryLevel, speech.isBatteryLow) = (battery.level, battery.isLow)
        if isAway { return reportAway() }
        speech.say(.availability(true))
        let missed = speech.takeMissed(state: spokenState, door: door.contact)
        for event in missed.events { speech.say(event) }
        if let last = missed.last {
            speech.say(last)
        } else if let state = spokenState {
            reportState(state, nil)
        }
        if settings.capabilities.contains(.door) { say(.door(door.contact)) }
        if settings.capabilities.contains(.battery) { say(batteryFact) }
    }

    private var batteryFact: LockReport.Fact { .battery(level: battery.level, low: battery.isLow) }

    /// The resting state to report; `nil` while the bolt moves, if the lock does not report that, and for a jammed bolt, if the
    /// lock does not detect jams: the former state would look like the response to a command.
    private var spokenState: LockState? {
        if isStuck { return settings.capabilities.contains(.jam) ? .jammed : nil }
        if let movement, case .arrive = movement.step { return moving }
        return faults.lies ? position.opposite : position
    }

    /// `.locking` or `.unlocking` while the bolt moves, if the lock reports that.
    var moving: LockState? {
        guard case .arrive(let target, _)? = movement?.step, settings.capabilities.contains(.intermediateStates) else {
            return nil
        }
        return target == .locked ? .locking : .unlocking
    }
}
