internal import DoorwardAdapterKit
internal import DoorwardDomain

/// How the bolt moves: by motor with a travel time, by hand at once.
extension LockMachine {
    /// Sets the motor going, in place of any movement under way. Only an order can be refused.
    mutating func begin(_ target: LockState, because cause: Movement.Cause) {
        let luck = Movement.Luck(settings, faults, &draws)
        let isRefused = luck.isRefused && cause == .order
        if !isRefused {
            (isStuck, relockAt) = (false, nil)
            letGoOfLatch()
        }
        let travel = settings.latency + .milliseconds(luck.jitterMs)
        movement = Movement(due: now.advanced(by: travel), step: isRefused ? .refuse : .arrive(at: target, luck), cause: cause)
        if travel > .zero, luck.confirmation == .prompt, let moving { sayState(moving, cause) }
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

    private mutating func arrive(at target: LockState, _ luck: Movement.Luck, _ cause: Movement.Cause) {
        defer {
            // Only now: what the last charge does is still said.
            battery.move()
            sayBattery()
        }
        let meetsFrame = target == .locked && position != .locked && door == .ajar
        if luck.jams || meetsFrame {
            isStuck = true
            if luck.confirmation != .lost { sayJam(cause) }
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

    /// The bolt rests; a held latch wants releasing, and a withdrawn bolt, in a lock that does so, throwing.
    mutating func settle(at state: LockState, saying: Bool, lies: Bool, _ cause: Movement.Cause) {
        if saying { sayState(lies ? state.opposite : state, cause) }
        if state == .unlatched {
            movement = Movement(due: now.advanced(by: Self.latchHold), step: .releaseLatch, cause: .itself)
        } else if state == .unlocked {
            armRelock()
        }
    }

    private mutating func springBack() {
        letGoOfLatch()
        sayState(faults.lies ? LockState.unlocked.opposite : .unlocked, .itself)
        armRelock()
    }

    /// A held latch springs back; every order and every jam ends the hold.
    mutating func letGoOfLatch() {
        if position == .unlatched { position = .unlocked }
    }

    mutating func rest(at state: LockState) {
        if state == .locked, position != .locked { boltBlocksDoor = door != .closed }
        if state != .locked { boltBlocksDoor = false }
        position = state
    }

    // MARK: By hand

    /// A jammed bolt does not turn, nor one that would meet the frame; one that is under way is overtaken.
    mutating func turnThumb(to target: LockState) {
        if faults.jams || (target == .locked && position != .locked && door == .ajar) { return }
        guard target != position || isStuck || movement != nil else { return }
        (isStuck, movement, relockAt) = (false, nil, nil)
        rest(at: target)
        settle(at: target, saying: true, lies: faults.lies, .hand)
    }

    // MARK: By itself

    /// Starts the time to the lock's own locking. With a door contact it runs only while the door is closed: a bolt thrown
    /// beside the open leaf would keep it from closing, and the house would stand open.
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
    /// What a lock with crossed sensors says in place of a resting state.
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
