/// One lock, played: what happens to it goes in, what it publishes and waits for comes out.
struct LockPlay: Sendable {
    let name: String
    let profile: Profile
    /// Whether it has a connection of its own, or speaks through a bridge.
    let isOnItsOwn: Bool
    var stage: Stage
    private(set) var dialect: any Dialect
    /// Raised by a restart: what it had been waiting for before is gone.
    private(set) var life = 0
    /// Whether chance has said if it leaves a stale state.
    private var isStaleDrawn = false

    init(name: String, dialect: any Dialect, stage: Stage) {
        (self.name, self.dialect, self.stage) = (name, dialect, stage)
        profile = type(of: dialect).profile
        isOnItsOwn = profile.bridgeName == nil
    }

    // MARK: - What happens to it

    /// Its connection, or its bridge's, stands.
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

    /// A person turns the bolt by hand to its other side.
    mutating func turn() {
        let motion: Motion = stage.mechanism.position == .locked ? .unlock : .lock
        arrive(stage.begin(motion, by: .thumbTurn))
    }

    /// A person types the code of a slot.
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

    /// Rubbish, now.
    mutating func babble() {
        stage.frames.append(Frame(dialect.stateTopic, Garbage.payload(&stage.random)))
    }

    /// Its state as it is now is kept by the broker for good.
    mutating func leaveStale() {
        stage.leaveStale(hasState: type(of: dialect).retainsState)
        if stage.isNextKept { tell(.report) }
    }

    // MARK: - Being away

    /// Loses its radio or its own connection. Whether the connection is to be cut, the fleet sees by `isOnItsOwn`.
    mutating func goAway(for absence: Duration?) {
        guard stage.isReachable else { return }
        stage.isReachable = false
        if !isOnItsOwn { dialect.tell(.lost, &stage) }
        if let absence { stage.cues.append((absence, .back)) }
    }

    /// Forgets what it was at and comes back in a moment.
    mutating func restart() {
        life += 1
        if stage.isMoving { stage.mechanism.show(stage.origin) }
        stage.moves += 1
        dialect.forget()
        goAway(for: stage.manner.restart)
        // Its regular reports belong to the life that is over.
        scheduleReport()
    }

    /// For a lock of a bridge, which needs no connection of its own.
    mutating func comeBack() {
        guard !isOnItsOwn, !stage.isReachable else { return }
        stage.isReachable = true
        dialect.tell(.online, &stage)
    }

    mutating func scheduleReport() {
        guard let interval = stage.manner.reportEvery else { return }
        stage.cues.append((interval * stage.random.share(), .report))
    }

    // MARK: - Moving

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

    /// Nobody hears of what happens to a lock that is away.
    private mutating func tell(_ happening: Happening) {
        guard stage.isReachable else { return }
        dialect.tell(happening, &stage)
    }
}
