import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Foundation
import Testing

/// Tests that no message is sent or delivered after its lifetime has ended. The fault is between the gateway and the broker.
@Suite(.timeLimit(.minutes(30))) struct MessageLifetimeTests {
    @Test(
        "a message that the broker's host does not accept in its lifetime is discarded with the connection and never delivered")
    func stalled() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        let lock = MQTTTestClient(port: broker.port, ["door/set"])
        await lock.connected()
        try await roundTrip(lock, on: "door/set")
        // Virtual time is not advanced: a message is rejected only if the socket is full.
        let gateway = MQTTTestClient(port: proxy.port, clock: VirtualClock())
        await gateway.connected()
        proxy.stall(.toBroker)
        // Fill the receive buffer of the proxy, so that later data stays in the gateway's send buffer.
        let filled = try fill(gateway.connection) { "filler \($0) " }
        #expect(filled > 0)
        // With a full socket, a message with a short lifetime is rejected.
        let short = try MQTTPublish("door/set", "UNLOCK", lifetime: .milliseconds(100))
        #expect(throws: MQTTSendError.busy) { try gateway.connection.publish(short) }
        await gateway.connection.stop()
        proxy.resume()
        try await roundTrip(lock, on: "door/set")
        // The proxy may pass on messages that its kernel accepted in time; the last one was in the gateway's send buffer.
        let arrived = lock.messages.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(!arrived.contains { $0.hasPrefix("UNLOCK") || $0.hasPrefix("filler \(filled - 1) ") })
        await lock.connection.stop()
    }

    @Test("when the TCP window is full, unsent messages are discarded at their deadline, and the gateway reconnects without them")
    func atTheDeadline() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        let lock = MQTTTestClient(port: broker.port, ["door/set"])
        await lock.connected()
        try await roundTrip(lock, on: "door/set")
        // With virtual time, no publish is rejected for its delay and no message lifetime expires on a slow machine.
        let clock = VirtualClock()
        let gateway = MQTTTestClient(port: proxy.port, clock: clock)
        let connected = await gateway.connected()
        proxy.stall(.toBroker)
        // The last messages that the socket accepts stay in the gateway's send buffer: the proxy's TCP window is full.
        let sent = try fill(gateway.connection) { "late \($0) " }
        clock.advance(by: .seconds(60))
        let (failure, next) = await gateway.disconnected(from: connected)
        #expect(failure == .writeTimeout && gateway.failures == [.writeTimeout])
        proxy.resume()
        while !gateway.connection.isConnected { await clock.pass() }
        await gateway.connected(from: next)
        try gateway.connection.publish(try MQTTPublish("door/set", "end"))
        await lock.event { if case .message(let message) = $0 { message.payload == Array("end".utf8) } else { false } }
        await gateway.connection.stop()
        // Messages that the proxy's kernel accepted in time may arrive, each once. Messages in the send buffer must not arrive.
        let passed = await proxy.end()
        let arrived = (0..<sent).map { passed.components(separatedBy: "late \($0) ").count - 1 }
        #expect(sent > 0 && arrived.last == 0)
        #expect(
            arrived.allSatisfy { $0 <= 1 } && arrived == arrived.sorted(by: >), "no message twice, and none after a missing one")
        await lock.connection.stop()
    }

    @Test("if the connection is cut between a publish and its acknowledgement, the message is not sent again")
    func cutBeforeAcknowledgement() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        let lock = MQTTTestClient(port: broker.port, ["door/set"])
        await lock.connected()
        try await roundTrip(lock, on: "door/set")
        let gateway = MQTTTestClient(port: proxy.port, clock: nil)
        let connected = await gateway.connected()
        proxy.stall(.toClient)
        let id = try gateway.connection.publish(try MQTTPublish("door/set", "UNLOCK", .atLeastOnce)).id
        #expect(id != nil)
        await lock.event { $0.isLiveMessage(Array("UNLOCK".utf8), on: "door/set") }
        proxy.cut { _ in true }
        // The next packet to the broker triggers the cut, while the acknowledgement is held in the other direction.
        _ = try? gateway.connection.publish(try MQTTPublish("door/other", "x"))
        proxy.resume()
        let (_, gone) = await gateway.disconnected(from: connected)
        proxy.cut { _ in false }
        await gateway.connected(from: gone)
        try gateway.connection.publish(try MQTTPublish("door/set", "end"))
        await lock.event { if case .message(let message) = $0 { message.payload == Array("end".utf8) } else { false } }
        #expect(lock.messages.map { String(decoding: $0.payload, as: UTF8.self) } == ["round", "UNLOCK", "end"])
        await gateway.connection.stop()
        await lock.connection.stop()
    }

    /// Publishes messages with a lifetime of one minute until the connection reports `.busy`.
    ///
    /// - Returns: the number of messages published.
    private func fill(_ connection: MQTTConnection, _ name: (Int) -> String) throws -> Int {
        var sent = 0
        while true {
            let publish = try MQTTPublish("door/set", name(sent) + String(repeating: "x", count: 2000), lifetime: .seconds(60))
            do throws(MQTTSendError) {
                try connection.publish(publish)
            } catch {
                #expect(error == .busy)
                return sent
            }
            sent += 1
        }
    }

    /// Waits, in real time, until another connection is cut because the lifetime of its messages has ended.
    private func pass(_ lifetime: Duration, _ broker: MosquittoProcess) async throws {
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        let clock = MQTTTestClient(port: proxy.port, clock: nil)
        let connected = await clock.connected()
        proxy.stall(.toBroker)
        while case .success = Result(catching: {
            try clock.connection.publish(try MQTTPublish("clock", String(repeating: "x", count: 4000), lifetime: lifetime))
        }) {}
        _ = await clock.disconnected(from: connected)
        await clock.connection.stop()
    }

    @Test(
        "the kernel discards a message at its deadline if the connection's thread is blocked or stopped",
        arguments: [true, false])
    func byTheKernel(isStopped: Bool) async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        let release = DispatchSemaphore(value: 0)
        let settings = MQTTSettings(host: "127.0.0.1", port: proxy.port, clientID: "gateway")
        let (events, continuation) = AsyncStream.makeStream(of: MQTTEvent.self)
        // The virtual clock of the connection is not advanced: only the kernel's timer runs.
        let gateway = MQTTConnection(settings, clock: VirtualClock(), random: RandomSource()) { event in
            continuation.yield(event)
            // The receiver does not return until the test releases it.
            // Blocks: the connection's own thread.
            if case .message = event { release.wait() }
        }
        gateway.subscribe(to: [try #require(MQTTFilter("door/hold"))])
        gateway.start()
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == .connected(.v5))
        try gateway.publish(try MQTTPublish("door/hold", "hold"))
        while true {
            if case .message = try #require(await iterator.next()) { break }
        }
        proxy.stall(.toBroker)
        var sent = 0
        while case .success = Result(catching: {
            try gateway.publish(
                try MQTTPublish("door/set", "UNLOCK \(sent) " + String(repeating: "x", count: 2000), lifetime: .milliseconds(500))
            )
        }) { sent += 1 }
        if isStopped {
            release.signal()
            await gateway.stop()
        }
        try await pass(.seconds(3), broker)
        // The proxy passes on only messages that its kernel accepted in time.
        let passed = await proxy.end()
        #expect(sent > 0 && !passed.contains("UNLOCK \(sent - 1) "))
        release.signal()
        if !isStopped { await gateway.stop() }
    }

    @Test("a message that a stalled broker has not acknowledged is not sent again when the broker resumes")
    func withoutAcknowledgement() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        let lock = MQTTTestClient(port: broker.port, ["door/set"])
        await lock.connected()
        try await roundTrip(lock, on: "door/set")
        let clock = VirtualClock()
        let gateway = MQTTTestClient(port: proxy.port, clock: clock)
        let connected = await gateway.connected()
        proxy.stall(.toClient)
        try gateway.connection.publish(try MQTTPublish("door/set", "UNLOCK", .atLeastOnce, lifetime: .milliseconds(300)))
        await LoopbackPort.waitUntilDrained(to: proxy.port)
        // Advance virtual time in small steps: the TCP connection is closed 30 seconds after a stall was detected.
        while gateway.connection.isConnected { await clock.pass(.milliseconds(2)) }
        let (failure, gone) = await gateway.disconnected(from: connected)
        #expect(failure == .notResponding && gateway.failures == [.notResponding])
        let sentence = "the last commands that its machine has accepted cannot be withdrawn"
        #expect(MQTTFailure.notResponding.reason.contains(sentence) && MQTTFailure.notResponding.description.contains(sentence))
        proxy.resume()
        await gateway.connected(from: gone)
        try gateway.connection.publish(try MQTTPublish("door/set", "end"))
        await lock.event { if case .message(let message) = $0 { message.payload == Array("end".utf8) } else { false } }
        #expect(lock.messages.map { String(decoding: $0.payload, as: UTF8.self) } == ["round", "UNLOCK", "end"])
        for one in [gateway, lock] { await one.connection.stop() }
    }
}
