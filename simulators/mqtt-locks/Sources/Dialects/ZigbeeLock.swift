import Foundation

/// A lock behind Zigbee2MQTT, as its converters `fz.lock`, `fz.lock_operation_event` and `fz.lock_pin_code_response` publish it.
struct ZigbeeLock: Dialect {
    static let profile = Profile.zigbee2mqtt
    static let retainsState = false
    static let hasKeypad = true
    static let base = "zigbee2mqtt"

    private enum Reading { static let state = 1, pins = 2 }

    /// The friendly name.
    let name: String
    /// The lock's values that Zigbee2MQTT caches, and merges into every message.
    private var cached = Position.locked
    private var cachedUsers: [Int: JSON] = [:]

    init(name: String) { self.name = name }

    var variables: JSON { ["name": .text(name)] }
    var stateTopic: String { "\(Self.base)/\(name)" }

    // MARK: - Messages

    mutating func hear(_ message: Message, _ stage: inout Stage) {
        guard message.topic.hasPrefix("\(stateTopic)/") else { return }
        let parts = message.topic.dropFirst(stateTopic.count + 1).split(separator: "/", maxSplits: 1)
        let wishes = Self.wishes(message, attribute: parts.count > 1 ? String(parts[1]) : nil)
        switch parts.first {
        // The retain flag is ignored: a retained command is executed after each restart.
        case "set": for (key, value) in wishes { set(key, value, &stage) }
        case "get": for (key, value) in wishes { get(key, value, &stage) }
        default: break
        }
    }

    /// The requested values: from JSON, from a bare text for the state, or from the attribute in the topic.
    private static func wishes(_ message: Message, attribute: String?) -> [(key: String, value: JSON)] {
        let json = JSON(message.payload)
        if let attribute { return [(attribute, json ?? .text(message.text))] }
        if case .object(let members) = json { return members.map { ($0.key, $0.value) } }
        let words: Set = ["on", "off", "toggle", "open", "close", "stop", "lock", "unlock"]
        return words.contains(message.text.lowercased()) ? [("state", .text(message.text))] : []
    }

    private mutating func set(_ key: String, _ value: JSON, _ stage: inout Stage) {
        switch key {
        case "state":
            guard let motion = motion(value, stage) else {
                return fail("set", key, "state: '\(value.text ?? "")' not found in: lock, unlock, toggle", &stage)
            }
            guard stage.isReachable else { return fail("set", key, Self.undelivered, &stage) }
            guard stage.takesOrder() else { return }
            stage.order(motion, by: .remote)
        case "pin_code":
            guard stage.isReachable else { return fail("set", key, Self.undelivered, &stage) }
            setCode(value, &stage)
        default: fail("set", key, "No converter available for '\(key)'", &stage)
        }
    }

    private func motion(_ value: JSON, _ stage: Stage) -> Motion? {
        // With a code for the radio frame, the state is nested one level deeper.
        switch (value["state"] ?? value).text?.uppercased() {
        case "LOCK": .lock
        case "UNLOCK": .unlock
        case "TOGGLE": stage.mechanism.shown == .locked ? .unlock : .lock
        default: nil
        }
    }

    private mutating func get(_ key: String, _ value: JSON, _ stage: inout Stage) {
        guard stage.isReachable else { return fail("get", key, Self.undelivered, &stage) }
        switch key {
        case "state", "lock_state": stage.wait(stage.radioDelay(), for: Reading.state)
        case "pin_code":
            for slot in value["user"]?.whole.map({ [$0] }) ?? Array(0..<Self.slots) { cacheUser(slot, stage) }
            stage.wait(stage.radioDelay(), for: Reading.pins)
        default: fail("get", key, "No converter available for '\(key)'", &stage)
        }
    }

    // MARK: - Reports

    mutating func tell(_ happening: Happening, _ stage: inout Stage) {
        switch happening {
        case .online:
            sayAvailability("online", &stage)
            cached = stage.mechanism.shown
            publish(&stage)
        case .lost: sayAvailability("offline", &stage)
        case .moved(let move): told(move, ok: true, &stage)
        case .jammed(let move): told(move, ok: false, &stage)
        case .codeRefused(let slot):
            act(
                ["action": "unlock_failure_invalid_pin_or_id", "action_source": 0, "action_source_name": "keypad"], user: slot,
                &stage)
        case .due(Reading.state):
            cached = stage.mechanism.shown
            publish(&stage)
        case .due(Reading.pins), .battery, .door, .report: publish(&stage)
        // A Zigbee lock does not report movements in progress, and has no latch to release.
        case .moving, .released, .due: break
        }
    }

    /// Publishes the state of the bolt first, then the event with the operator.
    private mutating func told(_ move: Move, ok: Bool, _ stage: inout Stage) {
        cached = stage.mechanism.shown
        publish(&stage)
        guard ok else { return }
        let word = move.motion == .lock ? "lock" : "unlock"
        switch move.cause {
        case .remote: act(["action": .text(word), "action_source": 1, "action_source_name": "rf"], user: nil, &stage)
        case .thumbTurn:
            act(["action": "manual_\(word)", "action_source": 2, "action_source_name": "manual"], user: nil, &stage)
        case .automatic: act(["action": "auto_lock", "action_source": 2, "action_source_name": "manual"], user: nil, &stage)
        case .keypad(let slot):
            act(["action": "keypad_\(word)", "action_source": 0, "action_source_name": "keypad"], user: slot, &stage)
        }
    }

    /// 65535 means no user.
    private func act(_ action: JSON, user: Int?, _ stage: inout Stage) {
        stage.say(stateTopic, action.with(["action_user": .whole(user ?? 65_535)]).with(state(stage)).description)
    }

    private func publish(_ stage: inout Stage) { stage.report(stateTopic, state(stage).description) }

    private func state(_ stage: Stage) -> JSON {
        let mechanism = stage.mechanism
        let words: (lock: JSON, state: JSON) =
            switch cached {
            case .locked: ("locked", "LOCK")
            case .jammed: ("not_fully_locked", "UNLOCK")
            default: ("unlocked", "UNLOCK")
            }
        var state: JSON = [
            "battery": .whole(mechanism.percent), "battery_low": .flag(mechanism.isLow),
            "door_state": mechanism.isDoorOpen ? "open" : "closed", "linkquality": 120, "lock_state": words.lock,
            "state": words.state,
        ]
        if !cachedUsers.isEmpty {
            let users = cachedUsers.sorted { $0.key < $1.key }.map { JSON.Member(key: String($0.key), value: $0.value) }
            state = state.with(["users": .object(users)])
        }
        return state
    }

    private func sayAvailability(_ word: String, _ stage: inout Stage) {
        stage.say("\(stateTopic)/availability", (["state": .text(word)] as JSON).description, qos: 1, isRetained: true)
    }

    private static let undelivered =
        "ZCL command failed (Data request failed with error: 'MAC transaction expired' (240))"

    /// Publishes the failure of a command, which is reported nowhere else.
    private func fail(_ verb: String, _ key: String, _ why: String, _ stage: inout Stage) {
        let message = "Publish '\(verb)' '\(key)' to '\(name)' failed: 'Error: \(why)'"
        let line: JSON = ["level": "error", "message": .text(message), "namespace": "z2m"]
        stage.say("\(Self.base)/bridge/logging", line.description)
    }

    // MARK: - Codes

    static let slots = 30

    private mutating func setCode(_ wish: JSON, _ stage: inout Stage) {
        guard let slot = wish["user"]?.whole, (0..<Self.slots).contains(slot) else {
            return fail("set", "pin_code", "user must be in range for device", &stage)
        }
        guard stage.takesOrder() else { return }
        let action: String
        if let digits = wish["pin_code"]?.text {
            action = stage.mechanism.codes[slot] == nil ? "pin_code_added" : "pin_code_changed"
            stage.mechanism.codes[slot] = .init(digits: digits, isEnabled: wish["user_enabled"]?.flag ?? true)
        } else {
            stage.mechanism.codes[slot] = nil
            action = "pin_code_deleted"
        }
        act(["action": .text(action), "action_source": 1, "action_source_name": "rf"], user: slot, &stage)
        cacheUser(slot, stage)
        stage.wait(stage.radioDelay(), for: Reading.pins)
    }

    /// The code itself is only published with the device's option `expose_pin`.
    private mutating func cacheUser(_ slot: Int, _ stage: Stage) {
        let status = stage.mechanism.codes[slot].map { $0.isEnabled ? "enabled" : "disabled" } ?? "available"
        cachedUsers[slot] = ["status": .text(status)]
    }
}
