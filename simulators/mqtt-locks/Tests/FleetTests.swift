import Testing

@testable import doorward_mqtt_locks

@Suite struct FleetTests {
    static let mixed = Profile.allCases.map { FleetPlan.Part(profile: $0, count: 3) }

    @Test("a bridge has one connection for all its locks, other locks have one each, and each connection has a last will")
    func clients() {
        let fleet = FleetFixture(Self.mixed).fleet
        #expect(fleet.clients.count == 7 * 3 + 3)
        #expect(Set(fleet.clients.map(\.id)).count == fleet.clients.count)
        for client in fleet.clients {
            // ring-mqtt has no last will.
            #expect((client.will != nil) == (client.id != "ring-mqtt"), "\(client.id)")
            #expect(client.will?.isRetained ?? true)
            #expect(!client.filters.isEmpty)
        }
    }

    @Test("the same seed gives the same fleet and the same frames, and another seed gives others")
    func deterministic() throws {
        func run(seed: UInt64) throws -> ([Effect], String) {
            var fixture = FleetFixture(Self.mixed, seed: seed, manualPerMinute: 30) {
                $0.latency = .milliseconds(50) ... .milliseconds(400)
                $0.rates = [.jam: 0.2, .duplicate: 0.2, .garbage: 0.1, .offline: 0.1, .reboot: 0.1, .wrongState: 0.1]
                $0.reportEvery = .seconds(20)
            }
            fixture.connect()
            for round in 0..<5 {
                for client in fixture.fleet.clients.indices {
                    let number = fixture.fleet.clients[client].locks.lowerBound
                    let name = fixture.fleet.locks[number].name
                    let topics = [
                        "locks/\(name)/set", "\(name)/lock/action", "\(name)/lock/front_door/command", "cmnd/\(name)/POWER",
                    ]
                    for topic in topics { fixture.receive(topic, round.isMultiple(of: 2) ? "UNLOCK" : "LOCK", client: client) }
                }
                fixture.advance(by: .seconds(30))
            }
            return (fixture.takeEffects(), fixture.fleet.list.description)
        }
        let (once, repeated, other) = (try run(seed: 3), try run(seed: 3), try run(seed: 4))
        #expect(once.0.count > 300)
        #expect(once == repeated)
        #expect(once.0 != other.0)
        // Ids that depend on the seed differ.
        #expect(once.1 != other.1)
    }

    @Test("each lock is listed with the address keys of its profile")
    func list() throws {
        let list = try #require(FleetFixture(Self.mixed).fleet.list.list)
        #expect(list.count == 30)
        let keys: [Profile: [String]] = [
            .homeassistant: ["command_topic", "state_topic", "payload_open", "availability_topic"], .zigbee2mqtt: ["name"],
            .nukiNative: ["id"], .nukiHub: ["base"], .zwave: ["node", "gateway", "nodeId"], .esphome: ["node", "object_id"],
            .tasmota: ["topic"], .homie: ["device", "node"], .ring: ["location", "device"], .homekey: ["client"],
        ]
        for lock in list {
            let profile = try #require(lock["profile"]?.text.flatMap { Profile(rawValue: $0) })
            guard case .object(let members)? = lock["address"] else { return #expect(Bool(false), "\(lock)") }
            #expect(members.map(\.key) == keys[profile])
        }
        #expect(Set(list.compactMap { $0["name"]?.text }).count == 30)
        #expect(Set(list.compactMap { $0["address"]?.description }).count == 30)
    }

    @Test(
        "every lock publishes its state when it connects, and also its discovery message unless discovery is off",
        arguments: [true, false])
    func initialMessages(publishesDiscovery: Bool) {
        var fixture = FleetFixture(Self.mixed) { $0.publishesDiscovery = publishesDiscovery }
        fixture.connect()
        let messages = fixture.takeMessages()
        let state = { (lock: SimulatedLock) in lock.profile == .tasmota ? "tele/\(lock.name)/STATE" : lock.dialect.stateTopic }
        for lock in fixture.fleet.locks { #expect(messages.contains { $0.topic == state(lock) }, "\(lock.name)") }
        let discoveryMessages = messages.filter {
            $0.topic.hasPrefix("homeassistant/") || $0.topic.hasSuffix("/$description") || $0.topic.hasSuffix("bridge/devices")
        }
        #expect(publishesDiscovery ? discoveryMessages.count > 20 : discoveryMessages.isEmpty)
        // All discovery messages are JSON, and all but ring-mqtt's are retained.
        for message in discoveryMessages {
            #expect(JSON(message.payload) != nil, "\(message.topic)")
            #expect(message.isRetained != message.topic.contains(RingLock.location), "\(message.topic)")
        }
    }

    @Test("only ring-mqtt and Home Assistant devices subscribe to Home Assistant's birth message and publish all again after it")
    func birth() {
        for profile in Profile.allCases {
            var fixture = FleetFixture(profile)
            let subscribes = fixture.fleet.clients[0].filters.contains("homeassistant/status")
            #expect(subscribes == (profile == .ring || profile == .homeassistant))
            guard subscribes else { continue }
            fixture.receive("homeassistant/status", "online")
            fixture.advance(by: .seconds(6))
            #expect(fixture.takeLines().contains { $0.contains("/config ") })
        }
    }

    @Test("ten thousand locks of a bridge report once in each interval over one connection, spread over the interval")
    func many() {
        var fixture = FleetFixture([.init(profile: .zigbee2mqtt, count: 10_000)]) {
            $0.reportEvery = .seconds(60)
            $0.publishesDiscovery = false
        }
        #expect(fixture.fleet.clients.count == 1)
        fixture.connect()
        #expect(fixture.takeMessages().count == 20_001)
        fixture.advance(by: .seconds(60))
        let topics = fixture.takeMessages().map(\.topic)
        #expect(topics.count == 10_000 && Set(topics).count == 10_000)
        fixture.advance(by: .seconds(30))
        #expect((4_500...5_500).contains(fixture.takeMessages().count))
        fixture.receive("zigbee2mqtt/zigbee2mqtt-7777/set", "unlock")
        fixture.advance(by: .seconds(1))
        #expect(fixture.fleet.locks[7776].context.mechanism.position == .unlocked)
    }

    @Test("a message on a wrong topic or for another fleet moves no lock")
    func unknownTopics() {
        var fixture = FleetFixture([.init(profile: .zigbee2mqtt, count: 2)])
        fixture.connect()
        for topic in [
            "zigbee2mqtt/zigbee2mqtt-3/set", "zigbee2mqtt/zigbee2mqtt-1/sets", "zigbee2mqtt/set", "zigbee2mqtt/zigbee2mqtt-1",
            "x/zigbee2mqtt-1/set",
        ] {
            fixture.receive(topic, "unlock")
        }
        fixture.advance(by: .seconds(1))
        #expect(fixture.fleet.locks.allSatisfy { $0.context.mechanism.position == .locked })
    }

    @Test("while the broker is disconnected nothing is published, and the state is published after the reconnection")
    func brokerDisconnected() throws {
        var fixture = FleetFixture(.nukiNative)
        fixture.disconnect()
        try fixture.execute("thumb-turn nuki-native-1")
        #expect(fixture.takeMessages() == [])
        fixture.connect()
        #expect(fixture.takeLines().contains(CommandTests.filled("!*nuki/ID/state 3", fixture)))
    }
}
