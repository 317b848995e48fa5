import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import Testing

@Suite struct DiscoveredAddressTests {
    @Test("the address of each discovered lock is valid in its profile", arguments: Fixture.names)
    func attachable(name: String) throws {
        var broker = DiscoveryFixture(["homeassistant", "homie", name == "zigbee2mqtt-devices" ? "zigbee2mqtt" : ""])
        broker.receive(Fixture.topic(name), try Fixture.bytes(name))
        try #require(!broker.discovery.locks.isEmpty)
        for lock in broker.discovery.locks {
            #expect(lock.problem == nil)
            let profile = try #require(ProfileLibrary.shipped[lock.profile])
            #expect(throws: Never.self) { try Dialect(profile, variables: lock.variables) }
        }
    }

    @Test("C06: the attached lock uses the announced topics and unlock payload, and does not support unlatch")
    func c06() throws {
        var broker = DiscoveryFixture()
        broker.receive("homeassistant/lock/abc/config", HomeAssistantTests.c06)
        let profile = try #require(ProfileLibrary.shipped["homeassistant"])
        let dialect = try Dialect(profile, variables: try #require(broker.only).variables)
        #expect(dialect.filters.contains { $0.description == "x/abc/state" })
        var state = DialectState()
        let command = try dialect.encodeCommand(.unlock, code: nil, reference: "1", &state).command
        #expect(command.topic.description == "x/abc/set" && command.payload == Array("OPENIT".utf8))
        #expect(throws: AdapterError.unsupported) { try dialect.encodeCommand(.unlatch, code: nil, reference: "2", &state) }
    }

    @Test(
        "commands are sent to the command topic in the announcement",
        arguments: [
            ("homeassistant-lock", "cellar/bolt/set"), ("homeassistant-lock-short", "shed/7/set"),
            ("nuki-native", "nuki/1A2B3C4D/lockAction"), ("nuki-hub", "nukihub/lock/action"),
            ("zwave-js-ui", "zwave/hall/front/98/0/targetMode/set"), ("esphome", "porch/lock/front_door/command"),
            ("ring-mqtt", "ring/10b2/alarm/5f0c/lock/command"), ("zigbee2mqtt-announcement", "zigbee2mqtt/front/set"),
            ("homie-description", "homie/5/side-door/lock/command/set"),
        ])
    func commandTopic(name: String, topic: String) throws {
        var broker = DiscoveryFixture(["homeassistant", "homie"])
        broker.receive(Fixture.topic(name), try Fixture.bytes(name))
        let lock = try #require(broker.only)
        let profile = try #require(ProfileLibrary.shipped[lock.profile])
        #expect(try Dialect(profile, variables: lock.variables).commandTopic.description == topic)
    }
}
