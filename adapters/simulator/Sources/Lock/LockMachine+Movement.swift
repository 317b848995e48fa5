internal import DoorwardAdapterKit
internal import DoorwardDomain

/// Movements of the bolt: by motor with a travel time, by hand at once.
extension LockMachine {
    /// Starts the motor, in place of any movement in progress. Only a command can be rejected.
    mutating func begin(_ target: LockState, because cause: Movement.Cause) {
        let luck = Movement.MovementOutcome(settings, faults, &draws)
        let isRefused = luck.isRefused && cause == .order
        if !isRefused {
            (isStuck, relockAt) = (false, nil)
            letGoOfLatch()
        }
        let travel = settings.latency + .milliseconds(luck.jitterMs)
        movement = Movement(due: now.advanced(by: travel), step: isRefused ? .refuse : .arrive(at: target, luck), cause: cause)
        if travel > .zero, luck.confirmation == .prompt, let moving { reportState(moving, cause) }
        advance(to: now)
    }

    mutating func finish(_ movement: Movement) {
        switch movement.step {
        case .arrive(let target, let luck): arrive(at: target, luck, movement.cause)
        case .confirmLate(let state, let lies): settle(at: state, saying: true, lies: lies, movement.cause)
        case .releaseLatch: springBack()
        case .refuse:
            say(.refusal(.other))
            if position == .unlatched { springBack() }
        }
    }

    private mutating func arrive(at target: LockState, _ luck: Movement.MovementOutcome, _ cause: Movement.Cause) {
        defer {
            // Drain the battery after the report, so that a movement that empties the battery is still reported.
            battery.move()
            reportBattery()
        }
        let meetsFrame = target == .locked && position != .locked && door == .ajar
        if luck.jams || meetsFrame {
            isStuck = true
            if luck.confirmation != .lost { reportJam(cause) }
            return
        }
        rest(at: target)
        if luck.confirmation == .late, settings.lateConfirmation > .zero {
            movement = Movement(
                due: now.advanced(by: settings.lateConfirmation), step: .confirmLate(target, lies: luck.lies), cause: cause)
        } else {
            settle(at: target, saying: luck.confirmation != .lost, lies: luck.lies, cause)
        }
    }

    /// Ends a movement; schedules the release of a held latch, and the auto-relock of a withdrawn bolt.
    mutating func settle(at state: LockState, saying: Bool, lies: Bool, _ cause: Movement.Cause) {
        if saying { reportState(lies ? state.opposite : state, cause) }
        if state == .unlatched {
            movement = Movement(due: now.advanced(by: Self.latchHold), step: .releaseLatch, cause: .itself)
        } else if state == .unlocked {
            armRelock()
        }
    }

    private mutating func springBack() {
        letGoOfLatch()
        reportState(faults.lies ? LockState.unlocked.opposite : .unlocked, .itself)
        armRelock()
    }

    /// Releases a held latch; every command and every jam ends the hold.
    mutating func letGoOfLatch() {
        if position == .unlatched { position = .unlocked }
    }

    mutating func rest(at state: LockState) {
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
        rest(at: target)
        settle(at: target, saying: true, lies: faults.lies, .hand)
    }

    // MARK: Auto-relock

    /// Starts the auto-relock timer, only while the door is closed: a bolt that extends while the
    /// door is open would keep the door from closing.
    mutating func armRelock() {
        guard let time = settings.autoRelock, door == .closed, position == .unlocked else { return }
        relockAt = now.advanced(by: time)
    }

    mutating func relock() {
        guard movement == nil, position == .unlocked, !isStuck, !battery.isDead else { return }
        begin(.locked, because: .itself)
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
        case arrive(at: LockState, MovementOutcome)
        /// The command is rejected.
        case refuse
        /// The delayed confirmation is reported.
        case confirmLate(LockState, lies: Bool)
        /// The latch is released.
        case releaseLatch
    }

    /// The cause of a movement, as the lock reports it.
    struct Cause: Hashable {
        let method: EventMethod
        /// The keypad slot of the code, if one was typed.
        var operatorName: String?

        static let order = Cause(method: .remote)
        static let itself = Cause(method: .auto)
        static let hand = Cause(method: .manual)
    }

    /// The random outcome of a movement, drawn when it begins.
    struct MovementOutcome: Hashable {
        /// Added to the lock's latency, in milliseconds.
        var jitterMs: Int64 = 0
        var jams = false
        var isRefused = false
        var confirmation = SimulatedFaults.Confirmation.prompt
        var lies = false

        init() {}

        /// Always takes the same number of draws, so that a fault does not change the outcome of later movements.
        init(_ settings: SimulatorSettings, _ faults: SimulatedFaults, _ draws: inout SeededRandom) {
            jitterMs = draws.integer(upTo: settings.jitterMs)
            jams = draws.chance(settings.jamRate) || faults.jams
            isRefused = draws.chance(settings.refusalRate) || faults.refuses
            let (isLost, isLate) = (draws.chance(settings.lostConfirmationRate), draws.chance(settings.lateConfirmationRate))
            confirmation = isLost ? .lost : isLate ? .late : faults.confirmation
            lies = draws.chance(settings.wrongStateRate) || faults.lies
        }
    }
}
