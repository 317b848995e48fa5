internal import DoorwardAdapterKit
internal import DoorwardDomain

/// What the lock says, when anybody can hear it.
extension LockMachine {
    /// What was said since the last call.
    mutating func takeSaid() -> [LockReport.Fact] {
        defer { speech.said = [] }
        return speech.said
    }

    mutating func say(_ fact: LockReport.Fact) {
        guard isAway else { return speech.say(fact) }
        if !battery.isDead { speech.miss(fact, limit: settings.offlineMemory) }
    }

    mutating func sayState(_ state: LockState, _ cause: Movement.Cause?) {
        say(.state(state, quality: .confirmed, method: cause?.method, operatorName: cause?.operatorName))
    }

    /// Nothing, where the lock cannot say that it jams.
    mutating func sayJam(_ cause: Movement.Cause?) {
        if settings.capabilities.contains(.jam) { sayState(.jammed, cause) }
    }

    /// The word of the transport, not the lock's own: it is heard while the lock is not.
    mutating func sayAway() { speech.say(.availability(false)) }

    /// Says so when the battery has fallen to another percent or another warning, or died.
    ///
    /// - Parameter always: even if nothing has changed.
    mutating func sayBattery(always: Bool = false) {
        let isNew = battery.level != speech.batteryLevel || battery.isLow != speech.isBatteryLow
        guard isNew || always, settings.capabilities.contains(.battery) else { return }
        (speech.batteryLevel, speech.isBatteryLow) = (battery.level, battery.isLow)
        guard !battery.isDead else {
            // The last charge has just gone: a lock that was in reach is not any more.
            if isNew { stopMotor() }
            if isNew, !faults.isOffline { sayAway() }
            return
        }
        say(batteryFact)
    }

    /// Everything that the lock can say of itself, as after attaching; before it, what it remembers of the time away.
    mutating func sayCondition() {
        (speech.batteryLevel, speech.isBatteryLow) = (battery.level, battery.isLow)
        if isAway { return sayAway() }
        speech.say(.availability(true))
        let missed = speech.takeMissed(state: spokenState, door: door.contact)
        for event in missed.events { speech.say(event) }
        if let last = missed.last {
            speech.say(last)
        } else if let state = spokenState {
            sayState(state, nil)
        }
        if settings.capabilities.contains(.door) { say(.door(door.contact)) }
        if settings.capabilities.contains(.battery) { say(batteryFact) }
    }

    private var batteryFact: LockReport.Fact { .battery(level: battery.level, low: battery.isLow) }

    /// `nil` for a bolt under way, which rests nowhere, in a lock that has no word for that, and for a stuck one in a lock
    /// that cannot say that it jams: a word of where it was would read as the answer to an order.
    private var spokenState: LockState? {
        if isStuck { return settings.capabilities.contains(.jam) ? .jammed : nil }
        if let movement, case .arrive = movement.step { return moving }
        return faults.lies ? position.opposite : position
    }

    /// `.locking` or `.unlocking` while the bolt travels, if the lock reports that.
    var moving: LockState? {
        guard case .arrive(let target, _)? = movement?.step, settings.capabilities.contains(.intermediateStates) else {
            return nil
        }
        return target == .locked ? .locking : .unlocking
    }
}
