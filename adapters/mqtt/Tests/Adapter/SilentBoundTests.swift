import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Testing

/// Tests of the locks that discovery leaves out, and of the warnings to operators about them.
@Suite(.serialized, .timeLimit(.minutes(30))) struct SilentBoundTests {
    private static func adapter(
        _ port: Int, _ lines: KeptLines, profiles: [String] = [], maximumPayloadBytes: Int? = nil
    ) -> (MQTTAdapter, VirtualClock) {
        var settings = MQTTSettings(host: "127.0.0.1", port: port, clientID: "gateway")
        (settings.initialBackoff, settings.maximumBackoff) = (.milliseconds(20), .milliseconds(50))
        settings.connectTimeout = .seconds(3600)
        if let maximumPayloadBytes { settings.maximumPayloadBytes = maximumPayloadBytes }
        let broker = MQTTBroker(name: "home", settings: settings, profiles: profiles, isDiscovering: true)
        let clock = VirtualClock()
        let adapter = MQTTAdapter(
            brokers: [broker], library: .shipped, clock: clock, random: RandomSource(), logger: lines.logger)
        return (adapter, clock)
    }

    @Test("a device list that is too long is logged and is a problem of the broker until a shorter list arrives")
    func longList() async throws {
        let broker = try await MosquittoProcess.start()
        let bridge = DoorwardTesting.MQTTTestClient(port: broker.port, ["rig/ready"])
        await bridge.connected()
        let topic = try #require(MQTTTopic("zigbee2mqtt/bridge/devices"))
        let list = Array("[".utf8) + Array(repeating: UInt8(ascii: " "), count: 25 << 20) + Array("]".utf8)
        let id = try bridge.connection.publishRetainable(MQTTRetainablePublish(topic: topic, payload: list, qos: .atLeastOnce))
        await bridge.event { if case .acknowledged(let its, _) = $0 { its == id } else { false } }
        let lines = KeptLines()
        let (adapter, clock) = Self.adapter(broker.port, lines)
        try await adapter.start(reports: KeptReports())
        let expected = "discovery is incomplete: the list on `zigbee2mqtt/bridge/devices` is not read: it is longer than 24 MiB"
        while adapter.transports.first?.problem != expected { await clock.pass(.milliseconds(1)) }
        #expect(adapter.transports.first?.health == .ok && adapter.health == .ok)
        // The log line is written after the problem is set.
        let told = { lines.holding("warning", "discovery is incomplete", "24 MiB", "broker=home").count }
        while told() == 0 { await clock.pass(.milliseconds(1)) }
        #expect(told() == 1)
        try bridge.connection.publishRetainable(MQTTRetainablePublish(topic: topic, payload: Array("[]".utf8), qos: .atLeastOnce))
        while adapter.transports.first?.problem != nil { await clock.pass(.milliseconds(1)) }
        await adapter.stop()
        await bridge.connection.stop()
    }

    @Test("more announced locks than are remembered are reported by a warning and as the broker's problem")
    func manyLocks() async throws {
        let broker = try await MosquittoProcess.start()
        let bridge = DoorwardTesting.MQTTTestClient(port: broker.port, ["rig/ready"])
        await bridge.connected()
        let devices = (0...10_000).map { Zigbee2MQTTTests.device("lock \($0)").replacing("0x01", with: "0x\($0)") }
        let list = Array("[\(devices.joined(separator: ","))]".utf8)
        let topic = try #require(MQTTTopic("zigbee2mqtt/bridge/devices"))
        try bridge.connection.publishRetainable(MQTTRetainablePublish(topic: topic, payload: list, qos: .atLeastOnce))
        let lines = KeptLines()
        let (adapter, clock) = Self.adapter(broker.port, lines)
        try await adapter.start(reports: KeptReports())
        let expected = "discovery is incomplete: more than 10000 locks are announced: the others are left out"
        while adapter.transports.first?.problem != expected { await clock.pass(.milliseconds(1)) }
        let told = { lines.holding("warning", expected, "broker=home").count }
        while told() == 0 { await clock.pass(.milliseconds(1)) }
        #expect(told() == 1)
        await adapter.stop()
        await bridge.connection.stop()
    }

    @Test("one warning at the start names the profiles whose locks cannot be discovered")
    func silentProfiles() async throws {
        let lines = KeptLines()
        let (adapter, _) = Self.adapter(1, lines, profiles: ["tasmota", "zigbee2mqtt"])
        try await adapter.start(reports: KeptReports())
        await adapter.stop()
        #expect(lines.holding("warning", "profiles=tasmota", "broker=home").count == 1)
        let quiet = KeptLines()
        let (other, _) = Self.adapter(1, quiet, profiles: ["zigbee2mqtt"])
        try await other.start(reports: KeptReports())
        await other.stop()
        #expect(quiet.holding("profiles=") == [])
    }
}
