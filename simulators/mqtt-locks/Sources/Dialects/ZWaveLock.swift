/// A lock behind Z-Wave JS UI: gateway type ValueId, payloads with time and value, retained values.
struct ZWaveLock: Dialect {
    static let profile = Profile.zwave
    static let hasKeypad = true
    static let prefix = "zwave"
    static let gateway = "office"
    static let api = "\(prefix)/_CLIENTS/ZWAVE_GATEWAY-\(gateway)/api/writeValue"

    /// Notification values of the access control type (Z-Wave's notification command class).
    private enum Notification { static let idle = 0, jammed = 11, doorOpen = 22, doorClosed = 23 }
    /// Result of writing a value (`SetValueStatus` of zwave-js).
    private enum Status { static let failed = 2, invalid = 5, success = 255 }
    private static let secured = 255
    private static let unsecured = 0
    private static let unknown = 254
    private static let slots = 1...30

    /// The lock's name in Z-Wave JS UI. It has only characters that are not replaced in topics.
    let name: String
    let node: Int

    var variables: JSON { ["node": .text(name), "gateway": .text(Self.gateway), "nodeId": .whole(node)] }
    var base: String { "\(Self.prefix)/\(name)" }
    var stateTopic: String { "\(base)/98/0/currentMode" }

    init(name: String, node: Int) { (self.name, self.node) = (name, node) }

    // MARK: - Messages

    mutating func receive(_ message: Message, _ context: inout LockContext) {
        if message.topic == "\(Self.api)/set" { return receiveAPICall(message, &context) }
        guard message.topic.hasPrefix("\(base)/"), message.topic.hasSuffix("/set"), !message.payload.isEmpty else { return }
        let levels = message.topic.dropFirst(base.count + 1).dropLast(4).split(separator: "/").map(String.init)
        // The retain flag is ignored.
        let json = JSON(message.payload) ?? .text(message.text)
        let value = json["value"] ?? json
        switch levels {
        // Writing the current mode writes the target mode.
        case ["98", "0", "targetMode"], ["98", "0", "currentMode"]: writeTargetMode(value, [], &context)
        case _ where levels.count == 4 && levels[0] == "99": writeCode(levels[2], Int(levels[3]), value, &context)
        default: break
        }
    }

    private func receiveAPICall(_ message: Message, _ context: inout LockContext) {
        let call = JSON(message.payload)
        let arguments = call?["args"]?.list ?? []
        guard arguments.count >= 2, arguments[0]["commandClass"]?.whole == 98, arguments[0]["property"]?.text == "targetMode"
        else { return publishResponse(message.payload, Status.invalid, &context) }
        writeTargetMode(arguments[1], message.payload, &context)
    }

    /// - Parameter request: the payload of an API call; empty for a topic without a response.
    private func writeTargetMode(_ value: JSON, _ request: [UInt8], _ context: inout LockContext) {
        guard let motion = Self.motion(value) else { return publishResponse(request, Status.invalid, &context) }
        guard context.isReachable else { return publishResponse(request, Status.failed, &context) }
        guard context.acceptsCommand() else { return }
        context.startMovement(motion, by: .remote, request: request)
    }

    private static func motion(_ value: JSON) -> Motion? {
        switch value {
        case .number(255), .flag(true), "255", "lock", "true", "on": .lock
        case .number(0), .flag(false), "0", "unlock", "false", "off": .unlock
        default: nil
        }
    }

    /// Publishes the response to an API call. `success` only means that the call was executed; `status` is the result, and
    /// `origin` repeats the whole call.
    private func publishResponse(_ request: [UInt8], _ status: Int, _ context: inout LockContext) {
        guard !request.isEmpty else { return }
        let origin = JSON(request) == nil ? JSON.null : .raw(String(decoding: request, as: UTF8.self))
        let response: JSON = [
            "success": true, "message": "Success zwave api call", "result": ["status": .whole(status)],
            "args": JSON(request)?["args"] ?? [], "origin": origin,
        ]
        context.publish(Self.api, response.description, qos: 1)
    }

    // MARK: - Reports

    mutating func handle(_ event: LockEvent, _ context: inout LockContext) {
        switch event {
        case .online: publishBirthMessages(&context)
        case .lost: reportAlive(false, &context)
        case .moved(let movement):
            publishResponse(movement.request, Status.success, &context)
            reportEvent(of: movement, &context)
            publishTimed("113/0/Access_Control/Lock_state", .whole(Notification.idle), &context)
            reportMode(&context)
        case .jammed(let movement):
            reportMode(&context)
            publishTimed("113/0/Access_Control/Lock_state", .whole(Notification.jammed), &context)
            publishResponse(movement.request, Status.failed, &context)
        case .door: reportDoor(&context)
        case .battery: reportBattery(&context)
        case .report: reportMode(&context)
        case .moving where context.happens(.halfWay): publishEvent("RF_not_fully_locked_operation", nil, &context)
        // A lock of this kind is supervised: it responds when the bolt has arrived. There is no notification for a wrong code at
        // the keypad.
        case .moving, .released, .codeRefused, .due: break
        }
    }

    private func reportMode(_ context: inout LockContext) {
        let mode =
            switch context.mechanism.sensedPosition {
            case .locked: Self.secured
            case .jammed: Self.unknown
            default: Self.unsecured
            }
        context.report(stateTopic, timed(.whole(mode), context), qos: 1, isRetained: true)
        publishTimed("98/0/boltStatus", mode == Self.secured ? "locked" : "unlocked", &context)
    }

    private func reportEvent(of movement: Movement, _ context: inout LockContext) {
        let word = movement.motion == .lock ? "lock" : "unlock"
        switch movement.cause {
        case .remote: publishEvent("RF_\(word)_operation", nil, &context)
        case .thumbTurn: publishEvent("Manual_\(word)_operation", nil, &context)
        case .automatic: publishEvent("Auto_lock_locked_operation", nil, &context)
        case .keypad(let slot): publishEvent("Keypad_\(word)_operation", ["userId": .whole(slot)], &context)
        }
    }

    /// Publishes an event. An event without parameters has no value.
    private func publishEvent(_ label: String, _ value: JSON?, _ context: inout LockContext) {
        let payload =
            value.map { timed($0, context) } ?? (["time": .number(Double(context.wallMilliseconds))] as JSON).description
        context.publish("\(base)/113/0/Access_Control/\(label)", payload, qos: 1)
    }

    private func timed(_ value: JSON, _ context: LockContext) -> String { Self.timed(value, context.wallMilliseconds) }

    static func timed(_ value: JSON, _ wallMilliseconds: Int64) -> String {
        (["time": .number(Double(wallMilliseconds)), "value": value] as JSON).description
    }

    private func publishTimed(_ topic: String, _ value: JSON, _ context: inout LockContext) {
        publishRetained(topic, timed(value, context), &context)
    }

    private func reportDoor(_ context: inout LockContext) {
        let isOpen = context.mechanism.isDoorOpen
        publishTimed(
            "113/0/Access_Control/Door_state", .whole(isOpen ? Notification.doorOpen : Notification.doorClosed), &context)
        publishTimed("98/0/doorStatus", isOpen ? "open" : "closed", &context)
    }

    private func reportBattery(_ context: inout LockContext) {
        publishTimed("128/0/level", .whole(context.mechanism.percent), &context)
        publishTimed("128/0/isLow", .flag(context.mechanism.isLow), &context)
    }

    private func reportAlive(_ isAlive: Bool, _ context: inout LockContext) {
        let status: JSON = [
            "time": .number(Double(context.wallMilliseconds)), "value": .flag(isAlive), "status": isAlive ? "Alive" : "Dead",
            "nodeId": .whole(node),
        ]
        publishRetained("status", status.description, &context)
    }

    private func publishBirthMessages(_ context: inout LockContext) {
        context.discover("lock/\(name)/lock", discovery, qos: 1)
        reportAlive(true, &context)
        publishTimed(
            "113/0/Access_Control/Lock_state",
            .whole(context.mechanism.sensedPosition == .jammed ? Notification.jammed : Notification.idle),
            &context)
        reportMode(&context)
        reportDoor(&context)
        reportBattery(&context)
    }

    /// The discovery message. The lock is available while its node, the gateway and the driver are available.
    private var discovery: JSON {
        let availability: JSON = [
            [
                "topic": "\(base)/status", "payload_available": "true", "payload_not_available": "false",
                "value_template": "{{'true' if value_json.value else 'false'}}",
            ],
            ["topic": .text(Self.status), "value_template": "{{'online' if value_json.value else 'offline'}}"],
            ["topic": .text(Self.driverStatus), "payload_available": "true", "payload_not_available": "false"],
        ]
        return [
            "availability": availability, "availability_mode": "all", "state_topic": .text(stateTopic),
            "command_topic": "\(base)/98/0/targetMode/set", "value_template": "{{ value_json.value }}",
            "state_locked": "255", "state_unlocked": "0", "payload_lock": "255", "payload_unlock": "0",
            "name": "\(name)_lock", "unique_id": "\(Self.prefix)_node\(node)_lock",
            "device": ["identifiers": ["\(Self.prefix)_node\(node)"], "name": .text(name), "manufacturer": "Kwikset"],
        ]
    }

    // MARK: - Codes

    /// A code is a string of 4 to 10 digits. A JSON number is rejected, as it cannot have leading zeros.
    private func writeCode(_ property: String, _ slot: Int?, _ value: JSON, _ context: inout LockContext) {
        guard let slot, Self.slots.contains(slot), context.isReachable else { return }
        switch property {
        case "userCode":
            guard let digits = value.text, (4...10).contains(digits.utf8.count), context.acceptsCommand() else { return }
            context.mechanism.codes[slot] = .init(digits: digits, isEnabled: true)
            publishTimed("99/0/userCode/\(slot)", .text(digits), &context)
        case "userIdStatus":
            guard let status = value.whole, (0...2).contains(status), context.acceptsCommand() else { return }
            if status == 0 { context.mechanism.codes[slot] = nil }
            context.mechanism.codes[slot]?.isEnabled = status == 1
        default: return
        }
        let status = context.mechanism.codes[slot].map { $0.isEnabled ? 1 : 2 } ?? 0
        publishTimed("99/0/userIdStatus/\(slot)", .whole(status), &context)
    }
}

/// The bridge: Z-Wave JS UI.
extension ZWaveLock {
    private static let status = "\(prefix)/_CLIENTS/ZWAVE_GATEWAY-\(gateway)/status"
    private static let driverStatus = "\(prefix)/driver/status"

    static func bridge(of locks: [JSON], publishesDiscovery: Bool) -> Bridge? {
        let lockOfTopic = Bridge.lock(atLevel: 1, of: locks.compactMap { $0["node"]?.text })
        let numbers = Dictionary(uniqueKeysWithValues: locks.enumerated().map { ($1["nodeId"]?.whole, $0) })
        return Bridge(
            filters: ["\(prefix)/+/98/0/+/set", "\(prefix)/+/99/0/+/+/set", "\(api)/set"],
            will: Message(status, #"{"value":false}"#, qos: 1, isRetained: true),
            birthMessages: { wallMilliseconds in
                [
                    Message(status, timed(true, wallMilliseconds), qos: 1, isRetained: true),
                    Message(driverStatus, "true", qos: 1, isRetained: true),
                ]
            },
            recipient: { message in
                guard message.topic == "\(api)/set" else { return lockOfTopic(message) }
                // A call for an unknown node only appears in the bridge's own log.
                return numbers[JSON(message.payload)?["args"]?.list?.first?["nodeId"]?.whole]
            })
    }
}
