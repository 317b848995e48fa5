/// A Nuki lock behind Nuki Hub (technyon/nuki_hub): an ESP32 per lock, which connects to it by Bluetooth, and to the broker by MQTT.
struct NukiHubLock: Dialect {
    static let profile = Profile.nukiHub
    static let hasKeypad = true

    /// The hub ignores actions for this long after each connection, so that no door opens by an old one.
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

    mutating func hear(_ message: Message, _ stage: inout Stage) {
        switch message.topic {
        case "\(lock)/action": hearAction(message.text, &stage)
        case "\(lock)/query/lockstate" where message.text == "1":
            keep("query/lockstate", "0", &stage)
            if told != stage.mechanism.shown { sayState(&stage) }
        case "\(lock)/query/battery" where message.text == "1":
            keep("query/battery", "0", &stage)
            sayBattery(&stage)
        case "\(lock)/query/config" where message.text == "1": keep("query/config", "0", &stage)
        case "\(lock)/query/keypad" where message.text == "1": keep("query/keypad", "0", &stage)
        case "\(lock)/keypad/actionJson": hearKeypad(message, &stage)
        default: break
        }
    }

    private mutating func hearAction(_ word: String, _ stage: inout Stage) {
        // The topic is used in both directions: the hub receives its own messages.
        guard !["", "--", "ack", "unknown_action", "denied", "error"].contains(word) else { return }
        guard stage.now - connectedAt >= Self.guardTime else { return }
        // The first letter may be upper case.
        let key = word.prefix(1).lowercased() + word.dropFirst()
        guard let motion = Self.actions[key] else { return stage.say("\(lock)/action", "unknown_action", qos: 1) }
        guard stage.takesOrder() else { return }
        stage.say("\(lock)/action", "ack", qos: 1)
        stage.order(motion, by: .remote)
    }

    private func hearKeypad(_ message: Message, _ stage: inout Stage) {
        guard !message.payload.isEmpty, message.text != "--" else { return }
        let wish = JSON(message.payload)
        let code = wish?["code"]?.text ?? wish?["code"]?.whole.map(String.init)
        let slot = wish?["codeId"]?.whole
        let result: String
        switch wish?["action"]?.text {
        case "add":
            guard let code, Self.isCode(code) else { return answerKeypad("invalidCode", &stage) }
            let free = (stage.mechanism.codes.keys.max() ?? 0) + 1
            stage.mechanism.codes[free] = .init(digits: code, isEnabled: true)
            result = "success"
        case "update":
            guard let slot, stage.mechanism.codes[slot] != nil else { return answerKeypad("noExistingCodeIdSet", &stage) }
            guard let code, Self.isCode(code) else { return answerKeypad("invalidCode", &stage) }
            stage.mechanism.codes[slot]?.digits = code
            result = "success"
        case "delete":
            guard let slot, stage.mechanism.codes.removeValue(forKey: slot) != nil else {
                return answerKeypad("noExistingCodeIdSet", &stage)
            }
            result = "success"
        default: result = "invalidAction"
        }
        answerKeypad(result, &stage)
    }

    /// A valid code has six digits, none of them 0, and does not begin with 12.
    private static func isCode(_ text: String) -> Bool {
        text.utf8.count == 6 && text.utf8.allSatisfy { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
            && !text.hasPrefix("12")
    }

    private func answerKeypad(_ word: String, _ stage: inout Stage) { keep("keypad/commandResultJson", word, &stage) }

    // MARK: - Reports

    mutating func tell(_ happening: Happening, _ stage: inout Stage) {
        switch happening {
        case .online:
            connectedAt = stage.now
            greet(&stage)
        case .moving(let move):
            story = Self.story(of: move)
            if move.cause == .remote, !move.jams { keep("commandResult", "success", &stage) }
            sayState(&stage)
        case .moved(let move):
            story = Self.story(of: move)
            sayState(&stage)
            sayStory("success", &stage)
        case .jammed(let move):
            sayState(&stage)
            if move.cause == .remote { keep("commandResult", "failed", &stage) }
            sayStory("motorBlocked", &stage)
        case .released, .report: sayState(&stage)
        case .codeRefused(let slot):
            story = Story(
                trigger: "system", action: "unlock", context: "keypadCode", user: 54_320 + slot, userName: "Code \(slot)")
            sayStory("invalidCode", &stage)
        case .door: keep("doorSensorState", door(stage), &stage)
        case .battery: sayBattery(&stage)
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

    private func sayStory(_ completion: String, _ stage: inout Stage) {
        keep("completionStatus", completion, &stage)
        keep("trigger", story.trigger, &stage)
        keep("lastLockAction", story.action, &stage)
        keep("lockActionContext", story.context, &stage)
        keep("authorizationId", "\(story.user)", &stage)
        keep("authorizationName", story.userName, &stage)
        keep("rollingLog", logEntry(completion, stage).description, &stage)
    }

    private func logEntry(_ completion: String, _ stage: Stage) -> JSON {
        [
            "index": .whole(stage.moves), "authorizationId": .whole(story.user), "authorizationName": .text(story.userName),
            "type": story.context == "keypadCode" ? "KeypadAction" : "LockAction", "action": .text(story.action),
            "trigger": .text(story.trigger), "completionStatus": .text(completion),
        ]
    }

    private mutating func sayState(_ stage: inout Stage) {
        let words = Self.words(stage.mechanism.shown)
        told = stage.mechanism.shown
        stage.report(stateTopic, words.state, qos: 1, isRetained: true)
        stage.report("\(lock)/hastate", words.home, qos: 1, isRetained: true)
        if let binary = words.binary { stage.report("\(lock)/binaryState", binary, qos: 1, isRetained: true) }
        keep("json", whole(words.state, stage).description, &stage)
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

    private func whole(_ state: String, _ stage: Stage) -> JSON {
        [
            "lock_state": .text(state), "lockngo_state": 0, "trigger": .text(story.trigger),
            "last_lock_action": .text(story.action),
            "door_sensor_state": .text(door(stage)), "auth_id": .whole(story.user), "auth_name": .text(story.userName),
        ]
    }

    private func door(_ stage: Stage) -> String { stage.mechanism.isDoorOpen ? "doorOpened" : "doorClosed" }

    private func sayBattery(_ stage: inout Stage) {
        keep("battery/level", "\(stage.mechanism.percent)", &stage)
        keep("battery/critical", stage.mechanism.isLow ? "1" : "0", &stage)
        keep("battery/charging", "0", &stage)
    }

    /// Nearly all messages of the hub are retained, and all have QoS 1.
    private func keep(_ topic: String, _ text: String, _ stage: inout Stage) {
        stage.say("\(lock)/\(topic)", text, qos: 1, isRetained: true)
    }

    // MARK: - Connecting

    private mutating func greet(_ stage: inout Stage) {
        discover(&stage)
        stage.say("\(name)/maintenance/mqttConnectionState", "online", qos: 1, isRetained: true)
        keep("availability", "online", &stage)
        keep("action", "--", &stage)
        sayState(&stage)
        keep("doorSensorState", door(stage), &stage)
        sayBattery(&stage)
        keep("battery/keypadCritical", "0", &stage)
        keep("battery/doorSensorCritical", "0", &stage)
    }

    private func discover(_ stage: inout Stage) {
        let availability: JSON = [
            ["topic": "\(name)/maintenance/mqttConnectionState"], ["topic": "\(lock)/availability"],
        ]
        let device: JSON = ["ids": ["nuki_\(id)"], "mf": "Nuki", "mdl": "Smart Lock", "name": .text(name)]
        stage.discover(
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
