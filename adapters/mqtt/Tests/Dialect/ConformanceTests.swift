import DoorwardDomain
import Testing

@testable import AdapterMQTT

@Suite struct ConformanceTests {
    @Test("decodes each example message of the published formats", arguments: cases)
    func decodes(_ row: ConformanceCase) throws {
        var fixture = try DialectFixture(row.profile, row.address, prev: row.prev, quality: row.quality, inFlight: row.inFlight)
        #expect(fixture.receive(row.topic, row.payload, isRetained: row.isRetained) == row.expected)
    }

    private static let cases: [ConformanceCase] = [
        ConformanceCase(
            "C01", "homeassistant", Example.homeAssistant, "state-topic", "LOCKED", retained: true, "locked retained"),
        ConformanceCase(
            "C02", "homeassistant", Example.homeAssistant, prev: .locked, "state-topic", "JAMMED", "jammed confirmed"),
        ConformanceCase(
            "C03", "homeassistant",
            Example.homeAssistant.merging(["state_locked": "closed", "value_template": "{{ value_json.val }}"]) { $1 },
            "state-topic",
            #"{"val":"closed"}"#, "locked confirmed"),
        ConformanceCase("C04", "homeassistant", Example.homeAssistant, prev: .locked, "state-topic", "None", "unknown confirmed"),
        ConformanceCase(
            "C08", "zigbee2mqtt", Example.front, "zigbee2mqtt/front",
            #"{"battery":100,"linkquality":255,"lock_state":"locked","state":"LOCK"}"#, "locked confirmed 100%"),
        ConformanceCase(
            "C09", "zigbee2mqtt", Example.front, prev: .locked, "zigbee2mqtt/front",
            #"{"lock_state":"not_fully_locked","state":"UNLOCK"}"#, "jammed confirmed faults[notFullyLocked]"),
        ConformanceCase(
            "C10", "zigbee2mqtt", Example.front, prev: .locked, "zigbee2mqtt/front",
            #"{"action":"unlock","action_source":0,"action_source_name":"keypad","action_user":3,"lock_state":"unlocked","state":"UNLOCK"}"#,
            "unlocked confirmed; event operation unlock ok keypad slot 3"),
        ConformanceCase(
            "C11", "zigbee2mqtt", Example.front, prev: .locked, "zigbee2mqtt/front",
            #"{"action":"manual_unlock","action_source":2,"action_source_name":"manual","action_user":65535,"battery":70,"lock_state":"locked","state":"LOCK"}"#,
            #"locked stale 70%; event operation unlock ok manual; >zigbee2mqtt/front/get {"state":""}"#),
        ConformanceCase(
            "C12", "zigbee2mqtt", Example.front, prev: .unlocked, "zigbee2mqtt/front",
            #"{"action":null,"action_source_name":null,"action_user":null,"battery":36,"battery_low":true,"lock_state":"unlocked","state":"UNLOCK"}"#,
            "unlocked confirmed 36% low"),
        ConformanceCase(
            "C14", "zigbee2mqtt", Example.front, inFlight: .unlock, "zigbee2mqtt/bridge/logging",
            #"{"level":"error","message":"Publish 'set' 'state' to 'front' failed: 'Error: timeout'"}"#, "rejected(transport)"),
        ConformanceCase("C15", "nuki-native", Example.nuki, prev: .locked, "nuki/398172F4/state", "2", "unlocking confirmed"),
        ConformanceCase("C16", "nuki-native", Example.nuki, prev: .opening, "nuki/398172F4/state", "5", "open confirmed"),
        ConformanceCase(
            "C17", "nuki-native", Example.nuki, "nuki/398172F4/lockActionEvent", "3,0,54321,12345,1",
            "event operation open keypad credential 12345 auth 54321"),
        ConformanceCase(
            "C18", "nuki-native", Example.nuki, inFlight: .unlock, "nuki/398172F4/commandResponse", "66", "rejected(jammed)"),
        ConformanceCase("C20", "nuki-hub", [:], inFlight: .lock, "nukihub/lock/action", "ack", "accepted"),
        ConformanceCase(
            "C21", "nuki-hub", [:], prev: .locking, inFlight: .lock, "nukihub/lock/hastate", "jammed",
            "jammed confirmed; rejected(jammed)"),
        ConformanceCase(
            "C22", "zwave-js-ui", Example.zwave, "zwave/front/98/0/currentMode", #"{"time":1755955213235,"value":255}"#,
            "locked confirmed"),
        ConformanceCase(
            "C23", "zwave-js-ui", Example.zwave, prev: .locked,
            "zwave/front/113/0/Access_Control/Keypad_unlock_operation", #"{"time":1755955351718,"value":{"userId":3}}"#,
            #"stale; event operation unlock ok keypad slot 3; >zwave/_CLIENTS/ZWAVE_GATEWAY-office/api/pollValue/set {"args":[{"nodeId":5,"commandClass":98,"endpoint":0,"property":"currentMode"}]}"#
        ),
        ConformanceCase(
            "C24", "zwave-js-ui", Example.zwave, inFlight: .lock, "zwave/_CLIENTS/ZWAVE_GATEWAY-office/api/writeValue",
            #"{"success":true,"message":"Success zwave api call","result":{"status":2},"origin":{"ref":"a1"}}"#,
            "rejected(unknown)"),
        ConformanceCase(
            "C25", "homie", Example.homie, prev: .locked, "homie/5/bridge/$state", "lost", retained: true, "stale offline"),
    ]

    @Test("encodes each example command of the published formats", arguments: commandCases)
    func encodes(_ row: CommandCase) throws {
        var fixture = try DialectFixture(row.profile, row.address)
        #expect(try fixture.encode(row.operation, code: row.code) == row.expected)
    }

    private static let commandCases: [CommandCase] = [
        CommandCase(
            "C05", "homeassistant", Example.homeAssistant.merging(["ret": "true"]) { $1 }, .unlock, "command-topic UNLOCK q0"),
        CommandCase(
            "C13", "zigbee2mqtt", Example.front, .unlock, code: "0042",
            #"zigbee2mqtt/front/set {"state":{"state":"UNLOCK","code":"0042"}} q0"#),
        CommandCase("C19", "nuki-native", Example.nuki, .unlatch, "nuki/398172F4/lockAction 3 q1"),
    ]
}
