import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

/// Tests of an attached lock whose announcement has been deleted.
@Suite(.serialized, .timeLimit(.minutes(30))) struct RemovedLockTests {
    private static let lock = NukiDiscoveryFixture.id(1)

    /// Returns a fixture with a discovered and attached lock that has reported that it is locked.
    private static func makeFixture() async throws -> NukiDiscoveryFixture {
        let fixture = try await NukiDiscoveryFixture()
        try await fixture.announce(1)
        try await fixture.attachDiscovered(as: 1)
        #expect(fixture.reports.states(of: lock).last == .init(.locked, .confirmed))
        #expect(fixture.reports.faults(of: lock).allSatisfy { !$0.contains("gone") })
        return fixture
    }

    @Test("The lock has the fault `gone` and a stale state until it is announced again, and still executes commands")
    func gone() async throws {
        let fixture = try await Self.makeFixture()
        try await fixture.announce(1, isPresent: false)
        #expect(fixture.reports.faults(of: Self.lock).last == ["gone"])
        #expect(fixture.reports.states(of: Self.lock).last == .init(.locked, .stale))
        #expect(fixture.discoveredIDs == [])

        try fixture.send(.unlock, to: 1)
        try await fixture.pass()
        #expect(fixture.reports.states(of: Self.lock).last == .init(.unlocked, .confirmed))
        #expect(await fixture.harness.receivedCommands(at: Self.lock) == [.unlock])
        #expect(fixture.reports.faults(of: Self.lock).last == ["gone"], "a confirmed command does not clear the fault")

        try await fixture.announce(1)
        #expect(fixture.reports.faults(of: Self.lock).last == [])
        #expect(fixture.reports.states(of: Self.lock).last == .init(.unlocked, .confirmed))
        #expect(fixture.discoveredIDs == [], "an attached lock is not listed")
        await fixture.harness.end()
    }

    @Test("Other faults are reported together with `gone`, and remain when the lock is announced again")
    func otherFaults() async throws {
        let fixture = try await Self.makeFixture()
        try await fixture.announce(1, isPresent: false)
        _ = try await fixture.harness.trigger(.faultRaised, at: Self.lock)
        #expect(fixture.reports.faults(of: Self.lock).last == ["gone", "tamper"])
        try await fixture.announce(1)
        #expect(fixture.reports.faults(of: Self.lock).last == ["tamper"])
        await fixture.harness.end()
    }

    @Test("The fault `gone` is reported again after the lock is attached again with its address")
    func attachedAnew() async throws {
        let fixture = try await Self.makeFixture()
        let address = fixture.harness.address(of: 1)
        try await fixture.announce(1, isPresent: false)
        let count = fixture.reports.faults(of: Self.lock).count
        fixture.adapter.attach(AttachedLock(id: Self.lock, address: address))
        try await fixture.pass()
        #expect(fixture.reports.faults(of: Self.lock).dropFirst(count).last == ["gone"])
        try await fixture.announce(1)
        #expect(fixture.reports.faults(of: Self.lock).last == [])
        await fixture.harness.end()
    }

    @Test("A lock that is announced on two topics is not gone when one announcement is deleted")
    func announcedTwice() async throws {
        let fixture = try await Self.makeFixture()
        let other = "homeassistant/lock/copy/config"
        fixture.harness.nuki.publishRetained(
            other, #"{"cmd_t":"nuki/10001/lockAction","stat_t":"nuki/10001/state","dev":{"mf":"Nuki"}}"#)
        try await fixture.pass()
        fixture.harness.nuki.publishRetained(other, "")
        try await fixture.pass()
        #expect(fixture.reports.faults(of: Self.lock).allSatisfy { !$0.contains("gone") })
        #expect(fixture.reports.states(of: Self.lock).last == .init(.locked, .confirmed))
        try await fixture.announce(1, isPresent: false)
        #expect(fixture.reports.faults(of: Self.lock).last == ["gone"])
        await fixture.harness.end()
    }
}
