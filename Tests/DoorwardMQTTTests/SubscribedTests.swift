import DoorwardMQTT
import DoorwardTesting
import Foundation
import Synchronization
import Testing

/// A command is published only once the broker has acknowledged the lock's own subscriptions.
@Suite(.timeLimit(.minutes(30))) struct SubscribedTests {
    private static let state = "door/state"

    private static func paths(needed: [String], asked: [String] = []) -> MQTTAnswerPaths {
        MQTTAnswerPaths(needed: needed.compactMap { MQTTFilter($0) }, asked: asked.compactMap { MQTTFilter($0) })
    }

    private static func refusal(_ gateway: Listening, _ paths: MQTTAnswerPaths) throws -> MQTTSendError? {
        let frame = try MQTTFrame("door/set", "UNLOCK")
        do throws(MQTTSendError) { try gateway.connection.publish(frame, answeredBy: paths) } catch { return error }
        return nil
    }

    /// A broker that answers each subscription when it may, with these codes.
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
                mayAnswer.wait()
                let codes = codes(number)
                return .send([0x90, UInt8(3 + codes.count), packet[2], packet[3], 0] + codes)
            case 0xA2: return .send([0xB0, 4, packet[2], packet[3], 0, 0])
            default: return .nothing
            }
        }
    }

    @Test("a frame does not leave before the broker has acknowledged what its answer comes by, and leaves then")
    func notYet() async throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let broker = try Self.broker(mayAnswer, { _ in [1] })
        defer { broker.close() }
        let gateway = Listening(
            MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "g"), [Self.state], clock: VirtualClock())
        await gateway.connected()
        let needed = Self.paths(needed: [Self.state])
        #expect(try Self.refusal(gateway, needed) == .notSubscribed)
        #expect(try Self.refusal(gateway, Self.paths(needed: [], asked: [Self.state])) == .notSubscribed)
        #expect(try Self.refusal(gateway, .none) == nil, "nobody waits for an answer")
        mayAnswer.signal()
        await gateway.event { $0 == .subscribed }
        #expect(try Self.refusal(gateway, needed) == nil)
        #expect(
            try Self.refusal(gateway, Self.paths(needed: [Self.state, "door/battery"])) == .notSubscribed, "nobody wants that")
        gateway.connection.leave([try #require(MQTTFilter(Self.state))])
        while try Self.refusal(gateway, needed) == nil { await Task.yield() }
        await gateway.connection.stop()
    }

    @Test("a topic that the broker does not give is an answer where it only had to be asked for, and none where it is needed")
    func refused() async throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        mayAnswer.signal()
        let broker = try Self.broker(mayAnswer, { _ in [0x87] })
        defer { broker.close() }
        let gateway = Listening(
            MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "g"), [Self.state], clock: VirtualClock())
        await gateway.event { $0 == .subscribed }
        #expect(try Self.refusal(gateway, Self.paths(needed: [Self.state])) == .notSubscribed)
        #expect(try Self.refusal(gateway, Self.paths(needed: [], asked: [Self.state])) == nil)
        await gateway.connection.stop()
    }

    @Test("on a connection that is made anew the broker has acknowledged nothing")
    func anew() async throws {
        let broker = try await Broker.start()
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        let gateway = Listening(port: proxy.port, [Self.state])
        let (_, first) = await gateway.event { $0 == .subscribed }
        let needed = Self.paths(needed: [Self.state])
        #expect(try Self.refusal(gateway, needed) == nil)
        let isSubscribe = Mutex(false)
        // The next connection is let in, and cut where it subscribes.
        broker.kill()
        let (_, gone) = await gateway.disconnected(from: first)
        proxy.cut { bytes in
            let found = bytes.firstRange(of: Array(Self.state.utf8)) != nil
            if found { isSubscribe.withLock { $0 = true } }
            return found
        }
        try await broker.run()
        let (_, lost) = await gateway.disconnected(from: await gateway.connected(from: gone))
        #expect(isSubscribe.withLock { $0 })
        #expect(try Self.refusal(gateway, needed).map { $0 == .notSubscribed || $0 == .notConnected } == true)
        proxy.cut { _ in false }
        await gateway.event(from: lost) { $0 == .subscribed }
        #expect(try Self.refusal(gateway, needed) == nil)
        await gateway.connection.stop()
    }
}
