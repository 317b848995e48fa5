import DoorwardDomain
import DoorwardMQTT
import Testing

@testable import AdapterMQTT

@Suite struct ZWaveTests {
    private static let mode = "zwave/front/98/0/currentMode"
    private static let jam = "zwave/front/113/0/Access_Control/Lock_state"
    private static let api = "zwave/_CLIENTS/ZWAVE_GATEWAY-office/api/writeValue"

    @Test("every lock mode, in each of the three payload formats", arguments: modes)
    func state(_ row: DecodeCase) throws { try row.check("zwave-js-ui", Example.zwave) }

    private static let modes =
        [
            ("255", "locked confirmed"),
            ("0", "unlocked confirmed"),
            ("1", "unlocked confirmed"),
            ("16", "unlocked confirmed"),
            ("17", "unlocked confirmed"),
            ("32", "unlocked confirmed"),
            ("33", "unlocked confirmed"),
            ("254", "unknown confirmed"),
            ("2", "unknown confirmed; !unmappedValue: 2"),
        ].flatMap { value, expected in
            [
                value, #"{"time":1755955213235,"value":\#(value)}"#,
                #"{"id":"5-98-0-currentMode","nodeId":5,"value":\#(value),"lastUpdate":1}"#,
            ].map { DecodeCase(mode, $0, expected, prev: .locked) }
        } + [
            DecodeCase(mode, #"{"time":1,"value":null}"#, "", prev: .locked),
            DecodeCase(mode, #"{"time":1}"#, ""),
            DecodeCase(mode, #"{"value":"255"}"#, "locked confirmed"),
            DecodeCase(mode, #"{"value":255.0}"#, "!malformedPayload"),
            DecodeCase(mode, #"{"value":true}"#, "!malformedPayload"),
            DecodeCase(mode, "[255]", "!malformedPayload"),
            DecodeCase(mode, "NaN", "!malformedPayload"),
            DecodeCase(mode, "255", "locked retained", inFlight: .lock, retained: true),
            DecodeCase("zwave/front/door_lock/endpoint_0/currentMode", "255", "locked confirmed"),
            DecodeCase("zwave/back/98/0/currentMode", "255", ""),
            DecodeCase("zwave/front/98/0/targetMode", "255", "", inFlight: .lock),
        ]

    @Test("every notification event, by its label", arguments: labels)
    func label(_ label: String, _ expected: String) throws {
        try DecodeCase("zwave/front/113/0/Access_Control/\(label)", #"{"time":1,"value":{"userId":3}}"#, expected)
            .check("zwave-js-ui", Example.zwave)
        try DecodeCase("zwave/front/notification/endpoint_0/Access_Control/\(label)", #"{"userId":3}"#, expected)
            .check("zwave-js-ui", Example.zwave)
    }

    private static let labels = [
        ("Manual_lock_operation", "event operation lock ok manual slot 3"),
        ("Manual_unlock_operation", "event operation unlock ok manual slot 3"),
        ("RF_lock_operation", "event operation lock ok remote slot 3"),
        ("RF_unlock_operation", "event operation unlock ok remote slot 3"),
        ("Keypad_lock_operation", "event operation lock ok keypad slot 3"),
        ("Keypad_unlock_operation", "event operation unlock ok keypad slot 3"),
        ("Manual_not_fully_locked_operation", "faults[notFullyLocked]; event jam manual slot 3"),
        ("RF_not_fully_locked_operation", "faults[notFullyLocked]; event jam remote slot 3"),
        ("Auto_lock_not_fully_locked_operation", "faults[notFullyLocked]; event jam auto slot 3"),
        ("Auto_lock_locked_operation", "event operation lock ok auto slot 3"),
        ("Lock_jammed", "event jam slot 3"),
        ("All_user_codes_deleted", "event credentialChanged slot 3"),
        ("New_user_code_added", "event credentialChanged slot 3"),
        ("New_user_code_not_added_due_to_duplicate_code", "event credentialChanged slot 3"),
        ("Keypad_temporary_disabled", "event keypadLockout slot 3"),
        ("Keypad_busy", "event keypadLockout slot 3"),
        ("Unlock_by_RF_with_invalid_user_code", "event attemptFailed unlock remote slot 3 because invalidCode"),
        ("Locked_by_RF_with_invalid_user_code", "event attemptFailed lock remote slot 3 because invalidCode"),
        ("Lock_operation_with_User_Code", "event operation lock ok unknown slot 3"),
        ("Unlock_operation_with_User_Code", "event operation unlock ok unknown slot 3"),
        ("Credential_lock-close_operation", "event operation lock ok unknown slot 3"),
        ("Invalid_credential_used", "event attemptFailed slot 3 because invalidCode"),
        ("Something_new", ""),
        ("Door_handle_state", ""),
        ("Keypad_unlock_operation/x", ""),
    ]

    @Test("an event without values, a retained event, and a jam with a command in flight", arguments: events)
    func event(_ row: DecodeCase) throws { try row.check("zwave-js-ui", Example.zwave) }

    private static let events = [
        DecodeCase("zwave/front/113/0/Access_Control/Auto_lock_locked_operation", "", "event operation lock ok auto"),
        DecodeCase("zwave/front/113/0/Access_Control/RF_lock_operation", #"{"time":1}"#, "event operation lock ok remote"),
        DecodeCase(
            "zwave/front/113/0/Access_Control/RF_lock_operation", #"{"value":{"user ID":4}}"#,
            "event operation lock ok remote slot 4"),
        DecodeCase("zwave/front/113/0/Access_Control/RF_lock_operation", "{", "!malformedPayload"),
        DecodeCase("zwave/front/113/0/Access_Control/RF_lock_operation", "{}", "!retainedEventIgnored", retained: true),
        DecodeCase("zwave/front/113/0/Access_Control/RF_not_fully_locked_operation", "{}", "", inFlight: .lock),
    ]

    @Test("the responses of the API", arguments: acks)
    func ack(_ row: DecodeCase) throws { try row.check("zwave-js-ui", Example.zwave) }

    private static func result(_ status: Int, _ reference: String = "a1") -> String {
        #"{"success":true,"message":"Success zwave api call","result":{"status":\#(status)},"args":[],"origin":{"ref":"\#(reference)"}}"#
    }
    private static let acks = [
        DecodeCase(api, result(255), "accepted", inFlight: .lock),
        DecodeCase(api, result(254), "accepted", inFlight: .lock),
        DecodeCase(api, result(1), "accepted", inFlight: .lock),
        DecodeCase(api, result(0), "rejected(unsupported)", inFlight: .lock),
        DecodeCase(api, result(2), "rejected(unknown)", inFlight: .lock),
        DecodeCase(api, result(5), "rejected(unsupported)", inFlight: .lock),
        DecodeCase(api, result(77), "rejected(unknown)", inFlight: .lock),
        DecodeCase(api, result(255, "b2"), "!unexpectedAck", inFlight: .lock),
        DecodeCase(api, result(255), "!unexpectedAck"),
        DecodeCase(api, result(255), "!unexpectedAck", inFlight: .lock, retained: true),
        DecodeCase(
            api, #"{"success":false,"message":"Z-Wave client not connected","origin":{"ref":"a1"}}"#, "rejected(transport)",
            inFlight: .lock),
        DecodeCase(
            api, #"{"success":false,"message":"Unknown API","origin":{"ref":"a1"}}"#, "rejected(unsupported)", inFlight: .lock),
        DecodeCase(api, #"{"success":true,"result":{"status":255}}"#, "!unexpectedAck", inFlight: .lock),
        DecodeCase(api, #"{"success":true,"origin":{"ref":"a1"}}"#, "", inFlight: .lock),
        DecodeCase(api + "/set", "{}", "!retainedCommandFound", retained: true),
        DecodeCase(api + "/set", "{}", ""),
    ]

    @Test("door, battery, keypad and the three availability topics", arguments: otherValueCases)
    func otherValues(_ row: DecodeCase) throws { try row.check("zwave-js-ui", Example.zwave) }

    private static let otherValueCases = [
        DecodeCase("zwave/front/113/0/Access_Control/Door_state", #"{"time":1,"value":22}"#, "door-open"),
        DecodeCase("zwave/front/113/0/Access_Control/Door_state", "23", "door-closed"),
        DecodeCase("zwave/front/98/0/doorStatus", #""open""#, "door-open"),
        DecodeCase("zwave/front/98/0/doorStatus", #"{"time":1,"value":"closed"}"#, "door-closed"),
        DecodeCase("zwave/front/128/0/level", #"{"time":1,"value":62}"#, "62%"),
        DecodeCase("zwave/front/128/0/isLow", "true", "low"),
        DecodeCase("zwave/front/113/0/Access_Control/Keypad_state", "16", "faults[keypadLockout]; event keypadLockout"),
        DecodeCase("zwave/front/status", "false", "stale offline", prev: .locked),
        DecodeCase("zwave/front/status", #"{"time":1,"value":true,"status":"Alive","nodeId":5}"#, "reach-unknown"),
        DecodeCase("zwave/driver/status", "false", "stale offline"),
        DecodeCase("zwave/_CLIENTS/ZWAVE_GATEWAY-office/status", #"{"value":false}"#, "stale offline"),
        DecodeCase("zwave/_CLIENTS/ZWAVE_GATEWAY-garage/status", #"{"value":false}"#, ""),
    ]

    @Test("commands use the API if its gateway name is known, else the value topic, with numbers or with names")
    func commands() throws {
        var fixture = try DialectFixture("zwave-js-ui", Example.zwave)
        #expect(
            try fixture.encode(.lock)
                == #"\#(Self.api)/set {"args":[{"nodeId":5,"commandClass":98,"endpoint":0,"property":"targetMode"},255],"ref":"a1"} q0"#
        )
        var plain = try DialectFixture("zwave-js-ui", ["node": "hall/front"])
        #expect(try plain.encode(.unlock) == "zwave/hall/front/98/0/targetMode/set 0 q0")
        var named = try DialectFixture("zwave-js-ui", ["node": "front", "naming": "named"])
        #expect(try named.encode(.lock) == "zwave/front/door_lock/endpoint_0/targetMode/set 255 q0")
    }

    // MARK: Locks that report only alarms

    private static let stateRequest =
        #">zwave/_CLIENTS/ZWAVE_GATEWAY-office/api/pollValue/set {"args":[{"nodeId":5,"commandClass":98,"endpoint":0,"property":"currentMode"}]}"#

    @Test(
        "each alarm causes a state request; it has a method if all manufacturers use the number alike",
        arguments: ["zwave/front/113/0/alarmType", "zwave/front/notification/endpoint_0/alarmType"])
    func alarms(_ topic: String) throws {
        var fixture = try DialectFixture("zwave-js-ui", Example.zwave, prev: .locked)
        func alarm(_ type: Int, at time: Int) -> String { #"{"time":\#(time),"value":\#(type)}"# }
        #expect(fixture.receive(topic, alarm(22, at: 1)) == Self.stateRequest, "the first alarm may be old")
        #expect(fixture.receive(topic, alarm(22, at: 2)) == "event operation unknown manual; \(Self.stateRequest)")
        #expect(fixture.receive(topic, alarm(22, at: 2)) == Self.stateRequest, "a repeated alarm")
        #expect(fixture.receive(topic, alarm(19, at: 3)) == "event operation unknown keypad; \(Self.stateRequest)")
        #expect(fixture.receive(topic, alarm(24, at: 4)) == "event operation unknown remote; \(Self.stateRequest)")
        #expect(fixture.receive(topic, alarm(161, at: 5)) == Self.stateRequest, "a number of one manufacturer")
        #expect(fixture.receive(topic, alarm(9, at: 6)) == "event jam; \(Self.stateRequest)")
        #expect(fixture.receive(topic, alarm(22, at: 7), isRetained: true) == "")
        #expect(fixture.receive(Self.mode, #"{"time":8,"value":0}"#) == "unlocked confirmed", "the answer to the state request")
    }

    @Test("the first alarm after a reconnect is an event, unless it repeats an earlier alarm, live or retained")
    func alarmAfterReconnect() throws {
        let topic = "zwave/front/113/0/alarmType"
        var fixture = try DialectFixture("zwave-js-ui", Example.zwave, prev: .locked)
        func alarm(_ type: Int, at time: Int) -> String { #"{"time":\#(time),"value":\#(type)}"# }
        #expect(fixture.receive(topic, alarm(22, at: 1)) == Self.stateRequest)
        for time in 2...4 {
            _ = fixture.dialect.connectionLost(&fixture.state)
            #expect(fixture.receive(topic, alarm(9, at: time)) == "event jam; \(Self.stateRequest)")
            _ = fixture.dialect.connectionLost(&fixture.state)
            #expect(fixture.receive(topic, alarm(9, at: time), isRetained: true) == "")
            #expect(fixture.receive(topic, alarm(9, at: time)) == Self.stateRequest, "a repeated alarm")
        }
    }

    @Test("an alarm may be a plain number")
    func bareAlarm() throws {
        var fixture = try DialectFixture("zwave-js-ui", Example.zwave)
        let topic = "zwave/front/113/0/alarmType"
        #expect(fixture.receive(topic, "21") == Self.stateRequest)
        #expect(fixture.receive(topic, "27") == "event operation unknown auto; \(Self.stateRequest)")
        #expect(fixture.receive(topic, "[27]") == "!malformedPayload")
    }

    @Test("a lock without the API's gateway name cannot be queried, and its alarms are reported")
    func unasked() throws {
        var fixture = try DialectFixture("zwave-js-ui", ["node": "front"])
        #expect(!fixture.dialect.capabilities.contains(.refresh))
        #expect(fixture.receive("zwave/front/113/0/alarmType", "21") == "")
        #expect(fixture.receive("zwave/front/113/0/alarmType", "22") == "event operation unknown manual")
    }

    @Test("a state request to another node on the shared API topic is recognised as such")
    func otherLocksStateRequests() throws {
        let dialect = try DialectFixture("zwave-js-ui", Example.zwave).dialect
        let stateRequest = try #require(dialect.stateRequests.first)
        func message(_ payload: String) -> MQTTMessage {
            MQTTMessage(topic: stateRequest.topic.description, payload: Array(payload.utf8), isRetained: false)
        }
        let own = String(decoding: stateRequest.payload, as: UTF8.self)
        #expect(!dialect.isStateRequestToOtherLock(message(own)))
        #expect(dialect.isStateRequestToOtherLock(message(own.replacing("\"nodeId\":5", with: "\"nodeId\":6"))))
        #expect(!dialect.isStateRequestToOtherLock(MQTTMessage(topic: Self.mode, payload: [], isRetained: false)))
    }

    @Test("a value whose timestamp is not newer confirms no command")
    func oldTimes() throws {
        var fixture = try DialectFixture("zwave-js-ui", Example.zwave, prev: .unknown)
        #expect(fixture.receive(Self.mode, #"{"time":1000,"value":0}"#) == "unlocked confirmed")
        #expect(try fixture.encode(.lock).hasPrefix(Self.api))
        let stateRequest = try #require(fixture.dialect.stateRequests.first)
        let stateRequestSummary = ">\(stateRequest.topic) \(String(decoding: stateRequest.payload, as: UTF8.self))"
        #expect(fixture.receive(Self.mode, #"{"time":900,"value":255}"#) == stateRequestSummary, "older than the known value")
        #expect(fixture.receive(Self.mode, #"{"time":900,"value":255}"#) == "", "the same message again")
        #expect(fixture.receive(Self.mode, #"{"time":1000,"value":255}"#) == "locked retained", "the same timestamp")
        #expect(fixture.receive(Self.mode, #"{"time":1001,"value":255}"#) == "locked confirmed; confirmed it")
        #expect(fixture.receive(Self.mode, #"{"time":1001,"value":255}"#) == "", "an identical message")
    }

    @Test("after the bridge's clock was set back, the second report is accepted as retained, and the next one as live")
    func clockSetBack() throws {
        var fixture = try DialectFixture("zwave-js-ui", Example.zwave, prev: .unknown)
        #expect(fixture.receive(Self.mode, #"{"time":5000,"value":0}"#) == "unlocked confirmed")
        #expect(fixture.receive(Self.mode, #"{"time":1000,"value":255}"#).hasPrefix(">"), "it may be a repetition")
        #expect(fixture.receive(Self.mode, #"{"time":1001,"value":255}"#) == "locked retained")
        #expect(fixture.receive(Self.mode, #"{"time":1002,"value":0}"#) == "unlocked confirmed")
    }

    @Test("the state is jammed until the jam ends; then the last reported mode is stale")
    func jammed() throws {
        var fixture = try DialectFixture("zwave-js-ui", Example.zwave)
        #expect(fixture.receive(Self.mode, #"{"time":1,"value":255}"#) == "locked confirmed")
        #expect(fixture.receive(Self.jam, #"{"time":2,"value":11}"#) == "jammed confirmed; event jam")
        #expect(fixture.receive(Self.jam, #"{"time":3,"value":0}"#) == "locked stale")
        #expect(fixture.receive(Self.jam, #"{"time":4,"value":0}"#) == "", "no jam to end")
        #expect(fixture.receive(Self.mode, #"{"time":5,"value":0}"#) == "unlocked confirmed")
    }

    @Test("a fault from an event lasts until the next bolt state")
    func notFullyLocked() throws {
        var fixture = try DialectFixture("zwave-js-ui", Example.zwave)
        let event = "zwave/front/113/0/Access_Control/Manual_not_fully_locked_operation"
        #expect(fixture.receive(event, "{}") == "faults[notFullyLocked]; event jam manual")
        #expect(fixture.receive("zwave/front/128/0/level", "50") == "50%")
        #expect(fixture.state.faults == [.notFullyLocked])
        #expect(fixture.receive(Self.mode, "255") == "locked confirmed faults[]")
    }
}
