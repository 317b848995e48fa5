import DoorwardDomain
import DoorwardMQTT
import Testing

@testable import AdapterMQTT

/// Recognition of the gateway's own publishes when the broker delivers them back on a lock's command topic.
@Suite struct OwnFramesTests {
    private static let topic = "door/set"
    private static let start = MonotonicInstant(nanoseconds: 0)
    private static func order(_ number: UInt64) -> CommandID { CommandID(high: 0xC7, low: number) }

    private static func at(_ seconds: Int) -> MonotonicInstant { start.advanced(by: .seconds(seconds)) }

    private static func note(_ number: UInt64, _ payload: String, until seconds: Int, in frames: inout OwnFrames) throws {
        let topic = try #require(MQTTTopic(topic))
        frames.note(
            order(number), OutgoingMessage(topic: topic, payload: Array(payload.utf8), qos: .atMostOnce), until: at(seconds))
    }

    private static func message(_ payload: String, on topic: String = topic, isRetained: Bool = false) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: isRetained)
    }

    @Test("a publish that comes back in time is not reported, and a late one is reported with its command, each once")
    func once() throws {
        var frames = OwnFrames()
        try Self.note(1, "UNLOCK", until: 2, in: &frames)
        #expect(frames.late(Self.message("UNLOCK"), at: Self.at(1)) == nil)
        #expect(frames.late(Self.message("UNLOCK"), at: Self.at(9)) == nil, "a publish of another client")
        try Self.note(2, "LOCK", until: 12, in: &frames)
        #expect(frames.late(Self.message("UNLOCK"), at: Self.at(13)) == nil)
        #expect(frames.late(Self.message("LOCK", on: "door/other"), at: Self.at(13)) == nil)
        #expect(frames.late(Self.message("LOCK", isRetained: true), at: Self.at(13)) == nil)
        #expect(frames.late(Self.message("LOCK"), at: Self.at(13)) == Self.order(2))
        #expect(frames.late(Self.message("LOCK"), at: Self.at(14)) == nil)
    }

    @Test("of equal publishes the one that is in time is matched first, and the late one after it")
    func alike() throws {
        var frames = OwnFrames()
        try Self.note(1, "UNLOCK", until: 2, in: &frames)
        try Self.note(2, "UNLOCK", until: 20, in: &frames)
        #expect(frames.late(Self.message("UNLOCK"), at: Self.at(10)) == nil)
        #expect(frames.late(Self.message("UNLOCK"), at: Self.at(10)) == Self.order(1))
    }

    @Test("a publish that does not come back is forgotten after five minutes, and only the last eight are remembered")
    func bounds() throws {
        var frames = OwnFrames()
        try Self.note(1, "UNLOCK", until: 2, in: &frames)
        #expect(frames.late(Self.message("UNLOCK"), at: Self.at(303)) == nil)
        for number in 0..<20 { try Self.note(UInt64(number), "\(number)", until: 2, in: &frames) }
        #expect(frames.late(Self.message("3"), at: Self.at(3)) == nil)
        #expect(frames.late(Self.message("19"), at: Self.at(3)) == Self.order(19))
    }
}
