import DoorwardMQTT
import DoorwardTesting
import Glibc
import Testing

/// Tests of Retain As Published, which keeps the publisher's retain flag on live messages.
@Suite(.timeLimit(.minutes(30))) struct RetainAsPublishedTests {
    private static func publishRetained(_ text: String, on topic: String, by client: MQTTTestClient) throws {
        let topic = try #require(MQTTTopic(topic))
        try client.connection.publishRetainable(MQTTRetainablePublish(topic: topic, payload: Array(text.utf8), isRetained: true))
    }

    @Test("a live message keeps its publisher's retain flag only on filters subscribed with Retain As Published")
    func live() async throws {
        let broker = try await MosquittoProcess.start()
        let gateway = MQTTTestClient(port: broker.port, ["door/state"])
        gateway.connection.subscribe(to: [try #require(MQTTFilter("door/set"))], retainAsPublished: true)
        await gateway.connected()
        for topic in ["door/state", "door/set"] { try await roundTrip(gateway, on: topic) }
        let device = MQTTTestClient(port: broker.port)
        await device.connected()
        for topic in ["door/state", "door/set"] { try Self.publishRetained("LOCKED", on: topic, by: device) }
        #expect(await gateway.received("LOCKED", on: "door/set").isRetained)
        #expect(await !gateway.received("LOCKED", on: "door/state").isRetained)
        // Retained messages that the broker sends to a new subscriber always have the retain flag.
        let late = MQTTTestClient(port: broker.port, ["door/+"])
        for topic in ["door/state", "door/set"] { #expect(await late.received("LOCKED", on: topic).isRetained) }
        for client in [gateway, device, late] { await client.connection.stop() }
    }

    @Test("a filter subscribed with and without Retain As Published drops the retain flag, in either order and after a reconnect")
    func mixedOptions() async throws {
        let broker = try await MosquittoProcess.start()
        let gateway = MQTTTestClient(port: broker.port, ["hall/set"], clock: nil)
        let filters = [try #require(MQTTFilter("hall/set")), try #require(MQTTFilter("door/set"))]
        gateway.connection.subscribe(to: filters, retainAsPublished: true)
        await gateway.connected()
        let device = MQTTTestClient(port: broker.port, clock: nil)
        await device.connected()
        for topic in ["hall/set", "door/set"] {
            try await roundTrip(gateway, on: topic)
            try Self.publishRetained("first", on: topic, by: device)
        }
        #expect(await !gateway.received("first", on: "hall/set").isRetained)
        #expect(await gateway.received("first", on: "door/set").isRetained)

        // When the broker has processed the new subscription, it sends the retained messages again.
        var before = gateway.events.count
        gateway.connection.subscribe(to: filters)
        for topic in ["hall/set", "door/set"] { _ = await gateway.received("first", on: topic, from: before) }
        for topic in ["hall/set", "door/set"] {
            try Self.publishRetained("second", on: topic, by: device)
            #expect(await !gateway.received("second", on: topic).isRetained, "\(topic)")
        }

        before = gateway.events.count
        broker.kill()
        await gateway.disconnected(from: before)
        let gone = device.events.count
        try await broker.restart()
        await gateway.connected(from: before)
        await device.connected(from: gone)
        for topic in ["hall/set", "door/set"] {
            try await roundTrip(gateway, on: topic, from: before)
            try Self.publishRetained("third", on: topic, by: device)
            #expect(await !gateway.received("third", on: topic).isRetained, "\(topic)")
        }
        for client in [gateway, device] { await client.connection.stop() }
    }

    @Test("subscriptions changed while the broker is stalled are applied when it resumes on the same TCP connection")
    func stalled() async throws {
        let broker = try await MosquittoProcess.start()
        let clock = VirtualClock()
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        settings.connectTimeout = .seconds(3600)
        // The library's keep-alive uses real time.
        settings.keepAlive = .seconds(65_535)
        let gateway = MQTTTestClient(settings, ["hall/state"], clock: clock)
        let filter = try #require(MQTTFilter("door/set"))
        gateway.connection.subscribe(to: [filter], retainAsPublished: true)
        await gateway.event { $0 == .subscribed }
        let response = MQTTResponseSubscriptions(required: [filter])
        while (try? gateway.connection.publish(try MQTTPublish("x", "x"), requiring: response)) == nil { await clock.pass(.zero) }
        broker.signal(SIGSTOP)
        // Advance virtual time in small steps: the TCP connection is closed 30 seconds after a stall was detected.
        while gateway.connection.isConnected { await clock.pass(.milliseconds(2)) }
        let (failure, gone) = await gateway.disconnected()
        #expect(failure == .notResponding)
        gateway.connection.subscribe(to: [filter])
        gateway.connection.unsubscribe(from: [try #require(MQTTFilter("hall/state"))])
        broker.signal(SIGCONT)
        let back = await gateway.connected(from: gone)
        await gateway.event(from: back) { $0 == .subscribed }
        let device = MQTTTestClient(port: broker.port)
        await device.connected()
        for topic in ["hall/state", "door/set"] { try Self.publishRetained("first", on: topic, by: device) }
        #expect(await !gateway.received("first", on: "door/set", from: back).isRetained)
        #expect(!gateway.messages.contains { $0.topic == "hall/state" })
        for client in [gateway, device] { await client.connection.stop() }
    }

    @Test("with MQTT 3.1.1 the broker clears the retain flag of live messages and sets it on retained ones")
    func olderBroker() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        proxy.cut { $0.count > 8 && $0[0] == 0x10 && $0[8] == 5 }
        let gateway = MQTTTestClient(MQTTSettings(host: "127.0.0.1", port: proxy.port, clientID: "gateway"))
        let filter = try #require(MQTTFilter("door/set"))
        gateway.connection.subscribe(to: [filter], retainAsPublished: true)
        await gateway.event { $0 == .connected(.v311) }
        try await roundTrip(gateway, on: "door/set")
        let device = MQTTTestClient(port: broker.port)
        await device.connected()
        try Self.publishRetained("LOCK", on: "door/set", by: device)
        #expect(await !gateway.received("LOCK", on: "door/set").isRetained)
        let before = gateway.events.count
        gateway.connection.subscribe(to: [filter], retainAsPublished: true)
        #expect(await gateway.received("LOCK", on: "door/set", from: before).isRetained)
        for client in [gateway, device] { await client.connection.stop() }
    }
}

extension MQTTTestClient {
    /// Waits for a message with this topic and text, and returns it.
    fileprivate func received(_ text: String, on topic: String, from start: Int = 0) async -> MQTTMessage {
        let (event, _) = await event(from: start) {
            if case .message(let message) = $0 { message.topic == topic && message.payload == Array(text.utf8) } else { false }
        }
        guard case .message(let message) = event else { return MQTTMessage(topic: "", payload: [], isRetained: false) }
        return message
    }
}
