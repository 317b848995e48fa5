import AdapterMQTT
import DoorwardDomain
import DoorwardMQTT
import Testing

@Suite struct HomieTests {
    static let topic = "homie/5/side-door/$description"
    static let lock =
        #""state":{"datatype":"enum","format":"locked,unlocked,jammed"},"command":{"datatype":"enum","format":"lock,unlock","settable":true}"#
    static func description(_ properties: String = lock, _ extra: String = "", node: String = "lock") -> String {
        #"{"homie":"5.0","nodes":{"\#(node)":{"properties":{\#(properties)}}}\#(extra)}"#
    }

    @Test("a device with a lock node is discovered with its root device")
    func found() throws {
        var broker = DiscoveryFixture(["homie"])
        let lock = AnnouncedLock(
            id: "homie:side-door/lock", name: "Side door", profile: "homie", variables: ["device": "side-door", "root": "bridge"])
        #expect(broker.receive(Self.topic, try Fixture.bytes("homie-description")) == [lock])
        for state in ["init", "ready", "lost", "sleeping", "disconnected"] {
            #expect(broker.receive("homie/5/side-door/$state", state) == [])
        }
        #expect(broker.only == lock)
    }

    @Test("an empty `$state` or `$description` removes the lock", arguments: ["$state", "$description"])
    func gone(attribute: String) throws {
        var broker = DiscoveryFixture()
        broker.receive(Self.topic, Self.description())
        #expect(broker.receive("homie/5/side-door/\(attribute)", "").map(\.isRemoved) == [true])
        #expect(broker.discovery.locks.isEmpty)
    }

    @Test(
        "base, node and root are part of the address only if they differ from the profile's defaults",
        arguments: [
            ("homie/5/side-door", description(), ["device": "side-door"]),
            ("house/5/d", description(), ["device": "d", "base": "house/5"]),
            ("homie/5/d", description(lock, node: "upper"), ["device": "d", "node": "upper"]),
            ("homie/5/d", description(lock, #","parent":"hub""#), ["device": "d", "root": "hub"]),
            ("homie/5/d", description(lock, #","parent":"hub","root":"house""#), ["device": "d", "root": "house"]),
        ] as [(String, String, [String: JSONValue])])
    func address(device: String, description: String, variables: [String: JSONValue]) throws {
        var broker = DiscoveryFixture()
        let topic = "\(device)/$description"
        #expect(broker.discovery.filters.contains { $0.matches(topic) })
        broker.receive(topic, description)
        #expect(try #require(broker.only).variables == variables)
    }

    @Test("each lock node of a device is a lock")
    func nodes() {
        var broker = DiscoveryFixture()
        broker.receive(
            Self.topic,
            #"{"homie":"5.1","name":"Gate","nodes":{"lower":{"name":"Lower","properties":{\#(Self.lock)}},"upper":{"properties":{\#(Self.lock)}}}}"#
        )
        #expect(broker.discovery.locks.map(\.id) == ["homie:side-door/lower", "homie:side-door/upper"])
        #expect(broker.discovery.locks.map(\.name) == ["Gate Lower", "Gate"])
    }

    @Test(
        "a node that does not match the profile is not discovered",
        arguments: [
            lock.replacing("locked,unlocked", with: "open"), lock.replacing("lock,unlock", with: "go"),
            lock.replacing(#","settable":true"#, with: ""), lock.replacing(#"jammed""#, with: #"jammed","settable":true"#),
            lock.replacing("enum", with: "string"), lock.replacing("state", with: "position"), #""state":3,"command":4"#, "",
        ])
    func otherNodes(properties: String) {
        var broker = DiscoveryFixture()
        #expect(broker.receive(Self.topic, Self.description(properties)) == [])
    }

    @Test(
        "an invalid description changes nothing",
        arguments: [
            "{}", "[", "null", description().replacing("5.0", with: "4.0"), description().replacing("5.0", with: "50"),
            description(lock, #","root":7"#),
        ])
    func rubbish(payload: String) {
        var broker = DiscoveryFixture()
        broker.receive(Self.topic, Self.description())
        #expect(broker.receive(Self.topic, payload) == [])
        #expect(broker.only != nil)
    }

    @Test("ids that the Homie convention does not allow are ignored, and an invalid root is a `problem`")
    func ids() {
        var broker = DiscoveryFixture()
        for device in ["Side", "side_door", "", "a b", "$x"] {
            broker.receive("homie/5/\(device)/$description", Self.description())
        }
        broker.receive("homie/4/d/$description", Self.description())
        broker.receive("$SYS/5/d/$description", Self.description())
        broker.receive(Self.topic, Self.description(node: "a/b"))
        #expect(broker.discovery.locks.isEmpty)
        broker.receive(Self.topic, Self.description(Self.lock, #","root":"a/+""#))
        #expect(broker.only?.problem?.contains("`a/+`") == true)
    }
}
