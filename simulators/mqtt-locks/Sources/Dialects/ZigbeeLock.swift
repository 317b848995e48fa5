import Foundation

/// A lock behind Zigbee2MQTT, as its converters `fz.lock`, `fz.lock_operation_event` and `fz.lock_pin_code_response` publish it.
struct ZigbeeLock: Dialect {
    static let profile = Profile.zigbee2mqtt
    static let retainsState = false
    static let hasKeypad = true
    static let prefix = "zigbee2mqtt"

    private enum ReadTimer { static let state = 1, pins = 2 }

    /// The friendly name.
    let name: String
    /// The lock's values that Zigbee2MQTT caches, and merges into every message.
    private var cachedPosition = Position.locked
    private var cachedUsers: [Int: JSON] = [:]

    init(name: String) { self.name = name }

    var variables: JSON { ["name": .text(name)] }
    var base: String { "\(Self.prefix)/\(name)" }
    var stateTopic: String { base }

    // MARK: - Messages

    mutating func receive(_ message: Message, _ context: inout LockContext) {
        guard message.topic.hasPrefix("\(stateTopic)/") else { return }
        let parts = message.topic.dropFirst(stateTopic.count + 1).split(separator: "/", maxSplits: 1)
        let requestedValues = Self.requestedValues(message, attribute: parts.count > 1 ? String(parts[1]) : nil)
        switch parts.first {
        // The retain flag is ignored: a retained command is executed after each restart.
        case "set": for (key, value) in requestedValues { set(key, value, &context) }
        case "get": for (key, value) in requestedValues { get(key, value, &context) }
        default: break
        }
    }

    /// Returns the requested values: from JSON, from a bare text for the state, or from the attribute in the topic.
    private static func requestedValues(_ message: Message, attribute: String?) -> [(key: String, value: JSON)] {
        let json = JSON(message.payload)
        if let attribute { return [(attribute, json ?? .text(message.text))] }
        if case .object(let members) = json { return members.map { ($0.key, $0.value) } }
        let words: Set = ["on", "off", "toggle", "open", "close", "stop", "lock", "unlock"]
        return words.contains(message.text.lowercased()) ? [("state", .text(message.text))] : []
    }

    private mutating func set(_ key: String, _ value: JSON, _ context: inout LockContext) {
        switch key {
        case "state":
            guard let motion = motion(value, context) else {
                return publishFailure("set", key, "state: '\(value.text ?? "")' not found in: lock, unlock, toggle", &context)
            }
            guard context.isReachable else { return publishFailure("set", key, Self.deliveryError, &context) }
            guard context.acceptsCommand() else { return }
            context.startMovement(motion, by: .remote)
        case "pin_code":
            guard context.isReachable else { return publishFailure("set", key, Self.deliveryError, &context) }
            setCode(value, &context)
        default: publishFailure("set", key, "No converter available for '\(key)'", &context)
        }
    }

    private func motion(_ value: JSON, _ context: LockContext) -> Motion? {
        // If the command includes a code, the value is an object that contains the state and the code.
        switch (value["state"] ?? value).text?.uppercased() {
        case "LOCK": .lock
        case "UNLOCK": .unlock
        case "TOGGLE": context.mechanism.sensedPosition == .locked ? .unlock : .lock
        default: nil
        }
    }

    private mutating func get(_ key: String, _ value: JSON, _ context: inout LockContext) {
        guard context.isReachable else { return publishFailure("get", key, Self.deliveryError, &context) }
        switch key {
        case "state", "lock_state": context.startTimer(context.radioDelay(), for: ReadTimer.state)
        case "pin_code":
            for slot in value["user"]?.whole.map({ [$0] }) ?? Array(0..<Self.slots) { cacheUser(slot, context) }
            context.startTimer(context.radioDelay(), for: ReadTimer.pins)
        default: publishFailure("get", key, "No converter available for '\(key)'", &context)
        }
    }

    // MARK: - Reports

    mutating func handle(_ event: LockEvent, _ context: inout LockContext) {
        switch event {
        case .online:
            reportAvailability("online", &context)
            cachedPosition = context.mechanism.sensedPosition
            publish(&context)
        case .lost: reportAvailability("offline", &context)
        case .moved(let movement): reportMovement(movement, succeeded: true, &context)
        case .jammed(let movement): reportMovement(movement, succeeded: false, &context)
        case .codeRefused(let slot):
            publishAction("unlock_failure_invalid_pin_or_id", by: .keypad, user: slot, &context)
        case .due(ReadTimer.state):
            cachedPosition = context.mechanism.sensedPosition
            publish(&context)
        case .due(ReadTimer.pins), .battery, .door, .report: publish(&context)
        // Most Zigbee locks do not report movements in progress. Some, such as Danalock V3, report a bolt between its ends.
        case .moving where context.happens(.halfWay):
            cachedPosition = .jammed
            publish(&context)
        // A Zigbee lock has no latch to release.
        case .moving, .released, .due: break
        }
    }

    /// Publishes the state of the bolt first, then the event with the operator.
    private mutating func reportMovement(_ movement: Movement, succeeded: Bool, _ context: inout LockContext) {
        cachedPosition = context.mechanism.sensedPosition
        publish(&context)
        guard succeeded else { return }
        let word = movement.motion == .lock ? "lock" : "unlock"
        switch movement.cause {
        case .remote: publishAction(word, by: .rf, &context)
        case .thumbTurn: publishAction("manual_\(word)", by: .manual, &context)
        case .automatic: publishAction("auto_lock", by: .manual, &context)
        case .keypad(let slot): publishAction("keypad_\(word)", by: .keypad, user: slot, &context)
        }
    }

    /// The sources of an operation, by the numbers of the Zigbee Cluster Library.
    private enum Source: Int { case keypad, rf, manual }

    /// Publishes an operation with the number of its user; 65535 means no user.
    private func publishAction(_ action: String, by source: Source, user: Int = 65_535, _ context: inout LockContext) {
        let values: JSON = [
            "action": .text(action), "action_source": .whole(source.rawValue), "action_source_name": "\(source)",
            "action_user": .whole(user),
        ]
        context.publish(stateTopic, values.with(state(context)).description)
    }

    private func publish(_ context: inout LockContext) { context.report(stateTopic, state(context).description) }

    private func state(_ context: LockContext) -> JSON {
        let mechanism = context.mechanism
        let words: (lock: JSON, state: JSON) =
            switch cachedPosition {
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

    private func reportAvailability(_ word: String, _ context: inout LockContext) {
        publishRetained("availability", (["state": .text(word)] as JSON).description, &context)
    }

    private static let deliveryError =
        "ZCL command failed (Data request failed with error: 'MAC transaction expired' (240))"

    /// Publishes the failure of a command in the bridge's log, the only place where it is reported.
    private func publishFailure(_ verb: String, _ key: String, _ reason: String, _ context: inout LockContext) {
        let message = "Publish '\(verb)' '\(key)' to '\(name)' failed: 'Error: \(reason)'"
        let line: JSON = ["level": "error", "message": .text(message), "namespace": "z2m"]
        context.publish("\(Self.prefix)/bridge/logging", line.description)
    }

    // MARK: - Codes

    static let slots = 30

    private mutating func setCode(_ request: JSON, _ context: inout LockContext) {
        guard let slot = request["user"]?.whole, (0..<Self.slots).contains(slot) else {
            return publishFailure("set", "pin_code", "user must be in range for device", &context)
        }
        guard context.acceptsCommand() else { return }
        let action: String
        if let digits = request["pin_code"]?.text {
            action = context.mechanism.codes[slot] == nil ? "pin_code_added" : "pin_code_changed"
            context.mechanism.codes[slot] = .init(digits: digits, isEnabled: request["user_enabled"]?.flag ?? true)
        } else {
            context.mechanism.codes[slot] = nil
            action = "pin_code_deleted"
        }
        publishAction(action, by: .rf, user: slot, &context)
        cacheUser(slot, context)
        context.startTimer(context.radioDelay(), for: ReadTimer.pins)
    }

    /// Caches the status of a code slot. The code itself is only published with the device's option `expose_pin`.
    private mutating func cacheUser(_ slot: Int, _ context: LockContext) {
        let status = context.mechanism.codes[slot].map { $0.isEnabled ? "enabled" : "disabled" } ?? "available"
        cachedUsers[slot] = ["status": .text(status)]
    }
}

/// The bridge: Zigbee2MQTT. The real bridge subscribes to all topics below its base. This one subscribes only to the topics that it
/// processes, so that ten thousand locks do not receive each other's messages.
extension ZigbeeLock {
    static func bridge(of locks: [JSON], publishesDiscovery: Bool) -> Bridge? {
        let names = locks.compactMap { $0["name"]?.text }
        return Bridge(
            filters: ["set", "get", "set/+", "get/+"].map { "\(prefix)/+/\($0)" },
            will: Message("\(prefix)/bridge/state", #"{"state":"offline"}"#, qos: 1, isRetained: true),
            birthMessages: { _ in birthMessages(names, publishesDiscovery) }, recipient: Bridge.lock(atLevel: 1, of: names))
    }

    private static func birthMessages(_ names: [String], _ publishesDiscovery: Bool) -> [Message] {
        let state = Message("\(prefix)/bridge/state", #"{"state":"online"}"#, qos: 1, isRetained: true)
        guard publishesDiscovery else { return [state] }
        let coordinator: JSON = [
            "ieee_address": "0x00124b0000000000", "type": "Coordinator", "friendly_name": "Coordinator", "supported": true,
            "definition": nil,
        ]
        let devices = JSON.list([coordinator] + names.enumerated().map { device(number: $0, name: $1) })
        return [state, Message("\(prefix)/bridge/devices", devices.description, isRetained: true)]
    }

    private static func device(number: Int, name: String) -> JSON {
        let address = String(0x000d_6f00_0000_0001 + number, radix: 16)
        return [
            "ieee_address": "0x\(String(repeating: "0", count: 16 - address.count))\(address)", "type": "EndDevice",
            "network_address": .whole(1000 + number), "supported": true, "friendly_name": .text(name), "disabled": false,
            "manufacturer": "Yale", "model_id": "YRD226/246 TSDB", "power_source": "Battery",
            "interview_completed": true, "interviewing": false,
            "definition": [
                "model": "YRD226HA2619", "vendor": "Yale", "description": "Assure lock", "supports_ota": true, "options": [],
                "exposes": exposes,
            ],
        ]
    }

    private static let exposes: JSON = [
        [
            "type": "lock",
            "features": [
                [
                    "type": "binary", "name": "state", "property": "state", "label": "State", "access": 7, "value_on": "LOCK",
                    "value_off": "UNLOCK", "description": "State of the lock",
                ],
                [
                    "type": "enum", "name": "lock_state", "property": "lock_state", "label": "Lock state", "access": 1,
                    "values": ["not_fully_locked", "locked", "unlocked"], "description": "Actual state of the lock",
                ],
            ],
        ],
        [
            "type": "numeric", "name": "battery", "property": "battery", "label": "Battery", "access": 5, "unit": "%",
            "value_min": 0, "value_max": 100,
        ],
        [
            "type": "composite", "name": "pin_code", "property": "pin_code", "label": "Pin code", "access": 7,
            "features": [
                ["type": "numeric", "name": "user", "property": "user", "label": "User", "access": 2],
                ["type": "text", "name": "pin_code", "property": "pin_code", "label": "Pin code", "access": 3],
            ],
        ],
        [
            "type": "enum", "name": "action", "property": "action", "label": "Action", "access": 1,
            "values": [
                "lock", "unlock", "manual_lock", "manual_unlock", "keypad_lock", "keypad_unlock", "auto_lock",
                "unlock_failure_invalid_pin_or_id", "pin_code_added", "pin_code_deleted", "pin_code_changed",
            ],
        ],
        [
            "type": "enum", "name": "door_state", "property": "door_state", "label": "Door state", "access": 1,
            "values": ["open", "closed", "error_jammed", "error_forced_open", "error_unspecified", "undefined"],
        ],
    ]
}
