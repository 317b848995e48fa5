import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Logging
import Synchronization
import Testing

@testable import AdapterMQTT

@Suite struct SharedTopicTests {
    @Test("a flood of a bridge's log messages drops no message of its locks; a flood of a lock's own messages is rate limited")
    func chattyBridge() throws {
        let reports = ReportLog()
        let lock = try lock(reports)
        for number in 0..<10 * RateLimiter.burst {
            lock.receive(message("zigbee2mqtt/bridge/logging", #"{"level":"info","message":"MQTT publish: number \#(number)"}"#))
        }
        lock.receive(message("zigbee2mqtt/front", #"{"lock_state":"locked"}"#))
        #expect(reports.states(of: lock.id) == [.init(.locked, .confirmed)])
        for _ in 0..<10 * RateLimiter.burst { lock.receive(message("zigbee2mqtt/front", #"{"lock_state":"unlocked"}"#)) }
        #expect(reports.states(of: lock.id).count { $0.quality == .confirmed } < RateLimiter.burst + 1)
        #expect(
            reports.states(of: lock.id).last == .init(.unlocked, .stale), "a dropped message may have contained another state")
    }

    private func message(_ topic: String, _ text: String) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: Array(text.utf8), isRetained: false)
    }

    private func lock(_ reports: ReportLog) throws -> MQTTLock {
        let clock = VirtualClock()
        let context = AdapterContext(clock: clock, executor: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        context.receiver.withLock { $0 = reports }
        // Nothing listens on this port, and nothing connects to it: the session is not started.
        let broker = MQTTBroker(name: "home", settings: MQTTSettings(host: "127.0.0.1", port: 1, clientID: "test"))
        let discovery = BrokerDiscovery(broker, .shipped, clock: clock) { _ in }
        let session = BrokerSession(broker, random: RandomSource(), discovery: discovery, context)
        let address: [String: JSONValue] = ["broker": "home", "profile": "zigbee2mqtt", "name": "front"]
        let profile = try #require(ProfileLibrary.shipped["zigbee2mqtt"])
        return MQTTLock(
            AttachedLock(id: DeviceID(high: 0, low: 1), address: address), try MQTTAddress(address),
            try Dialect(profile, variables: ["name": "front"]), session: session, context)
    }
}
