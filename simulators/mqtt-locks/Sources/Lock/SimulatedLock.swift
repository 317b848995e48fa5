/// One simulated lock: events are the input, messages and timers are the output.
struct SimulatedLock: Sendable {
    let name: String
    let profile: Profile
    /// Whether the lock has its own connection; otherwise it uses a bridge.
    let hasOwnConnection: Bool
    var context: LockContext
    private(set) var dialect: any Dialect
    /// The number of restarts. Timers that were set before the last restart are ignored.
    private(set) var restartCount = 0
    /// Whether the random draw for the fault `retained` was made.
    private var isRetainedFaultDrawn = false

    init(name: String, dialect: any Dialect, context: LockContext) {
        (self.name, self.dialect, self.context) = (name, dialect, context)
        profile = type(of: dialect).profile
        hasOwnConnection = type(of: dialect).bridge(of: [], publishesDiscovery: false) == nil
    }

    // MARK: - Events

    /// Handles a new connection of the lock or of its bridge.
    mutating func connect() {
        if hasOwnConnection { context.isReachable = true }
        let hasRetainedFault = !isRetainedFaultDrawn && context.happens(.retained)
        isRetainedFaultDrawn = true
        let retainsState = type(of: dialect).retainsState
        if hasRetainedFault, !retainsState { context.retainStaleState(hasState: false) }
        dialect.handle(context.isReachable ? .online : .lost, &context)
        if hasRetainedFault, retainsState { context.retainStaleState(hasState: true) }
    }

    mutating func receive(_ message: Message) { dialect.receive(message, &context) }

    mutating func timerFired(_ timer: LockContext.TimerKind) {
        switch timer {
        case .begin(let movement): begin(movement)
        case .end(let movement): end(movement)
        case .releaseLatch(let number):
            guard context.movementCount == number else { return }
            context.mechanism.setPosition(.unlocked)
            handle(.released)
        case .report: handle(.report)
        case .reconnect: goOnline()
        case .dialect(let number): handle(.due(number))
        }
    }

    /// Moves the bolt to its other side by the thumb turn.
    mutating func turnThumb() {
        let motion: Motion = context.mechanism.position == .locked ? .unlock : .lock
        complete(context.begin(motion, by: .thumbTurn))
    }

    /// Types the code of a slot.
    mutating func enterCode(slot: Int) {
        guard context.mechanism.codes[slot]?.isEnabled == true else { return handle(.codeRefused(slot: slot)) }
        let motion: Motion = context.mechanism.position == .locked ? .unlock : .lock
        context.startMovement(motion, by: .keypad(slot: slot))
    }

    /// Applies an action that does not affect the connection.
    mutating func apply(_ action: ControlCommand.Action) {
        switch action {
        case .thumbTurn: turnThumb()
        case .garbage: context.messages.append(Message(dialect.stateTopic, Garbage.payload(&context.random)))
        case .retained:
            // The present state stays retained, whatever the lock reports later.
            context.retainStaleState(hasState: type(of: dialect).retainsState)
            if context.isNextRetained { handle(.report) }
        case .fault(let fault): context.requestedFaults.insert(fault)
        case .keypad(let slot): enterCode(slot: slot)
        case .battery(let percent):
            context.mechanism.battery = percent
            handle(.battery)
        case .door(let isOpen):
            context.mechanism.isDoorOpen = isOpen
            handle(.door)
        case .offline, .online, .reboot: break
        }
    }

    // MARK: - Outages

    /// Makes the lock unreachable: it loses its radio connection to its bridge, or its own connection, which the fleet cuts.
    mutating func goOffline(for duration: Duration?) {
        guard context.isReachable else { return }
        context.isReachable = false
        if !hasOwnConnection { dialect.handle(.lost, &context) }
        if let duration { context.timers.append((duration, .reconnect)) }
    }

    /// Restarts the lock: it forgets its state, and comes back after a moment.
    mutating func restart() {
        restartCount += 1
        if context.isMoving { context.mechanism.setPosition(context.positionBeforeMovement) }
        context.movementCount += 1
        dialect.reset()
        goOffline(for: context.settings.restartDuration)
        // Start the timer of regular reports again: the former timer is ignored after a restart.
        scheduleReport()
    }

    /// Makes a lock of a bridge reachable again. A lock with its own connection connects again instead.
    mutating func goOnline() {
        guard !hasOwnConnection, !context.isReachable else { return }
        context.isReachable = true
        dialect.handle(.online, &context)
    }

    mutating func scheduleReport() {
        guard let interval = context.settings.reportEvery else { return }
        context.timers.append((interval * context.random.fraction(), .report))
    }

    // MARK: - Movements

    private mutating func begin(_ movement: Movement) {
        guard movement.number == context.movementCount else { return }
        context.mechanism.setPosition(movement.motion.transitionalPosition)
        handle(.moving(movement))
    }

    private mutating func end(_ movement: Movement) {
        guard movement.number == context.movementCount else { return }
        let percent = context.mechanism.percent
        context.mechanism.battery = max(0, context.mechanism.battery - context.settings.drain)
        if movement.jams {
            context.mechanism.setPosition(.jammed)
            handle(.jammed(movement))
        } else {
            complete(movement)
        }
        if context.mechanism.percent != percent { handle(.battery) }
    }

    private mutating func complete(_ movement: Movement) {
        context.mechanism.setPosition(movement.motion.endPosition)
        if context.happens(.wrongState) { context.mechanism.sensedPosition = movement.motion == .lock ? .unlocked : .locked }
        handle(.moved(movement))
        if movement.motion == .open {
            context.timers.append((context.settings.latchHold, .releaseLatch(afterMovement: movement.number)))
        }
    }

    /// Reports an event, unless the lock is unreachable.
    private mutating func handle(_ event: LockEvent) {
        guard context.isReachable else { return }
        dialect.handle(event, &context)
    }
}
