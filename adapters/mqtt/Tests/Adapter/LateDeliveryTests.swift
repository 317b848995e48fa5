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
        let (proxy, lines) = (try Proxy(to: broker.port), LogRecorder())
        let fixture = try await BrokerFixture(broker, port: proxy.port, logger: lines.logger)
        let door = try await fixture.attach("A")
        fixture.nuki.set(.silent, of: "A")
        // The gateway cannot withdraw data that the proxy's kernel has accepted.
        proxy.stall(.toBroker)
        let command = try fixture.send(.unlock, to: door, within: .seconds(2))
        await LoopbackPort.waitUntilDrained(to: proxy.port)
        fixture.clock.advance(by: .seconds(3))
        proxy.resume()
        let report = await fixture.reports.first(of: door) { $0.fact == .deliveredLate(command) }
        #expect(report.after == command)
        try await fixture.settle()
        #expect(fixture.nuki.commands(at: "A") == [1])
        #expect(fixture.reports.all(of: door).count { $0.fact == .deliveredLate(command) } == 1)
        let lateDeliveries = lines.containing(
            "warning", "the broker delivered a command after its deadline; the lock may execute it now")
        #expect(
            lateDeliveries.count == 1
                && lateDeliveries.allSatisfy { $0.contains("device=\(door)") && $0.contains("command=\(command)") })
        await fixture.end()
        proxy.close()
    }

    @Test("a lock that can be queried is queried for its state after a command that was delivered late")
    func queried() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        let fixture = try await BrokerFixture(broker, port: proxy.port)
        let (door, bridge) = await queriedLock(fixture, broker)
        // The command is delivered back before the answer to the liveness probe. The broker therefore counts as busy when the
        // adapter sends the state request.
        proxy.stall(.toClient)
        let command = try fixture.send(.unlock, to: door, within: .seconds(2))
        while case let (sent, answered) = proxy.probes, sent == answered { await fixture.clock.pass(.zero) }
        fixture.clock.advance(by: .seconds(3))
        proxy.resume(.toClient, until: Array("\"ref\":\"\(command)\"}".utf8))
        await fixture.reports.first(of: door) { $0.fact == .deliveredLate(command) }
        proxy.resume()
        try await expectOneMoreStateRequest(bridge, fixture)
        await fixture.end()
        proxy.close()
    }

    @Test("a query that is requested while the broker is busy is sent when the broker answers again")
    func whileBusy() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        let fixture = try await BrokerFixture(broker, port: proxy.port)
        let (door, bridge) = await queriedLock(fixture, broker)
        proxy.stall(.toClient)
        // The liveness probe is sent at once and is three seconds old at the end. After five seconds without an answer the
        // connection would be reported as stalled.
        fixture.clock.advance(by: .seconds(1))
        while case let (sent, answered) = proxy.probes, sent == answered { await fixture.clock.pass(.zero) }
        fixture.clock.advance(by: .seconds(3))
        #expect(throws: AdapterError.transportBusy) { _ = try fixture.send(.lock, to: door) }
        try fixture.adapter.refresh(door)
        proxy.resume()
        try await expectOneMoreStateRequest(bridge, fixture)
        await fixture.end()
        proxy.close()
    }

    @Test("a command delivered in time is not reported as late, even if another client publishes the same payload later")
    func inTime() async throws {
        let fixture = try await BrokerFixture(MosquittoProcess.start())
        let door = try await fixture.attach("A")
        let command = try fixture.send(.unlock, to: door, within: .seconds(2))
        await fixture.confirmation(of: command, by: door)
        try await fixture.settle()
        fixture.clock.advance(by: .seconds(3))
        fixture.nuki.publish("nuki/A/lockAction", "1")
        try await fixture.settle()
        #expect(!fixture.reports.all(of: door).contains { if case .deliveredLate = $0.fact { true } else { false } })
        await fixture.end()
    }
}

extension LateDeliveryTests {
    /// Attaches a lock that can be queried, and waits for the first state request.
    ///
    /// - Returns: the lock, and a subscriber to its state requests.
    private func queriedLock(_ fixture: BrokerFixture, _ broker: MosquittoProcess) async -> (
        door: DeviceID, bridge: MQTTTestClient
    ) {
        let bridge = MQTTTestClient(port: broker.port, ["zwave/_CLIENTS/ZWAVE_GATEWAY-office/api/pollValue/set", "bridge/ready"])
        await bridge.event { $0 == .subscribed }
        let door = DeviceID(high: 0xD8, low: 1)
        let address = Example.zwave.merging(["broker": "home", "profile": "zwave-js-ui"]) { $1 }
        fixture.adapter.attach(AttachedLock(id: door, address: address.mapValues { .string($0) }))
        while bridge.messages.isEmpty { await fixture.clock.pass(.zero) }
        return (door, bridge)
    }

    /// Waits for the second state request, and expects no third one. Stops the subscriber.
    private func expectOneMoreStateRequest(_ bridge: MQTTTestClient, _ fixture: BrokerFixture) async throws {
        try await fixture.settle()
        await fixture.clock.pass(BrokerSession.stateRequestInterval)
        try await fixture.settle()
        while bridge.messages.count < 2 { await fixture.clock.pass(.zero) }
        _ = try bridge.connection.publish(try MQTTPublish("bridge/ready", ""))
        while bridge.messages.last?.topic != "bridge/ready" { await fixture.clock.pass(.zero) }
        #expect(bridge.messages.count == 3)
        await bridge.connection.stop()
    }
}

extension Proxy {
    /// The number of the adapter's liveness probes, and of answers to them, that the proxy has passed on.
    var probes: (sent: Int, answered: Int) {
        // An UNSUBACK: its length, the packet identifier, no properties, and the reason code "no subscription existed".
        let answers = forwarded(.toClient)
        let answered = answers.indices.dropLast(5).count { index in
            answers[index] == 0xB0 && answers[index + 1] == 4 && answers[index + 4] == 0 && answers[index + 5] == 0x11
        }
        return (forwarded().ranges(of: Array("doorward/probe".utf8)).count, answered)
    }
}
