import Testing

@testable import doorward_mqtt_locks

/// Keypad codes in ecosystems that set them over MQTT.
@Suite struct CodeTests {
    @Test("Zigbee2MQTT sets, uses and clears the code of a slot, and never publishes its digits")
    func zigbee() throws {
        var fixture = FleetFixture(.zigbee2mqtt)
        let set = "zigbee2mqtt/zigbee2mqtt-1/set"
        fixture.receive(set, #"{"pin_code":{"user":3,"user_type":"unrestricted","user_enabled":true,"pin_code":"0042"}}"#)
        fixture.advance(by: .seconds(1))
        let published = fixture.takeLines()
        #expect(published.first?.contains(#""action":"pin_code_added""#) == true)
        #expect(published.last?.contains(#""users":{"3":{"status":"enabled"}}"#) == true)
        #expect(!published.joined().contains("0042"))
        try fixture.execute("keypad zigbee2mqtt-1 3")
        fixture.advance(by: .seconds(1))
        #expect(
            fixture.takeLines().last?.contains(
                #""action":"keypad_unlock","action_source":0,"action_source_name":"keypad","action_user":3"#) == true)
        fixture.receive(set, #"{"pin_code":{"user":3,"pin_code":null}}"#)
        fixture.receive("zigbee2mqtt/zigbee2mqtt-1/get", #"{"pin_code":{"user":3}}"#)
        fixture.advance(by: .seconds(1))
        #expect(fixture.takeLines().last?.contains(#""users":{"3":{"status":"available"}}"#) == true)
        fixture.receive(set, #"{"pin_code":{"user":99,"pin_code":"1"}}"#)
        #expect(fixture.takeLines().first?.contains("bridge/logging") == true)
    }

    @Test(
        "Z-Wave accepts a code as a string and rejects a number, which would lose its leading zeros",
        arguments: [(#"{"value":"0123"}"#, true), ("123456", false), (#"{"value":123456}"#, false), (#"{"value":"12"}"#, false)])
    func zwave(payload: String, isAccepted: Bool) throws {
        var fixture = FleetFixture(.zwave)
        fixture.receive("zwave/zwave-js-ui-1/99/0/userCode/4/set", payload)
        #expect(fixture.takeLines().contains { $0.contains("/99/0/userIdStatus/4") } == isAccepted)
        #expect((fixture.fleet.locks[0].context.mechanism.codes[4] != nil) == isAccepted)
        fixture.receive("zwave/zwave-js-ui-1/99/0/userIdStatus/4/set", #"{"value":0}"#)
        #expect(fixture.fleet.locks[0].context.mechanism.codes[4] == nil)
    }

    @Test(
        "Nuki Hub accepts codes of six digits without zeros that do not begin with 12",
        arguments: [
            (#"{"action":"add","code":"589472","name":"Test"}"#, "success"),
            (#"{"action":"add","code":"123456"}"#, "invalidCode"),
            (#"{"action":"add","code":"589470"}"#, "invalidCode"), (#"{"action":"add","code":"5894"}"#, "invalidCode"),
            (#"{"action":"update","codeId":1,"code":"589472"}"#, "success"), (#"{"action":"delete","codeId":1}"#, "success"),
            (#"{"action":"delete","codeId":7}"#, "noExistingCodeIdSet"), (#"{"action":"dance"}"#, "invalidAction"),
            ("nonsense", "invalidAction"),
        ])
    func hub(payload: String, expected: String) {
        var fixture = FleetFixture(.nukiHub)
        fixture.receive("nuki-hub-1/lock/keypad/actionJson", payload)
        #expect(fixture.takeLines() == ["!*nuki-hub-1/lock/keypad/commandResultJson \(expected)"])
    }
}
