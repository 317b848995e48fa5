/// A device of the Homie convention, version 5, with the node `lock` that Doorward's documentation recommends. QoS 1 is used
/// where the convention requires QoS 2.
struct HomieLock: Dialect {
    static let profile = Profile.homie
    static let hasKeypad = true

    let device: String
    var variables: JSON { ["device": .text(device), "node": "lock"] }
    var base: String { "homie/5/\(device)" }
    var stateTopic: String { "\(base)/lock/state" }
    var filters: [String] { ["\(base)/lock/command/set"] }
    var will: Message? { Message("\(base)/$state", "lost", qos: 1, isRetained: true) }

    init(device: String) { self.device = device }

    mutating func receive(_ message: Message, _ context: inout LockContext) {
        // Values are case sensitive; a value outside the format is ignored.
        guard message.topic == "\(base)/lock/command/set", let motion = Motion(rawValue: message.text), context.acceptsCommand()
        else { return }
        // Repeating the received payload acknowledges the command.
        context.publish("\(base)/lock/command/$target", message.text)
        context.startMovement(motion, by: .remote)
    }

    mutating func handle(_ event: LockEvent, _ context: inout LockContext) {
        switch event {
        case .online: publishBirthMessages(&context)
        case .moving, .released, .report: reportState(&context)
        case .moved(let movement):
            reportState(&context)
            if movement.cause == .remote { context.publish("\(base)/lock/command", movement.motion.rawValue) }
            reportOperation(movement.motion.rawValue, movement.cause, ok: true, &context)
        case .jammed(let movement):
            reportState(&context)
            reportOperation(movement.motion.rawValue, movement.cause, ok: false, &context)
        case .codeRefused(let slot): reportOperation("unlock", .keypad(slot: slot), ok: false, &context)
        case .door: publishRetained("lock/door", context.mechanism.isDoorOpen ? "open" : "closed", &context)
        case .battery: publishRetained("lock/battery", "\(context.mechanism.percent)", &context)
        case .lost, .due: break
        }
    }

    private func reportState(_ context: inout LockContext) {
        context.report(stateTopic, context.mechanism.sensedPosition.rawValue, qos: 1, isRetained: true)
    }

    private func reportOperation(_ word: String, _ cause: Cause, ok: Bool, _ context: inout LockContext) {
        let (method, slot): (String, JSON) =
            switch cause {
            case .remote: ("remote", .null)
            case .thumbTurn: ("manual", .null)
            case .automatic: ("auto", .null)
            case .keypad(let slot): ("keypad", .whole(slot))
            }
        let operation: JSON = ["action": .text(word), "method": .text(method), "ok": .flag(ok), "userSlot": slot]
        context.publish("\(base)/lock/last-operation", operation.description)
    }

    private func publishBirthMessages(_ context: inout LockContext) {
        publishRetained("$state", "init", &context)
        if context.settings.publishesDiscovery { publishRetained("$description", description.description, &context) }
        reportState(&context)
        publishRetained("lock/door", context.mechanism.isDoorOpen ? "open" : "closed", &context)
        publishRetained("lock/battery", "\(context.mechanism.percent)", &context)
        publishRetained("$state", "ready", &context)
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
