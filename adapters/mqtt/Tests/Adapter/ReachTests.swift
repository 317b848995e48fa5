import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Testing

@testable import AdapterMQTT

/// A lock is reached once the broker has said that it gives the gateway that lock's topics.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ReachTests {
    @Test("an order to a lock whose topics are not acknowledged yet is refused and never leaves; other locks obey")
    func attached() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        let rig = try await BrokerFixture(broker, port: proxy.port)
        let old = try await rig.attach("A")
        rig.nuki.appear("B")
        await rig.nuki.roundTrip()
        proxy.stall(.toClient)
        let new = DeviceID(high: 0xD2, low: 1)
        rig.adapter.attach(AttachedLock(id: new, address: BrokerFixture.address(of: "B")))
        #expect(throws: AdapterError.offline) { try rig.send(.unlock, to: new) }
        let other = try rig.send(.unlock, to: old)
        proxy.resume()
        await rig.confirmation(of: other, by: old)
        await rig.reports.first(of: new) { $0.state == .locked }
        let order = try rig.send(.unlock, to: new)
        await rig.confirmation(of: order, by: new)
        #expect(rig.nuki.orders(at: "B") == [1])
        await rig.end()
        proxy.close()
    }

    @Test("after a restart of the broker each command that leaves is confirmed, however many locks are subscribed again")
    func restart() async throws {
        let broker = try await MosquittoProcess.start()
        let rig = try await BrokerFixture(broker)
        var locks: [DeviceID] = []
        for number in 0..<2000 { locks.append(try await rig.attach("L\(number)")) }
        broker.kill()
        while rig.adapter.health == .ok { await rig.clock.pass() }
        try await broker.runAgain()
        await rig.nuki.listen()
        await rig.untilHealth(.ok)
        // From all places of the list: some of these are subscribed first, and some last.
        for lock in stride(from: 0, to: 2000, by: 80) {
            let order = try await rig.sendOnceHeard(.unlock, to: locks[lock])
            await rig.confirmation(of: order, by: locks[lock])
        }
        for lock in stride(from: 0, to: 2000, by: 80) { #expect(rig.nuki.orders(at: "L\(lock)") == [1]) }
        await rig.end()
    }

    @Test("a lock whose state the gateway may not read is not reached; one where it may not read more is")
    func denied() throws {
        let profile = try #require(ProfileLibrary.shipped["zigbee2mqtt"])
        let paths = try Dialect(profile, variables: ["name": "front"]).answerPaths
        #expect(paths.needed.map(\.description) == ["zigbee2mqtt/front"])
        let asked = Set(paths.asked.map(\.description))
        #expect(asked.isSuperset(of: ["zigbee2mqtt/front/availability", "zigbee2mqtt/bridge/state", "zigbee2mqtt/front/get"]))
        #expect(!asked.contains("zigbee2mqtt/front/set") && !asked.contains("zigbee2mqtt/front"))
    }
}
