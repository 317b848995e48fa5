import DoorwardDomain
import DoorwardTesting
import Foundation
import Synchronization
import Testing

@testable import DoorwardMQTT

/// Tests of a missing or late PUBACK: its effect on the connection and on later messages.
@Suite(.timeLimit(.minutes(30))) struct AcknowledgementTests {
    /// Returns a broker that answers each PUBLISH with the result of `publish`.
    private static func broker(
        receiveMaximum: UInt8? = nil, beforeUnsuback: @escaping @Sendable () -> [UInt8] = { [] },
        _ publish: @escaping @Sendable ([UInt8]) -> ScriptedBroker.Response
    ) throws -> ScriptedBroker {
        try ScriptedBroker { packet in
            switch packet[0] & 0xF0 {
            case 0x10: .send(ScriptedPacket.connack(receiveMaximum: receiveMaximum))
            case 0x30: publish(packet)
            case 0xA0: .send(beforeUnsuback() + ScriptedPacket.unsuback(packet))
            default: .nothing
            }
        }
    }

    private static func gateway(_ broker: ScriptedBroker, _ clock: VirtualClock?) -> MQTTTestClient {
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        settings.connectTimeout = .seconds(3600)
        (settings.initialBackoff, settings.maximumBackoff) = (.milliseconds(20), .milliseconds(50))
        // The library's keep-alive uses real time, so it must not expire during the test.
        settings.keepAlive = .seconds(65_535)
        return MQTTTestClient(settings, clock: clock)
    }

    private static func isDisconnected(_ gateway: MQTTTestClient) -> Bool {
        gateway.events.contains { if case .disconnected = $0 { true } else { false } }
    }

    /// Waits until the broker has answered a liveness probe sent after the message, or the connection is lost.
    private static func answered(_ sent: MQTTSentPublish, _ gateway: MQTTTestClient, _ clock: VirtualClock) async {
        while !gateway.connection.isBrokerResponsive(since: sent.number), !isDisconnected(gateway) { await clock.pass(.zero) }
    }

    @Test("a message beyond Receive Maximum is sent at once with QoS 0; unacknowledged messages still count after a broker stall")
    func receiveMaximum() async throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let published = Mutex<[[UInt8]]>([])
        let isFirst = Mutex(true)
        let broker = try Self.broker(
            receiveMaximum: 1,
            beforeUnsuback: {
                // Blocks: the scripted broker's own thread.
                mayAnswer.wait()
                // The PUBACK is sent with the second UNSUBACK, after the gateway has detected that the broker responds again.
                let wasFirst = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                return wasFirst ? [] : published.withLock { $0.first.map { ScriptedPacket.puback($0) } ?? [] }
            },
            { packet in
                published.withLock { $0.append(packet) }
                return .nothing
            })
        defer { broker.close() }
        let clock = VirtualClock()
        let gateway = Self.gateway(broker, clock)
        await gateway.connected()
        let first = try gateway.connection.publish(try MQTTPublish("door/set", "first", .atLeastOnce))
        await LoopbackPort.waitUntilDrained(to: broker.port)
        // Advance virtual time in small steps: the TCP connection is closed 30 seconds after a stall was detected.
        while gateway.connection.isConnected { await clock.pass(.milliseconds(2)) }
        let (failure, gone) = await gateway.disconnected()
        #expect(failure == .notResponding)
        mayAnswer.signal()
        let back = await gateway.connected(from: gone)
        let second = try gateway.connection.publish(try MQTTPublish("door/set", "second", .atLeastOnce))
        #expect(second.id == nil)
        // The second message is sent although the broker has not acknowledged any message.
        while published.withLock({ $0.count }) < 2 { await clock.pass(.zero) }
        let id = try #require(first.id)
        mayAnswer.signal()
        await gateway.event(from: back) { $0 == .acknowledged(id, .accepted) }
        let third = try gateway.connection.publish(try MQTTPublish("door/set", "third", .atLeastOnce))
        #expect(third.id != nil)
        for _ in 0..<100 { mayAnswer.signal() }
        while published.withLock({ $0.count }) < 3 { await clock.pass(.zero) }
        let packets = published.withLock { $0.map { String(decoding: $0, as: UTF8.self) } }
        for (packet, text) in zip(packets, ["first", "second", "third"]) { #expect(packet.hasSuffix(text)) }
        #expect(published.withLock { $0.map { $0[0] & 0b110 } } == [2, 0, 2], "the QoS bits of each PUBLISH")
        await gateway.connection.stop()
    }

    @Test("one missing PUBACK does not close the connection to a responsive broker, and a late PUBACK is reported")
    func oneMissing() async throws {
        let withheld = Mutex<[UInt8]>([])
        let broker = try Self.broker { packet in
            guard packet[0] == 0x30 else {
                withheld.withLock { $0 = packet }
                return .nothing
            }
            return packet.suffix(4) == Array("late".utf8)[...] ? .send(ScriptedPacket.puback(withheld.withLock { $0 })) : .nothing
        }
        defer { broker.close() }
        let clock = VirtualClock()
        let gateway = Self.gateway(broker, clock)
        await gateway.connected()
        let sent = try gateway.connection.publish(try MQTTPublish("door/1/set", "UNLOCK", .atLeastOnce, lifetime: .seconds(2)))
        await Self.answered(sent, gateway, clock)
        clock.advance(by: .seconds(3))
        let other = try gateway.connection.publish(try MQTTPublish("door/2/set", "UNLOCK", lifetime: .seconds(2)))
        await Self.answered(other, gateway, clock)
        #expect(!Self.isDisconnected(gateway), "\(gateway.events)")
        try #require(gateway.connection.isConnected)
        let id = try #require(sent.id)
        try gateway.connection.publish(try MQTTPublish("door/3/set", "late"))
        await gateway.event { $0 == .acknowledged(id, .accepted) }
        await gateway.connection.stop()
    }

    @Test("reconnects if the PUBACKs of all messages that Receive Maximum allows are missing")
    func allMissing() async throws {
        let count = Mutex(0)
        let broker = try Self.broker(receiveMaximum: 1) { packet in
            guard packet[0] != 0x30 else { return .nothing }
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? .nothing : .send(ScriptedPacket.puback(packet))
        }
        defer { broker.close() }
        let clock = VirtualClock()
        let gateway = Self.gateway(broker, clock)
        await gateway.connected()
        let sent = try gateway.connection.publish(try MQTTPublish("door/1/set", "UNLOCK", .atLeastOnce, lifetime: .seconds(2)))
        await Self.answered(sent, gateway, clock)
        clock.advance(by: .seconds(3))
        try gateway.connection.publish(try MQTTPublish("door/2/set", "UNLOCK", lifetime: .seconds(2)))
        let (failure, gone) = await gateway.disconnected()
        #expect(failure?.reason.contains("PUBACK") == true, "\(String(describing: failure))")
        while !gateway.connection.isConnected { await clock.pass(.milliseconds(1)) }
        await gateway.connected(from: gone)
        let next = try gateway.connection.publish(try MQTTPublish("door/3/set", "LOCK", .atLeastOnce))
        let id = try #require(next.id)
        await gateway.event(from: gone) { $0 == .acknowledged(id, .accepted) }
        await gateway.connection.stop()
    }

    @Test("each acknowledgement identifies exactly one message, even after the 16-bit packet identifiers wrap around")
    func identifiers() async throws {
        let broker = try Self.broker { .send(ScriptedPacket.puback($0)) }
        defer { broker.close() }
        let acknowledged = Mutex<[MQTTPublishNumber]>([])
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        // The library's keep-alive uses real time, so it must not expire during the test.
        settings.keepAlive = .seconds(65_535)
        // Virtual time is not advanced: the broker may be tens of thousands of messages behind, and answers probes after them.
        let gateway = MQTTConnection(settings, clock: VirtualClock(), random: RandomSource()) { event in
            if case .acknowledged(let id, .accepted) = event { acknowledged.withLock { $0.append(id) } }
        }
        gateway.start()
        while !gateway.isConnected { await Task.yield() }
        let topic = try #require(MQTTTopic("door/set"))
        let message = MQTTRetainablePublish(topic: topic, payload: [], qos: .atLeastOnce, isRetained: false)
        var ids: [MQTTPublishNumber] = []
        while ids.count < 66_000 {
            do throws(MQTTSendError) {
                if let id = try gateway.publishRetainable(message) { ids.append(id) }
            } catch {
                try #require(error == .busy)
                await Task.yield()
            }
        }
        while acknowledged.withLock({ $0.count }) < ids.count { await Task.yield() }
        #expect(Set(ids).count == ids.count)
        #expect(acknowledged.withLock { $0 } == ids)
        await gateway.stop()
    }
}
