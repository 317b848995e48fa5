import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Testing

@testable import AdapterMQTT

/// Tests of the locks that discovery leaves out, and of the warnings to operators about them.
@Suite(.serialized, .timeLimit(.minutes(30))) struct DiscoveryNoticeTests {
    private static func adapter(
        _ port: Int, _ lines: LogRecorder, profiles: [String] = [], maximumPayloadBytes: Int? = nil
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
        let bridge = MQTTTestClient(port: broker.port, ["rig/ready"])
        await bridge.connected()
        let topic = try #require(MQTTTopic("zigbee2mqtt/bridge/devices"))
        let list = Array("[".utf8) + Array(repeating: UInt8(ascii: " "), count: 25 << 20) + Array("]".utf8)
        let id = try bridge.connection.publishRetainable(MQTTRetainablePublish(topic: topic, payload: list, qos: .atLeastOnce))
        await bridge.event { if case .acknowledged(let its, _) = $0 { its == id } else { false } }
        let lines = LogRecorder()
        let (adapter, clock) = Self.adapter(broker.port, lines)
        try await adapter.start(reports: RecordedReports())
        let expected = "discovery is incomplete: the list on `zigbee2mqtt/bridge/devices` is not read: it is longer than 24 MiB"
        while adapter.transports.first?.problem != expected { await clock.pass(.milliseconds(1)) }
        #expect(adapter.transports.first?.health == .ok && adapter.health == .ok)
        // The log line is written after the problem is set.
        let warningCount = { lines.containing("warning", "discovery is incomplete", "24 MiB", "broker=home").count }
        while warningCount() == 0 { await clock.pass(.milliseconds(1)) }
        #expect(warningCount() == 1)
        try bridge.connection.publishRetainable(MQTTRetainablePublish(topic: topic, payload: Array("[]".utf8), qos: .atLeastOnce))
        while adapter.transports.first?.problem != nil { await clock.pass(.milliseconds(1)) }
        await adapter.stop()
        await bridge.connection.stop()
    }

    @Test("more announced locks than are remembered are reported by a warning and as the broker's problem")
    func manyLocks() async throws {
        let broker = try await MosquittoProcess.start()
        let bridge = MQTTTestClient(port: broker.port, ["rig/ready"])
        await bridge.connected()
        let devices = (0...10_000).map { Zigbee2MQTTTests.device("lock \($0)").replacing("0x01", with: "0x\($0)") }
        let list = Array("[\(devices.joined(separator: ","))]".utf8)
        let topic = try #require(MQTTTopic("zigbee2mqtt/bridge/devices"))
        try bridge.connection.publishRetainable(MQTTRetainablePublish(topic: topic, payload: list, qos: .atLeastOnce))
        let lines = LogRecorder()
        let (adapter, clock) = Self.adapter(broker.port, lines)
        try await adapter.start(reports: RecordedReports())
        let expected = "discovery is incomplete: more than 10000 locks are announced: the others are left out"
        while adapter.transports.first?.problem != expected { await clock.pass(.milliseconds(1)) }
        let warningCount = { lines.containing("warning", expected, "broker=home").count }
        while warningCount() == 0 { await clock.pass(.milliseconds(1)) }
        #expect(warningCount() == 1)
        await adapter.stop()
        await bridge.connection.stop()
    }

    @Test("one warning at the start names the profiles whose locks cannot be discovered")
    func undiscoverableProfiles() async throws {
        let lines = LogRecorder()
        let (adapter, _) = Self.adapter(1, lines, profiles: ["tasmota", "zigbee2mqtt"])
        try await adapter.start(reports: RecordedReports())
        await adapter.stop()
        #expect(lines.containing("warning", "profiles=tasmota", "broker=home").count == 1)
        let quiet = LogRecorder()
        let (other, _) = Self.adapter(1, quiet, profiles: ["zigbee2mqtt"])
        try await other.start(reports: RecordedReports())
        await other.stop()
        #expect(quiet.containing("profiles=") == [])
    }
}
