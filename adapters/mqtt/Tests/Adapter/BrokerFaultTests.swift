import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(30))) struct BrokerFaultTests {
    @Test("of a broker that reads nothing for longer than a deadline, nothing that was refused ever arrives, and nothing twice")
    func stalled() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        let rig = try await BrokerFixture(broker, port: proxy.port)
        let door = try await rig.attach("A")
        rig.nuki.set(.silent, of: "A")
        proxy.stall(.toBroker)
        var taken = 0
        while (try? rig.send(.unlock, to: door, within: .seconds(2))) != nil, taken < 100_000 { taken += 1 }
        #expect(taken < 100_000, "what nobody reads must be refused some time")
        #expect(throws: AdapterError.self) { try rig.send(.unlatch, to: door) }
        await rig.untilHealth(.down)
        #expect(throws: AdapterError.offline) { try rig.send(.unlatch, to: door) }
        proxy.resume()
        await rig.untilHealth(.ok)
        // Cut by the gateway, or by the kernel on its behalf.
        #expect((rig.adapter.counts["disconnects"] ?? 0) > 0)
        try await rig.settle()
        // What the other machine had taken in time it may hand on.
        #expect(rig.nuki.orders(at: "A").count <= taken)
        #expect(!rig.nuki.orders(at: "A").contains(3))
        await rig.end()
    }

    @Test("a connection that is cut between a frame and its acknowledgement sends the order to nobody a second time")
    func cut() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        let rig = try await BrokerFixture(broker, port: proxy.port)
        let door = try await rig.attach("A")
        rig.nuki.set(.silent, of: "A")
        proxy.stall(.toClient)
        _ = try rig.send(.unlock, to: door, within: .seconds(2))
        while rig.nuki.orders(at: "A").isEmpty { await Task.yield() }
        await rig.untilHealth(.down)
        proxy.resume()
        await rig.untilHealth(.ok)
        try await rig.settle()
        #expect(rig.nuki.orders(at: "A") == [1])
        await rig.end()
    }

    @Test("while the broker is away no order is taken, and when it is back none of then is sent")
    func restarting() async throws {
        let rig = try await BrokerFixture(MosquittoProcess.start())
        let door = try await rig.attach("A")
        for _ in 0..<3 {
            rig.broker.kill()
            await rig.untilHealth(.down)
            #expect(throws: AdapterError.offline) { try rig.send(.unlatch, to: door) }
            func availability() -> LockReport.Fact? {
                rig.reports.all(of: door).last { if case .availability = $0.fact { true } else { false } }?.fact
            }
            // The report follows the state that the health is read from.
            while availability() != .availability(nil) { await Task.yield() }
            try await rig.broker.runAgain()
            await rig.untilHealth(.ok)
            await rig.nuki.listen()
            rig.nuki.appear("A")
            let lock = try await rig.sendOnceHeard(.lock, to: door)
            await rig.confirmation(of: lock, by: door)
        }
        try await rig.settle()
        #expect(!rig.nuki.orders(at: "A").contains(3))
        await rig.end()
    }

    @Test("a broker that is not there, and one that reads nothing, cost the locks of others nothing")
    func others() async throws {
        let (broker, frozen) = (try await MosquittoProcess.start(), try await MosquittoProcess.start())
        let proxy = try Proxy(to: frozen.port)
        defer { proxy.close() }
        let rig = try await BrokerFixture(broker, more: ["other": proxy.port])
        let (door, far) = (try await rig.attach("A"), try await rig.attach("B", broker: "other"))
        _ = try await rig.sendOnceHeard(.unlock, to: far)
        proxy.stall(.toBroker)
        proxy.stall(.toClient)
        var taken = 0
        while (try? rig.send(.unlock, to: far, within: .seconds(60))) != nil, taken < 100_000 { taken += 1 }
        #expect(taken < 100_000)
        for _ in 0..<10 {
            for operation in [LockOperation.unlock, .lock] {
                await rig.confirmation(of: try rig.send(operation, to: door), by: door)
            }
        }
        #expect(!rig.reports.all(of: far).contains { $0.isLive })
        #expect(rig.reports.all(of: door).allSatisfy { if case .refusal = $0.fact { false } else { true } })
        await rig.end()
    }

    @Test("a broker that refuses the gateway leaves it down, and lets it in later")
    func refusing() async throws {
        let closed = try await MosquittoProcess.start(["allow_anonymous false"])
        let (port, clock) = (closed.port, VirtualClock())
        let adapter = BrokerFixture.adapter(["home": port], clock)
        try await adapter.start(reports: KeptReports())
        for _ in 0..<20 { await clock.pass(.milliseconds(1)) }
        #expect(adapter.health == .down)
        closed.kill()
        let open = try await MosquittoProcess.start(port: port)
        while adapter.health != .ok { await clock.pass() }
        await adapter.stop()
        open.kill()
    }
}
