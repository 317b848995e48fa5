import DoorwardDomain
import DoorwardTesting
import Glibc
import Synchronization
import Testing

@testable import DoorwardMQTT

/// A broker that stands still while its machine goes on taking bytes would hand orders on late.
@Suite(.timeLimit(.minutes(5))) struct PulseTests {
    @Test("a broker that stands still gets no further frame after a second or two, and is then given up")
    func standstill() async throws {
        let broker = try await Broker.start()
        let clock = VirtualClock()
        let (events, continuation) = AsyncStream.makeStream(of: MQTTEvent.self)
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        settings.patience = .seconds(3600)
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

    /// Publishes again and again while virtual time goes by, until that is refused for this reason.
    ///
    /// - Returns: how many frames left before.
    private func refusal(_ reason: MQTTSendError, _ gateway: MQTTConnection, _ clock: VirtualClock) async throws -> Int {
        // Virtual time may run far ahead of the connection's thread: no frame is to be late by that.
        let frame = try MQTTFrame("door/set", "UNLOCK", lifetime: .seconds(7 * 86_400))
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
        var pulse = Pulse()
        #expect(!pulse.isSlow(at: start.advanced(by: .seconds(100))))
        let frame = MQTTFrameNumber.none.next
        pulse.ask(7, after: frame, at: start)
        #expect(!pulse.isSlow(at: start.advanced(by: .milliseconds(999))))
        #expect(pulse.isSlow(at: start.advanced(by: .seconds(1))) && !pulse.isGone(at: start.advanced(by: .seconds(4))))
        #expect(pulse.isGone(at: start.advanced(by: .seconds(5))))
        pulse.answered(8)
        #expect(pulse.isSlow(at: start.advanced(by: .seconds(1))) && !pulse.proves(frame, at: start))
        pulse.answered(7)
        #expect(!pulse.proves(frame, at: start) && !pulse.isGone(at: start.advanced(by: .seconds(9))), "read, and not handed on")
        pulse.handedOn()
        #expect(pulse.proves(frame, at: start.advanced(by: .seconds(2))) && !pulse.proves(frame.next, at: start))
        #expect(!pulse.proves(frame, at: start.advanced(by: .milliseconds(2001))), "it may stand still by now")
        #expect(!pulse.isSlow(at: start.advanced(by: .seconds(1))) && pulse.isAnswered)
    }

    @Test("a broker that answers is trusted however long nothing else happens")
    func alive() async throws {
        let broker = try await Broker.start()
        let lock = Listening(port: broker.port, ["door/set"])
        await lock.connected()
        for _ in 0..<20 {
            try lock.connection.publish(try MQTTFrame("door/set", "round", lifetime: .seconds(10)))
            _ = await lock.message(on: "door/set")
        }
        #expect(!lock.events.contains { if case .disconnected = $0 { true } else { false } })
        await lock.connection.stop()
    }
}
