import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct BrokerFaultTests {
    @Test("after a broker has read nothing for longer than a deadline, no rejected command arrives, and no command arrives twice")
    func stalled() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        let fixture = try await BrokerFixture(broker, port: proxy.port)
        let door = try await fixture.attach("A")
        fixture.nuki.set(.silent, of: "A")
        proxy.stall(.toBroker)
        var taken = 0
        while (try? fixture.send(.unlock, to: door, within: .seconds(2))) != nil, taken < 100_000 { taken += 1 }
        #expect(taken < 100_000, "a send must be rejected at some point, as the broker reads nothing")
        #expect(throws: AdapterError.self) { try fixture.send(.unlatch, to: door) }
        await fixture.untilHealth(.down)
        #expect(throws: AdapterError.offline) { try fixture.send(.unlatch, to: door) }
        proxy.resume()
        await fixture.untilHealth(.ok)
        // Disconnected by the gateway, or by the kernel's timeout for unacknowledged data.
        #expect((fixture.adapter.counts["disconnects"] ?? 0) > 0)
        try await fixture.settle()
        // The proxy may pass on commands that its kernel accepted in time.
        #expect(fixture.nuki.commands(at: "A").count <= taken)
        #expect(!fixture.nuki.commands(at: "A").contains(3))
        await fixture.end()
    }

    @Test("if the connection is cut between a publish and its acknowledgement, the command is not sent again")
    func cut() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        let fixture = try await BrokerFixture(broker, port: proxy.port)
        let door = try await fixture.attach("A")
        fixture.nuki.set(.silent, of: "A")
        proxy.stall(.toClient)
        _ = try fixture.send(.unlock, to: door, within: .seconds(2))
        while fixture.nuki.commands(at: "A").isEmpty { await Task.yield() }
        await fixture.untilHealth(.down)
        proxy.resume()
        await fixture.untilHealth(.ok)
        try await fixture.settle()
        #expect(fixture.nuki.commands(at: "A") == [1])
        await fixture.end()
    }

    @Test("commands are rejected while the broker is disconnected, and not sent when it is connected again")
    func restarting() async throws {
        let fixture = try await BrokerFixture(MosquittoProcess.start())
        let door = try await fixture.attach("A")
        for _ in 0..<3 {
            fixture.broker.kill()
            await fixture.untilHealth(.down)
            #expect(throws: AdapterError.offline) { try fixture.send(.unlatch, to: door) }
            func availability() -> LockReport.Fact? {
                fixture.reports.all(of: door).last { if case .availability = $0.fact { true } else { false } }?.fact
            }
            // The adapter reports the availability after its health has changed.
            while availability() != .availability(nil) { await Task.yield() }
            try await fixture.broker.restart()
            await fixture.untilHealth(.ok)
            await fixture.nuki.waitUntilSubscribed()
            fixture.nuki.addLock("A")
            let lock = try await fixture.sendWhenSubscribed(.lock, to: door)
            await fixture.confirmation(of: lock, by: door)
        }
        try await fixture.settle()
        #expect(!fixture.nuki.commands(at: "A").contains(3))
        await fixture.end()
    }

    @Test("a broker that reads nothing does not affect the locks of other brokers")
    func otherBroker() async throws {
        let (broker, frozen) = (try await MosquittoProcess.start(), try await MosquittoProcess.start())
        let proxy = try Proxy(to: frozen.port)
        defer { proxy.close() }
        let fixture = try await BrokerFixture(broker, more: ["other": proxy.port])
        let (door, far) = (try await fixture.attach("A"), try await fixture.attach("B", broker: "other"))
        _ = try await fixture.sendWhenSubscribed(.unlock, to: far)
        proxy.stall(.toBroker)
        proxy.stall(.toClient)
        var taken = 0
        while (try? fixture.send(.unlock, to: far, within: .seconds(60))) != nil, taken < 100_000 { taken += 1 }
        #expect(taken < 100_000)
        for _ in 0..<10 {
            for operation in [LockOperation.unlock, .lock] {
                await fixture.confirmation(of: try fixture.send(operation, to: door), by: door)
            }
        }
        #expect(!fixture.reports.all(of: far).contains { $0.isLive })
        #expect(fixture.reports.all(of: door).allSatisfy { if case .refusal = $0.fact { false } else { true } })
        await fixture.end()
    }

    @Test("the adapter is down while the broker refuses the gateway, and recovers when the broker accepts it")
    func refusing() async throws {
        let closed = try await MosquittoProcess.start(["allow_anonymous false"])
        let (port, clock) = (closed.port, VirtualClock())
        let adapter = BrokerFixture.adapter(["home": port], clock)
        try await adapter.start(reports: RecordedReports())
        for _ in 0..<20 { await clock.pass(.milliseconds(1)) }
        #expect(adapter.health == .down)
        closed.kill()
        let open = try await MosquittoProcess.start(port: port)
        while adapter.health != .ok { await clock.pass() }
        await adapter.stop()
        open.kill()
    }
}
