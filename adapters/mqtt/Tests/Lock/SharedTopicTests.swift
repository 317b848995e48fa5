import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Logging
import Testing

@testable import AdapterMQTT

@Suite struct SharedTopicTests {
    @Test("a flood of a bridge's log messages drops no message of its locks; a flood of a lock's own messages is rate limited")
    func chattyBridge() throws {
        let heard = HeardReports()
        let lock = try lock(heard)
        for number in 0..<10 * FloodGuard.burst {
            lock.receive(message("zigbee2mqtt/bridge/logging", #"{"level":"info","message":"MQTT publish: number \#(number)"}"#))
        }
        lock.receive(message("zigbee2mqtt/front", #"{"lock_state":"locked"}"#))
        #expect(heard.states(of: lock.id) == [.init(.locked, .confirmed)])
        for _ in 0..<10 * FloodGuard.burst { lock.receive(message("zigbee2mqtt/front", #"{"lock_state":"unlocked"}"#)) }
        #expect(heard.states(of: lock.id).count { $0.quality == .confirmed } < FloodGuard.burst + 1)
        #expect(heard.states(of: lock.id).last == .init(.unlocked, .stale), "a dropped message may have contained another state")
    }

    private func message(_ topic: String, _ text: String) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: Array(text.utf8), isRetained: false)
    }

    private func lock(_ heard: HeardReports) throws -> MQTTLock {
        let clock = VirtualClock()
        let surroundings = AdapterContext(
            clock: clock, executor: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, listener: Listener(),
            counters: Counters())
        surroundings.listener.set(heard)
        // Nothing listens on this port, and nothing connects to it: the session is not started.
        let broker = MQTTBroker(name: "home", settings: MQTTSettings(host: "127.0.0.1", port: 1, clientID: "test"))
        let found = FoundLocks(broker, .shipped, clock: clock) { _ in }
        let link = BrokerSession(broker, random: RandomSource(), found: found, surroundings)
        let address: [String: JSONValue] = ["broker": "home", "profile": "zigbee2mqtt", "name": "front"]
        let profile = try #require(ProfileLibrary.shipped["zigbee2mqtt"])
        return MQTTLock(
            AttachedLock(id: DeviceID(high: 0, low: 1), address: address), try MQTTAddress(address),
            try Dialect(profile, variables: ["name": "front"]), link: link, surroundings)
    }
}
