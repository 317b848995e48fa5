import DoorwardDomain
import DoorwardMQTT
import Testing

@testable import AdapterMQTT

/// Recognition of the gateway's own publishes when the broker delivers them back on a lock's command topic.
@Suite struct PublishedCommandsTests {
    private static let topic = "door/set"
    private static let start = MonotonicInstant(nanoseconds: 0)
    private static func commandID(_ number: UInt64) -> CommandID { CommandID(high: 0xC7, low: number) }

    private static func at(_ seconds: Int) -> MonotonicInstant { start.advanced(by: .seconds(seconds)) }

    private static func record(_ number: UInt64, _ payload: String, until seconds: Int, in commands: inout PublishedCommands)
        throws
    {
        let topic = try #require(MQTTTopic(topic))
        commands.record(
            commandID(number), OutgoingMessage(topic: topic, payload: Array(payload.utf8), qos: .atMostOnce), until: at(seconds))
    }

    private static func message(_ payload: String, on topic: String = topic, isRetained: Bool = false) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: isRetained)
    }

    @Test("an own publish received in time is not reported; one received late is reported once, with its command")
    func once() throws {
        var commands = PublishedCommands()
        try Self.record(1, "UNLOCK", until: 2, in: &commands)
        #expect(commands.lateDelivery(of: Self.message("UNLOCK"), at: Self.at(1)) == nil)
        #expect(commands.lateDelivery(of: Self.message("UNLOCK"), at: Self.at(9)) == nil, "a publish of another client")
        try Self.record(2, "LOCK", until: 12, in: &commands)
        #expect(commands.lateDelivery(of: Self.message("UNLOCK"), at: Self.at(13)) == nil)
        #expect(commands.lateDelivery(of: Self.message("LOCK", on: "door/other"), at: Self.at(13)) == nil)
        #expect(commands.lateDelivery(of: Self.message("LOCK", isRetained: true), at: Self.at(13)) == nil)
        #expect(commands.lateDelivery(of: Self.message("LOCK"), at: Self.at(13)) == Self.commandID(2))
        #expect(commands.lateDelivery(of: Self.message("LOCK"), at: Self.at(14)) == nil)
    }

    @Test("of two equal publishes, the first one received matches the publish that is in time, and the next one the late publish")
    func equalPayloads() throws {
        var commands = PublishedCommands()
        try Self.record(1, "UNLOCK", until: 2, in: &commands)
        try Self.record(2, "UNLOCK", until: 20, in: &commands)
        #expect(commands.lateDelivery(of: Self.message("UNLOCK"), at: Self.at(10)) == nil)
        #expect(commands.lateDelivery(of: Self.message("UNLOCK"), at: Self.at(10)) == Self.commandID(1))
    }

    @Test("a publish that the broker does not deliver back is forgotten after five minutes, and at most eight are remembered")
    func bounds() throws {
        var commands = PublishedCommands()
        try Self.record(1, "UNLOCK", until: 2, in: &commands)
        #expect(commands.lateDelivery(of: Self.message("UNLOCK"), at: Self.at(303)) == nil)
        for number in 0..<20 { try Self.record(UInt64(number), "\(number)", until: 2, in: &commands) }
        #expect(commands.lateDelivery(of: Self.message("3"), at: Self.at(3)) == nil)
        #expect(commands.lateDelivery(of: Self.message("19"), at: Self.at(3)) == Self.commandID(19))
    }
}
