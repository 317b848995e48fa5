import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Testing

@testable import AdapterMQTT

/// Tests of a broker that delivers a command after its deadline.
@Suite(.serialized, .timeLimit(.minutes(30))) struct LateDeliveryTests {
    @Test("a command that the broker delivers after its deadline is reported once as delivered late")
    func late() async throws {
        let broker = try await MosquittoProcess.start()
        let (proxy, lines) = (try Proxy(to: broker.port), KeptLines())
        let rig = try await BrokerFixture(broker, port: proxy.port, logger: lines.logger)
        let door = try await rig.attach("A")
        rig.nuki.set(.silent, of: "A")
        // The gateway cannot withdraw data that the proxy's kernel has accepted.
        proxy.stall(.toBroker)
        let order = try rig.send(.unlock, to: door, within: .seconds(2))
        await LoopbackPort.waitUntilDrained(to: proxy.port)
        rig.clock.advance(by: .seconds(3))
        proxy.resume()
        let report = await rig.reports.first(of: door) { $0.fact == .deliveredLate(order) }
        #expect(report.after == order)
        try await rig.settle()
        #expect(rig.nuki.orders(at: "A") == [1])
        #expect(rig.reports.all(of: door).count { $0.fact == .deliveredLate(order) } == 1)
        let told = lines.holding("warning", "the broker delivered a command after its deadline; the lock may execute it now")
        #expect(told.count == 1 && told.allSatisfy { $0.contains("device=\(door)") && $0.contains("command=\(order)") })
        await rig.end()
        proxy.close()
    }

    @Test("a lock that can be queried is queried for its state after a command that was delivered late")
    func queried() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        let rig = try await BrokerFixture(broker, port: proxy.port)
        let (door, bridge) = await queriedLock(rig, broker)
        // The command is delivered back before the answer to the liveness probe. The broker therefore counts as busy when the
        // adapter sends the query.
        proxy.stall(.toClient)
        let order = try rig.send(.unlock, to: door, within: .seconds(2))
        while case let (asked, answered) = proxy.pulses, asked == answered { await rig.clock.pass(.zero) }
        rig.clock.advance(by: .seconds(3))
        proxy.resume(.toClient, until: Array("\"ref\":\"\(order)\"}".utf8))
        await rig.reports.first(of: door) { $0.fact == .deliveredLate(order) }
        proxy.resume()
        try await expectOneMoreQuery(bridge, rig)
        await rig.end()
        proxy.close()
    }

    @Test("a query that is requested while the broker is busy is sent when the broker answers again")
    func whileBusy() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        let rig = try await BrokerFixture(broker, port: proxy.port)
        let (door, bridge) = await queriedLock(rig, broker)
        proxy.stall(.toClient)
        // The liveness probe is sent at once and is three seconds old at the end. After five seconds without an answer the
        // connection would be reported as stalled.
        rig.clock.advance(by: .seconds(1))
        while case let (asked, answered) = proxy.pulses, asked == answered { await rig.clock.pass(.zero) }
        rig.clock.advance(by: .seconds(3))
        #expect(throws: AdapterError.transportBusy) { _ = try rig.send(.lock, to: door) }
        try rig.adapter.refresh(door)
        proxy.resume()
        try await expectOneMoreQuery(bridge, rig)
        await rig.end()
        proxy.close()
    }

    @Test("a command delivered in time is not reported as late, even if another client publishes the same payload later")
    func inTime() async throws {
        let rig = try await BrokerFixture(MosquittoProcess.start())
        let door = try await rig.attach("A")
        let order = try rig.send(.unlock, to: door, within: .seconds(2))
        await rig.confirmation(of: order, by: door)
        try await rig.settle()
        rig.clock.advance(by: .seconds(3))
        rig.nuki.say("nuki/A/lockAction", "1")
        try await rig.settle()
        #expect(!rig.reports.all(of: door).contains { if case .deliveredLate = $0.fact { true } else { false } })
        await rig.end()
    }
}

extension LateDeliveryTests {
    /// Attaches a lock that can be queried, and waits for the first query.
    ///
    /// - Returns: the lock, and a subscriber to its queries.
    private func queriedLock(_ rig: BrokerFixture, _ broker: MosquittoProcess) async -> (
        door: DeviceID, bridge: DoorwardTesting.MQTTTestClient
    ) {
        let bridge = DoorwardTesting.MQTTTestClient(
            port: broker.port, ["zwave/_CLIENTS/ZWAVE_GATEWAY-office/api/pollValue/set", "bridge/ready"])
        await bridge.event { $0 == .subscribed }
        let door = DeviceID(high: 0xD8, low: 1)
        let address = Example.zwave.merging(["broker": "home", "profile": "zwave-js-ui"]) { $1 }
        rig.adapter.attach(AttachedLock(id: door, address: address.mapValues { .string($0) }))
        while bridge.messages.isEmpty { await rig.clock.pass(.zero) }
        return (door, bridge)
    }

    /// Waits for the second query, and expects no third one. Stops the subscriber.
    private func expectOneMoreQuery(_ bridge: DoorwardTesting.MQTTTestClient, _ rig: BrokerFixture) async throws {
        try await rig.settle()
        await rig.clock.pass(BrokerSession.roundPause)
        try await rig.settle()
        while bridge.messages.count < 2 { await rig.clock.pass(.zero) }
        _ = try bridge.connection.publish(try MQTTPublish("bridge/ready", ""))
        while bridge.messages.last?.topic != "bridge/ready" { await rig.clock.pass(.zero) }
        #expect(bridge.messages.count == 3)
        await bridge.connection.stop()
    }
}

extension Proxy {
    /// The number of the adapter's liveness probes, and of answers to them, that the proxy has passed on.
    var pulses: (asked: Int, answered: Int) {
        // An UNSUBACK: its length, the packet identifier, no properties, and the reason code "no subscription existed".
        let answers = forwarded(.toClient)
        let answered = answers.indices.dropLast(5).count { index in
            answers[index] == 0xB0 && answers[index + 1] == 4 && answers[index + 4] == 0 && answers[index + 5] == 0x11
        }
        return (forwarded().ranges(of: Array("doorward/pulse".utf8)).count, answered)
    }
}
