/// A device of the Homie convention, version 5, with the node `lock` that Doorward's documentation recommends. QoS 1 is used
/// where the convention requires QoS 2.
struct HomieLock: Dialect {
    static let profile = Profile.homie
    static let hasKeypad = true

    let device: String
    var variables: JSON { ["device": .text(device), "node": "lock"] }
    private var base: String { "homie/5/\(device)" }
    var stateTopic: String { "\(base)/lock/state" }
    var filters: [String] { ["\(base)/lock/command/set"] }
    var will: Frame? { Frame("\(base)/$state", "lost", qos: 1, isRetained: true) }

    init(device: String) { self.device = device }

    mutating func hear(_ message: Message, _ stage: inout Stage) {
        // Values are case sensitive; one outside the format is ignored.
        guard message.topic == "\(base)/lock/command/set", let motion = Motion(rawValue: message.text), stage.takesOrder() else {
            return
        }
        // Repeating the received payload acknowledges the command.
        stage.say("\(base)/lock/command/$target", message.text)
        stage.order(motion, by: .remote)
    }

    mutating func tell(_ happening: Happening, _ stage: inout Stage) {
        switch happening {
        case .online: greet(&stage)
        case .moving, .released, .report: sayState(&stage)
        case .moved(let move):
            sayState(&stage)
            if move.cause == .remote { stage.say("\(base)/lock/command", move.motion.rawValue) }
            sayOperation(move.motion.rawValue, move.cause, ok: true, &stage)
        case .jammed(let move):
            sayState(&stage)
            sayOperation(move.motion.rawValue, move.cause, ok: false, &stage)
        case .codeRefused(let slot): sayOperation("unlock", .keypad(slot: slot), ok: false, &stage)
        case .door: keep("lock/door", stage.mechanism.isDoorOpen ? "open" : "closed", &stage)
        case .battery: keep("lock/battery", "\(stage.mechanism.percent)", &stage)
        case .lost, .due: break
        }
    }

    private func sayState(_ stage: inout Stage) {
        stage.report(stateTopic, stage.mechanism.shown.rawValue, qos: 1, isRetained: true)
    }

    private func sayOperation(_ word: String, _ cause: Cause, ok: Bool, _ stage: inout Stage) {
        let (method, slot): (String, JSON) =
            switch cause {
            case .remote: ("remote", .null)
            case .thumbTurn: ("manual", .null)
            case .automatic: ("auto", .null)
            case .keypad(let slot): ("keypad", .whole(slot))
            }
        let operation: JSON = ["action": .text(word), "method": .text(method), "ok": .flag(ok), "userSlot": slot]
        stage.say("\(base)/lock/last-operation", operation.description)
    }

    private func keep(_ topic: String, _ text: String, _ stage: inout Stage) {
        stage.say("\(base)/\(topic)", text, qos: 1, isRetained: true)
    }

    private func greet(_ stage: inout Stage) {
        keep("$state", "init", &stage)
        if stage.manner.announcesItself { keep("$description", description.description, &stage) }
        sayState(&stage)
        keep("lock/door", stage.mechanism.isDoorOpen ? "open" : "closed", &stage)
        keep("lock/battery", "\(stage.mechanism.percent)", &stage)
        keep("$state", "ready", &stage)
    }

    private var description: JSON {
        [
            "homie": "5.0", "version": 1, "type": "lock", "name": .text(device),
            "nodes": [
                "lock": [
                    "name": "Lock", "type": "lock",
                    "properties": [
                        "state": [
                            "name": "State", "datatype": "enum",
                            "format": "locked,unlocked,open,locking,unlocking,opening,jammed,unknown",
                        ],
                        "command": [
                            "name": "Command", "datatype": "enum", "format": "lock,unlock,open", "settable": true,
                            "retained": false,
                        ],
                        "door": ["name": "Door", "datatype": "enum", "format": "open,closed"],
                        "battery": ["name": "Battery", "datatype": "integer", "format": "0:100", "unit": "%"],
                        "last-operation": ["name": "Last operation", "datatype": "json", "retained": false],
                    ],
                ]
            ],
        ]
    }
}
