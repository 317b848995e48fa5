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
    private var told: Position?
    /// Trigger and operator of the last movement.
    private var story = Story()

    private struct Story {
        var trigger = "system"
        var action = "lock"
        var context = "--"
        var user = 0
        var userName = ""
    }

    init(name: String, id: String) { (self.name, self.id) = (name, id) }

    var variables: JSON { ["base": .text(name)] }
    private var lock: String { "\(name)/lock" }
    var stateTopic: String { "\(lock)/state" }
    var filters: [String] {
        [
            "\(lock)/action", "\(lock)/query/lockstate", "\(lock)/query/battery", "\(lock)/query/config",
            "\(lock)/query/keypad", "\(lock)/keypad/actionJson",
        ]
    }
    var will: Frame? { Frame("\(name)/maintenance/mqttConnectionState", "offline", qos: 1, isRetained: true) }

    // MARK: - Messages

    private static let actions: [String: Motion] = [
        "lock": .lock, "fullLock": .lock, "unlock": .unlock, "lockNgo": .unlock, "unlatch": .open, "lockNgoUnlatch": .open,
    ]

    mutating func receive(_ message: Message, _ context: inout LockContext) {
        switch message.topic {
        case "\(lock)/action": receiveAction(message.text, &context)
        case "\(lock)/query/lockstate" where message.text == "1":
            keep("query/lockstate", "0", &context)
            if told != context.mechanism.shown { reportState(&context) }
        case "\(lock)/query/battery" where message.text == "1":
            keep("query/battery", "0", &context)
            reportBattery(&context)
        case "\(lock)/query/config" where message.text == "1": keep("query/config", "0", &context)
        case "\(lock)/query/keypad" where message.text == "1": keep("query/keypad", "0", &context)
        case "\(lock)/keypad/actionJson": receiveKeypad(message, &context)
        default: break
        }
    }

    private mutating func receiveAction(_ word: String, _ context: inout LockContext) {
        // Ignore the hub's own messages. It receives them because the topic is used in both directions.
        guard !["", "--", "ack", "unknown_action", "denied", "error"].contains(word) else { return }
        guard context.now - connectedAt >= Self.guardTime else { return }
        // The first letter may be upper case.
        let key = word.prefix(1).lowercased() + word.dropFirst()
        guard let motion = Self.actions[key] else { return context.publish("\(lock)/action", "unknown_action", qos: 1) }
        guard context.takesOrder() else { return }
        context.publish("\(lock)/action", "ack", qos: 1)
        context.order(motion, by: .remote)
    }

    private func receiveKeypad(_ message: Message, _ context: inout LockContext) {
        guard !message.payload.isEmpty, message.text != "--" else { return }
        let wish = JSON(message.payload)
        let code = wish?["code"]?.text ?? wish?["code"]?.whole.map(String.init)
        let slot = wish?["codeId"]?.whole
        let result: String
        switch wish?["action"]?.text {
        case "add":
            guard let code, Self.isCode(code) else { return answerKeypad("invalidCode", &context) }
            let free = (context.mechanism.codes.keys.max() ?? 0) + 1
            context.mechanism.codes[free] = .init(digits: code, isEnabled: true)
            result = "success"
        case "update":
            guard let slot, context.mechanism.codes[slot] != nil else { return answerKeypad("noExistingCodeIdSet", &context) }
            guard let code, Self.isCode(code) else { return answerKeypad("invalidCode", &context) }
            context.mechanism.codes[slot]?.digits = code
            result = "success"
        case "delete":
            guard let slot, context.mechanism.codes.removeValue(forKey: slot) != nil else {
                return answerKeypad("noExistingCodeIdSet", &context)
            }
            result = "success"
        default: result = "invalidAction"
        }
        answerKeypad(result, &context)
    }

    /// A valid code has six digits, none of them 0, and does not begin with 12.
    private static func isCode(_ text: String) -> Bool {
        text.utf8.count == 6 && text.utf8.allSatisfy { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
            && !text.hasPrefix("12")
    }

    private func answerKeypad(_ word: String, _ context: inout LockContext) { keep("keypad/commandResultJson", word, &context) }

    // MARK: - Reports

    mutating func tell(_ happening: LockEvent, _ context: inout LockContext) {
        switch happening {
        case .online:
            connectedAt = context.now
            greet(&context)
        case .moving(let move):
            story = Self.story(of: move)
            if move.cause == .remote, !move.jams { keep("commandResult", "success", &context) }
            reportState(&context)
        case .moved(let move):
            story = Self.story(of: move)
            reportState(&context)
            reportStory("success", &context)
        case .jammed(let move):
            reportState(&context)
            if move.cause == .remote { keep("commandResult", "failed", &context) }
            reportStory("motorBlocked", &context)
        case .released, .report: reportState(&context)
        case .codeRefused(let slot):
            story = Story(
                trigger: "system", action: "unlock", context: "keypadCode", user: 54_320 + slot, userName: "Code \(slot)")
            reportStory("invalidCode", &context)
        case .door: keep("doorSensorState", door(context), &context)
        case .battery: reportBattery(&context)
        case .lost, .due: break
        }
    }

    mutating func forget() { (told, story) = (nil, Story()) }

    private static func story(of move: Move) -> Story {
        let action =
            switch move.motion {
            case .lock: "lock"
            case .unlock: "unlock"
            case .open: "unlatch"
            }
        return switch move.cause {
        case .remote: Story(trigger: "system", action: action)
        case .thumbTurn: Story(trigger: "manual", action: action)
        case .automatic: Story(trigger: "autoLock", action: action)
        case .keypad(let slot):
            Story(trigger: "system", action: action, context: "keypadCode", user: 54_320 + slot, userName: "Code \(slot)")
        }
    }

    private func reportStory(_ completion: String, _ context: inout LockContext) {
        keep("completionStatus", completion, &context)
        keep("trigger", story.trigger, &context)
        keep("lastLockAction", story.action, &context)
        keep("lockActionContext", story.context, &context)
        keep("authorizationId", "\(story.user)", &context)
        keep("authorizationName", story.userName, &context)
        keep("rollingLog", logEntry(completion, context).description, &context)
    }

    private func logEntry(_ completion: String, _ context: LockContext) -> JSON {
        [
            "index": .whole(context.moves), "authorizationId": .whole(story.user), "authorizationName": .text(story.userName),
            "type": story.context == "keypadCode" ? "KeypadAction" : "LockAction", "action": .text(story.action),
            "trigger": .text(story.trigger), "completionStatus": .text(completion),
        ]
    }

    private mutating func reportState(_ context: inout LockContext) {
        let words = Self.words(context.mechanism.shown)
        told = context.mechanism.shown
        context.report(stateTopic, words.state, qos: 1, isRetained: true)
        context.report("\(lock)/hastate", words.home, qos: 1, isRetained: true)
        if let binary = words.binary { context.report("\(lock)/binaryState", binary, qos: 1, isRetained: true) }
        keep("json", whole(words.state, context).description, &context)
    }

    private static func words(_ position: Position) -> (state: String, home: String, binary: String?) {
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

    private func whole(_ state: String, _ context: LockContext) -> JSON {
        [
            "lock_state": .text(state), "lockngo_state": 0, "trigger": .text(story.trigger),
            "last_lock_action": .text(story.action),
            "door_sensor_state": .text(door(context)), "auth_id": .whole(story.user), "auth_name": .text(story.userName),
        ]
    }

    private func door(_ context: LockContext) -> String { context.mechanism.isDoorOpen ? "doorOpened" : "doorClosed" }

    private func reportBattery(_ context: inout LockContext) {
        keep("battery/level", "\(context.mechanism.percent)", &context)
        keep("battery/critical", context.mechanism.isLow ? "1" : "0", &context)
        keep("battery/charging", "0", &context)
    }

    /// Publishes a retained message. Nearly all messages of the hub are retained, and all have QoS 1.
    private func keep(_ topic: String, _ text: String, _ context: inout LockContext) {
        context.publish("\(lock)/\(topic)", text, qos: 1, isRetained: true)
    }

    // MARK: - Connecting

    private mutating func greet(_ context: inout LockContext) {
        discover(&context)
        context.publish("\(name)/maintenance/mqttConnectionState", "online", qos: 1, isRetained: true)
        keep("availability", "online", &context)
        keep("action", "--", &context)
        reportState(&context)
        keep("doorSensorState", door(context), &context)
        reportBattery(&context)
        keep("battery/keypadCritical", "0", &context)
        keep("battery/doorSensorCritical", "0", &context)
    }

    private func discover(_ context: inout LockContext) {
        let availability: JSON = [
            ["topic": "\(name)/maintenance/mqttConnectionState"], ["topic": "\(lock)/availability"],
        ]
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
