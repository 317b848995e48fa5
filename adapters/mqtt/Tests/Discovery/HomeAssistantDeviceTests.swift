import AdapterMQTT
import DoorwardDomain
import Testing

@Suite struct HomeAssistantDeviceTests {
    static let topic = "homeassistant/device/d/config"
    static func device(_ components: String, _ root: String = #""dev":{"ids":"d"},"o":{"name":"me"}"#) -> String {
        #"{\#(root),"cmps":{\#(components)}}"#
    }
    static let bolt = #""bolt":{"p":"lock","uniq_id":"d-bolt","cmd_t":"d/set","stat_t":"d/state"}"#

    @Test("each lock of a device is discovered, with the settings that the device gives to all components")
    func shared() throws {
        var broker = DiscoveryFixture()
        let changes = broker.receive(Fixture.topic("homeassistant-device"), try Fixture.bytes("homeassistant-device"))
        #expect(changes.map(\.id) == ["homeassistant:device/gate-3/lower", "homeassistant:device/gate-3/upper"])
        let locks = broker.discovery.locks
        #expect(locks.map(\.name) == ["Gate Lower bolt", "Gate Upper bolt"])
        #expect(
            locks.map(\.variables) == [
                [
                    "command_topic": "gate/3/lower/set", "state_topic": "gate/3/lower/state", "qos": .integer(1),
                    "payload_available": "up", "availability": .array([.object(["topic": "gate/3/lower/link"])]),
                ],
                [
                    "command_topic": "gate/3/upper/set", "state_topic": "gate/3/upper/state", "qos": .integer(1),
                    "payload_available": "up", "availability_topic": "gate/3/link",
                ],
            ])
    }

    @Test("a component with only its platform is removed, as is a missing component; an empty payload removes all")
    func removal() throws {
        var broker = DiscoveryFixture()
        let other = #""latch":{"p":"lock","uniq_id":"d-latch","cmd_t":"e/set"}"#
        broker.receive(Self.topic, Self.device("\(Self.bolt),\(other)"))
        #expect(broker.discovery.locks.count == 2)
        let reduced = broker.receive(Self.topic, Self.device(#""bolt":{"p":"lock"},\#(other)"#))
        #expect(reduced.map(\.id) == ["homeassistant:device/d/bolt"])
        #expect(reduced.map(\.isRemoved) == [true])
        broker.receive(Self.topic, Self.device(Self.bolt))
        #expect(broker.only?.id == "homeassistant:device/d/bolt")
        broker.receive(Self.topic, "")
        #expect(broker.discovery.locks.isEmpty)
    }

    @Test(
        "an incomplete device announcement is dropped",
        arguments: [
            device(bolt, #""o":{"name":"me"}"#), device(bolt, #""dev":{"ids":"d"}"#),
            device(bolt, #""dev":{},"o":{"name":"me"}"#),
            device(bolt, #""dev":{"ids":"d"},"o":{}"#), #"{"dev":{"ids":"d"},"o":{"name":"me"}}"#,
            #"{"dev":{"ids":"d"},"o":{"name":"me"},"cmps":[]}"#, device(#"\#(bolt),"x":{"uniq_id":"x"}"#),
            device(#"\#(bolt),"x":"sensor""#),
        ])
    func dropped(payload: String) {
        var broker = DiscoveryFixture()
        #expect(broker.receive(Self.topic, payload) == [])
        broker.receive(Self.topic, Self.device(Self.bolt))
        #expect(broker.receive(Self.topic, payload) == [])
        #expect(broker.discovery.locks.count == 1)
    }

    @Test(
        "a component without an id, or that is not a complete lock, is skipped, and the others are discovered",
        arguments: [
            #"{"p":"lock","cmd_t":"e/set"}"#, #"{"p":"lock","uniq_id":"e"}"#, #"{"p":"switch","uniq_id":"e","cmd_t":"e/set"}"#,
        ])
    func leftOut(component: String) {
        var broker = DiscoveryFixture()
        broker.receive(Self.topic, Self.device(#"\#(Self.bolt),"e":\#(component)"#))
        #expect(broker.only?.id == "homeassistant:device/d/bolt")
    }

    @Test("a lock that migrates from a single announcement to a device announcement is listed once")
    func migration() {
        var broker = DiscoveryFixture()
        broker.receive("homeassistant/lock/bolt/config", #"{"uniq_id":"d-bolt","cmd_t":"d/set","stat_t":"d/state"}"#)
        broker.receive("homeassistant/lock/bolt/config", #"{"migrate_discovery":true}"#)
        broker.receive(Self.topic, Self.device(Self.bolt))
        broker.receive("homeassistant/lock/bolt/config", "")
        #expect(broker.only?.id == "homeassistant:device/d/bolt")
        #expect(broker.only?.problem == nil)
    }

    @Test("a slash in a component key is escaped in the lock's id, so that ids do not collide")
    func keys() {
        var broker = DiscoveryFixture()
        broker.receive("homeassistant/device/n/o/config", Self.device(#""k":{"p":"lock","uniq_id":"1","cmd_t":"a"}"#))
        broker.receive("homeassistant/device/n/config", Self.device(#""o/k":{"p":"lock","uniq_id":"2","cmd_t":"b"}"#))
        #expect(broker.discovery.locks.map(\.id) == ["homeassistant:device/n/o%2Fk", "homeassistant:device/n/o/k"])
    }
}
