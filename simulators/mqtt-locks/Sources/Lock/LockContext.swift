/// Context of a dialect: its lock, time and randomness, and its output of messages and timers.
struct LockContext: Sendable {
    /// A timer of a lock.
    enum TimerKind: Hashable, Sendable {
        case begin(Movement), end(Movement), releaseLatch(afterMovement: Int), report, reconnect
        /// A timer of the dialect itself.
        case dialect(Int)
    }

    /// A fault of the lock's connection.
    enum ConnectionFault: Hashable, Sendable { case offline(Duration?), restart }

    let settings: FaultSettings
    /// Milliseconds since 1970 at the start of the fleet.
    let startedAt: Int64
    /// Time since the start of the fleet.
    var now = Duration.zero
    var mechanism: Mechanism
    var random: SeededRandom
    /// Whether the lock's radio connection to its bridge, or its own connection to the broker, works.
    var isReachable = true
    /// Faults requested by control commands: each happens once, at the next opportunity.
    var requestedFaults: Set<Fault> = []
    /// Number of movements so far.
    var movementCount = 0
    /// Position of the bolt before the movement in progress.
    var positionBeforeMovement: Position = .locked

    // Output.
    var messages: [Message] = []
    var timers: [(after: Duration, timer: TimerKind)] = []
    var connectionFault: ConnectionFault?

    private var staleness = Staleness.none
    private enum Staleness { case none, retainNext, stale }

    init(_ settings: FaultSettings, startedAt: Int64, random: SeededRandom) {
        (self.settings, self.startedAt, self.random) = (settings, startedAt, random)
        mechanism = Mechanism(&self.random)
    }

    /// Milliseconds since 1970.
    var wallMilliseconds: Int64 { startedAt + now.milliseconds }

    /// Whether the motor runs.
    var isMoving: Bool { [.locking, .unlocking, .opening].contains(mechanism.position) }

    /// Whether a fault happens now, at random or by request.
    mutating func happens(_ fault: Fault) -> Bool {
        requestedFaults.remove(fault) != nil || random.happens(settings.rates[fault] ?? 0)
    }

    // MARK: - Messages

    mutating func publish(_ topic: String, _ text: String, qos: Int = 0, isRetained: Bool = false) {
        messages.append(Message(topic, text, qos: qos, isRetained: isRetained))
    }

    /// Publishes the bolt's state, subject to the faults of reports.
    mutating func report(_ topic: String, _ text: String, qos: Int = 0, isRetained: Bool = false) {
        if happens(.garbage) { messages.append(Message(topic, Garbage.payload(&random), qos: qos)) }
        let message = Message(topic, text, qos: qos, isRetained: staleness == .retainNext || isRetained && staleness == .none)
        if staleness == .retainNext { staleness = .stale }
        messages.append(message)
        if happens(.duplicate) { messages.append(message) }
    }

    /// Makes the retained state stale from now on: keeps the retained message if there is one, else retains the next report.
    mutating func retainStaleState(hasState: Bool) { if staleness == .none { staleness = hasState ? .stale : .retainNext } }

    /// Whether the next report is to be retained as the stale state.
    var isNextRetained: Bool { staleness == .retainNext }

    // MARK: - Commands

    /// Draws the faults of a command, and returns whether the command reaches the lock. If not, nothing is reported.
    mutating func acceptsCommand() -> Bool {
        if happens(.drop) { return false }
        if happens(.offline) {
            connectionFault = .offline(settings.offlineDuration)
            return false
        }
        if happens(.reboot) {
            connectionFault = .restart
            return false
        }
        return true
    }

    /// Starts the motor after a random delay.
    mutating func startMovement(_ motion: Motion, by cause: Cause, request: [UInt8] = []) {
        let movement = begin(motion, by: cause, jams: happens(.jam), request: request)
        var whole = random.duration(in: settings.latency)
        if happens(.late) { whole += settings.lateness }
        timers.append((whole * 3 / 10, .begin(movement)))
        timers.append((whole, .end(movement)))
    }

    /// Begins a movement, in place of any movement in progress.
    mutating func begin(_ motion: Motion, by cause: Cause, jams: Bool = false, request: [UInt8] = []) -> Movement {
        movementCount += 1
        if !isMoving { positionBeforeMovement = mechanism.position }
        return Movement(number: movementCount, motion: motion, cause: cause, jams: jams, request: request)
    }

    /// Returns a random radio delay: the time of a response that needs no motor.
    mutating func radioDelay() -> Duration { random.duration(in: settings.latency) / 3 }

    mutating func startTimer(_ duration: Duration, for number: Int) { timers.append((duration, .dialect(number))) }
}

/// The mechanical lock, its door, its battery and its keypad.
struct Mechanism: Hashable, Sendable {
    struct Code: Hashable, Sendable {
        var digits: String
        var isEnabled: Bool
    }

    /// Actual position of the bolt.
    var position: Position = .locked
    /// Position according to the lock's own sensor.
    var sensedPosition: Position = .locked
    var isDoorOpen = false
    /// The charge of the battery in percent.
    var battery: Double
    /// The codes by slot. Slot 1 has a code from the beginning.
    var codes: [Int: Code]

    init(_ random: inout SeededRandom) {
        // Begin well above a whole percent, so that the first movements do not change the reported level.
        battery = 60.9 + (random.fraction() * 39).rounded(.down)
        codes = [1: Code(digits: String(Int.random(in: 300_000...899_999, using: &random)), isEnabled: true)]
    }

    /// The level that the lock reports.
    var percent: Int { Int(battery.rounded(.down)) }
    var isLow: Bool { percent <= 20 }

    mutating func setPosition(_ position: Position) { (self.position, sensedPosition) = (position, position) }
}
