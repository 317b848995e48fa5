/// One simulated lock: events are the input, messages and timers are the output.
struct PlayedLock: Sendable {
    let name: String
    let profile: Profile
    /// Whether the lock has its own connection; otherwise it uses a bridge.
    let isOnItsOwn: Bool
    var context: LockContext
    private(set) var dialect: any Dialect
    /// The number of restarts. Timers that were set before the last restart are ignored.
    private(set) var life = 0
    /// Whether the random draw for the fault `retained` was made.
    private var isStaleDrawn = false

    init(name: String, dialect: any Dialect, context: LockContext) {
        (self.name, self.dialect, self.context) = (name, dialect, context)
        profile = type(of: dialect).profile
        isOnItsOwn = profile.bridgeName == nil
    }

    // MARK: - Events

    /// Handles a new connection of the lock or of its bridge.
    mutating func connect() {
        if isOnItsOwn { context.isReachable = true }
        let leavesStale = !isStaleDrawn && context.happens(.retained)
        isStaleDrawn = true
        let retainsState = type(of: dialect).retainsState
        if leavesStale, !retainsState { context.retainStaleState(hasState: false) }
        dialect.tell(context.isReachable ? .online : .lost, &context)
        if leavesStale, retainsState { context.retainStaleState(hasState: true) }
    }

    mutating func receive(_ message: Message) { dialect.receive(message, &context) }

    mutating func wake(_ cue: LockContext.TimerKind) {
        switch cue {
        case .begin(let move): begin(move)
        case .end(let move): end(move)
        case .release(let number):
            guard context.moves == number else { return }
            context.mechanism.show(.unlocked)
            tell(.released)
        case .report: tell(.report)
        case .back: comeBack()
        case .own(let number): tell(.due(number))
        }
    }

    /// Moves the bolt to its other side by the thumb turn.
    mutating func turn() {
        let motion: Motion = context.mechanism.position == .locked ? .unlock : .lock
        arrive(context.begin(motion, by: .thumbTurn))
    }

    /// Types the code of a slot.
    mutating func typeCode(slot: Int) {
        guard context.mechanism.codes[slot]?.isEnabled == true else { return tell(.codeRefused(slot: slot)) }
        let motion: Motion = context.mechanism.position == .locked ? .unlock : .lock
        context.order(motion, by: .keypad(slot: slot))
    }

    mutating func setDoor(open: Bool) {
        context.mechanism.isDoorOpen = open
        tell(.door)
    }

    mutating func setBattery(_ percent: Double) {
        context.mechanism.battery = min(100, max(0, percent))
        tell(.battery)
    }

    /// Publishes a garbage payload now.
    mutating func sendGarbage() {
        context.frames.append(Frame(dialect.stateTopic, Garbage.payload(&context.random)))
    }

    /// Keeps the present state retained, whatever the lock reports later.
    mutating func retainStaleState() {
        context.retainStaleState(hasState: type(of: dialect).retainsState)
        if context.isNextKept { tell(.report) }
    }

    // MARK: - Outages

    /// Makes the lock unreachable: it loses its radio connection to its bridge, or its own connection, which the fleet cuts.
    mutating func goAway(for absence: Duration?) {
        guard context.isReachable else { return }
        context.isReachable = false
        if !isOnItsOwn { dialect.tell(.lost, &context) }
        if let absence { context.cues.append((absence, .back)) }
    }

    /// Restarts the lock: it forgets its state, and comes back after a moment.
    mutating func restart() {
        life += 1
        if context.isMoving { context.mechanism.show(context.origin) }
        context.moves += 1
        dialect.forget()
        goAway(for: context.manner.restart)
        // Start the timer of regular reports again: the former timer is ignored after a restart.
        scheduleReport()
    }

    /// Makes a lock of a bridge reachable again. A lock with its own connection connects again
    /// instead.
    mutating func comeBack() {
        guard !isOnItsOwn, !context.isReachable else { return }
        context.isReachable = true
        dialect.tell(.online, &context)
    }

    mutating func scheduleReport() {
        guard let interval = context.manner.reportEvery else { return }
        context.cues.append((interval * context.random.share(), .report))
    }

    // MARK: - Movements

    private mutating func begin(_ move: Move) {
        guard move.number == context.moves else { return }
        context.mechanism.show(move.motion.underWay)
        tell(.moving(move))
    }

    private mutating func end(_ move: Move) {
        guard move.number == context.moves else { return }
        let percent = context.mechanism.percent
        context.mechanism.battery = max(0, context.mechanism.battery - context.manner.drain)
        if move.jams {
            context.mechanism.show(.jammed)
            tell(.jammed(move))
        } else {
            arrive(move)
        }
        if context.mechanism.percent != percent { tell(.battery) }
    }

    private mutating func arrive(_ move: Move) {
        context.mechanism.show(move.motion.end)
        if context.happens(.wrongState) { context.mechanism.shown = move.motion == .lock ? .unlocked : .locked }
        tell(.moved(move))
        if move.motion == .open { context.cues.append((context.manner.latchHold, .release(afterMove: move.number))) }
    }

    /// Reports an event, unless the lock is unreachable.
    private mutating func tell(_ happening: LockEvent) {
        guard context.isReachable else { return }
        dialect.tell(happening, &context)
    }
}
