import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

/// What is listed for attaching, over a real broker.
@Suite(.serialized, .timeLimit(.minutes(30))) struct FoundLocksTests {
    @Test("A lock leaves the list when it is attached, and is listed again, the same, when it is detached")
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

    @Test("What a broker has forgotten is found no more, until it is announced again; no attached lock is gone by that")
    func forgetfulBroker() async throws {
        let house = try await FoundHouse()
        try await house.announce(1)
        try await house.attachListed(as: 1)
        try await house.announce(2)
        let before = house.adapter.discovered
        #expect(before.count == 1)

        _ = try await house.harness.setTransport(isAway: true)
        #expect(house.adapter.discovered == before, "nobody has said otherwise")
        _ = try await house.harness.setTransport(isAway: false)
        try await house.pass()
        #expect(house.listed == [])
        #expect(house.heard.faults(of: FoundHouse.id(1)).allSatisfy { !$0.contains("gone") })

        try await house.announce(2)
        #expect(house.adapter.discovered.map(\.id) == before.map(\.id))
        #expect(house.adapter.discovered.map(\.firstSeenAt) == before.map(\.firstSeenAt), "it is no new one")
        await house.harness.end()
    }

    @Test("What is taken away while nobody listens is not found afterwards, and what the broker keeps is")
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
