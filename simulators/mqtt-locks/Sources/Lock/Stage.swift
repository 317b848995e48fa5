/// What a dialect plays on: its lock, the time, chance, and what it says and asks for.
struct Stage: Sendable {
    /// What a lock waits for.
    enum Cue: Hashable, Sendable {
        case begin(Move), end(Move), release(afterMove: Int), report, back
        /// A time of the dialect's own.
        case own(Int)
    }

    /// What befalls the lock's connection.
    enum Fate: Hashable, Sendable { case offline(Duration?), restart }

    let manner: Manner
    /// Milliseconds since 1970 at the fleet's beginning.
    let startedAt: Int64
    /// Since the fleet's beginning.
    var now = Duration.zero
    var mechanism: Mechanism
    var random: SeededRandom
    /// Whether its radio, or its own connection, works.
    var isReachable = true
    /// Faults that somebody has asked for: each happens once, at the next occasion.
    var asked: Set<Fault> = []
    /// Movements so far.
    var moves = 0
    /// Where the bolt was before the movement under way.
    var origin: Position = .locked

    // What is to be carried out.
    var frames: [Frame] = []
    var cues: [(after: Duration, cue: Cue)] = []
    var fate: Fate?

    private var staleness = Staleness.none
    private enum Staleness { case none, next, left }

    init(_ manner: Manner, startedAt: Int64, random: SeededRandom) {
        (self.manner, self.startedAt, self.random) = (manner, startedAt, random)
        mechanism = Mechanism(&self.random)
    }

    /// Milliseconds since 1970.
    var wallMilliseconds: Int64 { startedAt + now.milliseconds }

    /// Whether the motor runs.
    var isMoving: Bool { [.locking, .unlocking, .opening].contains(mechanism.position) }

    /// Whether a fault happens now, by itself or because somebody has asked for it.
    mutating func happens(_ fault: Fault) -> Bool {
        asked.remove(fault) != nil || random.happens(manner.rates[fault] ?? 0)
    }

    // MARK: - Speaking

    mutating func say(_ topic: String, _ text: String, qos: Int = 0, isRetained: Bool = false) {
        frames.append(Frame(topic, text, qos: qos, isRetained: isRetained))
    }

    /// Says where the bolt is, with what can befall such a report.
    mutating func report(_ topic: String, _ text: String, qos: Int = 0, isRetained: Bool = false) {
        if happens(.garbage) { frames.append(Frame(topic, Garbage.payload(&random), qos: qos)) }
        let frame = Frame(topic, text, qos: qos, isRetained: staleness == .next || isRetained && staleness == .none)
        if staleness == .next { staleness = .left }
        frames.append(frame)
        if happens(.duplicate) { frames.append(frame) }
    }

    /// From here on the broker keeps the same, whatever happens afterwards: what it has if it has something, else what the next
    /// report says.
    mutating func leaveStale(hasState: Bool) { if staleness == .none { staleness = hasState ? .left : .next } }

    /// Whether the next report is to stay on the broker.
    var isNextKept: Bool { staleness == .next }

    // MARK: - Being ordered

    /// Whether an order gets through to the lock. If not, nobody is told.
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

    /// Starts the motor, in a moment.
    mutating func order(_ motion: Motion, by cause: Cause, request: [UInt8] = []) {
        let move = begin(motion, by: cause, jams: happens(.jam), request: request)
        var whole = random.duration(in: manner.latency)
        if happens(.late) { whole += manner.lateness }
        cues.append((whole * 3 / 10, .begin(move)))
        cues.append((whole, .end(move)))
    }

    /// A movement that takes the place of any that is under way.
    mutating func begin(_ motion: Motion, by cause: Cause, jams: Bool = false, request: [UInt8] = []) -> Move {
        moves += 1
        if !isMoving { origin = mechanism.position }
        return Move(number: moves, motion: motion, cause: cause, jams: jams, request: request)
    }

    /// What a moment of the lock's radio takes: an answer that needs no motor.
    mutating func radioDelay() -> Duration { random.duration(in: manner.latency) / 3 }

    mutating func wait(_ duration: Duration, for number: Int) { cues.append((duration, .own(number))) }
}
