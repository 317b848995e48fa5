internal import DoorwardAdapterKit
internal import DoorwardDomain

/// External events of the lock.
extension LockMachine {
    /// Applies an event.
    ///
    /// - Parameter slot: the slot whose code is typed, for `.keypad` only; `nil` for the first one of the keypad.
    mutating func happen(_ event: SimulatorEvent, slot: String?) throws(SimulatorEventError) {
        if faults.isUnreadable { throw .notAttached }
        guard settings.capabilities.isSuperset(of: event.needs), !(event.needsKeypad && settings.keypadSlots.isEmpty)
        else { throw .unsupported }
        switch event {
        case .jam: jam()
        case .clear: clear()
        case .offline: goAway()
        case .online: try comeBack()
        case .lowBattery, .deadBattery, .replaceBattery: changeBattery(event)
        case .thumbTurn: turnThumb(to: position == .locked ? .unlocked : .locked)
        case .thumbLock: turnThumb(to: .locked)
        case .thumbUnlock: turnThumb(to: .unlocked)
        case .keypad, .keypadLock, .wrongCode: try press(event, slot)
        case .doorOpen, .doorAjar, .doorClose, .doorForce: moveDoor(event)
        case .tamper: say(.event(.tamper, method: nil, operatorName: nil))
        case .loseConfirmations: faults.confirmation = .lost
        case .confirmLate: faults.confirmation = .late
        case .refuse: faults.refuses = true
        case .wrongState: faults.lies = true
        case .duplicateReports: faults.duplicates = true
        case .disorderReports: faults.disorders = true
        }
    }

    private mutating func jam() {
        (faults.jams, isStuck, movement, relockAt) = (true, true, nil, nil)
        letGoOfLatch()
        reportJam(nil)
    }

    /// Ends all faults. A movement in progress continues without the faults that it began with.
    private mutating func clear() {
        (faults, isStuck, keypad) = (SimulatedFaults(), false, Keypad())
        battery.replace(level: settings.batteryLevel)
        if let movement {
            switch movement.step {
            case .arrive(let target, _):
                self.movement = Movement(
                    due: movement.due, step: .arrive(at: target, Movement.MovementOutcome()), cause: movement.cause)
            case .confirmLate(let state, _):
                self.movement = nil
                settle(at: state, saying: false, lies: false, movement.cause)
            case .refuse, .releaseLatch: break
            }
        }
        if battery.isDead { stopMotor() }
        reportAll()
    }

    // MARK: Connection and power

    private mutating func goAway() {
        let wasAway = isAway
        faults.isOffline = true
        if !wasAway { reportAway() }
    }

    private mutating func comeBack() throws(SimulatorEventError) {
        if battery.isDead { throw .batteryDead }
        faults.isOffline = false
        reportAll()
    }

    private mutating func changeBattery(_ event: SimulatorEvent) {
        let wasDead = battery.isDead
        switch event {
        case .lowBattery: battery.replace(level: min(battery.level, 5, max(settings.lowBatteryLevel, 1)))
        case .deadBattery: battery.replace(level: 0)
        default: battery.replace(level: 100)
        }
        if wasDead, !isAway { reportAll() } else { reportBattery(always: true) }
    }

    /// Stops the motor at its present position.
    mutating func stopMotor() {
        (movement, relockAt) = (nil, nil)
        letGoOfLatch()
    }

    // MARK: The keypad

    private mutating func press(_ event: SimulatorEvent, _ slot: String?) throws(SimulatorEventError) {
        if battery.isDead { throw .batteryDead }
        if let slot, !settings.keypadSlots.contains(slot) { throw .unknownSlot }
        if keypad.isShut(at: now) { return }
        switch event {
        case .wrongCode:
            say(.event(.attemptFailed, method: .keypad, operatorName: nil))
            if keypad.wrongCode(at: now) { say(.event(.keypadLockout, method: .keypad, operatorName: nil)) }
        case .keypad:
            keypad.rightCode()
            let name = settings.capabilities.contains(.operator) ? slot ?? settings.keypadSlots.first : nil
            begin(.unlocked, because: Movement.Cause(method: .keypad, operatorName: name))
        default: begin(.locked, because: Movement.Cause(method: .keypad))
        }
    }

    // MARK: The door

    private mutating func moveDoor(_ event: SimulatorEvent) {
        switch event {
        case .doorForce:
            say(.event(.doorForced, method: nil, operatorName: nil))
            door = .open
        case .doorOpen: door = .open
        case .doorClose where !boltBlocksDoor: door = .closed
        default: door = .ajar
        }
        say(.door(door.contact))
        if door == .closed { armRelock() } else { relockAt = nil }
    }
}
