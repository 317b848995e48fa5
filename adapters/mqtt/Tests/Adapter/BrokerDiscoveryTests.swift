import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

/// Tests of the list of discovered locks, with a real broker.
@Suite(.serialized, .timeLimit(.minutes(30))) struct BrokerDiscoveryTests {
    @Test("A discovered lock is not listed while it is attached, and is listed unchanged after it is detached")
    func attaching() async throws {
        let fixture = try await NukiDiscoveryFixture()
        try await fixture.announce(1)
        let before = fixture.adapter.discovered
        #expect(before.map(\.id) == ["home:homeassistant:nuki_10001_lock"])
        try await fixture.attachDiscovered(as: 1)
        #expect(fixture.discoveredIDs == [])
        fixture.adapter.detach(NukiDiscoveryFixture.id(1))
        try await fixture.pass()
        #expect(fixture.adapter.discovered == before)
        await fixture.harness.end()
    }

    @Test(
        "After a broker has lost its retained announcements, locks are unlisted until announced again; no attached lock is gone")
    func forgetfulBroker() async throws {
        let fixture = try await NukiDiscoveryFixture()
        try await fixture.announce(1)
        try await fixture.attachDiscovered(as: 1)
        try await fixture.announce(2)
        let before = fixture.adapter.discovered
        #expect(before.count == 1)

        _ = try await fixture.harness.setTransport(isConnected: false)
        #expect(fixture.adapter.discovered == before, "the list does not change while the broker is disconnected")
        _ = try await fixture.harness.setTransport(isConnected: true)
        try await fixture.pass()
        #expect(fixture.discoveredIDs == [])
        #expect(fixture.reports.faults(of: NukiDiscoveryFixture.id(1)).allSatisfy { !$0.contains("gone") })

        try await fixture.announce(2)
        #expect(fixture.adapter.discovered.map(\.id) == before.map(\.id))
        #expect(fixture.adapter.discovered.map(\.firstSeenAt) == before.map(\.firstSeenAt), "the lock is not new")
        await fixture.harness.end()
    }

    @Test("After a restart of the adapter, a lock whose announcement was deleted meanwhile is not listed, and the others are")
    func removedWhileStopped() async throws {
        let fixture = try await NukiDiscoveryFixture()
        for number in 1...3 { try await fixture.announce(number) }
        let before = fixture.adapter.discovered
        await fixture.adapter.stop()
        try await fixture.announce(2, isPresent: false)
        await fixture.harness.nuki.roundTrip()
        try await fixture.adapter.start(reports: fixture.reports)
        try await fixture.pass()
        #expect(fixture.discoveredIDs == [before[0].id, before[2].id])
        await fixture.harness.end()
    }
}
