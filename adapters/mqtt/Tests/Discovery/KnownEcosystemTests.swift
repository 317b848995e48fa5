import AdapterMQTT
import DoorwardDomain
import Testing

@Suite struct KnownEcosystemTests {
    static let makes: [(String, String, [String: JSONValue])] = [
        ("nuki-native", "nuki-native", ["id": "1A2B3C4D"]),
        ("nuki-hub", "nuki-hub", [:]),
        ("zwave-js-ui", "zwave-js-ui", ["node": "hall/front", "gateway": "house"]),
        ("esphome", "esphome", ["node": "porch", "object_id": "front_door"]),
        ("ring-mqtt", "ring-mqtt", ["location": "10b2", "device": "5f0c"]),
    ]

    @Test("a lock of a known ecosystem is discovered with the profile of that ecosystem", arguments: makes)
    func make(fixture: String, profile: String, variables: [String: JSONValue]) throws {
        for profiles: Set in [["homeassistant"], [profile]] {
            var broker = DiscoveryFixture(profiles)
            broker.receive(Fixture.topic(fixture), try Fixture.bytes(fixture))
            let lock = try #require(broker.only)
            #expect(lock.profile == profile && lock.variables == variables && lock.problem == nil)
            #expect(lock.name != nil)
        }
    }

    @Test("discovery for one profile ignores the locks of other profiles", arguments: makes)
    func alone(fixture: String, profile: String, variables: [String: JSONValue]) throws {
        var broker = DiscoveryFixture([profile])
        for other in Self.makes where other.1 != profile {
            broker.receive(Fixture.topic(other.0), try Fixture.bytes(other.0))
        }
        broker.receive("homeassistant/lock/a/config", DiscoveryFixture.announcement("a"))
        #expect(broker.discovery.locks.isEmpty)
    }

    @Test(
        "a base that is not the default is part of the address",
        arguments: [
            ("nuki-native", "nuki/", "home/locks/", "base", "home/locks"),
            ("nuki-hub", "\"nukihub\"", "\"hall/hub\"", "base", "hall/hub"),
            ("zwave-js-ui", "zwave/", "home/z/", "prefix", "home/z"),
            ("ring-mqtt", "ring/", "home/r/", "base", "home/r"),
        ])
    func base(fixture: String, from: String, to: String, key: String, value: String) throws {
        var broker = DiscoveryFixture(["homeassistant"])
        broker.receive(Fixture.topic(fixture), try Fixture.text(fixture).replacing(from, with: to))
        let lock = try #require(broker.only)
        #expect(lock.profile == fixture && lock.variables[key] == .string(value))
    }

    @Test("Z-Wave topics with value names give an address with `naming: named`")
    func named() throws {
        var broker = DiscoveryFixture(["homeassistant"])
        let text = try Fixture.text("zwave-js-ui").replacing("/98/0/", with: "/door_lock/endpoint_0/")
        broker.receive(Fixture.topic("zwave-js-ui"), text)
        #expect(broker.only?.variables == ["node": "hall/front", "gateway": "house", "naming": "named"])
    }

    @Test("the address of an ESPHome lock contains `no_open` and `optimistic` if they apply")
    func esphomeFlags() throws {
        var broker = DiscoveryFixture(["homeassistant"])
        let text = try Fixture.text("esphome").replacing("\"pl_open\": \"OPEN\"", with: "\"opt\": true")
        broker.receive(Fixture.topic("esphome"), text)
        #expect(
            broker.only?.variables
                == ["node": "porch", "object_id": "front_door", "optimistic": .bool(true), "no_open": .bool(true)])
    }

    @Test(
        "a lock that only resembles an ecosystem has the profile `homeassistant`",
        arguments: [
            ("nuki-native", "\"pl_unlk\": \"1\"", "\"pl_unlk\": \"3\""), ("nuki-native", "~/state", "~/states"),
            ("nuki-native", "nuki/1A2B3C4D", "nuki/00000001"),
            ("nuki-hub", "hastate", "state"), ("nuki-hub", "\"unlock\"", "\"electricStrikeActuation\""),
            ("zwave-js-ui", "_CLIENTS/ZWAVE_GATEWAY-house", "bridge"),
            ("zwave-js-ui", "front/98/0/currentMode", "back/98/0/currentMode"),
            ("esphome", "porch/status", "other/status"), ("esphome", "\"pl_open\": \"OPEN\"", "\"pl_lock\": \"CLOSE\""),
            ("esphome", "/front_door/", "/door/"),
            ("ring-mqtt", "/alarm/", "/camera/"), ("ring-mqtt", "lock/state", "lock/states"),
        ])
    func resembling(fixture: String, from: String, to: String) throws {
        var broker = DiscoveryFixture(["homeassistant"])
        let text = try Fixture.text(fixture).replacing(from, with: to)
        let before = try Fixture.text(fixture)
        #expect(text != before)
        broker.receive(Fixture.topic(fixture), text)
        #expect(try #require(broker.only).profile == "homeassistant")
    }
}
