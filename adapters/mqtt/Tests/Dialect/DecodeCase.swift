import DoorwardDomain
import Testing

@testable import AdapterMQTT

/// A received message for a lock of the suite's profile, and its expected decoding.
struct DecodeCase: Sendable, CustomTestStringConvertible {
    var prev = BoltState.unknown
    var inFlight: LockOperation?
    let topic: String
    let payload: String
    var isRetained = false
    let expected: String

    var testDescription: String { "\(topic) \(payload.prefix(60))" }

    init(
        _ topic: String, _ payload: String, _ expected: String, prev: BoltState = .unknown, inFlight: LockOperation? = nil,
        retained: Bool = false
    ) {
        (self.topic, self.payload, self.expected) = (topic, payload, expected)
        (self.prev, self.inFlight, isRetained) = (prev, inFlight, retained)
    }

    /// Decodes the message for a new lock of a profile, and compares the result.
    func check(_ profile: String, _ address: [String: String], _ sourceLocation: SourceLocation = #_sourceLocation) throws {
        var fixture = try DialectFixture(profile, address, prev: prev, inFlight: inFlight)
        let words = fixture.receive(topic, payload, isRetained: isRetained)
        #expect(words == expected, sourceLocation: sourceLocation)
    }
}
