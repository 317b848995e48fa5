import DoorwardDomain
import Testing

@testable import AdapterMQTT

/// A received message and its expected decoding.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
    let name: String
    let profile: String
    let address: [String: String]
    var prev = BoltState.unknown
    var quality = StateQuality.confirmed
    var inFlight: LockOperation?
    let topic: String
    let payload: String
    var isRetained = false
    let expected: String

    var testDescription: String { "\(name): \(topic) \(payload.prefix(60))" }

    init(
        _ name: String, _ profile: String, _ address: [String: String], prev: BoltState = .unknown,
        quality: StateQuality = .confirmed, inFlight: LockOperation? = nil, _ topic: String, _ payload: String,
        retained: Bool = false, _ expected: String
    ) {
        (self.name, self.profile, self.address, self.prev, self.quality) = (name, profile, address, prev, quality)
        (self.inFlight, self.topic, self.payload, isRetained, self.expected) = (inFlight, topic, payload, retained, expected)
    }
}

/// Addresses of example locks.
enum Example {
    static let homeAssistant = ["command_topic": "command-topic", "state_topic": "state-topic"]
    static let front = ["name": "front"]
    static let nuki = ["id": "398172F4"]
    static let zwave = ["node": "front", "gateway": "office", "nodeId": "5"]
    static let homie = ["device": "front", "root": "bridge"]
    static let ring = ["location": "home", "device": "d1"]
    static let esphome = ["node": "porch", "object_id": "door"]
    static let tasmota = ["topic": "strike"]
    static let homekey = ["client": "reader"]
}
