internal import DoorwardAdapterKit
internal import DoorwardDomain

/// A simulated lock as a state machine: time, commands and events are the input, reports are the output.
///
/// The machine has no clock and no thread. Its owner calls `advance(to:)` before every input and at `nextDue`, and collects the
/// reports with `takePending()`.
struct LockMachine {
    /// Constant, except for the settings that a command changes.
    var settings: SimulatorSettings
    var random: SeededRandom

    // Positions and faults.
    /// Resting position of the bolt: `.locked`, `.unlocked` or, while the latch is held, `.unlatched`.
    var position: LockState
    /// Whether the last movement jammed and the bolt has not been freed since.
    var isStuck = false
    var door = DoorLeaf.closed
    /// Whether the bolt was extended while the leaf was open: the door cannot close before it is withdrawn.
    var boltBlocksDoor = false
    var battery: Battery
    var keypad = Keypad()
    var faults = SimulatedFaults()

    // Scheduled changes.
    var movement: Movement?
    /// When the auto-relock is due.
    var relockAt: MonotonicInstant?
    var settingsChange: SettingsChange?
    private(set) var now: MonotonicInstant

    var reportQueue = ReportQueue()

    /// How long the latch is held after an unlatch.
    static let latchHold = Duration.seconds(3)

    init(_ settings: SimulatorSettings, id: DeviceID, at now: MonotonicInstant) {
        self.settings = settings
        random = SeededRandom(seed: settings.randomSeed(of: id))
        (position, self.now) = (settings.initialState, now)
        battery = Battery(settings, at: now)
        reportQueue.battery = batteryFact
    }

    /// Creates a lock whose address is invalid. The lock is never reachable.
    init(invalidAddressOf id: DeviceID, at now: MonotonicInstant) {
        self.init(SimulatorSettings(), id: id, at: now)
        faults.isOffline = true
        faults.isAddressInvalid = true
    }

    /// Whether the lock is unreachable for the gateway.
    var isUnreachable: Bool { faults.isOffline || battery.isEmpty }

    // MARK: Time

    /// When the next scheduled change is due; `nil` if there is none.
    var nextDue: MonotonicInstant? {
        [movement?.due, relockAt, settingsChange?.due, battery.nextLevelDrop].compactMap { $0 }.min()
    }

    /// Applies everything that is due by `instant`, each change at its own instant.
    mutating func advance(to instant: MonotonicInstant) {
        while let due = nextDue, due <= instant {
            advanceClock(to: due)
            if let movement, movement.due <= due {
                self.movement = nil
                finish(movement)
            } else if let relockAt, relockAt <= due {
                self.relockAt = nil
                autoRelock()
            } else if let change = settingsChange, change.due <= due {
                settingsChange = nil
                finish(change)
            }
        }
        advanceClock(to: instant)
    }

    /// Moves the clock. If the battery dies meanwhile, the scheduled movement is cancelled.
    private mutating func advanceClock(to instant: MonotonicInstant) {
        now = max(now, instant)
        battery.advance(to: now)
        reportBattery()
    }

    /// Cancels the scheduled changes and discards the reports, when the lock is disconnected.
    mutating func reset() {
        (movement, relockAt, settingsChange) = (nil, nil, nil)
        releaseLatch()
        reportQueue = ReportQueue()
        reportQueue.battery = batteryFact
    }

    // MARK: Commands

    /// - Parameter settings: the new settings, for `.changeSettings` only.
    mutating func execute(_ operation: LockOperation, settings new: LockSettings? = nil) throws(AdapterError) {
        if operation == .changeSettings { return try change(to: new) }
        guard let target = operation.restingState, let needed = operation.requiredCapability,
            settings.capabilities.contains(needed)
        else { throw .unsupported }
        if isUnreachable { throw .offline }
        startMovement(to: target, cause: .command)
    }

    mutating func refresh() throws(AdapterError) {
        guard settings.capabilities.contains(.refresh) else { throw .unsupported }
        if isUnreachable { throw .offline }
        reportAll()
    }
}

extension SimulatorSettings {
    fileprivate func randomSeed(of id: DeviceID) -> UInt64 { seed.map { UInt64(bitPattern: $0) } ?? id.high ^ id.low }

    /// Returns the generator for transmission faults. It is separate from the lock's own generator, so that neither affects the
    /// other's draws.
    func channelRandom(of id: DeviceID) -> SeededRandom { SeededRandom(seed: randomSeed(of: id) ^ 0x5DEE_CE66_D1CE_4E5B) }
}

/// Faults of a simulated lock, which last until they are cleared.
struct SimulatedFaults: Hashable {
    var jams = false
    var refuses = false
    /// Reports the opposite of the bolt's resting position.
    var reportsWrongState = false
    var isOffline = false
    /// The address is invalid, so the lock never becomes reachable.
    var isAddressInvalid = false
    var confirmation = Confirmation.prompt
    var duplicates = false
    var disorders = false

    /// When a completed movement is reported.
    enum Confirmation: Hashable {
        case prompt
        case late
        case lost
    }
}

/// Position of a simulated door leaf. The door contact reports only two states: every position but closed is reported as open.
enum DoorLeaf: Hashable {
    case closed
    case open
    /// Leaning on the frame: a bolt that extends now hits the frame's edge.
    case ajar

    var contact: DoorState { self == .closed ? .closed : .open }
}

/// A change of the settings by a command. It does not interrupt a movement.
extension LockMachine {
    /// Schedules the change, in place of one in progress. Its faults are those of a movement: refusal, lost or late confirmation.
    mutating func change(to new: LockSettings?) throws(AdapterError) {
        guard let seconds = new?.autoRelockSeconds, SimulatorSettings.autoRelockRange.contains(Int64(seconds)),
            settings.capabilities.contains(.settings)
        else { throw .unsupported }
        if isUnreachable { throw .offline }
        let outcome = Movement.Outcome(settings, faults, &random)
        let time = Duration.milliseconds(settings.latencyMs + outcome.jitterMs)
        settingsChange = SettingsChange(due: now.advanced(by: time), seconds: seconds, outcome: outcome)
        advance(to: now)
    }

    mutating func finish(_ change: SettingsChange) {
        if change.outcome.isRefused { return report(.refusal(.other)) }
        if !change.isApplied { apply(change) }
        switch change.outcome.confirmation {
        case .lost: break
        case .late where !change.isApplied && settings.lateConfirmationMs > 0:
            settingsChange = SettingsChange(
                due: now.advanced(by: .milliseconds(settings.lateConfirmationMs)), seconds: change.seconds,
                outcome: change.outcome, isApplied: true)
        case .late, .prompt: report(.settings(LockSettings(autoRelockSeconds: change.seconds)))
        }
    }

    /// An unlocked bolt relocks after the new time, counted from now.
    private mutating func apply(_ change: SettingsChange) {
        settings.autoRelockSeconds = change.seconds
        relockAt = nil
        if movement == nil, !isStuck { scheduleAutoRelock() }
    }
}

/// A scheduled change of the settings of a simulated lock.
struct SettingsChange: Hashable {
    let due: MonotonicInstant
    /// The new auto-relock time; 0 for none.
    let seconds: Int
    let outcome: Movement.Outcome
    /// Whether only the delayed confirmation is still to be reported at `due`.
    var isApplied = false
}

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
        case .lowBattery: changeBattery(to: min(battery.level, 5, max(settings.lowBatteryLevel, 1)))
        case .deadBattery: changeBattery(to: 0)
        case .replaceBattery: changeBattery(to: 100)
        case .thumbTurn: turnThumb(to: position == .locked ? .unlocked : .locked)
        case .thumbLock: turnThumb(to: .locked)
        case .thumbUnlock: turnThumb(to: .unlocked)
        case .keypad, .keypadLock, .wrongCode: try pressKeypad(event, slot)
        case .doorOpen: moveDoor(to: .open)
        case .doorAjar: moveDoor(to: .ajar)
        case .doorClose: moveDoor(to: boltBlocksDoor ? .ajar : .closed)
        case .doorForce:
            report(.event(.doorForced, method: nil, operatorName: nil))
            moveDoor(to: .open)
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
                self.movement = Movement(due: movement.due, step: .arrive(at: target, Movement.Outcome()), cause: movement.cause)
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

    private mutating func changeBattery(to level: Int) {
        let wasDead = battery.isEmpty
        battery.replace(level: level)
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

    private mutating func moveDoor(to leaf: DoorLeaf) {
        door = leaf
        report(.door(door.contact))
        if door == .closed { scheduleAutoRelock() } else { relockAt = nil }
    }
}

/// The keypad of a simulated lock: counts wrong codes, and disables itself for a while.
struct Keypad: Hashable {
    /// The number of wrong codes in a row that disable the keypad.
    static let maxWrongCodes = 5
    /// How long the keypad stays disabled.
    static let lockout = Duration.seconds(60)

    private var wrongCodes = 0
    private var disabledUntil: MonotonicInstant?

    /// Whether the keypad is disabled.
    func isDisabled(at now: MonotonicInstant) -> Bool { disabledUntil.map { now < $0 } ?? false }

    mutating func resetWrongCodes() { wrongCodes = 0 }

    /// - Returns: whether this code disabled the keypad.
    mutating func countWrongCode(at now: MonotonicInstant) -> Bool {
        wrongCodes += 1
        guard wrongCodes >= Self.maxWrongCodes else { return false }
        wrongCodes = 0
        disabledUntil = now.advanced(by: Self.lockout)
        return true
    }
}
