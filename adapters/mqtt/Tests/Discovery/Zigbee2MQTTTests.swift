import AdapterMQTT
import DoorwardDomain
import DoorwardMQTT
import Testing

@Suite struct Zigbee2MQTTTests {
    static let topic = "zigbee2mqtt/bridge/devices"
    static let state = #"{"name":"state","property":"state","value_on":"LOCK","value_off":"UNLOCK"}"#
    static func device(_ name: String, _ extra: String = "", expose: String = #""features":[\#(state)]"#) -> String {
        #"{"ieee_address":"0x01","friendly_name":"\#(name)"\#(extra),"definition":{"exposes":[{"type":"lock",\#(expose)}]}}"#
    }

    @Test("the locks of the list are discovered, but no thermostat with a child lock and no coordinator")
    func list() throws {
        var broker = DiscoveryFixture(["zigbee2mqtt"])
        broker.receive(Self.topic, try Fixture.bytes("zigbee2mqtt-devices"))
        var front = AnnouncedLock(
            id: "zigbee2mqtt:0x00158d0001a2b3c4", name: "front",
            product: LockProduct(manufacturer: "Ironworks", model: "D1", firmwareVersion: "1.4.2"),
            profile: "zigbee2mqtt", variables: ["name": "front"])
        front.hasHardwareID = true
        front.otherCommandTopics = ["zigbee2mqtt/0x00158d0001a2b3c4/set"]
        var back = AnnouncedLock(
            id: "zigbee2mqtt:0x00158d0001a2b3c6", name: "Hall/Back door",
            product: LockProduct(manufacturer: "Ironworks", model: "D2"),
            profile: "zigbee2mqtt", variables: ["name": "Hall/Back door"])
        back.hasHardwareID = true
        back.otherCommandTopics = ["zigbee2mqtt/0x00158d0001a2b3c6/set"]
        #expect(broker.discovery.locks == [front, back])
    }

    @Test("a renamed device is the same lock, and a device removed from the list is gone")
    func changes() throws {
        var broker = DiscoveryFixture()
        broker.receive(Self.topic, try Fixture.bytes("zigbee2mqtt-devices"))
        let renamed = try Fixture.text("zigbee2mqtt-devices").replacing("Hall/Back door", with: "Yard")
        let changes = broker.receive(Self.topic, renamed)
        #expect(changes.map(\.variables) == [["name": "Yard"]])
        #expect(changes.map(\.id) == ["zigbee2mqtt:0x00158d0001a2b3c6"])
        let gone = broker.receive(Self.topic, "[\(Self.device("front"))]")
        #expect(gone.filter(\.isRemoved).map(\.name) == ["front", "Yard"])
        #expect(broker.only?.id == "zigbee2mqtt:0x01")
        broker.receive(Self.topic, "")
        #expect(broker.discovery.locks.isEmpty)
    }

    @Test(
        "a base of one or two levels is read from the topic",
        arguments: [("zigbee2", "zigbee2", "zigbee2/0x01"), ("home/zigbee", "home/zigbee", "home/zigbee/0x01")])
    func bases(prefix: String, base: String, id: String) throws {
        var broker = DiscoveryFixture()
        let topic = "\(prefix)/bridge/devices"
        #expect(broker.discovery.filters.contains { $0.matches(topic) })
        broker.receive(topic, "[\(Self.device("front"))]")
        let lock = try #require(broker.only)
        #expect(lock.variables == ["name": "front", "base": .string(base)] && lock.id == "zigbee2mqtt:\(id)")
    }

    @Test("the same device on two bases is two locks, one for each bridge")
    func twoBases() {
        var broker = DiscoveryFixture()
        broker.receive("a/bridge/devices", "[\(Self.device("front"))]")
        broker.receive("b/bridge/devices", "[\(Self.device("front"))]")
        #expect(broker.discovery.locks.map(\.id) == ["zigbee2mqtt:a/0x01", "zigbee2mqtt:b/0x01"])
    }

    @Test(
        "a lock that cannot be used has a `problem` with the reason",
        arguments: [
            (device("a+b"), "friendly name"), (device("a/#"), "friendly name"), (device(""), "friendly name"),
            (device(#"a\u0000b"#), "friendly name"), (device("a", #","disabled":true"#), "disabled"),
            (device("a", #","interview_completed":false"#), "interview"),
            (device("a", #","interview_state":"IN_PROGRESS","interview_completed":true"#), "interview"),
            (
                device(
                    "a",
                    expose: #""endpoint":"le/ft","features":[{"name":"state","property":"state_le/ft","value_on":"LOCK"}]"#),
                "the name of its endpoint cannot be a topic level"
            ),
            (
                device("a", expose: #""features":[{"name":"state","property":"state","value_on":"ON","value_off":"OFF"}]"#),
                "words"
            ),
            (device("a", expose: #""features":[{"name":"state","property":"state","value_on":true}]"#), "words"),
        ])
    func problems(device: String, reason: String) throws {
        var broker = DiscoveryFixture()
        broker.receive(Self.topic, "[\(device)]")
        #expect(try #require(broker.only?.problem).contains(reason))
    }

    @Test("each lock of a device with several locks is discovered with its endpoint and the device's name and IEEE address")
    func endpoints() {
        var broker = DiscoveryFixture()
        func expose(_ part: String) -> String {
            let state = #"{"name":"state","property":"state_\#(part)","value_on":"LOCK","value_off":"UNLOCK"}"#
            return #"{"type":"lock","endpoint":"\#(part)","features":[\#(state)]}"#
        }
        let exposes = "\(expose("left")),\(expose("right"))"
        broker.receive(Self.topic, #"[{"ieee_address":"0x01","friendly_name":"Gate","definition":{"exposes":[\#(exposes)]}}]"#)
        let locks = broker.discovery.locks
        #expect(locks.map(\.id) == ["zigbee2mqtt:0x01:left", "zigbee2mqtt:0x01:right"])
        #expect(locks.map(\.name) == ["Gate left", "Gate right"] && locks.allSatisfy { $0.problem == nil })
        #expect(locks.map(\.variables) == [["name": "Gate", "endpoint": "left"], ["name": "Gate", "endpoint": "right"]])
        #expect(locks.map(\.otherCommandTopics) == [["zigbee2mqtt/0x01/left/set"], ["zigbee2mqtt/0x01/right/set"]])
    }

    @Test("a malformed list changes nothing", arguments: ["{}", "[", "null", "\"front\"", "[{}] x"])
    func rubbish(payload: String) {
        var broker = DiscoveryFixture()
        broker.receive(Self.topic, "[\(Self.device("front"))]")
        #expect(broker.receive(Self.topic, payload) == [])
        #expect(broker.only != nil)
    }

    @Test(
        "an invalid or duplicate device in the list does not affect the others",
        arguments: [
            "{}", "3", "null", "[]", #"{"ieee_address":7,"friendly_name":"x"}"#, #"{"ieee_address":"0x02","friendly_name":"x"}"#,
            device("x").replacing("0x01", with: "0x01/../02"), device("x").replacing("0x01", with: "front"),
            device("x", expose: #""features":{}"#), device("x", expose: #""features":[3]"#),
            device("second with the same address"),
        ])
    func oneBadDevice(device: String) {
        var broker = DiscoveryFixture()
        broker.receive(Self.topic, "[\(Self.device("front")),\(device)]")
        #expect(broker.only?.name == "front")
    }

    @Test(
        "a topic that only resembles the topic of a list is ignored",
        arguments: ["/bridge/devices", "$SYS/bridge/devices", "a//bridge/devices", "a/b/c/bridge/devices", "bridge/devices"])
    func otherTopics(topic: String) {
        var broker = DiscoveryFixture()
        #expect(broker.receive(topic, "[\(Self.device("front"))]") == [])
    }

    @Test("Zigbee2MQTT's list takes precedence over its Home Assistant announcement, in either order", arguments: [true, false])
    func once(listFirst: Bool) throws {
        var broker = DiscoveryFixture()
        let names = ["zigbee2mqtt-devices", "zigbee2mqtt-announcement"]
        for name in listFirst ? names : names.reversed() { broker.receive(Fixture.topic(name), try Fixture.bytes(name)) }
        #expect(broker.discovery.locks.map(\.profile) == ["zigbee2mqtt", "zigbee2mqtt"])
    }

    @Test("if only `homeassistant` is discovered, Zigbee2MQTT's announcement gives a lock with the profile `zigbee2mqtt`")
    func announced() throws {
        var broker = DiscoveryFixture(["homeassistant"])
        broker.receive(Fixture.topic("zigbee2mqtt-announcement"), try Fixture.bytes("zigbee2mqtt-announcement"))
        let lock = try #require(broker.only)
        #expect(lock.profile == "zigbee2mqtt" && lock.problem == nil && lock.variables == ["name": "front"])
        let elsewhere = try Fixture.text("zigbee2mqtt-announcement").replacing("\"zigbee2mqtt/", with: "\"home/zigbee/")
        broker.receive(Fixture.topic("zigbee2mqtt-announcement"), elsewhere)
        #expect(broker.only?.variables == ["name": "front", "base": "home/zigbee"])
    }

    @Test(
        "an announcement that only resembles Zigbee2MQTT's has the profile `homeassistant`",
        arguments: [
            ("/bridge/state", "/status"), ("front/set", "front/put"), ("value_json.state", "value_json.lock"),
            ("\"state_locked\": \"LOCK\"", "\"state_locked\": \"LOCKED\""),
        ])
    func resembling(from: String, to: String) throws {
        var broker = DiscoveryFixture(["homeassistant"])
        let text = try Fixture.text("zigbee2mqtt-announcement")
        #expect(text.contains(from))
        broker.receive(Fixture.topic("zigbee2mqtt-announcement"), text.replacing(from, with: to))
        #expect(try #require(broker.only).profile == "homeassistant")
    }

    @Test("an announcement of unknown origin is not listed while a bridge's list contains its command topic")
    func byCommandTopic() throws {
        var broker = DiscoveryFixture()
        let announcement = try Fixture.text("zigbee2mqtt-announcement").replacing("\"Zigbee2MQTT\"", with: "\"unknown\"")
        broker.receive(Fixture.topic("zigbee2mqtt-announcement"), announcement)
        let announced = try #require(broker.only)
        let changes = broker.receive(Self.topic, "[\(Self.device("front"))]")
        #expect(changes.map(\.isRemoved) == [true, false], "removals are reported before additions")
        #expect(changes.first?.id == announced.id)
        #expect(broker.only?.profile == "zigbee2mqtt")
        #expect(broker.receive(Self.topic, "[]").contains(announced))
    }
}
