import Testing

@testable import doorward_mqtt_locks

/// Actions of people at a door, and the reports of the lock.
@Suite struct ManualOperationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let profile: Profile
        let action: String
        /// A substring of each expected message, in order; other messages may come between them.
        let expected: [String]
        var testDescription: String { "\(profile.rawValue) \(action)" }
    }

    @Test(
        "a manual action is reported with the position and the operator, as far as the ecosystem reports them",
        arguments: [
            Case(profile: .homeassistant, action: "thumb-turn", expected: ["/state UNLOCKED"]),
            Case(
                profile: .zigbee2mqtt, action: "thumb-turn",
                expected: [#""lock_state":"unlocked""#, #""action":"manual_unlock","action_source":2"#]),
            Case(
                profile: .zigbee2mqtt, action: "keypad 1", expected: [#""lock_state":"unlocked""#, #""action":"keypad_unlock""#]),
            Case(profile: .zigbee2mqtt, action: "keypad 9", expected: [#""action":"unlock_failure_invalid_pin_or_id""#]),
            Case(profile: .nukiNative, action: "thumb-turn", expected: ["/state 3"]),
            Case(
                profile: .nukiNative, action: "keypad 1",
                expected: ["/lockActionEvent 1,0,54321,12341,1", "/state 2", "/state 3"]),
            Case(profile: .nukiNative, action: "keypad 9", expected: []),
            Case(profile: .nukiHub, action: "thumb-turn", expected: ["/state unlocked", "/trigger manual"]),
            Case(
                profile: .nukiHub, action: "keypad 1", expected: ["/lockActionContext keypadCode", "/authorizationName Code 1"]),
            Case(profile: .nukiHub, action: "keypad 9", expected: ["/completionStatus invalidCode"]),
            Case(profile: .zwave, action: "thumb-turn", expected: ["/Manual_unlock_operation {\"time\":", "/currentMode"]),
            Case(
                profile: .zwave, action: "keypad 1",
                expected: [#"/Keypad_unlock_operation {"time":1755955220100,"value":{"userId":1}}"#]
            ),
            Case(profile: .zwave, action: "keypad 9", expected: []),
            Case(profile: .esphome, action: "thumb-turn", expected: ["/state UNLOCKED"]),
            Case(profile: .tasmota, action: "thumb-turn", expected: []),
            Case(profile: .homie, action: "thumb-turn", expected: ["/state unlocked", #""method":"manual","ok":true"#]),
            Case(profile: .homie, action: "keypad 9", expected: [#""method":"keypad","ok":false,"userSlot":9"#]),
            Case(profile: .ring, action: "thumb-turn", expected: ["/lock/state UNLOCKED"]),
            Case(profile: .homekey, action: "thumb-turn", expected: ["/set_current_state 0"]),
            Case(
                profile: .homekey, action: "keypad 1",
                expected: [#"/homekey/auth {"homekey":true"#, "/state 4", "/set_current_state 0"]),
            Case(profile: .homekey, action: "keypad 9", expected: [#"/homekey/auth {"homekey":false"#]),
            Case(profile: .homeassistant, action: "door open", expected: ["/door ON"]),
            Case(profile: .zigbee2mqtt, action: "door open", expected: [#""door_state":"open""#]),
            Case(profile: .nukiNative, action: "door open", expected: ["/doorsensorState 3"]),
            Case(
                profile: .zwave, action: "door open",
                expected: [
                    #"/Door_state {"time":1755955220000,"value":22}"#, #"/98/0/doorStatus {"time":1755955220000,"value":"open"}"#,
                ]),
            Case(profile: .zigbee2mqtt, action: "battery 12", expected: [#""battery":12,"battery_low":true"#]),
            Case(profile: .nukiNative, action: "battery 12", expected: ["/batteryChargeState 12", "/batteryCritical true"]),
            Case(profile: .ring, action: "battery 99", expected: [#""batteryLevel":100"#]),
            Case(profile: .homie, action: "battery 12", expected: ["/lock/battery 12"]),
        ])
    func reports(example: Case) throws {
        var fixture = FleetFixture(example.profile)
        let words = example.action.split(separator: " ", maxSplits: 1).map(String.init)
        try fixture.execute("\(words[0]) \(fixture.name) \(words.dropFirst().joined())")
        fixture.advance(by: .seconds(1))
        var lines = fixture.takeLines()[...]
        for part in example.expected {
            let index = try #require(lines.firstIndex { $0.contains(part) }, "\(part) in \(lines)")
            lines = lines[(index + 1)...]
        }
        if example.expected.isEmpty { #expect(lines.isEmpty) }
    }

    @Test("a keypad action on a lock without a keypad, an unknown lock and turning a bridge are refused")
    func refusals() throws {
        var fixture = FleetFixture([.init(profile: .esphome, count: 1), .init(profile: .zigbee2mqtt, count: 1)])
        #expect(try fixture.execute("keypad esphome-1 1") == "esphome-1 has no keypad")
        #expect(try fixture.execute("jam esphome-2") == "there is no lock esphome-2")
        #expect(try fixture.execute("thumb-turn zigbee2mqtt")?.contains("is a bridge") == true)
        #expect(try fixture.execute("keypad zigbee2mqtt-1 1") == nil)
    }

    @Test(
        "an invalid control command is rejected",
        arguments: [
            "", "jam", "jam a b", "explode a", "keypad a", "keypad a x", "battery a 101", "battery a nan", "door a ajar",
            "thumb-turn a 1",
        ])
    func invalidCommands(line: String) { #expect(ControlCommand(line) == nil) }

    @Test("manual actions occur at the configured rate and at seeded times")
    func manualRate() {
        func messages(seed: UInt64) -> [Message] {
            var fixture = FleetFixture([.init(profile: .zigbee2mqtt, count: 5)], seed: seed, manualPerMinute: 60)
            fixture.connect()
            _ = fixture.takeMessages()
            fixture.advance(by: .seconds(600))
            #expect((400...800).contains(fixture.fleet.counts.manualOperations))
            return fixture.takeMessages()
        }
        #expect(messages(seed: 1) == messages(seed: 1))
        #expect(messages(seed: 1) != messages(seed: 2))
    }
}
