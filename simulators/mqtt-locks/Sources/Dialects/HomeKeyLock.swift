/// HomeKey-ESP32 at a door with a separate motor: the motor follows the target state, and writes the current state.
struct HomeKeyLock: Dialect {
    static let profile = Profile.homekey
    static let hasKeypad = true

    /// The project's default state numbers.
    private enum State: Int { case unlocked, locked, jammed, unknown, unlocking, locking }

    let client: String
    private var state = State.locked

    init(client: String) { self.client = client }

    var variables: JSON { ["client": .text(client)] }
    var base: String { "\(client)/homekit" }
    var stateTopic: String { "\(base)/state" }
    var filters: [String] { ["set_state", "set_target_state", "set_current_state"].map { "\(base)/\($0)" } }
    var will: Message? { Message("\(client)/status", "offline", qos: 1, isRetained: true) }

    mutating func receive(_ message: Message, _ context: inout LockContext) {
        guard let number = Int(message.text) else { return }
        switch message.topic {
        case "\(base)/set_current_state":
            guard let current = State(rawValue: number), number <= 3 else { return }
            state = current
            reportState(&context)
        case "\(base)/set_target_state":
            guard number <= 1, number >= 0, context.acceptsCommand() else { return }
            setTarget(number, .remote, &context)
        case "\(base)/set_state":
            // Sets target and current state at once, without waiting for the bolt.
            guard number <= 1, number >= 0, context.acceptsCommand() else { return }
            state = number == 1 ? .locked : .unlocked
            reportState(&context)
            context.startMovement(number == 1 ? .lock : .unlock, by: .automatic)
        default: break
        }
    }

    /// Sets a new target: the device reports that the bolt is moving, and waits for the motor.
    private mutating func setTarget(_ target: Int, _ cause: Cause, _ context: inout LockContext) {
        state = target == 1 ? .locking : .unlocking
        reportState(&context)
        context.startMovement(target == 1 ? .lock : .unlock, by: cause)
    }

    mutating func handle(_ event: LockEvent, _ context: inout LockContext) {
        switch event {
        case .online:
            context.publish("\(client)/status", "online", qos: 1, isRetained: true)
            reportState(&context)
        case .moving(let movement):
            // A key was presented: the device reports it, and sets the opposite target.
            guard case .keypad = movement.cause else { return }
            let key: JSON = ["homekey": true, "issuerId": "a1b2c3d4e5f60718", "endpointId": "0a1b2c3d4e5f"]
            context.publish("\(client)/homekey/auth", key.description)
            state = movement.motion == .lock ? .locking : .unlocking
            reportState(&context)
        case .moved: publishCurrentState(context.mechanism.sensedPosition == .locked ? .locked : .unlocked, &context)
        case .jammed: publishCurrentState(.jammed, &context)
        case .codeRefused:
            let card: JSON = ["homekey": false, "uid": "04a1b2c3", "atqa": "0004", "sak": "08"]
            context.publish("\(client)/homekey/auth", card.description)
        case .report: reportState(&context)
        case .lost, .released, .door, .battery, .due: break
        }
    }

    /// Publishes the current state, as the motor does; the device receives it from the broker.
    private func publishCurrentState(_ state: State, _ context: inout LockContext) {
        context.publish("\(base)/set_current_state", "\(state.rawValue)")
    }

    private func reportState(_ context: inout LockContext) { context.report(stateTopic, "\(state.rawValue)", isRetained: true) }
}
