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
        let rig = try await BrokerFixture(broker, port: proxy.port)
        let door = try await rig.attach("A")
        rig.nuki.set(.silent, of: "A")
        proxy.stall(.toBroker)
        var taken = 0
        while (try? rig.send(.unlock, to: door, within: .seconds(2))) != nil, taken < 100_000 { taken += 1 }
        #expect(taken < 100_000, "a send must be rejected at some point, as the broker reads nothing")
        #expect(throws: AdapterError.self) { try rig.send(.unlatch, to: door) }
        await rig.untilHealth(.down)
        #expect(throws: AdapterError.offline) { try rig.send(.unlatch, to: door) }
        proxy.resume()
        await rig.untilHealth(.ok)
        // The connection was closed by the gateway, or by the kernel's timeout for unacknowledged
        // data.
        #expect((rig.adapter.counts["disconnects"] ?? 0) > 0)
        try await rig.settle()
        // The proxy may pass on commands that its kernel accepted in time.
        #expect(rig.nuki.orders(at: "A").count <= taken)
        #expect(!rig.nuki.orders(at: "A").contains(3))
        await rig.end()
    }

    @Test("if the connection is cut between a publish and its acknowledgement, the command is not sent again")
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

    @Test("commands are rejected while the broker is disconnected, and not sent when it is connected again")
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
            // The adapter reports the availability after its health has changed.
            while availability() != .availability(nil) { await Task.yield() }
            try await rig.broker.restart()
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

    @Test("a broker that reads nothing does not affect the locks of other brokers")
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

    @Test("the adapter is down while the broker refuses the gateway, and recovers when the broker accepts it")
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
