import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Logging
import Testing

/// One lock under several names, on a real broker whose Zigbee2MQTT lists it.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SpellingTests {
    private static let one = DeviceID(high: 0xE0, low: 1)

    private static func address(_ name: String) -> [String: JSONValue] {
        ["broker": "home", "profile": "zigbee2mqtt", "name": .string(name)]
    }

    /// A bridge that lists one lock, and an adapter that has read the list.
    private struct House {
        let adapter: MQTTAdapter
        let bridge: DoorwardTesting.Listening

        init() async throws {
            let broker = try await Broker.start()
            bridge = DoorwardTesting.Listening(port: broker.port)
            await bridge.connected()
            let clock = VirtualClock()
            let settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
            adapter = MQTTAdapter(
                brokers: [MQTTBroker(name: "home", settings: settings, profiles: ["zigbee2mqtt"], isDiscovering: true)],
                library: .shipped, clock: clock, random: RandomSource(),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            try await adapter.start(reports: KeptReports())
            while adapter.health != .ok { await FaultRig.pass(clock) }
            let list = try #require(MQTTTopic(Zigbee2MQTTTests.topic))
            try bridge.connection.announce(
                MQTTAnnouncement(topic: list, payload: Array("[\(Zigbee2MQTTTests.device("front"))]".utf8)))
            while adapter.discovered.isEmpty { await FaultRig.pass(clock) }
        }

        func holder(of name: String) throws -> DeviceID? {
            try adapter.check(address: SpellingTests.address(name), within: .everything).holder
        }

        func end() async {
            await adapter.stop()
            await bridge.connection.stop()
        }
    }

    @Test(
        "a lock that is attached by its friendly name or by its address is held under both, and listed no more",
        arguments: ["front", "0x01"])
    func spellings(name: String) async throws {
        let house = try await House()
        #expect(try ["front", "0x01"].allSatisfy { try house.holder(of: $0) == nil })
        house.adapter.attach(AttachedLock(id: Self.one, address: Self.address(name)))
        #expect(try ["front", "0x01"].map { try house.holder(of: $0) } == [Self.one, Self.one])
        #expect(try house.holder(of: "0x02") == nil)
        #expect(house.adapter.discovered.isEmpty)
        house.adapter.detach(Self.one)
        #expect(try house.holder(of: "front") == nil && house.adapter.discovered.count == 1)
        await house.end()
    }

    @Test("of two that were attached at one place the last is the holder, and the first when the last has left")
    func twice() async throws {
        let house = try await House()
        let other = DeviceID(high: 0xE0, low: 2)
        for id in [Self.one, other] { house.adapter.attach(AttachedLock(id: id, address: Self.address("front"))) }
        #expect(try house.holder(of: "front") == other)
        house.adapter.detach(other)
        #expect(try house.holder(of: "front") == Self.one)
        await house.end()
    }
}
