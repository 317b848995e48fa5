import DoorwardDomain
import DoorwardMQTT
import Testing

@testable import AdapterMQTT

/// Tests of manufacturers and bridge settings that differ from the standard Zigbee values.
@Suite struct Zigbee2MQTTMakesTests {
    private static let topic = "zigbee2mqtt/front"
    private static let log = "zigbee2mqtt/bridge/logging"

    // MARK: Operator and method

    @Test("operator and method, in the values of each manufacturer", arguments: operations)
    func operation(_ payload: String, _ expected: String) throws {
        try DecodeCase(Self.topic, payload, expected).check("zigbee2mqtt", Example.front)
    }

    private static let operations = [
        // Yale YMC420 and YDM60: the user slot has its own key and is one byte long.
        (#"{"action":"password_unlock","action_source_user":3}"#, "event operation unlock ok keypad slot 3"),
        (#"{"action":"one_touch_lock","action_source_user":255}"#, "event operation lock ok button"),
        // Yale Solis.
        (
            #"{"action":"unlock","action_source_name":"indeterminate","action_user":7}"#,
            "event operation unlock ok unknown slot 7"
        ),
        (#"{"action":"unlock","action_source_name":"manual","action_user":65535}"#, "event operation unlock ok manual"),
        (#"{"action":"unknown_17","action_source_name":"keypad"}"#, "event operation unknown ok keypad"),
        // EasyCode and Nimly.
        (#"{"action":"zigbee_unlock"}"#, "event operation unlock ok remote"),
        (#"{"action":"fingerprint_lock"}"#, "event operation lock ok fingerprint"),
        (#"{"action":"rfid_lock"}"#, "event operation lock ok rfid"),
        // Aqara's locks, which send reports but accept no commands.
        (
            #"{"action":"finger_open_user_id7","action_user":7,"state":"UNLOCK","reverse":"UNLOCK"}"#,
            "unlocked confirmed; event operation unlock ok fingerprint slot 7"
        ),
        (#"{"action":"locked","state":"LOCK","reverse":"UNLOCK"}"#, "locked confirmed; event operation lock ok unknown"),
        (
            #"{"action":"lock_opened_inside","state":"UNLOCK","reverse":"UNLOCK"}"#,
            "unlocked confirmed; event operation unlock ok manual"
        ),
        (#"{"action":"lock_opened_outside","state":"UNLOCK"}"#, "unlocked confirmed; event operation unlock ok unknown"),
        (#"{"action":"reverse_lock","state":"UNLOCK","reverse":"LOCK"}"#, "unlocked confirmed; event operation none ok manual"),
        (#"{"action":"reverse_lock","state":"LOCK","reverse":"LOCK"}"#, "locked confirmed; event operation lock ok manual"),
        (#"{"action_action":"finger_not_match","action_repeat":3}"#, "event attemptFailed fingerprint because invalidCode"),
        (#"{"action":"finger_open"}"#, "event operation unlock ok fingerprint"),
        (#"{"action":"finger_add","action_user":4}"#, "event credentialChanged fingerprint slot 4"),
        (#"{"action":"password_delete","action_user":4}"#, "event credentialChanged keypad slot 4"),
        (#"{"action":"change_language_to_english"}"#, ""),
    ]

    @Test("Nimly and EasyCode: the last operation is in every message, and is an event only when it changes")
    func nimly() throws {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front, prev: .locked)
        func message(_ state: String, _ source: String, _ user: String, more: String = "") -> String {
            #"{"lock_state":"\#(state)","last_unlock_source":"\#(source)","last_unlock_user":"\#(user)"\#(more)}"#
        }
        #expect(fixture.receive(Self.topic, message("locked", "keypad", "3")) == "locked confirmed", "the operation may be old")
        #expect(fixture.receive(Self.topic, message("locked", "keypad", "3", more: #","battery":70"#)) == "locked confirmed 70%")
        #expect(
            fixture.receive(Self.topic, message("unlocked", "keypad", "12"))
                == "unlocked confirmed; event operation unlock ok keypad slot 12")
        #expect(
            fixture.receive(Self.topic, message("unlocked", "fingerprintsensor", "12"))
                == "unlocked confirmed; event operation unlock ok fingerprint slot 12")
        #expect(fixture.receive(Self.topic, message("unlocked", "fingerprintsensor", "12")) == "unlocked confirmed")
        #expect(
            fixture.receive(Self.topic, message("unlocked", "self", "0"))
                == "unlocked confirmed; event operation unlock ok manual"
        )
        let locked = #"{"lock_state":"locked","last_lock_source":"rfid","last_lock_user":"5"}"#
        #expect(fixture.receive(Self.topic, locked) == "locked confirmed")
        let again = locked.replacing("rfid", with: "zigbee").replacing("\"5\"", with: "\"0\"")
        #expect(fixture.receive(Self.topic, again) == "locked confirmed; event operation lock ok remote")
    }

    @Test("a retained last operation, and the first one after a reconnect, is not an event")
    func nimlyAfterGap() throws {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front)
        func user(_ user: Int) -> String { #"{"last_unlock_source":"keypad","last_unlock_user":"\#(user)"}"# }
        #expect(fixture.receive(Self.topic, user(1)) == "")
        #expect(fixture.receive(Self.topic, user(2), isRetained: true) == "")
        #expect(fixture.receive(Self.topic, user(3)) == "event operation unlock ok keypad slot 3")
        _ = fixture.dialect.connectionLost(&fixture.state)
        #expect(fixture.receive(Self.topic, user(4)) == "")
        #expect(fixture.receive(Self.topic, user(5)) == "event operation unlock ok keypad slot 5")
    }

    @Test("a typed code that a lock publishes is neither reported nor stored")
    func code() throws {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front)
        let typed = #"{"lock_state":"locked","last_used_pin_code":"4711","last_unlock_source":"keypad","last_unlock_user":"3"}"#
        #expect(fixture.receive(Self.topic, typed) == "locked confirmed")
        #expect(!"\(fixture.state)".contains("4711"))
    }

    // MARK: Errors of the bridge

    @Test(
        "an error in the bridge's log about the lock's own command ends it, with and without the prefix of the logger",
        arguments: errors)
    func error(_ message: String, _ expected: String) throws {
        for sender in ["", "z2m: "] {
            var fixture = try DialectFixture("zigbee2mqtt", Example.front, inFlight: .lock)
            let line = #"{"level":"error","message":"\#(sender)\#(message)","namespace":"z2m"}"#
            #expect(fixture.receive(Self.log, line) == expected, "\(sender)\(message)")
        }
    }

    private static let errors = [
        ("Publish 'set' 'state' to 'front' failed: 'Error: ZCL command 0x01/1 closuresDoorLock.lockDoor'", "rejected(transport)"),
        (#"No converter available for 'state' on 'front': (\"LOCK\")"#, "rejected(unsupported)"),
        ("Cannot publish to unsupported device 'front'", "rejected(unsupported)"),
        ("Entity 'front' is unknown", "rejected(offline)"),
        (#"No converter available for 'color' on 'front': (1)"#, ""),
        (#"No converter available for 'state' on 'front door': (\"LOCK\")"#, ""),
        ("Entity 'front door' is unknown", ""),
        ("No converter available for 'set' 'state' (LOCK)", ""),
    ]

    // MARK: Attributes

    private static let attributes = ["name": "front", "output": "attribute"]

    @Test("with `output: attribute` each value has its own topic", arguments: singles)
    func attribute(_ row: DecodeCase) throws { try row.check("zigbee2mqtt", Self.attributes) }

    private static let singles = [
        DecodeCase(topic + "/lock_state", "locked", "locked confirmed"),
        DecodeCase(topic + "/lock_state", "not_fully_locked", "jammed confirmed faults[notFullyLocked]"),
        DecodeCase(topic + "/lock_state", "what", "unknown confirmed; !unmappedValue: what"),
        DecodeCase(topic + "/lock_state", "", "", prev: .locked),
        DecodeCase(topic + "/state", "UNLOCK", "", prev: .locked),
        DecodeCase(topic + "/battery", "70", "70%"),
        DecodeCase(topic + "/battery_low", "true", "low"),
        DecodeCase(topic + "/door_state", "error_forced_open", "door-fault faults[doorForced]; event doorForced"),
        DecodeCase(topic + "/alarm", "deadbolt_jammed", "event jam"),
        DecodeCase(topic + "/tamper", "true", "faults[tamper]; event tamper"),
        DecodeCase(topic + "/action", "keypad_unlock", "event operation unlock ok keypad"),
        DecodeCase(topic + "/action", "finger_open_user_id7", "event operation unlock ok fingerprint slot 7"),
        DecodeCase(topic + "/action", "", ""),
        DecodeCase(topic + "/action", "unlock", "!retainedEventIgnored", retained: true),
        DecodeCase(topic + "/lock_state", "unlocked", "unlocked confirmed; confirmed it", prev: .locked, inFlight: .unlock),
    ]

    @Test(
        "with a JSON output the topics of single values are ignored, because an action can be published on both",
        arguments: outputs)
    func json(_ output: String) throws {
        let address = ["name": "front", "output": output]
        try DecodeCase(Self.topic + "/action", "keypad_unlock", "").check("zigbee2mqtt", address)
        try DecodeCase(Self.topic + "/lock_state", "locked", "").check("zigbee2mqtt", address)
        try DecodeCase(Self.topic, #"{"lock_state":"locked"}"#, "locked confirmed").check("zigbee2mqtt", address)
        try DecodeCase(Self.topic, "unlock", "!malformedPayload").check("zigbee2mqtt", address)
    }

    private static let outputs = ["json", "attribute_and_json"]

    @Test("with `output: attribute` an answer looks like a repetition, so that an unchanged state confirms nothing")
    func attributeConfirmation() throws {
        var fixture = try DialectFixture("zigbee2mqtt", Self.attributes, prev: .locked)
        #expect(try fixture.encode(.lock).hasSuffix("?zigbee2mqtt/front/get"))
        #expect(fixture.receive("zigbee2mqtt/front/get", #"{"state":""}"#) == "")
        #expect(fixture.receive(Self.topic + "/lock_state", "locked") == "locked stale")
        #expect(fixture.receive(Self.topic + "/lock_state", "unlocked") == "unlocked confirmed")
        #expect(fixture.receive(Self.topic + "/lock_state", "locked") == "locked confirmed; confirmed it")
    }

    // MARK: Endpoints

    private static let left = ["name": "gate", "endpoint": "left"]

    @Test("each endpoint of a device with several endpoints is a lock", arguments: parts)
    func endpoint(_ row: DecodeCase) throws { try row.check("zigbee2mqtt", Self.left) }

    private static let parts = [
        DecodeCase(
            "zigbee2mqtt/gate", #"{"state_left":"LOCK","lock_state_left":"locked","state_right":"UNLOCK"}"#, "locked confirmed"),
        DecodeCase("zigbee2mqtt/gate", #"{"state_left":"UNLOCK","battery":40}"#, "unlocked confirmed 40%"),
        DecodeCase(
            "zigbee2mqtt/gate", #"{"state_right":"UNLOCK","lock_state_right":"unlocked","state":"UNLOCK"}"#, "", prev: .locked),
        // The action does not name the endpoint.
        DecodeCase("zigbee2mqtt/gate", #"{"action":"manual_unlock","lock_state_left":"locked"}"#, "locked confirmed"),
        DecodeCase(
            log, #"{"level":"error","message":"z2m: Entity 'gate/left' is unknown"}"#, "rejected(offline)", inFlight: .lock),
        DecodeCase(
            log, #"{"level":"error","message":"z2m: Device 'gate' has no endpoint 'left'"}"#, "rejected(unsupported)",
            inFlight: .lock),
        DecodeCase("zigbee2mqtt/gate/set", #"{"state_left":"UNLOCK"}"#, "!retainedCommandFound", retained: true),
    ]

    @Test("an endpoint has its own topics for commands and state requests, and is not the same lock as another endpoint")
    func endpointCommands() throws {
        var left = try DialectFixture("zigbee2mqtt", Self.left, prev: .unlocked)
        #expect(try left.encode(.lock) == #"zigbee2mqtt/gate/left/set {"state":"LOCK"} q0"#)
        #expect(left.dialect.commandTopic.description == "zigbee2mqtt/gate/left/set")
        #expect(left.dialect.stateRequests.map(\.topic.description) == ["zigbee2mqtt/gate/left/get"])
        let right = try DialectFixture("zigbee2mqtt", ["name": "gate", "endpoint": "right"])
        #expect(left.dialect.endpoints.isDisjoint(with: right.dialect.endpoints))
        let whole = try DialectFixture("zigbee2mqtt", ["name": "gate/left"])
        #expect(!left.dialect.endpoints.isDisjoint(with: whole.dialect.endpoints), "the same topic is the same lock")
    }
}
