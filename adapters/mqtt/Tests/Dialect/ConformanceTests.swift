import DoorwardDomain
import Testing

@testable import AdapterMQTT

@Suite struct ConformanceTests {
    @Test("each case of the published formats is read as it is meant", arguments: cases)
    func heard(_ row: ConformanceCase) throws {
        var spoken = try Spoken(
            row.profile, row.address, prev: row.prev, quality: row.quality, inFlight: row.inFlight)
        #expect(spoken.hear(row.topic, row.payload, isRetained: row.isRetained) == row.expected)
    }

    private static let cases: [ConformanceCase] = [
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
        ConformanceCase(
            "C15", "nuki-native", Example.nuki, prev: .locked, "nuki/398172F4/state", "2", "unlocking confirmed"),
        ConformanceCase("C16", "nuki-native", Example.nuki, prev: .opening, "nuki/398172F4/state", "5", "open confirmed"),
        ConformanceCase(
            "C17", "nuki-native", Example.nuki, "nuki/398172F4/lockActionEvent", "3,0,54321,12345,1",
            "event operation open keypad credential 12345 auth 54321"),
        ConformanceCase(
            "C18", "nuki-native", Example.nuki, inFlight: .unlock, "nuki/398172F4/commandResponse", "66", "rejected(jammed)"),
    ]
}
