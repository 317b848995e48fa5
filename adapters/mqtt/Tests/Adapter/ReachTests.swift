import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Testing

@testable import AdapterMQTT

/// Commands to a lock are accepted once the broker has answered the subscriptions to its topics.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ReachTests {
    @Test("a command to a lock whose subscriptions are not acknowledged yet is rejected and never sent; other locks still work")
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

    @Test("after a broker restart every accepted command is confirmed, even while 2,000 locks are being resubscribed")
    func restart() async throws {
        let broker = try await MosquittoProcess.start()
        let rig = try await BrokerFixture(broker)
        var locks: [DeviceID] = []
        for number in 0..<2000 { locks.append(try await rig.attach("L\(number)")) }
        broker.kill()
        while rig.adapter.health == .ok { await rig.clock.pass() }
        try await broker.restart()
        await rig.nuki.listen()
        await rig.untilHealth(.ok)
        // Test locks from the whole list, so that some of them are resubscribed first and some
        // last.
        for lock in stride(from: 0, to: 2000, by: 80) {
            let order = try await rig.sendOnceHeard(.unlock, to: locks[lock])
            await rig.confirmation(of: order, by: locks[lock])
        }
        for lock in stride(from: 0, to: 2000, by: 80) { #expect(rig.nuki.orders(at: "L\(lock)") == [1]) }
        await rig.end()
    }

    @Test("the subscription to a lock's state must be granted, its other subscriptions may be refused")
    func denied() throws {
        let profile = try #require(ProfileLibrary.shipped["zigbee2mqtt"])
        let paths = try Dialect(profile, variables: ["name": "front"]).answerPaths
        #expect(paths.required.map(\.description) == ["zigbee2mqtt/front"])
        let asked = Set(paths.optional.map(\.description))
        #expect(asked.isSuperset(of: ["zigbee2mqtt/front/availability", "zigbee2mqtt/bridge/state", "zigbee2mqtt/front/get"]))
        #expect(!asked.contains("zigbee2mqtt/front/set") && !asked.contains("zigbee2mqtt/front"))
    }
}
