import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

/// Tests of the list of discovered locks, with a real broker.
@Suite(.serialized, .timeLimit(.minutes(30))) struct FoundLocksTests {
    @Test("A discovered lock is not listed while it is attached, and is listed unchanged after it is detached")
    func attaching() async throws {
        let house = try await FoundHouse()
        try await house.announce(1)
        let before = house.adapter.discovered
        #expect(before.map(\.id) == ["home:homeassistant:nuki_10001_lock"])
        try await house.attachListed(as: 1)
        #expect(house.listed == [])
        house.adapter.detach(FoundHouse.id(1))
        try await house.pass()
        #expect(house.adapter.discovered == before)
        await house.harness.end()
    }

    @Test(
        "After a broker has lost its retained announcements, locks are unlisted until announced again; no attached lock is gone")
    func forgetfulBroker() async throws {
        let house = try await FoundHouse()
        try await house.announce(1)
        try await house.attachListed(as: 1)
        try await house.announce(2)
        let before = house.adapter.discovered
        #expect(before.count == 1)

        _ = try await house.harness.setTransport(isConnected: false)
        #expect(house.adapter.discovered == before, "the list does not change while the broker is disconnected")
        _ = try await house.harness.setTransport(isConnected: true)
        try await house.pass()
        #expect(house.listed == [])
        #expect(house.heard.faults(of: FoundHouse.id(1)).allSatisfy { !$0.contains("gone") })

        try await house.announce(2)
        #expect(house.adapter.discovered.map(\.id) == before.map(\.id))
        #expect(house.adapter.discovered.map(\.firstSeenAt) == before.map(\.firstSeenAt), "the lock is not new")
        await house.harness.end()
    }

    @Test("After a restart of the adapter, a lock whose announcement was deleted meanwhile is not listed, and the others are")
    func takenAwayMeanwhile() async throws {
        let house = try await FoundHouse()
        for number in 1...3 { try await house.announce(number) }
        let before = house.adapter.discovered
        await house.adapter.stop()
        try await house.announce(2, isThere: false)
        await house.harness.nuki.roundTrip()
        try await house.adapter.start(reports: house.heard)
        try await house.pass()
        #expect(house.listed == [before[0].id, before[2].id])
        await house.harness.end()
    }
}
