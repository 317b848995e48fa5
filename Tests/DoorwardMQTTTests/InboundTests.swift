import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Foundation
import Synchronization
import Testing

/// Tests of received messages that are too many, too large or malformed.
@Suite(.timeLimit(.minutes(30))) struct InboundTests {
    /// Counts received messages without storing them.
    private final class Counter: Sendable {
        private let count = Mutex(0)
        private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)

        func receive(_ event: MQTTEvent) {
            guard case .message(let message) = event else { return }
            if message.topic == "flood/end" { continuation.yield() } else { count.withLock { $0 += 1 } }
        }

        var messages: Int { count.withLock { $0 } }

        /// Waits for a message on `flood/end`.
        func end() async { for await _ in stream { return } }
    }

    private static let end = RawDevice.publish(Array("flood/end".utf8), [])

    @Test("each of 50,000 messages in a flood is delivered or counted as dropped, and a command can be sent meanwhile")
    func flood() async throws {
        // By default the broker drops messages when its queue is full; with 0 the queue is unlimited.
        let broker = try await MosquittoProcess.start(["allow_anonymous true", "max_queued_messages 0"])
        let lock = MQTTTestClient(port: broker.port, ["door/set"])
        await lock.connected()
        try await roundTrip(lock, on: "door/set")
        let counter = Counter()
        let (half, connected) = (Latch(), Latch())
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        // The library's keep-alive uses real time, so it must not expire during the test.
        settings.keepAlive = .seconds(65_535)
        // Virtual time is not advanced: the broker's answer to the liveness probe is queued behind the flood.
        let gateway = MQTTConnection(settings, clock: VirtualClock(), random: RandomSource()) { event in
            if case .connected = event { connected.open() }
            counter.receive(event)
            if counter.messages == 25_000 { half.open() }
        }
        gateway.subscribe(to: [try #require(MQTTFilter("flood/#"))])
        gateway.start()
        await connected.wait()
        try gateway.publish(try MQTTPublish("flood/end", ""))
        await counter.end()
        let device = try RawDevice(port: broker.port)
        defer { device.close() }
        let message = RawDevice.publish(Array("flood/lock".utf8), Array(#"{"state":"LOCKED"}"#.utf8))
        Thread.detachNewThread {
            for _ in 0..<50_000 { device.send(message) }
            device.send(Self.end)
        }
        await half.wait()
        try gateway.publish(try MQTTPublish("door/set", "UNLOCK"))
        #expect(
            await lock.event { if case .message(let message) = $0 { message.payload == Array("UNLOCK".utf8) } else { false } }
                .next > 0)
        while counter.messages + gateway.droppedMessages < 50_000 { await counter.end() }
        #expect(counter.messages + gateway.droppedMessages == 50_000)
        #expect(gateway.lastFailure == nil)
        await gateway.stop()
        await lock.connection.stop()
    }

    @Test("a payload of 10 MB, retained or live, is not delivered and does not close the connection; later messages arrive")
    func large() async throws {
        let broker = try await MosquittoProcess.start()
        let device = try RawDevice(port: broker.port)
        defer { device.close() }
        device.publish(Array("door/state".utf8), Array(repeating: 0x78, count: 10_000_000), isRetained: true)
        #expect(!device.isDisconnected())
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        settings.maximumPayloadBytes = 4 << 20
        let gateway = MQTTTestClient(settings, ["door/#"])
        await gateway.connected()
        try await roundTrip(gateway, on: "door/set")
        device.publish(Array("door/state".utf8), Array(repeating: 0x78, count: 10_000_000))
        device.publish(Array("door/end".utf8), [])
        #expect(await gateway.message(on: "door/end") != nil)
        #expect(!gateway.messages.contains { $0.topic == "door/state" })
        #expect(gateway.connection.lastFailure == nil)
        #expect(gateway.connection.droppedMessages == 0, "the broker does not send it: above Maximum Packet Size")
        await gateway.connection.stop()
    }

    @Test("a too large payload that an older broker sends is dropped and counted, and the connection stays open")
    func largeFromOlderBroker() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        // The proxy closes MQTT 5 connections without a reply, as some older brokers do.
        proxy.cut { $0.count > 8 && $0[0] == 0x10 && $0[8] == 5 }
        var settings = MQTTSettings(host: "127.0.0.1", port: proxy.port, clientID: "gateway")
        settings.maximumPayloadBytes = 10_000
        let gateway = MQTTTestClient(settings, ["door/#"])
        await gateway.event { $0 == .connected(.v311) }
        try await roundTrip(gateway, on: "door/set")
        let device = try RawDevice(port: broker.port)
        defer { device.close() }
        device.publish(Array("door/state".utf8), Array(repeating: 0x78, count: 100_000))
        device.publish(Array("door/end".utf8), [])
        #expect(await gateway.message(on: "door/end") != nil)
        #expect(!gateway.messages.contains { $0.topic == "door/state" })
        #expect(gateway.connection.droppedMessages == 1 && gateway.failures.count == 1)
        await gateway.connection.stop()
    }

    @Test("a message on a topic that takes quadratic time to compare is ignored; later messages arrive")
    func hostileTopic() async throws {
        let broker = try await MosquittoProcess.start()
        let gateway = MQTTTestClient(port: broker.port, ["door/#"])
        await gateway.connected()
        try await roundTrip(gateway, on: "door/set")
        let device = try RawDevice(port: broker.port)
        defer { device.close() }
        let marks = String(repeating: "\u{345}\u{301}", count: 10_000)
        device.publish(Array("door/\(marks)".utf8), Array("x".utf8))
        device.publish(Array("door/end".utf8), [])
        #expect(await gateway.message(on: "door/end") != nil)
        #expect(!gateway.messages.contains { !$0.topic.isStreamSafe })
        #expect(gateway.connection.droppedMessages == 0)
        await gateway.connection.stop()
    }

    @Test(
        "a payload of any bytes is delivered: empty, NUL, invalid UTF-8",
        arguments: [[], [0], [0xFF, 0xFE, 0], Array("a\0b".utf8)] as [[UInt8]])
    func payloads(payload: [UInt8]) async throws {
        let broker = try await MosquittoProcess.start()
        let gateway = MQTTTestClient(port: broker.port, ["door/state"])
        await gateway.connected()
        try await roundTrip(gateway, on: "door/state")
        let device = try RawDevice(port: broker.port)
        defer { device.close() }
        device.publish(Array("door/state".utf8), payload)
        await gateway.event { $0.isLiveMessage(payload, on: "door/state") }
        await gateway.connection.stop()
    }

    @Test(
        "the broker disconnects a device that publishes on an invalid topic, and not the gateway",
        arguments: [
            [0xFF, 0xFE], Array("a\0b".utf8), [], Array("door/+".utf8), Array(repeating: 0x2F, count: 300),
        ] as [[UInt8]])
    func topics(topic: [UInt8]) async throws {
        let broker = try await MosquittoProcess.start()
        let gateway = MQTTTestClient(port: broker.port, ["#"])
        await gateway.connected()
        try await roundTrip(gateway, on: "door/set")
        let device = try RawDevice(port: broker.port)
        defer { device.close() }
        device.publish(topic, Array("LOCKED".utf8))
        #expect(device.isDisconnected())
        try await roundTrip(gateway, on: "door/end")
        #expect(gateway.messages.map(\.topic) == ["door/set", "door/end"])
        #expect(gateway.connection.lastFailure == nil)
        await gateway.connection.stop()
    }

    @Test("a receiver that does not return blocks only its own connection")
    func slowReceivers() async throws {
        let broker = try await MosquittoProcess.start()
        let release = DispatchSemaphore(value: 0)
        let blocked = (0..<100).map { number in
            MQTTConnection(MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "blocked\(number)")) { event in
                // Blocks: the connection's own thread.
                if case .connected = event { release.wait() }
            }
        }
        for one in blocked { one.start() }
        let quick = MQTTTestClient(port: broker.port, ["door/set"])
        await quick.connected()
        try await roundTrip(quick, on: "door/set")
        for _ in blocked { release.signal() }
        for one in blocked + [quick.connection] { await one.stop() }
    }
}

/// A latch that opens once and resumes the waiting task.
private final class Latch: Sendable {
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)

    func open() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}
