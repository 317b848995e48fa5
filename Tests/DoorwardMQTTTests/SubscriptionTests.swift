import DoorwardMQTT
import DoorwardTesting
import Foundation
import Synchronization
import Testing

/// A command is published only once the broker has acknowledged the lock's own subscriptions.
@Suite(.timeLimit(.minutes(30))) struct SubscriptionTests {
    private static let state = "door/state"

    private static func subscriptions(required: [String], optional: [String] = []) -> MQTTResponseSubscriptions {
        MQTTResponseSubscriptions(
            required: required.compactMap { MQTTFilter($0) }, optional: optional.compactMap { MQTTFilter($0) })
    }

    private static func refusal(_ gateway: MQTTTestClient, _ response: MQTTResponseSubscriptions) throws -> MQTTSendError? {
        let publish = try MQTTPublish("door/set", "UNLOCK")
        do throws(MQTTSendError) { try gateway.connection.publish(publish, requiring: response) } catch { return error }
        return nil
    }

    /// Returns a broker that waits for `mayAnswer` before each SUBACK, and answers with these reason codes.
    private static func broker(
        _ mayAnswer: DispatchSemaphore, _ codes: @escaping @Sendable (Int) -> [UInt8]
    ) throws -> ScriptedBroker {
        let subscriptions = Mutex(0)
        return try ScriptedBroker { packet in
            switch packet[0] {
            case 0x10: return .send([0x20, 3, 0, 0, 0])
            case 0x82:
                let number = subscriptions.withLock { number in
                    number += 1
                    return number
                }
                // Blocks: the scripted broker's own thread.
                mayAnswer.wait()
                let codes = codes(number)
                return .send([0x90, UInt8(3 + codes.count), packet[2], packet[3], 0] + codes)
            case 0xA2: return .send([0xB0, 4, packet[2], packet[3], 0, 0])
            default: return .nothing
            }
        }
    }

    @Test("a message is not sent until the broker has acknowledged the subscriptions for its answer")
    func unacknowledged() async throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let broker = try Self.broker(mayAnswer, { _ in [1] })
        defer { broker.close() }
        let gateway = MQTTTestClient(
            MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "g"), [Self.state], clock: VirtualClock())
        await gateway.connected()
        let required = Self.subscriptions(required: [Self.state])
        #expect(try Self.refusal(gateway, required) == .notSubscribed)
        #expect(try Self.refusal(gateway, Self.subscriptions(required: [], optional: [Self.state])) == .notSubscribed)
        #expect(try Self.refusal(gateway, .none) == nil, "no subscription is required")
        mayAnswer.signal()
        await gateway.event { $0 == .subscribed }
        #expect(try Self.refusal(gateway, required) == nil)
        #expect(
            try Self.refusal(gateway, Self.subscriptions(required: [Self.state, "door/battery"])) == .notSubscribed,
            "not subscribed")
        gateway.connection.unsubscribe(from: [try #require(MQTTFilter(Self.state))])
        while try Self.refusal(gateway, required) == nil { await Task.yield() }
        await gateway.connection.stop()
    }

    @Test("a refused subscription prevents publishing if it is needed, and not if it only has to be requested")
    func refused() async throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        mayAnswer.signal()
        let broker = try Self.broker(mayAnswer, { _ in [0x87] })
        defer { broker.close() }
        let gateway = MQTTTestClient(
            MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "g"), [Self.state], clock: VirtualClock())
        await gateway.event { $0 == .subscribed }
        #expect(try Self.refusal(gateway, Self.subscriptions(required: [Self.state])) == .notSubscribed)
        #expect(try Self.refusal(gateway, Self.subscriptions(required: [], optional: [Self.state])) == nil)
        await gateway.connection.stop()
    }

    @Test("after a reconnect no message is sent until the broker has acknowledged the subscriptions again")
    func afterReconnect() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        let gateway = MQTTTestClient(port: proxy.port, [Self.state], clock: nil)
        let (_, first) = await gateway.event { $0 == .subscribed }
        let required = Self.subscriptions(required: [Self.state])
        #expect(try Self.refusal(gateway, required) == nil)
        let isSubscribe = Mutex(false)
        // The proxy accepts the next connection, and cuts it when the gateway sends its SUBSCRIBE.
        broker.kill()
        let (_, gone) = await gateway.disconnected(from: first)
        proxy.cut { bytes in
            let found = bytes.firstRange(of: Array(Self.state.utf8)) != nil
            if found { isSubscribe.withLock { $0 = true } }
            return found
        }
        try await broker.restart()
        let (_, lost) = await gateway.disconnected(from: await gateway.connected(from: gone))
        #expect(isSubscribe.withLock { $0 })
        #expect(try Self.refusal(gateway, required).map { $0 == .notSubscribed || $0 == .notConnected } == true)
        proxy.cut { _ in false }
        await gateway.event(from: lost) { $0 == .subscribed }
        #expect(try Self.refusal(gateway, required) == nil)
        await gateway.connection.stop()
    }

    @Test("`.subscribed` is reported even if the last filter is unsubscribed while the SUBACKs of the others are in flight")
    func unsubscribedInFlight() async throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let (allRequested, continuation) = AsyncStream.makeStream(of: Void.self)
        let withheld = Mutex<[[UInt8]]>([])
        let broker = try ScriptedBroker { packet in
            switch packet[0] & 0xF0 {
            case 0x10: return .send(ScriptedPacket.connack())
            case 0x80:
                let all = withheld.withLock { withheld in
                    withheld.append(packet)
                    return withheld
                }
                guard all.count == 4 else { return .nothing }
                continuation.finish()
                // Blocks: the scripted broker's own thread.
                mayAnswer.wait()
                return .send(all.flatMap { ScriptedPacket.suback($0, 1) })
            case 0xA0: return .send(ScriptedPacket.unsuback(packet))
            default: return .nothing
            }
        }
        defer { broker.close() }
        // At most four packets of 50 filters may be unacknowledged; the last filter waits for a SUBACK.
        let filters = (0...200).map { "door/\($0)/state" }
        let gateway = MQTTTestClient(
            MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "g"), filters, clock: VirtualClock())
        for await _ in allRequested {}
        gateway.connection.unsubscribe(from: [try #require(MQTTFilter(filters[200]))])
        mayAnswer.signal()
        await gateway.event { $0 == .subscribed }
        #expect(withheld.withLock { $0.flatMap { ScriptedPacket.filters(of: $0) } } == Array(filters[..<200]))
        await gateway.connection.stop()
    }

    @Test("SUBSCRIBE respects the broker's maximum packet size, and a filter that is too long for it counts as refused")
    func smallPackets() async throws {
        let broker = try await MosquittoProcess.start(["allow_anonymous true", "max_packet_size 300"])
        let filters = (0..<60).map { "house/door/\($0)/state" }
        let long = "house/" + String(repeating: "x", count: 300)
        let gateway = MQTTTestClient(port: broker.port, filters + [long, "end"])
        let (_, settled) = await gateway.event { $0 == .subscribed }
        let filter = try #require(MQTTFilter(long))
        #expect(gateway.events.contains(.subscriptionRefused(filter, reason: "Packet too large")))
        #expect(try Self.refusal(gateway, Self.subscriptions(required: filters, optional: [long])) == nil)
        try await roundTrip(gateway, on: filters[59])
        gateway.connection.unsubscribe(from: (filters + [long]).compactMap { MQTTFilter($0) })
        gateway.connection.subscribe(to: ["later"].compactMap { MQTTFilter($0) })
        await gateway.event(from: settled) { $0 == .subscribed }
        try gateway.connection.publish(try MQTTPublish(filters[59], "left"))
        try await roundTrip(gateway, on: "end")
        #expect(!gateway.messages.contains { $0.payload == Array("left".utf8) })
        #expect(gateway.connection.lastFailure == nil)
        await gateway.connection.stop()
    }

    @Test("reconnects to a responsive broker that does not acknowledge a subscription within ten seconds")
    func withoutSuback() async throws {
        let broker = try ScriptedBroker { packet in
            switch packet[0] & 0xF0 {
            case 0x10: .send(ScriptedPacket.connack())
            case 0xA0: .send(ScriptedPacket.unsuback(packet))
            default: .nothing
            }
        }
        defer { broker.close() }
        let clock = VirtualClock()
        let gateway = MQTTTestClient(
            MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "g"), [Self.state], clock: clock)
        await gateway.connected()
        func answered() async throws {
            let sent = try gateway.connection.publish(try MQTTPublish("door/set", "x", lifetime: .seconds(2)))
            while !gateway.connection.isBrokerResponsive(since: sent.number) { await clock.pass(.zero) }
        }
        for _ in 0..<3 {
            try await answered()
            clock.advance(by: .seconds(3))
        }
        try await answered()
        #expect(gateway.connection.lastFailure == nil, "after nine seconds")
        clock.advance(by: .seconds(3))
        try gateway.connection.publish(try MQTTPublish("door/set", "x", lifetime: .seconds(2)))
        let (failure, _) = await gateway.disconnected()
        #expect(failure?.reason.contains("SUBACK") == true, "\(String(describing: failure))")
        await gateway.connection.stop()
    }
}
