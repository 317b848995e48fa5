import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Synchronization
import Testing

/// Tests with brokers that support older protocols or fewer features, or refuse the client or a subscription.
@Suite(.timeLimit(.minutes(30))) struct ProtocolFallbackTests {
    /// The protocol level of a CONNECT packet.
    private static func level(_ packet: [UInt8]) -> UInt8? { packet[0] == 0x10 && packet.count > 8 ? packet[8] : nil }

    /// The UNSUBACK for an UNSUBSCRIBE of one filter.
    private static func unsuback(_ packet: [UInt8]) -> [UInt8] { [0xB0, 4, packet[2], packet[3], 0, 0] }

    /// How brokers refuse an unknown protocol: a CONNACK of 3.1.1, a CONNACK of 5.0, or closing without a packet (`nil`).
    static let refusals: [[UInt8]?] = [[0x20, 2, 0, 1], [0x20, 3, 0, 0x84, 0], nil]

    @Test("after any kind of refusal of MQTT 5 the connection falls back to 3.1.1 at once", arguments: refusals)
    func fallback(refusal: [UInt8]?) async throws {
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
        await gateway.event { $0 == .connected(.v311) }
        #expect(levels.withLock { $0 } == [5, 4])
        await gateway.connection.stop()
    }

    @Test("if the broker refuses the client, the connection does not fall back to 3.1.1")
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
        #expect(failure?.description == "the broker refused the connection: Banned")
        await gateway.connection.stop()
        #expect(connects.withLock { $0 } == 1)
    }

    @Test("a refused subscription is reported with its filter, and the connection stays open")
    func accessList() async throws {
        let broker = try ScriptedBroker { packet in
            switch packet[0] {
            case 0x10: .send([0x20, 3, 0, 0, 0])
            // SUBACK of both filters: the first granted, the second not authorised.
            case 0x82: .send([0x90, 5, packet[2], packet[3], 0, 1, 0x87])
            case 0xA2: .send(Self.unsuback(packet))
            default: .nothing
            }
        }
        defer { broker.close() }
        let gateway = MQTTTestClient(port: broker.port, ["door/1/state", "door/2/state"])
        let (event, _) = await gateway.event { if case .subscriptionRefused = $0 { true } else { false } }
        guard case .subscriptionRefused(let filter, let reason) = event else { return }
        // The order of the two filters in the SUBSCRIBE is not defined.
        #expect(["door/1/state", "door/2/state"].contains(filter.description) && reason == "Not authorized")
        #expect(gateway.events.count { if case .subscriptionRefused = $0 { true } else { false } } == 1)
        #expect(gateway.connection.isConnected)
        await gateway.connection.stop()
    }

    @Test("CONNECT sets Maximum Packet Size and Clean Start, and no session expiry interval")
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
        // Clean Start is set, and Session Expiry Interval (property 0x11) is absent.
        #expect(packet[9] & 0x02 != 0 && !packet[13...].prefix(Int(packet[12])).contains(0x11))
        await gateway.connection.stop()
    }

    @Test("if the broker's Maximum QoS is 0, a QoS 1 message is sent with QoS 0 and has no acknowledgement id")
    func maximumQoS0() async throws {
        let (published, continuation) = AsyncStream.makeStream(of: UInt8.self)
        let broker = try ScriptedBroker { packet in
            switch packet[0] & 0xF0 {
            // CONNACK with Maximum QoS 0 (property 0x24).
            case 0x10: return .send([0x20, 5, 0, 0, 2, 0x24, 0])
            case 0xA0: return .send(Self.unsuback(packet))
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
        #expect(await iterator.next() == 0x30, "a PUBLISH with QoS 0 and without the retain flag")
        await gateway.connection.stop()
    }
}
