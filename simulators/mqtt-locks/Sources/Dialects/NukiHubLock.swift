/// A Nuki lock behind Nuki Hub (technyon/nuki_hub). The hub is an ESP32 for one lock. It connects to the lock by Bluetooth, and
/// to the broker by MQTT.
struct NukiHubLock: Dialect {
    static let profile = Profile.nukiHub
    static let hasKeypad = true

    /// The hub ignores actions for this long after each connection, so that no old action opens a door.
    static let guardTime = Duration.seconds(6)

    let name: String
    /// The Nuki id of the lock.
    let id: String
    private var connectedAt = Duration.zero
    /// The last published state; only changes are published.
    private var lastPublished: Position?
    /// Trigger and operator of the last movement.
    private var lastOperation = Operation()

    private struct Operation {
        var trigger = "system"
        var action = "lock"
        var context = "--"
        var user = 0
        var userName = ""
    }

    init(name: String, id: String) { (self.name, self.id) = (name, id) }

    var variables: JSON { ["base": .text(name)] }
    // Nearly all messages of the hub are retained, and all have QoS 1.
    var base: String { "\(name)/lock" }
    var stateTopic: String { "\(base)/state" }
    var filters: [String] {
        [
            "\(base)/action", "\(base)/query/lockstate", "\(base)/query/battery", "\(base)/query/config",
            "\(base)/query/keypad", "\(base)/keypad/actionJson",
        ]
    }
    var will: Message? { Message("\(name)/maintenance/mqttConnectionState", "offline", qos: 1, isRetained: true) }

    // MARK: - Messages

    private static let actions: [String: Motion] = [
        "lock": .lock, "fullLock": .lock, "unlock": .unlock, "lockNgo": .unlock, "unlatch": .open, "lockNgoUnlatch": .open,
    ]

    mutating func receive(_ message: Message, _ context: inout LockContext) {
        switch message.topic {
        case "\(base)/action": receiveAction(message.text, &context)
        case "\(base)/query/lockstate" where message.text == "1":
            publishRetained("query/lockstate", "0", &context)
            if lastPublished != context.mechanism.sensedPosition { reportState(&context) }
        case "\(base)/query/battery" where message.text == "1":
            publishRetained("query/battery", "0", &context)
            reportBattery(&context)
        case "\(base)/query/config" where message.text == "1": publishRetained("query/config", "0", &context)
        case "\(base)/query/keypad" where message.text == "1": publishRetained("query/keypad", "0", &context)
        case "\(base)/keypad/actionJson": receiveKeypad(message, &context)
        default: break
        }
    }

    private mutating func receiveAction(_ word: String, _ context: inout LockContext) {
        // Ignore the hub's own messages. It receives them because the topic is used in both directions.
        guard !["", "--", "ack", "unknown_action", "denied", "error"].contains(word) else { return }
        guard context.now - connectedAt >= Self.guardTime else { return }
        // The first letter may be upper case.
        let key = word.prefix(1).lowercased() + word.dropFirst()
        guard let motion = Self.actions[key] else { return context.publish("\(base)/action", "unknown_action", qos: 1) }
        guard context.acceptsCommand() else { return }
        context.publish("\(base)/action", "ack", qos: 1)
        context.startMovement(motion, by: .remote)
    }

    private func receiveKeypad(_ message: Message, _ context: inout LockContext) {
        guard !message.payload.isEmpty, message.text != "--" else { return }
        publishRetained("keypad/commandResultJson", changeCodes(JSON(message.payload), &context), &context)
    }

    /// - Returns: the result, as the hub publishes it.
    private func changeCodes(_ request: JSON?, _ context: inout LockContext) -> String {
        let code = request?["code"]?.text ?? request?["code"]?.whole.map(String.init)
        let slot = request?["codeId"]?.whole
        switch request?["action"]?.text {
        case "add":
            guard let code, Self.isCode(code) else { return "invalidCode" }
            let free = (context.mechanism.codes.keys.max() ?? 0) + 1
            context.mechanism.codes[free] = .init(digits: code, isEnabled: true)
        case "update":
            guard let slot, context.mechanism.codes[slot] != nil else { return "noExistingCodeIdSet" }
            guard let code, Self.isCode(code) else { return "invalidCode" }
            context.mechanism.codes[slot]?.digits = code
        case "delete":
            guard let slot, context.mechanism.codes.removeValue(forKey: slot) != nil else { return "noExistingCodeIdSet" }
        default: return "invalidAction"
        }
        return "success"
    }

    /// A valid code has six digits, none of them 0, and does not begin with 12.
    private static func isCode(_ text: String) -> Bool {
        text.utf8.count == 6 && text.utf8.allSatisfy { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
            && !text.hasPrefix("12")
    }

    // MARK: - Reports

    mutating func handle(_ event: LockEvent, _ context: inout LockContext) {
        switch event {
        case .online:
            connectedAt = context.now
            publishBirthMessages(&context)
        case .moving(let movement):
            lastOperation = Self.operation(of: movement)
            if movement.cause == .remote, !movement.jams { publishRetained("commandResult", "success", &context) }
            reportState(&context)
        case .moved(let movement):
            lastOperation = Self.operation(of: movement)
            reportState(&context)
            reportOperation("success", &context)
        case .jammed(let movement):
            reportState(&context)
            if movement.cause == .remote { publishRetained("commandResult", "failed", &context) }
            reportOperation("motorBlocked", &context)
        case .released, .report: reportState(&context)
        case .codeRefused(let slot):
            lastOperation = Operation(
                trigger: "system", action: "unlock", context: "keypadCode", user: 54_320 + slot, userName: "Code \(slot)")
            reportOperation("invalidCode", &context)
        case .door: publishRetained("doorSensorState", door(context), &context)
        case .battery: reportBattery(&context)
        case .lost, .due: break
        }
    }

    mutating func reset() { (lastPublished, lastOperation) = (nil, Operation()) }

    private static func operation(of movement: Movement) -> Operation {
        let action =
            switch movement.motion {
            case .lock: "lock"
            case .unlock: "unlock"
            case .open: "unlatch"
            }
        return switch movement.cause {
        case .remote: Operation(trigger: "system", action: action)
        case .thumbTurn: Operation(trigger: "manual", action: action)
        case .automatic: Operation(trigger: "autoLock", action: action)
        case .keypad(let slot):
            Operation(trigger: "system", action: action, context: "keypadCode", user: 54_320 + slot, userName: "Code \(slot)")
        }
    }

    private func reportOperation(_ completion: String, _ context: inout LockContext) {
        publishRetained("completionStatus", completion, &context)
        publishRetained("trigger", lastOperation.trigger, &context)
        publishRetained("lastLockAction", lastOperation.action, &context)
        publishRetained("lockActionContext", lastOperation.context, &context)
        publishRetained("authorizationId", "\(lastOperation.user)", &context)
        publishRetained("authorizationName", lastOperation.userName, &context)
        publishRetained("rollingLog", logEntry(completion, context).description, &context)
    }

    private func logEntry(_ completion: String, _ context: LockContext) -> JSON {
        [
            "index": .whole(context.movementCount), "authorizationId": .whole(lastOperation.user),
            "authorizationName": .text(lastOperation.userName),
            "type": lastOperation.context == "keypadCode" ? "KeypadAction" : "LockAction", "action": .text(lastOperation.action),
            "trigger": .text(lastOperation.trigger), "completionStatus": .text(completion),
        ]
    }

    private mutating func reportState(_ context: inout LockContext) {
        let texts = Self.stateTexts(context.mechanism.sensedPosition)
        lastPublished = context.mechanism.sensedPosition
        context.report(stateTopic, texts.state, qos: 1, isRetained: true)
        context.report("\(base)/hastate", texts.home, qos: 1, isRetained: true)
        if let binary = texts.binary { context.report("\(base)/binaryState", binary, qos: 1, isRetained: true) }
        publishRetained("json", stateJSON(texts.state, context).description, &context)
    }

    private static func stateTexts(_ position: Position) -> (state: String, home: String, binary: String?) {
        switch position {
        case .locked: ("locked", "locked", "locked")
        case .unlocking: ("unlocking", "unlocking", "unlocked")
        case .unlocked: ("unlocked", "unlocked", "unlocked")
        case .locking: ("locking", "locking", "locked")
        case .open: ("unlatched", "open", "unlocked")
        case .opening: ("unlatching", "opening", "unlocked")
        case .jammed: ("motorBlocked", "jammed", nil)
        }
    }

    private func stateJSON(_ state: String, _ context: LockContext) -> JSON {
        [
            "lock_state": .text(state), "lockngo_state": 0, "trigger": .text(lastOperation.trigger),
            "last_lock_action": .text(lastOperation.action),
            "door_sensor_state": .text(door(context)), "auth_id": .whole(lastOperation.user),
            "auth_name": .text(lastOperation.userName),
        ]
    }

    private func door(_ context: LockContext) -> String { context.mechanism.isDoorOpen ? "doorOpened" : "doorClosed" }

    private func reportBattery(_ context: inout LockContext) {
        publishRetained("battery/level", "\(context.mechanism.percent)", &context)
        publishRetained("battery/critical", context.mechanism.isLow ? "1" : "0", &context)
        publishRetained("battery/charging", "0", &context)
    }

    // MARK: - Connecting

    private mutating func publishBirthMessages(_ context: inout LockContext) {
        discover(&context)
        context.publish("\(name)/maintenance/mqttConnectionState", "online", qos: 1, isRetained: true)
        publishRetained("availability", "online", &context)
        publishRetained("action", "--", &context)
        reportState(&context)
        publishRetained("doorSensorState", door(context), &context)
        reportBattery(&context)
        publishRetained("battery/keypadCritical", "0", &context)
        publishRetained("battery/doorSensorCritical", "0", &context)
    }

    private func discover(_ context: inout LockContext) {
        let availability: JSON = [["topic": "\(name)/maintenance/mqttConnectionState"], ["topic": "\(base)/availability"]]
        let device: JSON = ["ids": ["nuki_\(id)"], "mf": "Nuki", "mdl": "Smart Lock", "name": .text(name)]
        context.discover(
            "lock/\(id)/smartlock",
            [
                "~": .text(name), "name": nil, "uniq_id": "\(id)_lock", "cmd_t": "~/lock/action", "stat_t": "~/lock/hastate",
                "avty": availability, "avty_mode": "all", "pl_lock": "lock", "pl_unlk": "unlock", "pl_open": "unlatch",
                "stat_locked": "locked", "stat_locking": "locking", "stat_unlocked": "unlocked",
                "stat_unlocking": "unlocking", "stat_jam": "jammed", "stat_open": "open", "stat_opening": "opening",
                "opt": "false", "dev": device,
            ], qos: 1)
    }
}
