import DoorwardDomain
import DoorwardTesting
import Glibc
import Synchronization
import Testing

@testable import DoorwardMQTT

/// Tests of the detection of a stalled broker. Its host still accepts bytes, so later commands would be delivered late.
@Suite(.timeLimit(.minutes(30))) struct BrokerLivenessProbeTests {
    @Test("publishing to a stalled broker is rejected after one to two seconds; then the connection is reported as lost")
    func stalled() async throws {
        let broker = try await MosquittoProcess.start()
        let clock = VirtualClock()
        let (events, continuation) = AsyncStream.makeStream(of: MQTTEvent.self)
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        settings.connectTimeout = .seconds(3600)
        // The library's keep-alive uses real time: on a busy machine its 30 seconds could expire before virtual time has passed.
        settings.keepAlive = .seconds(65_535)
        let gateway = MQTTConnection(settings, clock: clock, random: RandomSource()) { continuation.yield($0) }
        gateway.start()
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == .connected(.v5))
        broker.signal(SIGSTOP)
        defer { broker.signal(SIGCONT) }
        _ = try await refusal(.busy, gateway, clock)
        #expect(try await refusal(.notConnected, gateway, clock) == 0, "a message was sent after one was rejected")
        // The connection was closed by the gateway, or by the kernel's timeout for unacknowledged data.
        let event = await iterator.next()
        let isDisconnected = if case .disconnected? = event { true } else { false }
        #expect(isDisconnected, "\(String(describing: event))")
        await gateway.stop()
    }

    @Test("messages that a stalled broker delivers when it resumes are received on the same TCP connection")
    func resumed() async throws {
        let broker = try await MosquittoProcess.start()
        let clock = VirtualClock()
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        settings.connectTimeout = .seconds(3600)
        // The library's keep-alive uses real time: on a busy machine its 30 seconds could expire before virtual time has passed.
        settings.keepAlive = .seconds(65_535)
        let gateway = MQTTTestClient(settings, ["door/set"], clock: clock)
        let (_, subscribed) = await gateway.event { $0 == .subscribed }
        broker.signal(SIGSTOP)
        // The broker's host accepts the message within its lifetime, but the broker does not read it.
        let publish = try MQTTPublish("door/set", "UNLOCK", lifetime: .seconds(7 * 86_400))
        try gateway.connection.publish(publish)
        // Advance virtual time in small steps: the TCP connection is closed 30 seconds after a stall was detected.
        while gateway.connection.isConnected { await clock.pass(.milliseconds(2)) }
        let (failure, gone) = await gateway.disconnected(from: subscribed)
        #expect(failure == .notResponding)
        #expect(throws: MQTTSendError.notConnected) { try gateway.connection.publish(publish) }
        broker.signal(SIGCONT)
        let back = await gateway.connected(from: gone)
        let message = await gateway.message(on: "door/set", from: back)
        #expect(message?.payload == Array("UNLOCK".utf8))
        #expect(gateway.events.count { $0 == .connected(.v5) } == 2 && gateway.failures.count == 1)
        await gateway.event(from: back) { $0 == .subscribed }
        try gateway.connection.publish(publish)
        await gateway.connection.stop()
    }

    @Test("the connection to a broker that stays stalled is closed, and the gateway reconnects")
    func neverResumed() async throws {
        let broker = try await MosquittoProcess.start()
        let clock = VirtualClock()
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        settings.connectTimeout = .seconds(3600)
        // The library's keep-alive uses real time: on a busy machine its 30 seconds could expire before virtual time has passed.
        settings.keepAlive = .seconds(65_535)
        let gateway = MQTTTestClient(settings, clock: clock)
        let subscribed = await gateway.connected()
        broker.signal(SIGSTOP)
        // Advance virtual time in small steps, so that the TCP connection is still open when the broker is killed.
        while gateway.connection.isConnected { await clock.pass(.milliseconds(2)) }
        let (failure, gone) = await gateway.disconnected(from: subscribed)
        #expect(failure == .notResponding)
        clock.advance(by: ConnectionStateMachine.stallTimeout)
        broker.kill()
        let (next, _) = await Self.advancing(clock) { await gateway.disconnected(from: gone) }
        guard case .unreachable? = next else { return #expect(Bool(false), "\(String(describing: next))") }
        await gateway.connection.stop()
    }

    /// Advances virtual time while `wait` runs.
    private static func advancing<Value: Sendable>(
        _ clock: VirtualClock, _ wait: @escaping @Sendable () async -> Value
    ) async -> Value {
        let driver = Task { while !Task.isCancelled { await clock.pass(.milliseconds(10)) } }
        defer { driver.cancel() }
        return await wait()
    }

    /// Publishes repeatedly while virtual time advances, until a publish is rejected for this reason.
    ///
    /// - Returns: the number of messages sent before.
    private func refusal(_ reason: MQTTSendError, _ gateway: MQTTConnection, _ clock: VirtualClock) async throws -> Int {
        // Virtual time may run far ahead of the connection's thread: the long lifetime keeps messages from expiring.
        let publish = try MQTTPublish("door/set", "UNLOCK", lifetime: .seconds(7 * 86_400))
        var sent = 0
        while true {
            do throws(MQTTSendError) {
                try gateway.publish(publish)
                sent += 1
            } catch {
                if error == reason { return sent }
                // After `.notConnected` no publish would be rejected for another reason, and the loop would not end.
                try #require(error != .notConnected)
            }
            await clock.pass(.milliseconds(100))
        }
    }

    @Test("a probe without an answer is slow after one second and gone after five; the answer to another probe does not count")
    func timeouts() {
        let start = MonotonicInstant(nanoseconds: 0)
        var livenessProbe = BrokerLivenessProbe()
        #expect(!livenessProbe.isSlow(at: start.advanced(by: .seconds(100))))
        let number = MQTTPublishNumber.none.next
        livenessProbe.recordSent(7, after: number, at: start)
        #expect(!livenessProbe.isSlow(at: start.advanced(by: .milliseconds(999))))
        #expect(
            livenessProbe.isSlow(at: start.advanced(by: .seconds(1)))
                && !livenessProbe.hasTimedOut(at: start.advanced(by: .seconds(4))))
        #expect(livenessProbe.hasTimedOut(at: start.advanced(by: .seconds(5))))
        livenessProbe.recordResponse(8)
        #expect(
            livenessProbe.isSlow(at: start.advanced(by: .seconds(1))) && !livenessProbe.isResponsive(since: number, at: start))
        livenessProbe.recordResponse(7)
        #expect(
            !livenessProbe.isResponsive(since: number, at: start)
                && !livenessProbe.hasTimedOut(at: start.advanced(by: .seconds(9))),
            "the answer is read, but earlier messages are not delivered yet")
        livenessProbe.confirmDelivered()
        #expect(
            livenessProbe.isResponsive(since: number, at: start.advanced(by: .seconds(2)))
                && !livenessProbe.isResponsive(since: number.next, at: start))
        #expect(
            !livenessProbe.isResponsive(since: number, at: start.advanced(by: .milliseconds(2001))),
            "the broker may have stalled since")
        #expect(!livenessProbe.isSlow(at: start.advanced(by: .seconds(1))) && livenessProbe.isAnswered)
    }

    @Test("the connection to a broker that answers stays open")
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
