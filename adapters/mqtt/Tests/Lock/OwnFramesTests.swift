import DoorwardDomain
import DoorwardMQTT
import Testing

@testable import AdapterMQTT

/// The gateway's own frames, as they come by on a lock's command topic.
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

    @Test("a frame that comes by in time is nothing, one that comes by late is known by its order, each once")
    func once() throws {
        var frames = OwnFrames()
        try Self.note(1, "UNLOCK", until: 2, in: &frames)
        #expect(frames.late(Self.message("UNLOCK"), at: Self.at(1)) == nil)
        #expect(frames.late(Self.message("UNLOCK"), at: Self.at(9)) == nil, "somebody else's")
        try Self.note(2, "LOCK", until: 12, in: &frames)
        #expect(frames.late(Self.message("UNLOCK"), at: Self.at(13)) == nil)
        #expect(frames.late(Self.message("LOCK", on: "door/other"), at: Self.at(13)) == nil)
        #expect(frames.late(Self.message("LOCK", isRetained: true), at: Self.at(13)) == nil)
        #expect(frames.late(Self.message("LOCK"), at: Self.at(13)) == Self.order(2))
        #expect(frames.late(Self.message("LOCK"), at: Self.at(14)) == nil)
    }

    @Test("of frames that are alike the one in time comes by first, and the late one after it")
    func alike() throws {
        var frames = OwnFrames()
        try Self.note(1, "UNLOCK", until: 2, in: &frames)
        try Self.note(2, "UNLOCK", until: 20, in: &frames)
        #expect(frames.late(Self.message("UNLOCK"), at: Self.at(10)) == nil)
        #expect(frames.late(Self.message("UNLOCK"), at: Self.at(10)) == Self.order(1))
    }

    @Test("what never came by is forgotten after a while, and no more than a few are remembered")
    func bounds() throws {
        var frames = OwnFrames()
        try Self.note(1, "UNLOCK", until: 2, in: &frames)
        #expect(frames.late(Self.message("UNLOCK"), at: Self.at(303)) == nil)
        for number in 0..<20 { try Self.note(UInt64(number), "\(number)", until: 2, in: &frames) }
        #expect(frames.late(Self.message("3"), at: Self.at(3)) == nil)
        #expect(frames.late(Self.message("19"), at: Self.at(3)) == Self.order(19))
    }
}
