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
        (reportQueue.batteryLevel, reportQueue.isBatteryLow) = (battery.level, battery.isLow)
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
        (reportQueue.batteryLevel, reportQueue.isBatteryLow) = (battery.level, battery.isLow)
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

extension LockOperation {
    /// The resting position after the operation; `nil` if the operation moves nothing.
    fileprivate var restingState: LockState? {
        switch self {
        case .lock: .locked
        case .unlock: .unlocked
        case .unlatch: .unlatched
        case .viewStatus, .changeSettings, .viewAccessHistory, .grantAccess, .lockdown: nil
        }
    }
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
