import Testing

@testable import doorward_mqtt_locks

/// The exact messages that a lock of each dialect publishes for a command.
@Suite struct CommandTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let profile: Profile
        let topic: String
        let payload: String
        let expected: [String]
        var testDescription: String { "\(profile.rawValue) \(topic) \(payload)" }

        init(_ profile: Profile, _ topic: String, _ payload: String, _ expected: [String]) {
            (self.profile, self.topic, self.payload, self.expected) = (profile, topic, payload, expected)
        }
    }

    static let state = "zigbee2mqtt/zigbee2mqtt-1"
    static func zigbee(_ word: String, action: String = "") -> String {
        let lock = word == "LOCK" ? "locked" : "unlocked"
        return "\(state) {\(action)\"battery\":80,\"battery_low\":false,\"door_state\":\"closed\",\"linkquality\":120,"
            + "\"lock_state\":\"\(lock)\",\"state\":\"\(word)\"}"
    }
    static let rf = #""action":"unlock","action_source":1,"action_source_name":"rf","action_user":65535,"#
    static let mode = "zwave/zwave-js-ui-1/98/0"
    static let api = "zwave/_CLIENTS/ZWAVE_GATEWAY-office/api/writeValue"
    static let call = #"{"args":[{"nodeId":2,"commandClass":98,"endpoint":0,"property":"targetMode"},0],"ref":"a1"}"#
    static let ring = "ring/\(RingLock.location)/alarm/DEVICE"

    static let cases: [Case] = [
        Case(
            .homeassistant, "locks/homeassistant-1/set", "UNLOCK",
            ["!*locks/homeassistant-1/state UNLOCKING", "!*locks/homeassistant-1/state UNLOCKED"]),
        Case(
            .homeassistant, "locks/homeassistant-1/set", "OPEN",
            ["OPENING", "OPEN", "UNLOCKED"].map { "!*locks/homeassistant-1/state \($0)" }),
        Case(.homeassistant, "locks/homeassistant-1/set", "unlock", []),
        Case(.zigbee2mqtt, "\(state)/set", #"{"state":"UNLOCK"}"#, [zigbee("UNLOCK"), zigbee("UNLOCK", action: rf)]),
        Case(.zigbee2mqtt, "\(state)/set", "unlock", [zigbee("UNLOCK"), zigbee("UNLOCK", action: rf)]),
        Case(.zigbee2mqtt, "\(state)/set/state", "UNLOCK", [zigbee("UNLOCK"), zigbee("UNLOCK", action: rf)]),
        Case(
            .zigbee2mqtt, "\(state)/set", #"{"state":{"state":"UNLOCK","code":"0042"}}"#,
            [zigbee("UNLOCK"), zigbee("UNLOCK", action: rf)]),
        Case(.zigbee2mqtt, "\(state)/get", #"{"state":""}"#, [zigbee("LOCK")]),
        Case(
            .zigbee2mqtt, "\(state)/set", #"{"state":"ON"}"#,
            [
                #"zigbee2mqtt/bridge/logging {"level":"error","message":"Publish 'set' 'state' to 'zigbee2mqtt-1' failed: 'Error: state: 'ON' not found in: lock, unlock, toggle'","namespace":"z2m"}"#
            ]),
        Case(
            .nukiNative, "nuki/ID/lockAction", "1",
            ["!nuki/ID/lockActionEvent 1,172,0,0,0", "!*nuki/ID/state 2", "!nuki/ID/commandResponse 0", "!*nuki/ID/state 3"]),
        Case(
            .nukiNative, "nuki/ID/lockAction", "3",
            [
                "!nuki/ID/lockActionEvent 3,172,0,0,0", "!*nuki/ID/state 7", "!nuki/ID/commandResponse 0",
                "!*nuki/ID/state 5", "!*nuki/ID/state 3",
            ]),
        Case(
            .nukiNative, "nuki/ID/lock", "true",
            ["!nuki/ID/lockActionEvent 2,172,0,0,0", "!*nuki/ID/state 4", "!nuki/ID/commandResponse 0", "!*nuki/ID/state 1"]),
        Case(.nukiNative, "nuki/ID/lockAction", "80", []),
        Case(
            .zwave, "\(mode)/targetMode/set", "0",
            [
                #"!zwave/zwave-js-ui-1/113/0/Access_Control/RF_unlock_operation {"time":1755955220100}"#,
                #"!*zwave/zwave-js-ui-1/113/0/Access_Control/Lock_state {"time":1755955220100,"value":0}"#,
                #"!*\#(mode)/currentMode {"time":1755955220100,"value":0}"#,
                #"!*\#(mode)/boltStatus {"time":1755955220100,"value":"unlocked"}"#,
            ]),
        Case(
            .zwave, "\(api)/set", call,
            [
                "!\(api) {\"success\":true,\"message\":\"Success zwave api call\",\"result\":{\"status\":255},"
                    + #""args":[{"commandClass":98,"endpoint":0,"nodeId":2,"property":"targetMode"},0],"origin":\#(call)}"#,
                #"!zwave/zwave-js-ui-1/113/0/Access_Control/RF_unlock_operation {"time":1755955220100}"#,
                #"!*zwave/zwave-js-ui-1/113/0/Access_Control/Lock_state {"time":1755955220100,"value":0}"#,
                #"!*\#(mode)/currentMode {"time":1755955220100,"value":0}"#,
                #"!*\#(mode)/boltStatus {"time":1755955220100,"value":"unlocked"}"#,
            ]),
        Case(.zwave, "\(mode)/targetMode/set", "Secured", []),
        Case(
            .esphome, "esphome-1/lock/front_door/command", "unlock",
            ["*esphome-1/lock/front_door/state UNLOCKING", "*esphome-1/lock/front_door/state UNLOCKED"]),
        Case(.esphome, "esphome-1/lock/front_door/command", "SHUT", []),
        Case(.tasmota, "cmnd/tasmota-1/POWER", "on", [#"stat/tasmota-1/RESULT {"POWER":"ON"}"#, "stat/tasmota-1/POWER ON"]),
        Case(.tasmota, "cmnd/tasmota-1/POWER", "", [#"stat/tasmota-1/RESULT {"POWER":"OFF"}"#, "stat/tasmota-1/POWER OFF"]),
        Case(
            .homie, "homie/5/homie-1/lock/command/set", "open",
            [
                "homie/5/homie-1/lock/command/$target open", "!*homie/5/homie-1/lock/state opening",
                "!*homie/5/homie-1/lock/state open", "homie/5/homie-1/lock/command open",
                #"homie/5/homie-1/lock/last-operation {"action":"open","method":"remote","ok":true,"userSlot":null}"#,
                "!*homie/5/homie-1/lock/state unlocked",
            ]),
        Case(.homie, "homie/5/homie-1/lock/command/set", "Open", []),
        Case(.ring, "\(ring)/lock/command", "UNLOCK", ["!\(ring)/lock/state UNLOCKING", "!\(ring)/lock/state UNLOCKED"]),
        Case(
            .homekey, "homekey-esp32-1/homekit/set_target_state", "0",
            ["*homekey-esp32-1/homekit/state 4", "homekey-esp32-1/homekit/set_current_state 0"]),
        Case(.homekey, "homekey-esp32-1/homekit/set_current_state", "2", ["*homekey-esp32-1/homekit/state 2"]),
        Case(.homekey, "homekey-esp32-1/homekit/set_target_state", "2", []),
    ]

    /// Replaces `ID` and `DEVICE` in a table with the ids that depend on the seed.
    static func filled(_ text: String, _ fleet: FleetFixture) -> String {
        let address = fleet.fleet.locks[0].dialect.variables
        return text.replacing("/ID/", with: "/\(address["id"]?.text ?? "")/")
            .replacing("DEVICE", with: address["device"]?.text ?? "")
    }

    @Test("a command is answered with the payloads, the order and the flags of its ecosystem", arguments: cases)
    func responses(example: Case) throws {
        var fixture = FleetFixture(example.profile)
        try fixture.execute("battery \(fixture.name) 80")
        _ = fixture.takeMessages()
        fixture.receive(Self.filled(example.topic, fixture), example.payload)
        fixture.advance(by: .seconds(5))
        #expect(fixture.takeLines() == example.expected.map { Self.filled($0, fixture) })
    }

    @Test("Nuki Hub publishes each stage of an action: accepted, sent, moved, completed")
    func hubChain() {
        var fixture = FleetFixture(.nukiHub)
        fixture.receive("nuki-hub-1/lock/action", "unlatch")
        fixture.advance(by: .milliseconds(150))
        let published = fixture.takeLines().filter { !$0.contains("/json") && !$0.contains("rollingLog") }
        #expect(
            published.prefix(9) == [
                "!nuki-hub-1/lock/action ack", "!*nuki-hub-1/lock/commandResult success", "!*nuki-hub-1/lock/state unlatching",
                "!*nuki-hub-1/lock/hastate opening", "!*nuki-hub-1/lock/binaryState unlocked",
                "!*nuki-hub-1/lock/state unlatched", "!*nuki-hub-1/lock/hastate open", "!*nuki-hub-1/lock/binaryState unlocked",
                "!*nuki-hub-1/lock/completionStatus success",
            ])
    }

    @Test(
        "Nuki Hub answers an unknown action and ignores its own status texts",
        arguments: [("explode", true), ("ack", false), ("--", false)])
    func hubStatusTexts(word: String, isAnswered: Bool) {
        var fixture = FleetFixture(.nukiHub)
        fixture.receive("nuki-hub-1/lock/action", word)
        #expect(fixture.takeLines() == (isAnswered ? ["!nuki-hub-1/lock/action unknown_action"] : []))
    }

    @Test("Nuki Hub ignores actions for six seconds after it has connected", arguments: [(5_999, false), (6_000, true)])
    func hubGuard(milliseconds: Int, isTaken: Bool) {
        var fixture = FleetFixture([.init(profile: .nukiHub, count: 1)])
        fixture.connect()
        fixture.advance(by: .milliseconds(milliseconds))
        _ = fixture.takeMessages()
        fixture.receive("nuki-hub-1/lock/action", "unlock", isRetained: true)
        #expect(fixture.takeLines() == (isTaken ? ["!nuki-hub-1/lock/action ack"] : []))
    }

    @Test(
        "a dialect that ignores the retain flag executes a retained command",
        arguments: [Profile.homeassistant, .zigbee2mqtt, .nukiNative, .zwave, .esphome, .tasmota, .ring, .homekey, .homie])
    func retainedCommand(profile: Profile) throws {
        var fixture = FleetFixture(profile)
        let example = try #require(
            Self.cases.first { $0.profile == profile && $0.topic.contains("/get") == false && !$0.expected.isEmpty })
        fixture.receive(Self.filled(example.topic, fixture), example.payload, isRetained: true)
        fixture.advance(by: .seconds(5))
        #expect(fixture.fleet.locks[0].context.mechanism.position == .unlocked)
    }

    @Test("a moving Nuki lock answers a command with `busy`")
    func busy() {
        var fixture = FleetFixture(.nukiNative)
        let topic = CommandTests.filled("nuki/ID/lockAction", fixture)
        fixture.receive(topic, "1")
        fixture.advance(by: .milliseconds(50))
        _ = fixture.takeLines()
        fixture.receive(topic, "2")
        #expect(fixture.takeLines() == [CommandTests.filled("!nuki/ID/commandResponse 69", fixture)])
    }

    @Test("ESPHome publishes neither an unchanged state nor periodic reports")
    func deduplicated() {
        var fixture = FleetFixture(.esphome) { $0.reportEvery = .seconds(1) }
        fixture.receive("esphome-1/lock/front_door/command", "UNLOCK")
        fixture.advance(by: .seconds(5))
        _ = fixture.takeLines()
        fixture.receive("esphome-1/lock/front_door/command", "OPEN")
        fixture.advance(by: .seconds(9))
        #expect(fixture.takeLines() == [])
    }

    @Test("Z-Wave answers an invalid call with status 5, and does not answer a call for an unknown node")
    func invalidCall() {
        var fixture = FleetFixture(.zwave)
        fixture.receive("\(Self.api)/set", #"{"args":[{"nodeId":2,"commandClass":98,"property":"targetMode"},"Secured"]}"#)
        #expect(fixture.takeLines().first?.contains(#""result":{"status":5}"#) == true)
        fixture.receive("\(Self.api)/set", #"{"args":[{"nodeId":99,"commandClass":98,"property":"targetMode"},0]}"#)
        fixture.advance(by: .seconds(1))
        #expect(fixture.takeLines() == [])
    }
}
