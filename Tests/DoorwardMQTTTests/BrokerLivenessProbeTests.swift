import DoorwardDomain
import DoorwardTesting
import Glibc
import Synchronization
import Testing

@testable import DoorwardMQTT

/// A broker that stands still while its machine goes on taking bytes would hand orders on late.
@Suite(.timeLimit(.minutes(30))) struct BrokerLivenessProbeTests {
    @Test("a broker that stands still gets no further frame after a second or two, and is then given up")
    func standstill() async throws {
        let broker = try await MosquittoProcess.start()
        let clock = VirtualClock()
        let (events, continuation) = AsyncStream.makeStream(of: MQTTEvent.self)
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        settings.patience = .seconds(3600)
        // The library's own clock: on a busy machine its half minute is over before virtual time has passed.
        settings.keepAlive = .seconds(65_535)
        let gateway = MQTTConnection(settings, clock: clock, random: RandomSource()) { continuation.yield($0) }
        gateway.start()
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == .connected(.five))
        broker.signal(SIGSTOP)
        defer { broker.signal(SIGCONT) }
        _ = try await refusal(.busy, gateway, clock)
        #expect(try await refusal(.notConnected, gateway, clock) == 0, "a frame left after one was refused")
        // By the gateway, or by the kernel on its behalf.
        let end = await iterator.next()
        let isDisconnected = if case .disconnected? = end { true } else { false }
        #expect(isDisconnected, "\(String(describing: end))")
        await gateway.stop()
    }

    @Test("what a broker that stood still hands on when it goes on is heard, on the connection that was there all the time")
    func goesOn() async throws {
        let broker = try await MosquittoProcess.start()
        let clock = VirtualClock()
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        settings.patience = .seconds(3600)
        // The library's own clock: on a busy machine its half minute is over before virtual time has passed.
        settings.keepAlive = .seconds(65_535)
        let gateway = MQTTTestClient(settings, ["door/set"], clock: clock)
        let (_, stands) = await gateway.event { $0 == .subscribed }
        broker.signal(SIGSTOP)
        // Its machine takes it in its time, and the broker does not.
        let frame = try MQTTPublish("door/set", "UNLOCK", lifetime: .seconds(7 * 86_400))
        try gateway.connection.publish(frame)
        // In small steps: the connection is closed after 30 seconds of a standstill.
        while gateway.connection.isConnected { await clock.pass(.milliseconds(2)) }
        let (failure, gone) = await gateway.disconnected(from: stands)
        #expect(failure == .standsStill)
        #expect(throws: MQTTSendError.notConnected) { try gateway.connection.publish(frame) }
        broker.signal(SIGCONT)
        let back = await gateway.connected(from: gone)
        let message = await gateway.message(on: "door/set", from: back)
        #expect(message?.payload == Array("UNLOCK".utf8))
        #expect(gateway.connection.health.counts.connects == 2 && gateway.connection.health.counts.disconnects == 1)
        await gateway.event(from: back) { $0 == .subscribed }
        try gateway.connection.publish(frame)
        await gateway.connection.stop()
    }

    @Test("a broker that does not go on is left for another connection")
    func neverGoesOn() async throws {
        let broker = try await MosquittoProcess.start()
        let clock = VirtualClock()
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        settings.patience = .seconds(3600)
        // The library's own clock: on a busy machine its half minute is over before virtual time has passed.
        settings.keepAlive = .seconds(65_535)
        let gateway = MQTTTestClient(settings, clock: clock)
        let stands = await gateway.connected()
        broker.signal(SIGSTOP)
        // In small steps: the connection is to be there still when the broker is killed.
        while gateway.connection.isConnected { await clock.pass(.milliseconds(2)) }
        let (failure, gone) = await gateway.disconnected(from: stands)
        #expect(failure == .standsStill)
        clock.advance(by: ConnectionStateMachine.maxStandstill)
        broker.kill()
        let (next, _) = await Self.passing(clock) { await gateway.disconnected(from: gone) }
        guard case .unreachable? = next else { return #expect(Bool(false), "\(String(describing: next))") }
        await gateway.connection.stop()
    }

    /// Lets time go by while something is waited for.
    private static func passing<Found: Sendable>(
        _ clock: VirtualClock, _ wait: @escaping @Sendable () async -> Found
    ) async -> Found {
        let driver = Task { while !Task.isCancelled { await clock.pass(.milliseconds(10)) } }
        defer { driver.cancel() }
        return await wait()
    }

    /// Publishes again and again while virtual time goes by, until that is refused for this reason.
    ///
    /// - Returns: how many frames left before.
    private func refusal(_ reason: MQTTSendError, _ gateway: MQTTConnection, _ clock: VirtualClock) async throws -> Int {
        // Virtual time may run far ahead of the connection's thread: no frame is to be late by that.
        let frame = try MQTTPublish("door/set", "UNLOCK", lifetime: .seconds(7 * 86_400))
        var left = 0
        while true {
            do throws(MQTTSendError) {
                try gateway.publish(frame)
                left += 1
            } catch {
                if error == reason { return left }
                // Otherwise it would be refused so for ever.
                try #require(error != .notConnected)
            }
            await clock.pass(.milliseconds(100))
        }
    }

    @Test("a second without an answer is slow, five are the end; an answer to another question is none")
    func patience() {
        let start = MonotonicInstant(nanoseconds: 0)
        var livenessProbe = BrokerLivenessProbe()
        #expect(!livenessProbe.isSlow(at: start.advanced(by: .seconds(100))))
        let frame = MQTTFrameNumber.none.next
        livenessProbe.ask(7, after: frame, at: start)
        #expect(!livenessProbe.isSlow(at: start.advanced(by: .milliseconds(999))))
        #expect(
            livenessProbe.isSlow(at: start.advanced(by: .seconds(1)))
                && !livenessProbe.isGone(at: start.advanced(by: .seconds(4))))
        #expect(livenessProbe.isGone(at: start.advanced(by: .seconds(5))))
        livenessProbe.answered(8)
        #expect(livenessProbe.isSlow(at: start.advanced(by: .seconds(1))) && !livenessProbe.proves(frame, at: start))
        livenessProbe.answered(7)
        #expect(
            !livenessProbe.proves(frame, at: start) && !livenessProbe.isGone(at: start.advanced(by: .seconds(9))),
            "read, and not handed on")
        livenessProbe.handedOn()
        #expect(livenessProbe.proves(frame, at: start.advanced(by: .seconds(2))) && !livenessProbe.proves(frame.next, at: start))
        #expect(!livenessProbe.proves(frame, at: start.advanced(by: .milliseconds(2001))), "it may stand still by now")
        #expect(!livenessProbe.isSlow(at: start.advanced(by: .seconds(1))) && livenessProbe.isAnswered)
    }

    @Test("a broker that answers is trusted however long nothing else happens")
    func alive() async throws {
        let broker = try await MosquittoProcess.start()
        let lock = MQTTTestClient(port: broker.port, ["door/set"], clock: nil)
        await lock.connected()
        for _ in 0..<20 {
            try lock.connection.publish(try MQTTPublish("door/set", "round", lifetime: .seconds(10)))
            _ = await lock.message(on: "door/set")
        }
        #expect(!lock.events.contains { if case .disconnected = $0 { true } else { false } })
        await lock.connection.stop()
    }
}
