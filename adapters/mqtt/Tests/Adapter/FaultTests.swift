import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Synchronization
import Testing

@testable import AdapterMQTT

@Suite(.serialized, .timeLimit(.minutes(30))) struct FaultTests {
    @Test("a state that arrives after the deadline is reported, and confirms neither its own command nor the next one")
    func late() async throws {
        let fixture = try await BrokerFixture(MosquittoProcess.start())
        let door = try await fixture.attach("A")
        fixture.nuki.set(.late, of: "A")
        let unlock = try fixture.send(.unlock, to: door, within: .seconds(5))
        try await fixture.settle()
        #expect(fixture.nuki.commands(at: "A") == [1])
        fixture.clock.advance(by: .seconds(6))
        let lock = try fixture.send(.lock, to: door)
        fixture.nuki.publish("nuki/A/state", "3")
        try await fixture.settle()
        let reports = fixture.reports.all(of: door)
        #expect(reports.last { $0.isLive }?.state == .unlocked, "the late state is reported")
        #expect(!reports.contains { $0.confirms(unlock, .unlock) }, "it arrived after the next command was sent")
        #expect(!reports.contains { $0.confirms(lock, .lock) })
        fixture.nuki.publish("nuki/A/state", "1")
        #expect(await fixture.confirmation(of: lock, by: door).after == lock)
        await fixture.end()
    }

    @Test("a duplicate answer confirms only its own command, and is not reported as an event")
    func twice() async throws {
        let fixture = try await BrokerFixture(MosquittoProcess.start())
        let door = try await fixture.attach("A")
        let unlock = try fixture.send(.unlock, to: door)
        await fixture.confirmation(of: unlock, by: door)
        fixture.nuki.set(.silent, of: "A")
        let lock = try fixture.send(.lock, to: door)
        fixture.nuki.publish("nuki/A/commandResponse", "0")
        fixture.nuki.publish("nuki/A/state", "3")
        try await fixture.settle()
        let reports = fixture.reports.all(of: door)
        #expect(!reports.contains { $0.confirms(lock, .lock) })
        #expect(!reports.contains { if case .event = $0.fact { true } else { false } })
        #expect(!reports.contains { if case .refusal = $0.fact { true } else { false } })
        await fixture.end()
    }

    @Test("states that arrive in the wrong order are reported as they arrive")
    func outOfOrder() async throws {
        let fixture = try await BrokerFixture(MosquittoProcess.start())
        let door = try await fixture.attach("A")
        fixture.nuki.set(.silent, of: "A")
        let unlock = try fixture.send(.unlock, to: door)
        let before = fixture.reports.all(of: door).count
        for word in ["2", "1", "3", "2"] { fixture.nuki.publish("nuki/A/state", word) }
        try await fixture.settle()
        let reports = fixture.reports.all(of: door).dropFirst(before)
        #expect(reports.compactMap(\.state) == [.unlocking, .locked, .unlocked, .unlocking])
        #expect(reports.count { $0.confirms(unlock, .unlock) } == 1)
        await fixture.end()
    }

    @Test("no command to a lock that never answers is confirmed, however much time passes")
    func unanswered() async throws {
        let fixture = try await BrokerFixture(MosquittoProcess.start())
        let door = try await fixture.attach("A")
        fixture.nuki.set(.silent, of: "A")
        let unlock = try fixture.send(.unlock, to: door)
        try await fixture.settle()
        for _ in 0..<4 {
            fixture.clock.advance(by: .seconds(3))
            try await fixture.settle()
        }
        #expect(fixture.nuki.commands(at: "A") == [1], "a command is sent once")
        #expect(!fixture.reports.all(of: door).contains { $0.after == unlock && $0.isLive })
        await fixture.end()
    }

    @Test(
        "a malformed state confirms no command, and later states are still processed",
        arguments: [
            Rubbish("invalid UTF-8", [0xFF, 0xFE, 0xC0]), Rubbish("empty payload", []), Rubbish("NaN"), Rubbish("1e999"),
            Rubbish("unlocked"), Rubbish("17"), Rubbish(#"{"state":3}"#), Rubbish("3\u{0}"),
            Rubbish("100,000 brackets", Array(repeating: UInt8(ascii: "["), count: 100_000)),
            Rubbish("10 MiB of digits", Array(repeating: UInt8(ascii: "3"), count: 10 << 20)),
        ])
    func rubbish(_ rubbish: Rubbish) async throws {
        let fixture = try await BrokerFixture(MosquittoProcess.start())
        let door = try await fixture.attach("A")
        fixture.nuki.set(.silent, of: "A")
        let unlock = try fixture.send(.unlock, to: door)
        let before = fixture.reports.all(of: door).count
        let attacker = MQTTTestClient(port: fixture.broker.port)
        await attacker.connected()
        try attacker.connection.publishRetainable(
            MQTTRetainablePublish(
                topic: try #require(MQTTTopic("nuki/A/state")), payload: rubbish.payload, qos: .atLeastOnce, isRetained: false
            ))
        await attacker.event { if case .acknowledged = $0 { true } else { false } }
        try await fixture.settle()
        let reports = fixture.reports.all(of: door).dropFirst(before)
        #expect(!reports.contains { $0.isLive && $0.state != .unknown }, "\(reports)")
        #expect(!reports.contains { $0.confirms(unlock, .unlock) })
        fixture.nuki.publish("nuki/A/state", "3")
        await fixture.reports.first(of: door) { $0.confirms(unlock, .unlock) }
        await attacker.connection.stop()
        await fixture.end()
    }

    @Test("a state that the profile does not define is reported as unknown")
    func unknownWord() async throws {
        let fixture = try await BrokerFixture(MosquittoProcess.start())
        let door = try await fixture.attach("A")
        fixture.nuki.publish("nuki/A/state", "3")
        await fixture.reports.first(of: door) { $0.isLive && $0.state == .unlocked }
        fixture.nuki.publish("nuki/A/state", "17")
        try await fixture.settle()
        #expect(fixture.reports.all(of: door).last { $0.state != nil }?.state == .unknown)
        #expect((fixture.adapter.counts["messages_odd"] ?? 0) > 0)
        await fixture.end()
    }

    @Test("5,000 messages of one lock are rate limited and counted, and another lock's command is confirmed")
    func flood() async throws {
        // By default the broker queues 1,000 messages for a slow client and drops the rest, including those of the quiet lock.
        let fixture = try await BrokerFixture(MosquittoProcess.start(["allow_anonymous true", "max_queued_messages 0"]))
        let (loud, quiet) = (try await fixture.attach("A"), try await fixture.attach("B"))
        let publisher = MQTTTestClient(port: fixture.broker.port)
        await publisher.connected()
        var command: CommandID?
        for number in 0..<5000 {
            try await Self.publish("nuki/A/state", number.isMultiple(of: 2) ? "3" : "1", by: publisher)
            if number == 2500 { command = try fixture.send(.unlock, to: quiet) }
        }
        let sent = try #require(command)
        #expect(await fixture.confirmation(of: sent, by: quiet).state == .unlocked)
        try publisher.connection.publish(try MQTTPublish("nuki/B/batteryChargeState", "7", .atLeastOnce))
        await fixture.reports.first(of: quiet) { $0.fact == .battery(level: 7, low: nil) }
        #expect((fixture.adapter.counts["messages_dropped"] ?? 0) > 0)
        #expect(fixture.reports.all(of: loud).count < 5000)
        await fixture.reports.first(of: loud) { if case .state(_, quality: .stale, _, _) = $0.fact { true } else { false } }
        await publisher.connection.stop()
        await fixture.end()
    }

    @Test("after a message was dropped the state is stale, and the lock is queried once it sends less", .timeLimit(.minutes(30)))
    func afterFlood() async throws {
        let fixture = try await BrokerFixture(MosquittoProcess.start())
        let (topic, stateRequest) = ("zigbee2mqtt/front", "zigbee2mqtt/front/get")
        let bridge = MQTTTestClient(port: fixture.broker.port, [stateRequest])
        await bridge.event { $0 == .subscribed }
        let front = DeviceID(high: 0xD3, low: 1)
        fixture.adapter.attach(AttachedLock(id: front, address: ["broker": "home", "profile": "zigbee2mqtt", "name": "front"]))
        // The first state request is sent once the lock's topics are subscribed.
        _ = await bridge.message(on: stateRequest)
        let requestCount = bridge.messages.count
        // The last messages exceed the rate limit and are dropped, because no virtual time passes.
        for number in 0..<RateLimiter.burst + 9 {
            try await Self.publish(topic, #"{"lock_state":"\#(number.isMultiple(of: 2) ? "locked" : "unlocked")"}"#, by: bridge)
        }
        while (fixture.adapter.counts["messages_dropped"] ?? 0) < 9 { await fixture.clock.pass(.zero) }
        let last = fixture.reports.all(of: front).last { $0.state != nil }
        let isStale = if case .state(_, quality: .stale, _, _)? = last?.fact { true } else { false }
        #expect(isStale, "\(String(describing: last))")
        #expect(bridge.messages.count == requestCount, "no state request during the flood")
        while bridge.messages.count == requestCount { await fixture.clock.pass(.milliseconds(10)) }
        try await Self.publish(topic, #"{"lock_state":"locked"}"#, by: bridge)
        await fixture.reports.first(of: front) { $0.isLive && $0.state == .locked }
        await bridge.connection.stop()
        await fixture.end()
    }

    @Test("after a flood from a lock that cannot be queried, its topics are subscribed again to get the retained state")
    func afterFloodWithoutStateRequest() async throws {
        let fixture = try await BrokerFixture(MosquittoProcess.start())
        let door = try await fixture.attach("A")
        let publisher = MQTTTestClient(port: fixture.broker.port)
        await publisher.connected()
        for number in 0..<RateLimiter.burst + 9 {
            try await Self.publish("nuki/A/state", number.isMultiple(of: 2) ? "1" : "3", by: publisher)
        }
        while (fixture.adapter.counts["messages_dropped"] ?? 0) < 9 { await fixture.clock.pass(.zero) }
        let count = fixture.reports.all(of: door).count
        #expect(fixture.reports.all(of: door).last { $0.state != nil }?.isLive == false)
        while fixture.reports.all(of: door).count == count { await fixture.clock.pass(.milliseconds(10)) }
        let expected = LockReport.Fact.state(.locked, quality: .retained, method: nil, operatorName: nil)
        await fixture.reports.first(of: door) { $0.fact == expected }
        await publisher.connection.stop()
        await fixture.end()
    }

    /// Publishes a message, and retries until the connection accepts it.
    private static func publish(_ topic: String, _ text: String, by client: MQTTTestClient) async throws {
        let publish = try MQTTPublish(topic, text)
        while true {
            do {
                try client.connection.publish(publish)
                return
            } catch { await Task.yield() }
        }
    }

    @Test(
        "an address with a wildcard or NUL is rejected",
        arguments: [
            ("id", "+"), ("id", "#"), ("id", "A+"), ("id", "A/#"), ("id", "A\u{0}"), ("base", "+"), ("base", "nuki/#"),
            ("base", "nuki\u{0}"),
        ])
    func wildcards(_ key: String, _ value: String) async throws {
        let fixture = try await BrokerFixture(MosquittoProcess.start())
        let address = BrokerFixture.address(of: "A").merging([key: .string(value)]) { $1 }
        let errors = #expect(throws: AddressErrors.self) { try fixture.adapter.check(address: address, within: .everything) }
        #expect(errors?.errors.map(\.field) == ["address.\(key)"])
        await fixture.end()
    }

    @Test("a state received before a command is sent, and processed after it, is reported but confirms nothing")
    func readBefore() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        let fixture = try await BrokerFixture(broker, port: proxy.port)
        let (bell, door) = (try await fixture.attach("A"), try await fixture.attach("B"))
        fixture.nuki.set(.silent, of: "B")
        proxy.stall(.toClient)
        // The proxy passes on in one write all data that it received during the stall.
        fixture.nuki.publish("nuki/A/state", "3")
        fixture.nuki.publish("nuki/B/state", "3")
        await fixture.nuki.roundTrip()
        let unlock = Mutex<CommandID?>(nil)
        fixture.reports.once({ $0.deviceID == bell && $0.state == .unlocked }) {
            let command = try? fixture.send(.unlock, to: door)
            unlock.withLock { $0 = command }
        }
        proxy.resume()
        try await fixture.settle()
        let command = try #require(unlock.withLock { $0 })
        let reports = fixture.reports.all(of: door)
        #expect(reports.last?.state == .unlocked && reports.last?.isLive == true, "it is reported")
        #expect(reports.last?.after == nil && !reports.contains { $0.confirms(command, .unlock) })
        fixture.nuki.publish("nuki/B/state", "3")
        await fixture.confirmation(of: command, by: door)
        await fixture.end()
        proxy.close()
    }

    @Test("a state on one lock's topic changes only that lock")
    func anothersTopic() async throws {
        let fixture = try await BrokerFixture(MosquittoProcess.start())
        let (one, other) = (try await fixture.attach("A"), try await fixture.attach("AA"))
        fixture.nuki.set(.silent, of: "AA")
        let unlock = try fixture.send(.unlock, to: other)
        try await fixture.settle()
        let before = fixture.reports.all(of: other)
        fixture.nuki.publish("nuki/A/state", "3")
        try await fixture.settle()
        #expect(fixture.reports.all(of: one).last { $0.isLive }?.state == .unlocked)
        #expect(fixture.reports.all(of: other) == before)
        #expect(!fixture.reports.all(of: other).contains { $0.after == unlock && $0.isLive })
        await fixture.end()
    }

    @Test("a retained state confirms no command, even if it arrives after the command")
    func retained() async throws {
        let fixture = try await BrokerFixture(MosquittoProcess.start())
        let door = try await fixture.attach("A")
        fixture.nuki.publishRetained("nuki/A/state", "3")
        await fixture.reports.first(of: door) { $0.isLive && $0.state == .unlocked }
        fixture.nuki.set(.silent, of: "A")
        let unlock = try fixture.send(.unlock, to: door)
        // A new subscription makes the broker send the retained messages again, and every lock on the topic receives them.
        let second = DeviceID(high: 0xD1, low: 1)
        fixture.adapter.attach(AttachedLock(id: second, address: BrokerFixture.address(of: "A")))
        await fixture.reports.first(of: second) { $0.state == .unlocked }
        try await fixture.settle()
        for lock in [door, second] {
            #expect(!fixture.reports.all(of: lock).contains { $0.confirms(unlock, .unlock) })
        }
        #expect(!fixture.reports.all(of: second).contains { $0.isLive })
        await fixture.end()
    }
}

/// A payload that is not a state, with a name for the test output.
struct Rubbish: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let payload: [UInt8]

    init(_ name: String, _ payload: [UInt8]? = nil) {
        (testDescription, self.payload) = (name, payload ?? Array(name.utf8))
    }
}
