internal import DoorwardAdapterKit
internal import DoorwardDomain

/// A simulated lock as a state machine: time and what it is told go in, what it says comes out.
///
/// It has no clock and no thread: whoever holds it calls `advance(to:)` before every input and at `nextDue`, and fetches
/// what it has said with `takeSaid()`.
struct LockMachine {
    let settings: SimulatorSettings
    var draws: Draws

    // Where things are.
    /// Where the bolt rests: `.locked`, `.unlocked` or, while the latch is held, `.unlatched`.
    var position: LockState
    /// Whether the last movement jammed and nothing has freed the bolt since.
    var isStuck = false
    var door = DoorLeaf.closed
    /// Whether the bolt was thrown while the leaf was not home: the leaf cannot come home before it is withdrawn.
    var boltBlocksDoor = false
    var battery: Battery
    var keypad = Keypad()
    var faults = SimulatedFaults()

    // What comes of itself.
    var movement: Movement?
    /// When the lock locks itself.
    var relockAt: MonotonicInstant?
    private(set) var now: MonotonicInstant

    var speech = Speech()

    /// How long the latch is held after an unlatch.
    static let latchHold = Duration.seconds(3)

    init(_ settings: SimulatorSettings, id: DeviceID, at now: MonotonicInstant) {
        self.settings = settings
        draws = Draws(seed: settings.drawSeed(of: id))
        (position, self.now) = (settings.initialState, now)
        battery = Battery(settings, at: now)
        (speech.batteryLevel, speech.isBatteryLow) = (battery.level, battery.isLow)
    }

    /// A lock whose address cannot be read: it is never in reach.
    init(unreadable id: DeviceID, at now: MonotonicInstant) {
        self.init(SimulatorSettings(), id: id, at: now)
        faults.isOffline = true
        faults.isUnreadable = true
    }

    /// Whether the gateway and the lock cannot hear each other.
    var isAway: Bool { faults.isOffline || battery.isDead }

    // MARK: Time

    /// When the machine next does something of itself; `nil` when it rests.
    var nextDue: MonotonicInstant? { [movement?.due, relockAt, battery.nextFall].compactMap { $0 }.min() }

    /// Does everything that is due by `instant`, each at its own instant.
    mutating func advance(to instant: MonotonicInstant) {
        while let due = nextDue, due <= instant {
            pass(to: due)
            if let movement, movement.due <= due {
                self.movement = nil
                finish(movement)
            } else if let relockAt, relockAt <= due {
                self.relockAt = nil
                relock()
            }
        }
        pass(to: instant)
    }

    /// A battery that dies on the way takes what would have moved with it.
    private mutating func pass(to instant: MonotonicInstant) {
        now = max(now, instant)
        battery.pass(to: now)
        sayBattery()
    }

    /// Forgets what was under way, as a lock that nobody listens to any more.
    mutating func halt() {
        (movement, relockAt) = (nil, nil)
        letGoOfLatch()
        speech = Speech()
        (speech.batteryLevel, speech.isBatteryLow) = (battery.level, battery.isLow)
    }

    // MARK: Orders

    mutating func order(_ operation: LockOperation) throws(AdapterError) {
        guard let target = operation.restingState, let needed = operation.requiredCapability,
            settings.capabilities.contains(needed)
        else { throw .unsupported }
        if isAway { throw .offline }
        begin(target, because: .order)
    }

    mutating func refresh() throws(AdapterError) {
        guard settings.capabilities.contains(.refresh) else { throw .unsupported }
        if isAway { throw .offline }
        sayCondition()
    }
}

extension SimulatorSettings {
    fileprivate func drawSeed(of id: DeviceID) -> UInt64 { seed.map { UInt64(bitPattern: $0) } ?? id.high ^ id.low }

    /// Draws for what happens to reports on their way, apart from the lock's own, so that the one does not change the other.
    func lineDraws(of id: DeviceID) -> Draws { Draws(seed: drawSeed(of: id) ^ 0x5DEE_CE66_D1CE_4E5B) }
}

extension LockOperation {
    /// Where the bolt stands when this has been done; `nil` for what moves nothing.
    fileprivate var restingState: LockState? {
        switch self {
        case .lock: .locked
        case .unlock: .unlocked
        case .unlatch: .unlatched
        case .viewStatus, .changeSettings, .viewAccessHistory, .grantAccess, .lockdown: nil
        }
    }
}
