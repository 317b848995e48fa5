import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Logging
import Testing

@testable import AdapterMQTT

/// A simulated bridge that lists one lock (name `front`, address `0x01`) on a real broker, and an adapter that has read the list.
struct BridgeFixture {
    let adapter: MQTTAdapter
    let clock = VirtualClock()
    let reports = RecordedReports()
    let broker: MosquittoProcess
    private let bridge: MQTTTestClient
    /// The clock of the bridge's connection. It is advanced only while the bridge is disconnected.
    private let bridgeClock = VirtualClock()

    init(_ library: ProfileLibrary = .shipped) async throws {
        broker = try await MosquittoProcess.start()
        bridge = MQTTTestClient(port: broker.port, clock: bridgeClock)
        await bridge.connected()
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        settings.connectTimeout = .seconds(3600)
        adapter = MQTTAdapter(
            brokers: [MQTTBroker(name: "home", settings: settings, profiles: ["zigbee2mqtt"], isDiscovering: true)],
            library: library, clock: clock, random: RandomSource(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await adapter.start(reports: reports)
        while adapter.health != .ok { await clock.pass() }
        try list([Zigbee2MQTTTests.device("front")])
        while adapter.discovered.isEmpty { await clock.pass() }
    }

    /// Publishes a list of exactly these devices as the bridge.
    func list(_ devices: [String]) throws { try publishRetained(Zigbee2MQTTTests.topic, "[\(devices.joined(separator: ","))]") }

    func publishRetained(_ topic: String, _ payload: String) throws {
        _ = try bridge.connection.publishRetainable(
            MQTTRetainablePublish(topic: try #require(MQTTTopic(topic)), payload: Array(payload.utf8)))
    }

    func publish(_ topic: String, _ payload: String) throws { try bridge.connection.publish(try MQTTPublish(topic, payload)) }

    /// Waits until the bridge is connected again. The broker must have been killed once and restarted.
    func bridgeIsBack() async {
        // The bridge may not have detected yet that its connection was lost.
        let (_, gone) = await bridge.disconnected()
        while !bridge.connection.isConnected { await bridgeClock.pass(.milliseconds(1)) }
        await bridge.connected(from: gone)
    }

    static func address(_ name: String) -> [String: JSONValue] {
        ["broker": "home", "profile": "zigbee2mqtt", "name": .string(name)]
    }

    func attachedDevice(of name: String) throws -> DeviceID? {
        try adapter.check(address: Self.address(name), within: .everything).attachedDevice
    }

    func end() async {
        await adapter.stop()
        await bridge.connection.stop()
    }
}
