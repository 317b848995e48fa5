/// Context of a dialect: its lock, time and randomness, and its output of messages and timers.
struct LockContext: Sendable {
    /// A timer of a lock.
    enum TimerKind: Hashable, Sendable {
        case begin(Move), end(Move), release(afterMove: Int), report, back
        /// A timer of the dialect itself.
        case own(Int)
    }

    /// A fault of the lock's connection.
    enum ConnectionFault: Hashable, Sendable { case offline(Duration?), restart }

    let manner: FaultSettings
    /// Milliseconds since 1970 at the start of the fleet.
    let startedAt: Int64
    /// Time since the start of the fleet.
    var now = Duration.zero
    var mechanism: Mechanism
    var random: SeededRandom
    /// Whether the lock's radio connection to its bridge, or its own connection to the broker, works.
    var isReachable = true
    /// Faults requested by control commands: each happens once, at the next opportunity.
    var asked: Set<Fault> = []
    /// Number of movements so far.
    var moves = 0
    /// Position of the bolt before the movement in progress.
    var origin: Position = .locked

    // Output.
    var frames: [Frame] = []
    var cues: [(after: Duration, cue: TimerKind)] = []
    var fate: ConnectionFault?

    private var staleness = Staleness.none
    private enum Staleness { case none, next, left }

    init(_ manner: FaultSettings, startedAt: Int64, random: SeededRandom) {
        (self.manner, self.startedAt, self.random) = (manner, startedAt, random)
        mechanism = Mechanism(&self.random)
    }

    /// Milliseconds since 1970.
    var wallMilliseconds: Int64 { startedAt + now.milliseconds }

    /// Whether the motor runs.
    var isMoving: Bool { [.locking, .unlocking, .opening].contains(mechanism.position) }

    /// Whether a fault happens now, at random or by request.
    mutating func happens(_ fault: Fault) -> Bool {
        asked.remove(fault) != nil || random.happens(manner.rates[fault] ?? 0)
    }

    // MARK: - Messages

    mutating func publish(_ topic: String, _ text: String, qos: Int = 0, isRetained: Bool = false) {
        frames.append(Frame(topic, text, qos: qos, isRetained: isRetained))
    }

    /// Publishes the bolt's state, subject to the faults of reports.
    mutating func report(_ topic: String, _ text: String, qos: Int = 0, isRetained: Bool = false) {
        if happens(.garbage) { frames.append(Frame(topic, Garbage.payload(&random), qos: qos)) }
        let frame = Frame(topic, text, qos: qos, isRetained: staleness == .next || isRetained && staleness == .none)
        if staleness == .next { staleness = .left }
        frames.append(frame)
        if happens(.duplicate) { frames.append(frame) }
    }

    /// Makes the retained state stale from now on: keeps the retained message if there is one, else retains the next report.
    mutating func retainStaleState(hasState: Bool) { if staleness == .none { staleness = hasState ? .left : .next } }

    /// Whether the next report is to be retained as the stale state.
    var isNextKept: Bool { staleness == .next }

    // MARK: - Commands

    /// Draws the faults of a command, and returns whether the command reaches the lock. If not, nothing is reported.
    mutating func takesOrder() -> Bool {
        if happens(.drop) { return false }
        if happens(.offline) {
            fate = .offline(manner.absence)
            return false
        }
        if happens(.reboot) {
            fate = .restart
            return false
        }
        return true
    }

    /// Starts the motor after a random delay.
    mutating func order(_ motion: Motion, by cause: Cause, request: [UInt8] = []) {
        let move = begin(motion, by: cause, jams: happens(.jam), request: request)
        var whole = random.duration(in: manner.latency)
        if happens(.late) { whole += manner.lateness }
        cues.append((whole * 3 / 10, .begin(move)))
        cues.append((whole, .end(move)))
    }

    /// Begins a movement, in place of any movement in progress.
    mutating func begin(_ motion: Motion, by cause: Cause, jams: Bool = false, request: [UInt8] = []) -> Move {
        moves += 1
        if !isMoving { origin = mechanism.position }
        return Move(number: moves, motion: motion, cause: cause, jams: jams, request: request)
    }

    /// Returns a random radio delay: the time of a response that needs no motor.
    mutating func radioDelay() -> Duration { random.duration(in: manner.latency) / 3 }

    mutating func wait(_ duration: Duration, for number: Int) { cues.append((duration, .own(number))) }
}
