/// A lock of ESPHome with the MQTT component. Each lock has its own node, with a door contact.
struct ESPHomeLock: Dialect {
    static let profile = Profile.esphome
    static let object = "front_door"

    let node: String
    /// The last published state; an unchanged one is not published again.
    private var lastPublished: Position?

    init(node: String) { self.node = node }

    var variables: JSON { ["node": .text(node), "object_id": .text(Self.object)] }
    var base: String { "\(node)/lock/\(Self.object)" }
    var stateTopic: String { "\(base)/state" }
    var filters: [String] { ["\(base)/command"] }
    var will: Message? { Message("\(node)/status", "offline", isRetained: true) }

    mutating func receive(_ message: Message, _ context: inout LockContext) {
        // Case is ignored, and a retained command is executed like any other.
        let motions: [String: Motion] = ["LOCK": .lock, "UNLOCK": .unlock, "OPEN": .open]
        guard message.topic == "\(base)/command", let motion = motions[message.text.uppercased()], context.acceptsCommand() else {
            return
        }
        context.startMovement(motion, by: .remote)
    }

    mutating func handle(_ event: LockEvent, _ context: inout LockContext) {
        switch event {
        case .online:
            context.discover(
                "lock/\(node)/\(Self.object)",
                [
                    "name": "Front door", "stat_t": .text(stateTopic), "cmd_t": "\(base)/command", "avty_t": "\(node)/status",
                    "pl_open": "OPEN", "uniq_id": "\(node)_lock_\(Self.object)",
                    "dev": ["ids": .text(node), "name": .text(node), "mf": "Espressif", "mdl": "esp32dev"],
                ])
            context.publish("\(node)/status", "online", isRetained: true)
            lastPublished = nil
            reportState(&context)
            reportDoor(&context)
        case .moving, .moved, .jammed, .released: reportState(&context)
        case .door: reportDoor(&context)
        case .lost, .codeRefused, .battery, .report, .due: break
        }
    }

    mutating func reset() { lastPublished = nil }

    private mutating func reportState(_ context: inout LockContext) {
        // The open action withdraws the latch; the state stays the same, and becomes unlocked when the latch is released.
        let position = context.mechanism.sensedPosition
        guard position != .opening, position != .open, position != lastPublished else { return }
        lastPublished = position
        context.report(stateTopic, position.rawValue.uppercased(), isRetained: true)
    }

    private func reportDoor(_ context: inout LockContext) {
        context.publish("\(node)/binary_sensor/door/state", context.mechanism.isDoorOpen ? "ON" : "OFF", isRetained: true)
    }
}
