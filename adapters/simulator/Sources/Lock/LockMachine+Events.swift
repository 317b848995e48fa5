internal import DoorwardAdapterKit
internal import DoorwardDomain

/// External events of the lock.
extension LockMachine {
    /// Applies an event.
    ///
    /// - Parameter slot: the slot whose code is typed, for `.keypad` only; `nil` for the first one of the keypad.
    mutating func handle(_ event: SimulatorEvent, slot: String?) throws(SimulatorEventError) {
        if faults.isAddressInvalid { throw .notAttached }
        guard settings.capabilities.isSuperset(of: event.requiredCapabilities),
            !(event.requiresKeypad && settings.keypadSlots.isEmpty)
        else { throw .unsupported }
        switch event {
        case .jam: jam()
        case .clear: clear()
        case .offline: goOffline()
        case .online: try goOnline()
        case .lowBattery, .deadBattery, .replaceBattery: changeBattery(event)
        case .thumbTurn: turnThumb(to: position == .locked ? .unlocked : .locked)
        case .thumbLock: turnThumb(to: .locked)
        case .thumbUnlock: turnThumb(to: .unlocked)
        case .keypad, .keypadLock, .wrongCode: try pressKeypad(event, slot)
        case .doorOpen, .doorAjar, .doorClose, .doorForce: moveDoor(event)
        case .tamper: report(.event(.tamper, method: nil, operatorName: nil))
        case .loseConfirmations: faults.confirmation = .lost
        case .confirmLate: faults.confirmation = .late
        case .refuse: faults.refuses = true
        case .wrongState: faults.reportsWrongState = true
        case .duplicateReports: faults.duplicates = true
        case .disorderReports: faults.disorders = true
        }
    }

    private mutating func jam() {
        (faults.jams, isStuck, movement, relockAt) = (true, true, nil, nil)
        releaseLatch()
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
                    due: movement.due, step: .arrive(at: target, Movement.Outcome()), cause: movement.cause)
            case .confirmLate(let state, _):
                self.movement = nil
                complete(at: state, isReported: false, reportsWrongState: false, movement.cause)
            case .refuse, .releaseLatch: break
            }
        }
        if battery.isEmpty { stopMotor() }
        reportAll()
    }

    // MARK: Connection and power

    private mutating func goOffline() {
        let wasUnreachable = isUnreachable
        faults.isOffline = true
        if !wasUnreachable { reportUnavailable() }
    }

    private mutating func goOnline() throws(SimulatorEventError) {
        if battery.isEmpty { throw .batteryDead }
        faults.isOffline = false
        reportAll()
    }

    private mutating func changeBattery(_ event: SimulatorEvent) {
        let wasDead = battery.isEmpty
        switch event {
        case .lowBattery: battery.replace(level: min(battery.level, 5, max(settings.lowBatteryLevel, 1)))
        case .deadBattery: battery.replace(level: 0)
        default: battery.replace(level: 100)
        }
        if wasDead, !isUnreachable { reportAll() } else { reportBattery(always: true) }
    }

    /// Stops the motor at its present position, and abandons a change of the settings.
    mutating func stopMotor() {
        (movement, relockAt, settingsChange) = (nil, nil, nil)
        releaseLatch()
    }

    // MARK: The keypad

    private mutating func pressKeypad(_ event: SimulatorEvent, _ slot: String?) throws(SimulatorEventError) {
        if battery.isEmpty { throw .batteryDead }
        if let slot, !settings.keypadSlots.contains(slot) { throw .unknownSlot }
        if keypad.isDisabled(at: now) { return }
        switch event {
        case .wrongCode:
            report(.event(.attemptFailed, method: .keypad, operatorName: nil))
            if keypad.countWrongCode(at: now) { report(.event(.keypadLockout, method: .keypad, operatorName: nil)) }
        case .keypad:
            keypad.resetWrongCodes()
            let name = settings.capabilities.contains(.operator) ? slot ?? settings.keypadSlots.first : nil
            startMovement(to: .unlocked, cause: Movement.Cause(method: .keypad, operatorName: name))
        default: startMovement(to: .locked, cause: Movement.Cause(method: .keypad))
        }
    }

    // MARK: The door

    private mutating func moveDoor(_ event: SimulatorEvent) {
        switch event {
        case .doorForce:
            report(.event(.doorForced, method: nil, operatorName: nil))
            door = .open
        case .doorOpen: door = .open
        case .doorClose where !boltBlocksDoor: door = .closed
        default: door = .ajar
        }
        report(.door(door.contact))
        if door == .closed { scheduleAutoRelock() } else { relockAt = nil }
    }
}
