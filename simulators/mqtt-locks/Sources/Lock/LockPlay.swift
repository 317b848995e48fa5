/// One simulated lock: events are the input, messages and timers are the output.
struct LockPlay: Sendable {
    let name: String
    let profile: Profile
    /// Whether it has its own connection, or uses a bridge.
    let isOnItsOwn: Bool
    var stage: Stage
    private(set) var dialect: any Dialect
    /// Incremented by a restart: timers of an earlier life are ignored.
    private(set) var life = 0
    /// Whether the fault `retained` has been drawn.
    private var isStaleDrawn = false

    init(name: String, dialect: any Dialect, stage: Stage) {
        (self.name, self.dialect, self.stage) = (name, dialect, stage)
        profile = type(of: dialect).profile
        isOnItsOwn = profile.bridgeName == nil
    }

    // MARK: - Events

    /// Its connection, or its bridge's, has been established.
    mutating func connect() {
        if isOnItsOwn { stage.isReachable = true }
        let leavesStale = !isStaleDrawn && stage.happens(.retained)
        isStaleDrawn = true
        let retainsState = type(of: dialect).retainsState
        if leavesStale, !retainsState { stage.leaveStale(hasState: false) }
        dialect.tell(stage.isReachable ? .online : .lost, &stage)
        if leavesStale, retainsState { stage.leaveStale(hasState: true) }
    }

    mutating func hear(_ message: Message) { dialect.hear(message, &stage) }

    mutating func wake(_ cue: Stage.Cue) {
        switch cue {
        case .begin(let move): begin(move)
        case .end(let move): end(move)
        case .release(let number):
            guard stage.moves == number else { return }
            stage.mechanism.show(.unlocked)
            tell(.released)
        case .report: tell(.report)
        case .back: comeBack()
        case .own(let number): tell(.due(number))
        }
    }

    /// Moves the bolt to its other side by the thumb turn.
    mutating func turn() {
        let motion: Motion = stage.mechanism.position == .locked ? .unlock : .lock
        arrive(stage.begin(motion, by: .thumbTurn))
    }

    /// Types the code of a slot.
    mutating func typeCode(slot: Int) {
        guard stage.mechanism.codes[slot]?.isEnabled == true else { return tell(.codeRefused(slot: slot)) }
        let motion: Motion = stage.mechanism.position == .locked ? .unlock : .lock
        stage.order(motion, by: .keypad(slot: slot))
    }

    mutating func setDoor(open: Bool) {
        stage.mechanism.isDoorOpen = open
        tell(.door)
    }

    mutating func setBattery(_ percent: Double) {
        stage.mechanism.battery = min(100, max(0, percent))
        tell(.battery)
    }

    /// Publishes a garbage payload now.
    mutating func babble() {
        stage.frames.append(Frame(dialect.stateTopic, Garbage.payload(&stage.random)))
    }

    /// Keeps the present state retained, whatever follows.
    mutating func leaveStale() {
        stage.leaveStale(hasState: type(of: dialect).retainsState)
        if stage.isNextKept { tell(.report) }
    }

    // MARK: - Outages

    /// Loses its radio or its own connection. The fleet cuts the connection, if it has its own.
    mutating func goAway(for absence: Duration?) {
        guard stage.isReachable else { return }
        stage.isReachable = false
        if !isOnItsOwn { dialect.tell(.lost, &stage) }
        if let absence { stage.cues.append((absence, .back)) }
    }

    /// Restarts: forgets its state and comes back after a moment.
    mutating func restart() {
        life += 1
        if stage.isMoving { stage.mechanism.show(stage.origin) }
        stage.moves += 1
        dialect.forget()
        goAway(for: stage.manner.restart)
        // The timer of its regular reports ended with the earlier life.
        scheduleReport()
    }

    /// Makes a lock of a bridge reachable again; it needs no connection of its own.
    mutating func comeBack() {
        guard !isOnItsOwn, !stage.isReachable else { return }
        stage.isReachable = true
        dialect.tell(.online, &stage)
    }

    mutating func scheduleReport() {
        guard let interval = stage.manner.reportEvery else { return }
        stage.cues.append((interval * stage.random.share(), .report))
    }

    // MARK: - Movements

    private mutating func begin(_ move: Move) {
        guard move.number == stage.moves else { return }
        stage.mechanism.show(move.motion.underWay)
        tell(.moving(move))
    }

    private mutating func end(_ move: Move) {
        guard move.number == stage.moves else { return }
        let percent = stage.mechanism.percent
        stage.mechanism.battery = max(0, stage.mechanism.battery - stage.manner.drain)
        if move.jams {
            stage.mechanism.show(.jammed)
            tell(.jammed(move))
        } else {
            arrive(move)
        }
        if stage.mechanism.percent != percent { tell(.battery) }
    }

    private mutating func arrive(_ move: Move) {
        stage.mechanism.show(move.motion.end)
        if stage.happens(.wrongState) { stage.mechanism.shown = move.motion == .lock ? .unlocked : .locked }
        tell(.moved(move))
        if move.motion == .open { stage.cues.append((stage.manner.latchHold, .release(afterMove: move.number))) }
    }

    /// Reports an event, unless the lock is unreachable.
    private mutating func tell(_ happening: Happening) {
        guard stage.isReachable else { return }
        dialect.tell(happening, &stage)
    }
}
