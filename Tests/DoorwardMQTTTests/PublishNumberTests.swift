import DoorwardDomain
import DoorwardTesting
import Foundation
import Synchronization
import Testing

@testable import DoorwardMQTT

/// Tests of the numbers of publishes. They show to which publish a received message can be the
/// answer, and which publishes the broker has certainly processed.
@Suite(.timeLimit(.minutes(30))) struct PublishNumberTests {
    @Test("a message read before a publish cannot be its answer, even if it is delivered to the receiver later")
    func readBefore() async throws {
        // Both messages are sent in one write, so that the connection reads them in one step.
        let broker = try ScriptedBroker { packet in
            switch packet[0] {
            case 0x10: .send(Packet.connack)
            case 0x82: .send(Packet.suback(packet) + Packet.publish("a") + Packet.publish("b"))
            case 0x30: .send(Packet.publish("c"))
            default: .nothing
            }
        }
        defer { broker.close() }
        let sent = Mutex<MQTTPublishNumber?>(nil)
        let publish = try MQTTPublish("door/set", "UNLOCK")
        let (messages, continuation) = AsyncStream.makeStream(of: MQTTMessage.self)
        let own = Mutex<MQTTConnection?>(nil)
        let settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        // Virtual time is not advanced: this broker never answers a liveness probe.
        let gateway = MQTTConnection(settings, clock: VirtualClock(), random: RandomSource()) { event in
            guard case .message(let message) = event else { return }
            if message.topic == "a" {
                let number = try? own.withLock { $0 }?.publish(publish).number
                sent.withLock { $0 = number }
            }
            continuation.yield(message)
        }
        own.withLock { $0 = gateway }
        gateway.subscribe(to: [try #require(MQTTFilter("#"))])
        gateway.start()
        var numbers: [String: MQTTPublishNumber] = [:]
        for await message in messages {
            numbers[message.topic] = message.readAfter
            if message.topic == "c" { break }
        }
        let number = try #require(sent.withLock { $0 })
        #expect(numbers == ["a": .none, "b": .none, "c": number])
        #expect(number > .none)
        await gateway.stop()
        own.withLock { $0 = nil }
    }

    @Test("a message counts as processed once the broker has answered a later probe, and not while the broker is stalled")
    func processed() async throws {
        let answersProbes = Mutex(false)
        // The test releases the answers to probes one by one, so that no answer arrives before the test's checks.
        let mayAnswer = DispatchSemaphore(value: 0)
        let broker = try ScriptedBroker { packet in
            switch packet[0] {
            case 0x10: return .send(Packet.connack)
            case 0xA2 where answersProbes.withLock { $0 }:
                // Blocks: the scripted broker's own thread.
                mayAnswer.wait()
                return .send(Packet.unsuback(packet))
            default: return .nothing
            }
        }
        defer { broker.close() }
        let clock = VirtualClock()
        let events = Mutex<[MQTTEvent]>([])
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        (settings.initialBackoff, settings.maximumBackoff) = (.milliseconds(20), .milliseconds(50))
        settings.connectTimeout = .seconds(3600)
        let gateway = MQTTConnection(settings, clock: clock, random: RandomSource()) { event in
            events.withLock { $0.append(event) }
        }
        gateway.start()
        // The gateway connects at once, so this loop needs no virtual time. After the message with
        // a short lifetime, the gateway sends a probe at once.
        while !gateway.isConnected { await clock.pass(.zero) }
        let publish = try MQTTPublish("door/set", "UNLOCK", lifetime: .seconds(2))
        let lost = try gateway.publish(publish).number
        var wasResponsive = false
        while !events.withLock({ $0.contains { if case .disconnected = $0 { true } else { false } } }) {
            wasResponsive = wasResponsive || gateway.isBrokerResponsive(since: lost)
            await clock.pass(.milliseconds(10))
        }
        #expect(!wasResponsive)
        answersProbes.withLock { $0 = true }
        while !gateway.isConnected { await clock.pass(.milliseconds(1)) }
        let arrived = try gateway.publish(publish).number
        #expect(!gateway.isBrokerResponsive(since: arrived) && arrived > lost)
        for _ in 0..<100 { mayAnswer.signal() }
        while !gateway.isBrokerResponsive(since: arrived) { await clock.pass(.zero) }
        #expect(!gateway.isBrokerResponsive(since: lost), "it was sent on a connection that has ended")
        await gateway.stop()
        #expect(!gateway.isBrokerResponsive(since: arrived))
    }
}

/// Packets of an MQTT 5.0 broker.
private enum Packet {
    /// CONNACK.
    static let connack: [UInt8] = [0x20, 3, 0, 0, 0]

    /// SUBACK for one filter.
    static func suback(_ request: [UInt8]) -> [UInt8] { [0x90, 4, request[2], request[3], 0, 0] }

    /// UNSUBACK with the reason code "no subscription existed".
    static func unsuback(_ request: [UInt8]) -> [UInt8] { [0xB0, 4, request[2], request[3], 0, 0x11] }

    /// PUBLISH on a topic of one letter.
    static func publish(_ topic: Character) -> [UInt8] { [0x30, 5, 0, 1, topic.asciiValue ?? 0, 0, 0x78] }
}
