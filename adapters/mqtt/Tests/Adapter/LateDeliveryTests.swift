import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

@testable import AdapterMQTT

/// A broker that hands an order on when its time is over.
@Suite(.serialized, .timeLimit(.minutes(30))) struct LateDeliveryTests {
    @Test("an order that the broker hands on after its deadline is told as such, and where the bolt is nobody says")
    func late() async throws {
        let broker = try await Broker.start()
        let proxy = try Proxy(to: broker.port)
        let rig = try await FaultRig(broker, port: proxy.port)
        let door = try await rig.attach("A")
        rig.nuki.set(.silent, of: "A")
        // What the proxy's machine has taken no client can take back.
        proxy.stall(.toBroker)
        let order = try rig.send(.unlock, to: door, within: .seconds(2))
        await LoopbackPort.drained(to: proxy.port)
        rig.clock.advance(by: .seconds(3))
        proxy.resume()
        let report = await rig.reports.first(of: door) { $0.fact == .deliveredLate(order) }
        #expect(report.after == order)
        try await rig.settle()
        #expect(rig.nuki.orders(at: "A") == [1])
        #expect(rig.reports.all(of: door).count { $0.fact == .deliveredLate(order) } == 1)
        await rig.end()
        proxy.close()
    }

    @Test("an order that comes by in time is no event, whoever sends the same later")
    func inTime() async throws {
        let rig = try await FaultRig(Broker.start())
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
