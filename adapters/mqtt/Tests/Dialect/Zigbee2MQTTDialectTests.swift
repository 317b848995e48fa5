import DoorwardAdapterKit
import DoorwardDomain
import Testing

@testable import AdapterMQTT

@Suite struct Zigbee2MQTTDialectTests {
    private static let topic = "zigbee2mqtt/front"

    @Test("every state value; `lock_state` takes precedence over `state`", arguments: states)
    func state(_ row: DecodeCase) throws { try row.check("zigbee2mqtt", Example.front) }

    private static let states =
        [
            (#"{"state":"LOCK"}"#, "locked confirmed"),
            (#"{"state":"LOCKED"}"#, "locked confirmed"),
            (#"{"state":"UNLOCK"}"#, "unlocked confirmed"),
            (#"{"state":"UNLOCKED"}"#, "unlocked confirmed"),
            (#"{"lock_state":"unlocked","state":"LOCK"}"#, "unlocked confirmed"),
            (#"{"lock_state":null,"state":"LOCK"}"#, "locked confirmed"),
            (#"{"lock_state":null,"state":null}"#, ""),
            (#"{"state":"ON"}"#, "unknown confirmed; !unmappedValue: ON"),
            (#"{"state":"lock"}"#, "unknown confirmed; !unmappedValue: lock"),
            (#"{"lock_state":"what","state":"LOCK"}"#, "unknown confirmed; !unmappedValue: what"),
            (#"{"linkquality":255}"#, ""),
            ("{}", ""),
            ("LOCK", "!malformedPayload"),
            (#"["LOCK"]"#, "!malformedPayload"),
            (#"{"state":{"state":"LOCK","code":"0042"}}"#, "!malformedPayload"),
            (#"{"state":"LOCK""#, "!malformedPayload"),
            (#"{"state":"LOCK","state":"UNLOCK"}"#, "!malformedPayload"),
            (#"{"state":NaN}"#, "!malformedPayload"),
            ("", ""),
        ].map { DecodeCase(topic, $0, $1, prev: .unlocked) } + [
            DecodeCase(topic, #"{"state":"LOCK"}"#, "locked retained", inFlight: .lock, retained: true)
        ]

    @Test("operator and method, from every value of `action`", arguments: actions)
    func action(_ action: String, _ expected: String) throws {
        try DecodeCase(Self.topic, #"{"action":"\#(action)"}"#, expected).check("zigbee2mqtt", Example.front)
    }

    private static let actions = [
        ("lock", "event operation lock ok unknown"),
        ("unlock", "event operation unlock ok unknown"),
        ("keypad_lock", "event operation lock ok keypad"),
        ("keypad_unlock", "event operation unlock ok keypad"),
        ("password_unlock", "event operation unlock ok keypad"),
        ("manual_lock", "event operation lock ok manual"),
        ("manual_unlock_key_or_thumbturn", "event operation unlock ok manual"),
        ("manual_lock_key_or_thumbturn", "event operation lock ok manual"),
        ("key_lock", "event operation lock ok key"),
        ("key_unlock", "event operation unlock ok key"),
        ("one_touch_lock", "event operation lock ok button"),
        ("manual_lock_touch", "event operation lock ok button"),
        ("auto_lock", "event operation lock ok auto"),
        ("schedule_lock", "event operation lock ok schedule"),
        ("schedule_unlock", "event operation unlock ok schedule"),
        ("rfid_unlock", "event operation unlock ok rfid"),
        ("fingerprint_unlock", "event operation unlock ok fingerprint"),
        ("lock_module", "event operation lock ok remote"),
        ("unlock_module", "event operation unlock ok remote"),
        ("lock_failure_invalid_pin_or_id", "event operation lock failed unknown because invalidCode"),
        ("unlock_failure_invalid_pin_or_id", "event operation unlock failed unknown because invalidCode"),
        ("lock_failure_invalid_schedule", "event operation lock failed unknown because schedule"),
        ("unlock_failure_invalid_schedule", "event operation unlock failed unknown because schedule"),
        ("pin_code_added", "event credentialChanged keypad"),
        ("rfid_code_deleted", "event credentialChanged rfid"),
        ("master_code_changed", "event credentialChanged keypad"),
        ("error_jammed", "event jam"),
        ("non_access_user_operational_event", "event operation unknown ok unknown"),
        ("unknown", "event operation unknown ok unknown"),
        ("finger_open_user_id7", "event operation unlock ok fingerprint slot 7"),
        ("password_open_admin_id12", "event operation unlock ok keypad slot 12"),
        ("finger_not_match", "event attemptFailed fingerprint because invalidCode"),
        ("password_not_match", "event attemptFailed keypad because invalidCode"),
        ("reverse_lock", "event operation lock ok manual"),
        ("ring_bell", ""),
        ("door_closed", ""),
        ("dance", "!unmappedValue: dance"),
        ("", ""),
    ]

    @Test("method and user slot, from the source of an action; user 65535 means no user", arguments: sources)
    func source(_ fields: String, _ expected: String) throws {
        try DecodeCase(Self.topic, #"{"action":"unlock",\#(fields)}"#, expected).check("zigbee2mqtt", Example.front)
    }

    private static let sources = [
        (#""action_source_name":"keypad","action_user":3"#, "event operation unlock ok keypad slot 3"),
        (#""action_source_name":"rf","action_user":0"#, "event operation unlock ok remote slot 0"),
        (#""action_source_name":"rfid","action_user":65535"#, "event operation unlock ok rfid"),
        (#""action_source_name":"fingerprint","action_user":null"#, "event operation unlock ok fingerprint"),
        (#""action_source_name":"manual""#, "event operation unlock ok manual"),
        (#""action_source_name":"mind""#, "event operation unlock ok unknown"),
    ]

    @Test("door, battery and availability", arguments: otherValueCases)
    func otherValues(_ row: DecodeCase) throws { try row.check("zigbee2mqtt", Example.front) }

    private static let otherValueCases = [
        DecodeCase(topic, #"{"door_state":"open"}"#, "door-open"),
        DecodeCase(topic, #"{"door_state":"closed"}"#, "door-closed"),
        DecodeCase(topic, #"{"door_state":"undefined"}"#, "door-unknown"),
        DecodeCase(topic, #"{"door_state":"error_forced_open"}"#, "door-fault faults[doorForced]; event doorForced"),
        DecodeCase(topic, #"{"door_state":"error_jammed"}"#, "door-fault faults[doorSensorFault]"),
        DecodeCase(topic, #"{"door_state":"error_unspecified"}"#, "door-fault faults[doorSensorFault]"),
        DecodeCase(topic, #"{"door_state":"ajar"}"#, "door-unknown; !unmappedValue: ajar"),
        DecodeCase(topic, #"{"battery":36.5,"battery_low":false}"#, "36.5% not-low"),
        DecodeCase(topic, #"{"battery":200}"#, "!outOfRange"),
        DecodeCase(topic, #"{"battery":1e999}"#, "!outOfRange"),
        DecodeCase(topic, #"{"battery":true}"#, "!outOfRange"),
        DecodeCase(topic, #"{"battery_low":"yes"}"#, "!malformedPayload"),
        DecodeCase(topic, #"{"alarm":"deadbolt_jammed"}"#, "event jam"),
        DecodeCase(topic, #"{"alarm":"ok"}"#, ""),
        DecodeCase(topic, #"{"alarm":"tamper_alarm_keypad_attempts"}"#, "faults[keypadLockout]; event keypadLockout"),
        DecodeCase(topic, #"{"alarm":"low_battery"}"#, "faults[batteryLow]"),
        DecodeCase(topic, #"{"tamper":true}"#, "faults[tamper]; event tamper"),
        // The availability of a lock is unknown until its own availability topic is received. The
        // lock is offline as soon as one topic reports offline.
        DecodeCase("zigbee2mqtt/bridge/state", #"{"state":"online"}"#, "reach-unknown"),
        DecodeCase("zigbee2mqtt/bridge/state", "offline", "stale offline", prev: .locked),
        DecodeCase("zigbee2mqtt/front/availability", #"{"state":"offline"}"#, "stale offline", prev: .locked),
    ]

    @Test(
        "a failed command is reported only in the bridge's log, and only failures of this lock's own commands count",
        arguments: failures)
    func failure(_ row: DecodeCase) throws { try row.check("zigbee2mqtt", Example.front) }

    private static func log(_ level: String, _ message: String) -> String { #"{"level":"\#(level)","message":"\#(message)"}"# }
    private static let failures = [
        DecodeCase("zigbee2mqtt/bridge/logging", log("error", "Publish 'set' 'state' to 'front' failed: x"), "!unexpectedAck"),
        DecodeCase("zigbee2mqtt/bridge/logging", log("info", "Publish 'set' 'state' to 'front' failed: x"), "", inFlight: .lock),
        DecodeCase(
            "zigbee2mqtt/bridge/logging", log("error", "Publish 'set' 'state' to 'front door' failed: x"), "", inFlight: .lock),
        DecodeCase("zigbee2mqtt/bridge/logging", log("error", "Publish 'get' 'state' to 'front' failed: x"), "", inFlight: .lock),
    ]

    @Test("a name with pattern characters is matched literally")
    func names() throws {
        var fixture = try DialectFixture("zigbee2mqtt", ["name": "hall/front door*"], inFlight: .lock)
        let message = #"{"level":"error","message":"Publish 'set' 'state' to 'hall/front door*' failed: 'x'"}"#
        #expect(fixture.receive("zigbee2mqtt/bridge/logging", message) == "rejected(transport)")
        #expect(fixture.receive("zigbee2mqtt/hall/front door*", #"{"state":"LOCK"}"#) == "locked confirmed; confirmed it")
    }

    // MARK: Confirmation with cached states

    @Test("if the bolt is already in the target state, only the answer to a later state request confirms")
    func cachedTarget() throws {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front, prev: .locked)
        #expect(try fixture.encode(.lock) == #"zigbee2mqtt/front/set {"state":"LOCK"} q0; ?zigbee2mqtt/front/get"#)
        #expect(fixture.receive(Self.topic, #"{"lock_state":"locked","battery":70}"#) == "locked stale 70%", "a cached state")
        #expect(fixture.receive("zigbee2mqtt/front/get", #"{"state":""}"#) == "", "the state request itself")
        #expect(fixture.receive(Self.topic, #"{"lock_state":"locked","battery":69}"#) == "locked stale 69%", "a battery report")
        #expect(
            fixture.receive(Self.topic, #"{"lock_state":"locked","battery":69,"action":"auto_lock"}"#)
                == "locked stale 69%; event operation lock ok auto", "an event with a cached state")
        #expect(fixture.receive(Self.topic, #"{"lock_state":"locked","battery":69}"#) == "locked confirmed 69%; confirmed it")
    }

    @Test("if the state was stale before the command, only the answer to a state request confirms")
    func staleBefore() throws {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front, prev: .unlocked, quality: .stale)
        #expect(try fixture.encode(.lock).hasSuffix("?zigbee2mqtt/front/get"))
        #expect(fixture.receive(Self.topic, #"{"lock_state":"locked"}"#) == "locked stale")
        #expect(fixture.receive("zigbee2mqtt/front/get", #"{"state":""}"#) == "")
        #expect(fixture.receive(Self.topic, #"{"lock_state":"locked"}"#) == "locked confirmed; confirmed it")
    }

    @Test("a changed state confirms the command, and no state request is sent")
    func fresh() throws {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front, prev: .unlocked)
        #expect(try fixture.encode(.lock) == #"zigbee2mqtt/front/set {"state":"LOCK"} q0"#)
        #expect(fixture.dialect.retriesStateRequest && fixture.dialect.stateRequests.count == 1)
        #expect(fixture.receive(Self.topic, #"{"lock_state":"locked"}"#) == "locked confirmed; confirmed it")
    }

    @Test("a jam known before the command does not end it, and a new jam does")
    func cachedJam() throws {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front, prev: .jammed)
        _ = try fixture.encode(.unlock)
        #expect(fixture.receive(Self.topic, #"{"lock_state":"not_fully_locked"}"#) == "jammed stale faults[notFullyLocked]")
        #expect(fixture.receive(Self.topic, #"{"lock_state":"unlocked"}"#) == "unlocked confirmed faults[]; confirmed it")
        #expect(fixture.receive(Self.topic, #"{"lock_state":"not_fully_locked"}"#) == "unlocking confirmed")
        #expect(fixture.concludePassingJam() == "jammed confirmed faults[notFullyLocked]; rejected(jammed)")
    }

    @Test("an alarm that every message repeats is an event once, when it appears")
    func repeatedAlarm() throws {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front)
        let alarm = #"{"alarm":"deadbolt_jammed","door_state":"error_forced_open"}"#
        #expect(fixture.receive(Self.topic, alarm) == "door-fault faults[doorForced]; event doorForced; event jam")
        #expect(fixture.receive(Self.topic, alarm) == "door-fault faults[doorForced]")
        #expect(fixture.receive(Self.topic, #"{"alarm":"","door_state":"closed"}"#) == "door-closed faults[]")
        #expect(fixture.receive(Self.topic, alarm) == "door-fault faults[doorForced]; event doorForced; event jam")
    }

    @Test("a code is sent as an escaped JSON string")
    func code() throws {
        var fixture = try DialectFixture("zigbee2mqtt", Example.front)
        #expect(
            try fixture.encode(.lock, code: #"00"}"#)
                == #"zigbee2mqtt/front/set {"state":{"state":"LOCK","code":"00\"}"}} q0"#)
        #expect(throws: AdapterError.unsupported) { try fixture.encode(.unlatch) }
    }
}
