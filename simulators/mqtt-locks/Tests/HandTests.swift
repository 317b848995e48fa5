import Testing

@testable import doorward_mqtt_locks

/// Actions of people at a door, and the reports of the lock.
@Suite struct HandTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let profile: Profile
        let act: String
        /// A substring of each expected frame, in order; other frames may come between them.
        let told: [String]
        var testDescription: String { "\(profile.rawValue) \(act)" }
    }

    @Test(
        "a manual action is reported with the position and the operator, as far as the ecosystem reports them",
        arguments: [
            Row(profile: .homeassistant, act: "thumb-turn", told: ["/state UNLOCKED"]),
            Row(
                profile: .zigbee2mqtt, act: "thumb-turn",
                told: [#""lock_state":"unlocked""#, #""action":"manual_unlock","action_source":2"#]),
            Row(profile: .zigbee2mqtt, act: "keypad 1", told: [#""lock_state":"unlocked""#, #""action":"keypad_unlock""#]),
            Row(profile: .zigbee2mqtt, act: "keypad 9", told: [#""action":"unlock_failure_invalid_pin_or_id""#]),
            Row(profile: .nukiNative, act: "thumb-turn", told: ["/state 3"]),
            Row(profile: .nukiNative, act: "keypad 1", told: ["/lockActionEvent 1,0,54321,12341,1", "/state 2", "/state 3"]),
            Row(profile: .nukiNative, act: "keypad 9", told: []),
            Row(profile: .nukiHub, act: "thumb-turn", told: ["/state unlocked", "/trigger manual"]),
            Row(profile: .nukiHub, act: "keypad 1", told: ["/lockActionContext keypadCode", "/authorizationName Code 1"]),
            Row(profile: .nukiHub, act: "keypad 9", told: ["/completionStatus invalidCode"]),
            Row(profile: .zwave, act: "thumb-turn", told: ["/Manual_unlock_operation {\"time\":", "/currentMode"]),
            Row(
                profile: .zwave, act: "keypad 1", told: [#"/Keypad_unlock_operation {"time":1755955220100,"value":{"userId":1}}"#]
            ),
            Row(profile: .zwave, act: "keypad 9", told: []),
            Row(profile: .esphome, act: "thumb-turn", told: ["/state UNLOCKED"]),
            Row(profile: .tasmota, act: "thumb-turn", told: []),
            Row(profile: .homie, act: "thumb-turn", told: ["/state unlocked", #""method":"manual","ok":true"#]),
            Row(profile: .homie, act: "keypad 9", told: [#""method":"keypad","ok":false,"userSlot":9"#]),
            Row(profile: .ring, act: "thumb-turn", told: ["/lock/state UNLOCKED"]),
            Row(profile: .homekey, act: "thumb-turn", told: ["/set_current_state 0"]),
            Row(
                profile: .homekey, act: "keypad 1", told: [#"/homekey/auth {"homekey":true"#, "/state 4", "/set_current_state 0"]),
            Row(profile: .homekey, act: "keypad 9", told: [#"/homekey/auth {"homekey":false"#]),
            Row(profile: .homeassistant, act: "door open", told: ["/door ON"]),
            Row(profile: .zigbee2mqtt, act: "door open", told: [#""door_state":"open""#]),
            Row(profile: .nukiNative, act: "door open", told: ["/doorsensorState 3"]),
            Row(profile: .zwave, act: "door open", told: [#"/Door_state {"time":1755955220000,"value":22}"#]),
            Row(profile: .zigbee2mqtt, act: "battery 12", told: [#""battery":12,"battery_low":true"#]),
            Row(profile: .nukiNative, act: "battery 12", told: ["/batteryChargeState 12", "/batteryCritical true"]),
            Row(profile: .ring, act: "battery 99", told: [#""batteryLevel":100"#]),
            Row(profile: .homie, act: "battery 12", told: ["/lock/battery 12"]),
        ])
    func told(row: Row) throws {
        var played = PlayedFleet(row.profile)
        let words = row.act.split(separator: " ", maxSplits: 1).map(String.init)
        try played.obey("\(words[0]) \(played.name) \(words.dropFirst().joined())")
        played.pass(.seconds(1))
        var rows = played.takeRows()[...]
        for part in row.told {
            let index = try #require(rows.firstIndex { $0.contains(part) }, "\(part) in \(rows)")
            rows = rows[(index + 1)...]
        }
        if row.told.isEmpty { #expect(rows.isEmpty) }
    }

    @Test("a keypad action on a lock without a keypad, an unknown lock and turning a bridge are refused")
    func refusals() throws {
        var played = PlayedFleet([.init(profile: .esphome, count: 1), .init(profile: .zigbee2mqtt, count: 1)])
        #expect(try played.obey("keypad esphome-1 1") == "esphome-1 has no keypad")
        #expect(try played.obey("jam esphome-2") == "there is no lock esphome-2")
        #expect(try played.obey("thumb-turn zigbee2mqtt")?.contains("is a bridge") == true)
        #expect(try played.obey("keypad zigbee2mqtt-1 1") == nil)
    }

    @Test(
        "an invalid control command is rejected",
        arguments: [
            "", "jam", "jam a b", "explode a", "keypad a", "keypad a x", "battery a 101", "battery a nan", "door a ajar",
            "thumb-turn a 1",
        ])
    func noOrders(line: String) { #expect(ControlCommand(line) == nil) }

    @Test("manual actions occur at the configured rate and at seeded times")
    func people() {
        func frames(seed: UInt64) -> [Frame] {
            var played = PlayedFleet([.init(profile: .zigbee2mqtt, count: 5)], seed: seed, manualPerMinute: 60)
            played.connect()
            _ = played.takeFrames()
            played.pass(.seconds(600))
            #expect((400...800).contains(played.fleet.counts.byHand))
            return played.takeFrames()
        }
        #expect(frames(seed: 1) == frames(seed: 1))
        #expect(frames(seed: 1) != frames(seed: 2))
    }
}
