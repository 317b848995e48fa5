import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Testing

@testable import AdapterMQTT

/// Commands to a lock are accepted once the broker has answered the subscriptions to its topics.
@Suite(.serialized, .timeLimit(.minutes(30))) struct RequiredSubscriptionTests {
    @Test("a command to a lock whose subscriptions are not acknowledged yet is rejected and never sent; other locks still work")
    func attached() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        let fixture = try await BrokerFixture(broker, port: proxy.port)
        let old = try await fixture.attach("A")
        fixture.nuki.addLock("B")
        await fixture.nuki.roundTrip()
        proxy.stall(.toClient)
        let new = DeviceID(high: 0xD2, low: 1)
        fixture.adapter.attach(AttachedLock(id: new, address: BrokerFixture.address(of: "B")))
        #expect(throws: AdapterError.offline) { try fixture.send(.unlock, to: new) }
        let other = try fixture.send(.unlock, to: old)
        proxy.resume()
        await fixture.confirmation(of: other, by: old)
        await fixture.reports.first(of: new) { $0.state == .locked }
        let command = try fixture.send(.unlock, to: new)
        await fixture.confirmation(of: command, by: new)
        #expect(fixture.nuki.commands(at: "B") == [1])
        await fixture.end()
        proxy.close()
    }

    @Test("after a broker restart every accepted command is confirmed, even while 2,000 locks are being resubscribed")
    func restart() async throws {
        let broker = try await MosquittoProcess.start()
        let fixture = try await BrokerFixture(broker)
        var locks: [DeviceID] = []
        for number in 0..<2000 { locks.append(try await fixture.attach("L\(number)")) }
        broker.kill()
        while fixture.adapter.health == .ok { await fixture.clock.pass() }
        try await broker.restart()
        await fixture.nuki.waitUntilSubscribed()
        await fixture.untilHealth(.ok)
        // Locks from the whole list, so that some of them are resubscribed first and some last.
        for lock in stride(from: 0, to: 2000, by: 80) {
            let command = try await fixture.sendWhenSubscribed(.unlock, to: locks[lock])
            await fixture.confirmation(of: command, by: locks[lock])
        }
        for lock in stride(from: 0, to: 2000, by: 80) { #expect(fixture.nuki.commands(at: "L\(lock)") == [1]) }
        await fixture.end()
    }

    @Test("the subscription to a lock's state must be granted, its other subscriptions may be refused")
    func denied() throws {
        let profile = try #require(ProfileLibrary.shipped["zigbee2mqtt"])
        let subscriptions = try Dialect(profile, variables: ["name": "front"]).responseSubscriptions
        #expect(subscriptions.required.map(\.description) == ["zigbee2mqtt/front"])
        let optional = Set(subscriptions.optional.map(\.description))
        #expect(optional.isSuperset(of: ["zigbee2mqtt/front/availability", "zigbee2mqtt/bridge/state", "zigbee2mqtt/front/get"]))
        #expect(!optional.contains("zigbee2mqtt/front/set") && !optional.contains("zigbee2mqtt/front"))
    }
}
