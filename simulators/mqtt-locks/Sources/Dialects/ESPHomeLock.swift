/// A lock of ESPHome with its MQTT component: each has its own node, with a door contact.
struct ESPHomeLock: Dialect {
    static let profile = Profile.esphome
    static let object = "front_door"

    let node: String
    /// The last published state; an unchanged one is not published again.
    private var said: Position?

    init(node: String) { self.node = node }

    var variables: JSON { ["node": .text(node), "object_id": .text(Self.object)] }
    private var base: String { "\(node)/lock/\(Self.object)" }
    var stateTopic: String { "\(base)/state" }
    var filters: [String] { ["\(base)/command"] }
    var will: Frame? { Frame("\(node)/status", "offline", isRetained: true) }

    mutating func hear(_ message: Message, _ stage: inout Stage) {
        // Case is ignored, and a retained command is executed like any other.
        let motions: [String: Motion] = ["LOCK": .lock, "UNLOCK": .unlock, "OPEN": .open]
        guard message.topic == "\(base)/command", let motion = motions[message.text.uppercased()], stage.takesOrder() else {
            return
        }
        stage.order(motion, by: .remote)
    }

    mutating func tell(_ happening: Happening, _ stage: inout Stage) {
        switch happening {
        case .online:
            stage.discover(
                "lock/\(node)/\(Self.object)",
                [
                    "name": "Front door", "stat_t": .text(stateTopic), "cmd_t": "\(base)/command", "avty_t": "\(node)/status",
                    "pl_open": "OPEN", "uniq_id": "\(node)_lock_\(Self.object)",
                    "dev": ["ids": .text(node), "name": .text(node), "mf": "Espressif", "mdl": "esp32dev"],
                ])
            stage.say("\(node)/status", "online", isRetained: true)
            said = nil
            sayState(&stage)
            sayDoor(&stage)
        case .moving, .moved, .jammed, .released: sayState(&stage)
        case .door: sayDoor(&stage)
        case .lost, .codeRefused, .battery, .report, .due: break
        }
    }

    mutating func forget() { said = nil }

    private mutating func sayState(_ stage: inout Stage) {
        // The open action withdraws the latch; the state stays the same, and becomes unlocked when the latch is released.
        let position = stage.mechanism.shown
        guard position != .opening, position != .open, position != said else { return }
        said = position
        stage.report(stateTopic, position.rawValue.uppercased(), isRetained: true)
    }

    private func sayDoor(_ stage: inout Stage) {
        stage.say("\(node)/binary_sensor/door/state", stage.mechanism.isDoorOpen ? "ON" : "OFF", isRetained: true)
    }
}
