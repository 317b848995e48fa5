internal import DoorwardAdapterKit
internal import DoorwardDomain

/// Movements of the bolt: by motor with a travel time, by hand at once.
extension LockMachine {
    /// Starts the motor, in place of any movement in progress. Only a command can be rejected.
    mutating func startMovement(to target: LockState, cause: Movement.Cause) {
        let outcome = Movement.Outcome(settings, faults, &random)
        let isRefused = outcome.isRefused && cause == .command
        if !isRefused {
            (isStuck, relockAt) = (false, nil)
            releaseLatch()
        }
        let travel = Duration.milliseconds(settings.latencyMs + outcome.jitterMs)
        movement = Movement(due: now.advanced(by: travel), step: isRefused ? .refuse : .arrive(at: target, outcome), cause: cause)
        if travel > .zero, outcome.confirmation == .prompt, let moving { reportState(moving, cause) }
        advance(to: now)
    }

    mutating func finish(_ movement: Movement) {
        switch movement.step {
        case .arrive(let target, let outcome): arrive(at: target, outcome, movement.cause)
        case .confirmLate(let state, let reportsWrongState):
            complete(at: state, isReported: true, reportsWrongState: reportsWrongState, movement.cause)
        case .releaseLatch: endLatchHold()
        case .refuse:
            report(.refusal(.other))
            if position == .unlatched { endLatchHold() }
        }
    }

    private mutating func arrive(at target: LockState, _ outcome: Movement.Outcome, _ cause: Movement.Cause) {
        defer {
            // Drain the battery after the report, so that a movement that empties the battery is still reported.
            battery.drainByMovement()
            reportBattery()
        }
        let hitsFrame = target == .locked && position != .locked && door == .ajar
        if outcome.jams || hitsFrame {
            isStuck = true
            if outcome.confirmation != .lost { reportJam(cause) }
            return
        }
        setPosition(to: target)
        if outcome.confirmation == .late, settings.lateConfirmationMs > 0 {
            movement = Movement(
                due: now.advanced(by: .milliseconds(settings.lateConfirmationMs)),
                step: .confirmLate(target, reportsWrongState: outcome.reportsWrongState), cause: cause)
        } else {
            complete(at: target, isReported: outcome.confirmation != .lost, reportsWrongState: outcome.reportsWrongState, cause)
        }
    }

    /// Ends a movement; schedules the release of a held latch, and the auto-relock of a withdrawn bolt.
    mutating func complete(at state: LockState, isReported: Bool, reportsWrongState: Bool, _ cause: Movement.Cause) {
        if isReported { reportState(reportsWrongState ? state.opposite : state, cause) }
        if state == .unlatched {
            movement = Movement(due: now.advanced(by: Self.latchHold), step: .releaseLatch, cause: .automatic)
        } else if state == .unlocked {
            scheduleAutoRelock()
        }
    }

    private mutating func endLatchHold() {
        releaseLatch()
        reportState(faults.reportsWrongState ? LockState.unlocked.opposite : .unlocked, .automatic)
        scheduleAutoRelock()
    }

    /// Releases a held latch; every command and every jam ends the hold.
    mutating func releaseLatch() {
        if position == .unlatched { position = .unlocked }
    }

    mutating func setPosition(to state: LockState) {
        if state == .locked, position != .locked { boltBlocksDoor = door != .closed }
        if state != .locked { boltBlocksDoor = false }
        position = state
    }

    // MARK: By hand

    /// Turns the bolt by hand, in place of any movement in progress. The bolt does not turn while the fault `jam` lasts, or if it
    /// would hit the frame.
    mutating func turnThumb(to target: LockState) {
        if faults.jams || (target == .locked && position != .locked && door == .ajar) { return }
        guard target != position || isStuck || movement != nil else { return }
        (isStuck, movement, relockAt) = (false, nil, nil)
        setPosition(to: target)
        complete(at: target, isReported: true, reportsWrongState: faults.reportsWrongState, .manual)
    }

    // MARK: Auto-relock

    /// Starts the auto-relock timer, only while the door is closed: a bolt that extends while the
    /// door is open would keep the door from closing.
    mutating func scheduleAutoRelock() {
        guard settings.autoRelockSeconds > 0, door == .closed, position == .unlocked else { return }
        relockAt = now.advanced(by: .seconds(settings.autoRelockSeconds))
    }

    mutating func autoRelock() {
        guard movement == nil, position == .unlocked, !isStuck, !battery.isEmpty else { return }
        startMovement(to: .locked, cause: .automatic)
    }
}

extension LockState {
    /// The state that a lock with swapped sensors reports in place of a resting state.
    var opposite: LockState {
        switch self {
        case .locked: .unlocked
        case .unlocked, .unlatched: .locked
        case .locking: .unlocking
        case .unlocking: .locking
        case .jammed, .unknown: self
        }
    }
}

/// The next scheduled step of a simulated lock, and when it is due.
struct Movement: Hashable {
    let due: MonotonicInstant
    let step: Step
    let cause: Cause

    /// The change that takes place at `due`.
    enum Step: Hashable {
        case arrive(at: LockState, Outcome)
        /// The command is rejected.
        case refuse
        /// The delayed confirmation is reported.
        case confirmLate(LockState, reportsWrongState: Bool)
        /// The latch is released.
        case releaseLatch
    }

    /// The cause of a movement, as the lock reports it.
    struct Cause: Hashable {
        let method: EventMethod
        /// The keypad slot of the code, if one was typed.
        var operatorName: String?

        static let command = Cause(method: .remote)
        static let automatic = Cause(method: .auto)
        static let manual = Cause(method: .manual)
    }

    /// The random outcome of a movement, drawn when it begins.
    struct Outcome: Hashable {
        /// Added to the lock's latency, in milliseconds.
        var jitterMs = 0
        var jams = false
        var isRefused = false
        var confirmation = SimulatedFaults.Confirmation.prompt
        var reportsWrongState = false

        init() {}

        /// Always takes the same number of draws, so that a fault does not change the outcome of later movements.
        init(_ settings: SimulatorSettings, _ faults: SimulatedFaults, _ random: inout SeededRandom) {
            jitterMs = random.integer(upTo: settings.jitterMs)
            jams = random.chance(settings.jamRate) || faults.jams
            isRefused = random.chance(settings.refusalRate) || faults.refuses
            let (isLost, isLate) = (random.chance(settings.lostConfirmationRate), random.chance(settings.lateConfirmationRate))
            confirmation = isLost ? .lost : isLate ? .late : faults.confirmation
            reportsWrongState = random.chance(settings.wrongStateRate) || faults.reportsWrongState
        }
    }
}

/// The battery of a simulated lock: drained by time and by movements, refilled only by an event.
///
/// The drain by time is computed when the level is read, so that a battery without this drain needs no timer.
struct Battery: Hashable {
    /// The warning ends this many percent above the level at which it begins, so that it does not toggle.
    static let hysteresis = 5

    /// False for a lock on mains power: its charge is constant.
    private let isInstalled: Bool
    private let perDay: Double
    private let perMovement: Double
    private let lowLevel: Int
    /// Percent, 0 to 100.
    private var charge: Double
    /// The instant up to which the drain by time has been applied.
    private var asOf: MonotonicInstant
    /// Whether the lock reports a low battery.
    private(set) var isLow: Bool

    init(_ settings: SimulatorSettings, at now: MonotonicInstant) {
        isInstalled = settings.capabilities.contains(.battery)
        (perDay, perMovement) = (settings.batteryPerDay, settings.batteryPerMovement)
        (lowLevel, charge, asOf) = (settings.lowBatteryLevel, Double(settings.batteryLevel), now)
        isLow = settings.batteryLevel <= settings.lowBatteryLevel
    }

    /// The charge in whole percent, rounded up, so that it is 0 only when the battery is empty.
    var level: Int { Int(charge.rounded(.up)) }

    var isEmpty: Bool { isInstalled && charge <= 0 }

    /// When time alone reduces the level by the next percent; `nil` if it never does.
    var nextLevelDrop: MonotonicInstant? {
        guard isInstalled, perDay > 0, charge > 0 else { return nil }
        let seconds = ((charge - (charge.rounded(.up) - 1)) / perDay * 86_400).rounded(.up)
        // A tiny drain would give an instant beyond the clock's range: check at least once a year.
        return asOf.advanced(by: .seconds(Int64(min(max(seconds, 1), 366 * 86_400))))
    }

    mutating func advance(to now: MonotonicInstant) {
        let days = now.duration(since: asOf) / .seconds(86_400)
        asOf = max(asOf, now)
        if isInstalled, days > 0 { set(charge - days * perDay) }
    }

    mutating func drainByMovement() { if isInstalled { set(charge - perMovement) } }

    /// Replaces the battery, or empties it.
    ///
    /// - Parameter level: percent.
    mutating func replace(level: Int) { set(Double(level)) }

    private mutating func set(_ new: Double) {
        charge = min(max(new, 0), 100)
        isLow = level <= lowLevel || (isLow && level < min(lowLevel + Self.hysteresis, 100))
    }
}
