internal import DoorwardAdapterKit
internal import DoorwardDomain

/// A simulated lock as a state machine: what it is told goes in, what it says and when it wants to be woken comes out.
///
/// It knows no clock and no thread. Every order takes the same number of draws from the seed, whatever comes of it, so
/// that a fault does not change the luck of later orders.
struct LockMachine {
    private let settings: SimulatorSettings
    private var draws: Draws

    // Where things are.
    /// Where the bolt rests: `.locked`, `.unlocked` or, while the latch is held, `.unlatched`.
    private var position: LockState
    /// Whether the last movement jammed and nothing has freed the bolt since.
    private var isStuck = false
    private var door = DoorState.closed
    private var batteryLevel: Int
    private var faults = SimulatedFaults()
    /// What the lock does when its timer fires; `nil` when it rests.
    private var pending: Pending?

    /// How long the latch is held after an unlatch.
    static let latchHold = Duration.seconds(3)
    /// At and below this level the lock warns.
    static let lowBattery = 20

    /// What the lock does next.
    private enum Pending {
        case arrive(at: LockState, jams: Bool, confirmation: SimulatedFaults.Confirmation)
        case refuse
        case confirmLate(LockState)
        case releaseLatch
    }

    /// What comes of an input.
    struct Response {
        var facts: [LockReport.Fact] = []
        var timer = Timer.keep

        enum Timer: Hashable {
            /// As it was.
            case keep
            case cancel
            /// In place of the one that runs, if one does.
            case start(Duration)
        }
    }

    init(_ settings: SimulatorSettings, id: DeviceID) {
        self.settings = settings
        draws = Draws(seed: settings.seed.map { UInt64(bitPattern: $0) } ?? id.high ^ id.low)
        (position, batteryLevel) = (settings.initialState, settings.batteryLevel)
    }

    /// A lock whose address cannot be read: it is never in reach.
    init(unreadable id: DeviceID) {
        self.init(SimulatorSettings(), id: id)
        faults.isOffline = true
        faults.isUnreadable = true
    }

    // MARK: Orders

    mutating func order(_ operation: LockOperation) throws(AdapterError) -> Response {
        guard let target = operation.restingState, let needed = operation.requiredCapability,
            settings.capabilities.contains(needed)
        else { throw .unsupported }
        if faults.isOffline { throw .offline }
        let jitter = draws.integer(upTo: settings.jitterMs)
        let jams = draws.chance(settings.jamRate) || faults.jams
        let isLost = draws.chance(settings.lostConfirmationRate)
        let confirmation = isLost ? .lost : faults.confirmation
        if faults.refuses {
            pending = .refuse
        } else {
            isStuck = false
            letGoOfLatch()
            pending = .arrive(at: target, jams: jams, confirmation: confirmation)
        }
        let travel = settings.latency + .milliseconds(jitter)
        if travel == .zero { return timerFired() }
        var response = Response(timer: .start(travel))
        if let moving, confirmation == .prompt { response.facts = [Self.state(moving, .remote)] }
        return response
    }

    /// The timer that was started last has run out.
    mutating func timerFired() -> Response {
        let due = pending
        pending = nil
        switch due {
        case nil: return Response()
        case .refuse:
            let releases = letGoOfLatch()
            return heard(Response(facts: [.refusal(.other)] + (releases ? [Self.state(.unlocked, .auto)] : []), timer: .cancel))
        case .confirmLate(let state): return settle(at: state, saying: true)
        case .releaseLatch:
            letGoOfLatch()
            return heard(Response(facts: [Self.state(.unlocked, .auto)], timer: .cancel))
        case .arrive(let target, let jams, let confirmation):
            return arrive(at: target, jams: jams, confirmation: confirmation)
        }
    }

    private mutating func arrive(
        at target: LockState, jams: Bool, confirmation: SimulatedFaults.Confirmation
    ) -> Response {
        if jams {
            isStuck = true
            let says = settings.capabilities.contains(.jam) && confirmation != .lost
            return heard(Response(facts: says ? [Self.state(.jammed, .remote)] : [], timer: .cancel))
        }
        position = target
        if confirmation == .late, settings.lateConfirmation > .zero {
            pending = .confirmLate(target)
            return Response(timer: .start(settings.lateConfirmation))
        }
        return settle(at: target, saying: confirmation != .lost)
    }

    /// The bolt rests; a held latch wants releasing.
    private mutating func settle(at state: LockState, saying: Bool) -> Response {
        var response = Response(facts: saying ? [Self.state(state, .remote)] : [], timer: .cancel)
        if state == .unlatched {
            pending = .releaseLatch
            response.timer = .start(Self.latchHold)
        }
        return heard(response)
    }

    /// A held latch springs back; every order and every jam ends the hold.
    ///
    /// - Returns: whether it was held.
    @discardableResult
    private mutating func letGoOfLatch() -> Bool {
        guard position == .unlatched else { return false }
        position = .unlocked
        return true
    }

    // MARK: Events

    mutating func happen(_ event: SimulatorEvent) throws(SimulatorEventError) -> Response {
        if faults.isUnreadable { throw .notAttached }
        switch event {
        case .jam: return jam()
        case .clear: return clear()
        case .offline:
            faults.isOffline = true
            return Response(facts: [.availability(false)])
        case .online:
            faults.isOffline = false
            return Response(facts: condition)
        case .lowBattery:
            try require(.battery)
            batteryLevel = min(batteryLevel, 5)
            return heard(Response(facts: [battery]))
        case .thumbTurn: return turnThumb()
        case .doorOpen, .doorClose:
            try require(.door)
            door = event == .doorOpen ? .open : .closed
            return heard(Response(facts: [.door(door)]))
        case .tamper: return heard(Response(facts: [.event(.tamper, method: nil, operatorName: nil)]))
        case .loseConfirmations: faults.confirmation = .lost
        case .confirmLate: faults.confirmation = .late
        case .refuse: faults.refuses = true
        }
        return Response()
    }

    private mutating func jam() -> Response {
        (faults.jams, isStuck, pending) = (true, true, nil)
        letGoOfLatch()
        let says = settings.capabilities.contains(.jam)
        return heard(Response(facts: says ? [Self.state(.jammed, nil)] : [], timer: .cancel))
    }

    /// A movement under way goes on, without the faults that it began with.
    private mutating func clear() -> Response {
        faults = SimulatedFaults()
        isStuck = false
        batteryLevel = settings.batteryLevel
        var timer = Response.Timer.keep
        switch pending {
        case .arrive(let target, _, _): pending = .arrive(at: target, jams: false, confirmation: .prompt)
        case .confirmLate(let state):
            pending = nil
            timer = settle(at: state, saying: false).timer
        case .refuse, .releaseLatch, nil: break
        }
        return Response(facts: condition, timer: timer)
    }

    /// A jammed bolt does not turn; one that is under way is overtaken.
    private mutating func turnThumb() -> Response {
        if faults.jams { return Response() }
        (isStuck, pending) = (false, nil)
        position = position == .locked ? .unlocked : .locked
        return heard(Response(facts: [Self.state(position, .manual)], timer: .cancel))
    }

    private func require(_ capability: LockCapabilities) throws(SimulatorEventError) {
        if !settings.capabilities.contains(capability) { throw .unsupported }
    }

    // MARK: What the lock says

    /// Everything that the lock can say of itself, as after attaching.
    var condition: [LockReport.Fact] {
        if faults.isOffline { return [.availability(false)] }
        var facts: [LockReport.Fact] = [.availability(true)]
        if let state = spokenState { facts.append(Self.state(state, nil)) }
        if settings.capabilities.contains(.door) { facts.append(.door(door)) }
        if settings.capabilities.contains(.battery) { facts.append(battery) }
        return facts
    }

    func refresh() throws(AdapterError) -> Response {
        guard settings.capabilities.contains(.refresh) else { throw .unsupported }
        if faults.isOffline { throw .offline }
        return Response(facts: condition)
    }

    /// `nil` for a stuck bolt of a lock that cannot say that it jams.
    private var spokenState: LockState? {
        if isStuck { return settings.capabilities.contains(.jam) ? .jammed : nil }
        return moving ?? position
    }

    /// `.locking` or `.unlocking` while the bolt travels, if the lock reports that.
    private var moving: LockState? {
        guard case .arrive(let target, _, _) = pending, settings.capabilities.contains(.intermediateStates) else { return nil }
        return target == .locked ? .locking : .unlocking
    }

    private var battery: LockReport.Fact { .battery(level: batteryLevel, low: batteryLevel <= Self.lowBattery) }

    /// What is left of a response by the time it would reach the gateway.
    private func heard(_ response: Response) -> Response {
        faults.isOffline ? Response(timer: response.timer) : response
    }

    private static func state(_ state: LockState, _ method: EventMethod?) -> LockReport.Fact {
        .state(state, quality: .confirmed, method: method, operatorName: nil)
    }
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
