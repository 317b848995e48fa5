import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(30))) struct ConnectionTests {
    @Test("a message is delivered live to its subscribers, and is not retained", arguments: [MQTTQoS.atMostOnce, .atLeastOnce])
    func delivered(qos: MQTTQoS) async throws {
        let broker = try await MosquittoProcess.start()
        let (lock, gateway) = (MQTTTestClient(port: broker.port, ["door/+/set"]), MQTTTestClient(port: broker.port))
        await lock.connected()
        let connected = await gateway.connected()
        // The round trip shows that the subscription is in place.
        try await roundTrip(lock, on: "door/0/set")
        let id = try gateway.connection.publish(try MQTTPublish("door/1/set", "UNLOCK", qos)).id
        let message = try #require(await lock.message(on: "door/1/set"))
        #expect(message.topic == "door/1/set" && message.payload == Array("UNLOCK".utf8))
        #expect(!message.isRetained && message.qos == qos)
        #expect((id != nil) == (qos == .atLeastOnce))
        if let id { await gateway.event(from: connected) { $0 == .acknowledged(id, .accepted) } }
        // A later subscriber does not receive it.
        let late = MQTTTestClient(port: broker.port, ["door/#"])
        await late.connected()
        try await roundTrip(late, on: "door/end")
        #expect(late.messages.map(\.topic) == ["door/end"])
        for one in [lock, gateway, late] { await one.connection.stop() }
    }

    @Test("a retained message is delivered with the retain flag, a live one without it")
    func retained() async throws {
        let broker = try await MosquittoProcess.start()
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "lock")
        settings.will = .init(topic: try #require(MQTTTopic("door/state")), payload: Array("gone".utf8), isRetained: true)
        settings.initialBackoff = .seconds(60)
        let lock = MQTTTestClient(settings)
        await lock.connected()
        let watcher = MQTTTestClient(port: broker.port, ["door/state"])
        await watcher.connected()
        try await roundTrip(watcher, on: "door/state")
        // The broker closes the connection, without a DISCONNECT, when another client connects with the same id.
        let duplicate = MQTTTestClient(port: broker.port, id: "lock")
        await duplicate.connected()
        await watcher.event { $0.isLiveMessage(Array("gone".utf8), on: "door/state") }
        let late = MQTTTestClient(port: broker.port, ["door/state"])
        let message = try #require(await late.message(on: "door/state"))
        #expect(message.isRetained)
        for one in [lock, watcher, duplicate, late] { await one.connection.stop() }
    }

    @Test("a retained message is delivered to later subscribers until an empty one deletes it, and may be 10 MiB long")
    func retainable() async throws {
        let broker = try await MosquittoProcess.start()
        let lock = MQTTTestClient(port: broker.port, ["door/none"])
        await lock.connected()
        let large = Array(repeating: UInt8(ascii: "x"), count: 10 * 1024 * 1024)
        let state = try #require(MQTTTopic("door/state"))
        let id = try lock.connection.publishRetainable(MQTTRetainablePublish(topic: state, payload: large, qos: .atLeastOnce))
        await lock.event { if case .acknowledged(let its, _) = $0 { its == id } else { false } }
        try lock.connection.publishRetainable(MQTTRetainablePublish(topic: state, payload: Array("LOCKED".utf8)))
        try await roundTrip(lock, on: "door/none")
        let late = MQTTTestClient(port: broker.port, ["door/state"])
        let retained = try #require(await late.message(on: "door/state"))
        #expect(retained.payload == Array("LOCKED".utf8) && retained.isRetained)
        try lock.connection.publishRetainable(MQTTRetainablePublish(topic: state, payload: []))
        await late.event { $0.isLiveMessage([], on: "door/state") }
        let last = MQTTTestClient(port: broker.port, ["door/#"])
        await last.connected()
        try await roundTrip(last, on: "door/end")
        #expect(last.messages.map(\.topic) == ["door/end"])
        for one in [lock, late, last] { await one.connection.stop() }
    }

    @Test("`stop` is reported as `.stopped`, and later publishes are rejected")
    func stopping() async throws {
        let broker = try await MosquittoProcess.start()
        let gateway = MQTTTestClient(port: broker.port)
        await gateway.connected()
        await gateway.connection.stop()
        #expect(gateway.events.last == .disconnected(.stopped))
        #expect(!gateway.connection.isConnected)
        #expect(throws: MQTTSendError.notConnected) { try gateway.connection.publish(try MQTTPublish("a", "b")) }
    }

    @Test("a refused TCP connection and a missing authorization are reported with a reason, and the gateway tries again")
    func failures() async throws {
        // The socket holds the port, so that no other process listens on it.
        let held = try Listener(isListening: false)
        defer { close(held.descriptor) }
        let unreachable = MQTTTestClient(port: held.port, clock: nil)
        let (first, next) = await unreachable.disconnected()
        #expect(first == .unreachable("Connection refused") || first == .connectionLost("Connection refused"))
        await unreachable.disconnected(from: next)
        let broker = try await MosquittoProcess.start(["allow_anonymous false"])
        let unauthorized = MQTTTestClient(port: broker.port)
        let (refused, _) = await unauthorized.disconnected()
        guard case .connectionRefused(let why) = refused else { return #expect(Bool(false), "\(String(describing: refused))") }
        #expect(why.lowercased().contains("not authori"))
        #expect(!unauthorized.connection.isConnected)
        for one in [unreachable, unauthorized] { await one.connection.stop() }
    }

    @Test("after a broker restart the subscriptions are restored, and messages rejected meanwhile are not sent")
    func reconnects() async throws {
        let broker = try await MosquittoProcess.start()
        let gateway = MQTTTestClient(port: broker.port, ["door/#"], clock: nil)
        let connected = await gateway.connected()
        try await roundTrip(gateway, on: "door/before")
        broker.kill()
        let (_, gone) = await gateway.disconnected(from: connected)
        for number in 0..<100 {
            let publish = try MQTTPublish("door/\(number)/set", "UNLOCK", number.isMultiple(of: 2) ? .atLeastOnce : .atMostOnce)
            #expect(throws: MQTTSendError.notConnected) { try gateway.connection.publish(publish) }
        }
        try await broker.restart()
        let back = await gateway.connected(from: gone)
        try await roundTrip(gateway, on: "door/after", from: back)
        #expect(gateway.messages.map(\.topic) == ["door/before", "door/after"])
        await gateway.connection.stop()
    }
}

/// Publishes on the topic and waits until the connection receives the message, which shows that it is subscribed.
func roundTrip(_ client: MQTTTestClient, on topic: String, from start: Int = 0) async throws {
    // A message that is published before the subscription does not come back.
    await client.event(from: start) { $0 == .subscribed }
    try client.connection.publish(try MQTTPublish(topic, "round"))
    await client.event(from: start) {
        if case .message(let message) = $0 { message.topic == topic && !message.isRetained } else { false }
    }
}
