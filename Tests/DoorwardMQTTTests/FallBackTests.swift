import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Synchronization
import Testing

/// Promises about brokers that are older, or say no.
@Suite(.timeLimit(.minutes(30))) struct FallBackTests {
    /// The protocol level of a CONNECT packet.
    private static func level(_ packet: [UInt8]) -> UInt8? { packet[0] == 0x10 && packet.count > 8 ? packet[8] : nil }

    /// The answer to a request to unsubscribe from one filter.
    private static func unsubscribed(_ packet: [UInt8]) -> [UInt8] { [0xB0, 4, packet[2], packet[3], 0, 0] }

    /// Ways in which brokers refuse a protocol that they do not know: CONNACK of 3.1.1, of 5.0, or no word at all.
    static let refusals: [[UInt8]?] = [[0x20, 2, 0, 1], [0x20, 3, 0, 0x84, 0], nil]

    @Test("a broker that refuses MQTT 5 in any way is spoken to in 3.1.1, at once", arguments: refusals)
    func older(refusal: [UInt8]?) async throws {
        let levels = Mutex<[UInt8]>([])
        let broker = try ScriptedBroker { packet in
            guard let level = Self.level(packet) else { return .nothing }
            levels.withLock { $0.append(level) }
            return level == 5 ? refusal.map { .send($0) } ?? .close : .send([0x20, 2, 0, 0])
        }
        defer { broker.close() }
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        settings.initialBackoff = .seconds(600)
        let gateway = MQTTTestClient(settings)
        await gateway.event { $0 == .connected(.three) }
        #expect(levels.withLock { $0 } == [5, 4])
        #expect(gateway.connection.health.version == .three)
        await gateway.connection.stop()
    }

    @Test("one that refuses the client is not asked in another protocol")
    func banned() async throws {
        let connects = Mutex(0)
        let broker = try ScriptedBroker { packet in
            guard Self.level(packet) != nil else { return .nothing }
            connects.withLock { $0 += 1 }
            return .send([0x20, 3, 0, 0x8A, 0])
        }
        defer { broker.close() }
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        settings.initialBackoff = .seconds(600)
        let gateway = MQTTTestClient(settings)
        let (failure, _) = await gateway.disconnected()
        #expect(failure?.description == "the broker refuses the gateway: Banned")
        await gateway.connection.stop()
        #expect(connects.withLock { $0 } == 1)
    }

    @Test("a subscription that the broker does not give is told by its filter, and the others stay")
    func accessList() async throws {
        let broker = try ScriptedBroker { packet in
            switch packet[0] {
            case 0x10: .send([0x20, 3, 0, 0, 0])
            // SUBACK of both filters: the first given, the second not authorised.
            case 0x82: .send([0x90, 5, packet[2], packet[3], 0, 1, 0x87])
            case 0xA2: .send(Self.unsubscribed(packet))
            default: .nothing
            }
        }
        defer { broker.close() }
        let gateway = MQTTTestClient(port: broker.port, ["door/1/state", "door/2/state"])
        let (event, _) = await gateway.event { if case .subscriptionRefused = $0 { true } else { false } }
        guard case .subscriptionRefused(let filter, let reason) = event else { return }
        // Which of the two is asked for first is the connection's choice.
        #expect(["door/1/state", "door/2/state"].contains(filter.description) && reason == "Not authorized")
        #expect(gateway.connection.health.counts.subscriptionsRefused == 1)
        #expect(gateway.connection.isConnected)
        await gateway.connection.stop()
    }

    @Test("the broker is told which packets it need not send, and that nothing is to be kept for this client")
    func connectPacket() async throws {
        let connect = Mutex<[UInt8]>([])
        let broker = try ScriptedBroker { packet in
            guard Self.level(packet) != nil else { return .nothing }
            connect.withLock { $0 = packet }
            return .send([0x20, 3, 0, 0, 0])
        }
        defer { broker.close() }
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        settings.maximumPayloadBytes = 0x0100_0000 - 128 * 1024
        let gateway = MQTTTestClient(settings)
        await gateway.connected()
        let packet = connect.withLock { $0 }
        // Maximum Packet Size is property 0x27 (MQTT 5.0, section 3.1.2.11.4).
        #expect(packet.firstRange(of: [0x27, 0x01, 0x00, 0x00, 0x00]) != nil)
        // Clean start, and no property 0x11 that has the session outlive the connection.
        #expect(packet[9] & 0x02 != 0 && !packet[13...].prefix(Int(packet[12])).contains(0x11))
        await gateway.connection.stop()
    }

    @Test("a broker that takes frames of quality 0 alone gets them so, and acknowledges nothing")
    func lowQuality() async throws {
        let (published, continuation) = AsyncStream.makeStream(of: UInt8.self)
        let broker = try ScriptedBroker { packet in
            switch packet[0] & 0xF0 {
            // CONNACK with Maximum QoS 0 (property 0x24).
            case 0x10: return .send([0x20, 5, 0, 0, 2, 0x24, 0])
            case 0xA0: return .send(Self.unsubscribed(packet))
            case 0x30: continuation.yield(packet[0])
            default: break
            }
            return .nothing
        }
        defer { broker.close() }
        let gateway = MQTTTestClient(port: broker.port)
        await gateway.connected()
        #expect(try gateway.connection.publish(try MQTTPublish("door/set", "UNLOCK", .atLeastOnce)).id == nil)
        var iterator = published.makeAsyncIterator()
        #expect(await iterator.next() == 0x30, "neither of a higher quality nor retained")
        await gateway.connection.stop()
    }
}
