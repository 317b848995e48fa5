import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Foundation
import Testing

/// Promises about frames that must not leave, or not arrive, when they no longer mean anything; the fault lies between the
/// gateway and the broker.
@Suite(.timeLimit(.minutes(30))) struct LateFrameTests {
    @Test("a frame that the broker's machine does not take in its lifetime is cut off with the connection, and never arrives")
    func stalled() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        let lock = MQTTTestClient(port: broker.port, ["door/set"])
        await lock.connected()
        try await roundTrip(lock, on: "door/set")
        // On virtual time, which stands still here: nothing but a full socket refuses a frame.
        let gateway = MQTTTestClient(port: proxy.port, clock: VirtualClock())
        await gateway.connected()
        proxy.stall(.toBroker)
        // Fill what the proxy's kernel takes, so that the order behind it stays on this side.
        let filled = try fill(gateway.connection) { "filler \($0) " }
        #expect(filled > 0)
        // A frame of short lifetime at the end of the queue, if it is let in at all.
        let short = try MQTTPublish("door/set", "UNLOCK", lifetime: .milliseconds(100))
        #expect(throws: MQTTSendError.busy) { try gateway.connection.publish(short) }
        await gateway.connection.stop()
        proxy.resume()
        try await roundTrip(lock, on: "door/set")
        // What the other machine had taken in time it may hand on; the last frame lay in this machine's kernel.
        let arrived = lock.messages.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(!arrived.contains { $0.hasPrefix("UNLOCK") || $0.hasPrefix("filler \(filled - 1) ") })
        await lock.connection.stop()
    }

    @Test("one order in a window that is just full is cut off at its deadline, and the connection comes back without it")
    func atTheDeadline() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        let lock = MQTTTestClient(port: broker.port, ["door/set"])
        await lock.connected()
        try await roundTrip(lock, on: "door/set")
        // On virtual time, so that a machine that is slow refuses no frame and ends no lifetime.
        let clock = VirtualClock()
        let gateway = MQTTTestClient(port: proxy.port, clock: clock)
        let connected = await gateway.connected()
        proxy.stall(.toBroker)
        // The last frames that the socket takes stand in this machine's kernel: the window of the other side is full.
        let sent = try fill(gateway.connection) { "late \($0) " }
        clock.advance(by: .seconds(60))
        let (failure, next) = await gateway.disconnected(from: connected)
        #expect(failure == .stuck && gateway.connection.health.counts.writeTimeouts == 1)
        proxy.resume()
        while !gateway.connection.isConnected { await clock.pass() }
        await gateway.connected(from: next)
        try gateway.connection.publish(try MQTTPublish("door/set", "end"))
        await lock.event { if case .message(let message) = $0 { message.payload == Array("end".utf8) } else { false } }
        await gateway.connection.stop()
        // What the other machine had taken in time it may hand on, each once; of what lay here, nothing comes.
        let passed = await proxy.end()
        let arrived = (0..<sent).map { passed.components(separatedBy: "late \($0) ").count - 1 }
        #expect(sent > 0 && arrived.last == 0)
        #expect(
            arrived.allSatisfy { $0 <= 1 } && arrived == arrived.sorted(by: >), "none twice, and none after one that is missing")
        await lock.connection.stop()
    }

    @Test("a connection that is cut between a frame and its acknowledgement sends the frame to nobody a second time")
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
        await lock.event { $0.says(Array("UNLOCK".utf8), on: "door/set") }
        proxy.cut { _ in true }
        // The next packet on its way is where it is cut: the acknowledgement is still on the other way.
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

    /// Sends frames that hold for a minute until the connection takes no more.
    ///
    /// - Returns: how many it took.
    private func fill(_ connection: MQTTConnection, _ name: (Int) -> String) throws -> Int {
        var sent = 0
        while true {
            let frame = try MQTTPublish("door/set", name(sent) + String(repeating: "x", count: 2000), lifetime: .seconds(60))
            do throws(MQTTSendError) {
                try connection.publish(frame)
            } catch {
                #expect(error == .busy)
                return sent
            }
            sent += 1
        }
    }

    /// Waits for as long as it takes another connection to see a frame's lifetime pass.
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

    @Test("a frame is cut off at its deadline also when nobody turns the connection: by the kernel", arguments: [true, false])
    func byTheKernel(isStopped: Bool) async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        let release = DispatchSemaphore(value: 0)
        let settings = MQTTSettings(host: "127.0.0.1", port: proxy.port, clientID: "gateway")
        let (events, continuation) = AsyncStream.makeStream(of: MQTTEvent.self)
        // The virtual clock of the connection does not advance: only the kernel's timer does.
        let gateway = MQTTConnection(settings, clock: VirtualClock(), random: RandomSource()) { event in
            continuation.yield(event)
            // A receiver that does not return.
            if case .message = event { release.wait() }
        }
        gateway.want([try #require(MQTTFilter("door/hold"))])
        gateway.start()
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == .connected(.five))
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
        // What comes out of the proxy now had come into it in time.
        let passed = await proxy.end()
        #expect(sent > 0 && !passed.contains("UNLOCK \(sent - 1) "))
        release.signal()
        if !isStopped { await gateway.stop() }
    }

    @Test("a frame that a stalled broker has not acknowledged is not sent again when the broker resumes")
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
        await LoopbackPort.drained(to: proxy.port)
        // In small steps: the connection is closed after 30 seconds of a standstill.
        while gateway.connection.isConnected { await clock.pass(.milliseconds(2)) }
        let (failure, gone) = await gateway.disconnected(from: connected)
        #expect(failure == .standsStill && gateway.connection.health.counts.writeTimeouts == 1)
        proxy.resume()
        await gateway.connected(from: gone)
        try gateway.connection.publish(try MQTTPublish("door/set", "end"))
        await lock.event { if case .message(let message) = $0 { message.payload == Array("end".utf8) } else { false } }
        #expect(lock.messages.map { String(decoding: $0.payload, as: UTF8.self) } == ["round", "UNLOCK", "end"])
        for one in [gateway, lock] { await one.connection.stop() }
    }
}
