import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

/// Tests of an attached lock whose announcement has been deleted.
@Suite(.serialized, .timeLimit(.minutes(30))) struct GoneLockTests {
    private static let lock = FoundHouse.id(1)

    /// Returns a fixture with a discovered and attached lock that has reported that it is locked.
    private static func house() async throws -> FoundHouse {
        let house = try await FoundHouse()
        try await house.announce(1)
        try await house.attachListed(as: 1)
        #expect(house.heard.states(of: lock).last == .init(.locked, .confirmed))
        #expect(house.heard.faults(of: lock).allSatisfy { !$0.contains("gone") })
        return house
    }

    @Test("The lock has the fault `gone` and a stale state until it is announced again, and still executes commands")
    func gone() async throws {
        let house = try await Self.house()
        try await house.announce(1, isThere: false)
        #expect(house.heard.faults(of: Self.lock).last == ["gone"])
        #expect(house.heard.states(of: Self.lock).last == .init(.locked, .stale))
        #expect(house.listed == [])

        try house.send(.unlock, to: 1)
        try await house.pass()
        #expect(house.heard.states(of: Self.lock).last == .init(.unlocked, .confirmed))
        #expect(await house.harness.receivedCommands(at: Self.lock) == [.unlock])
        #expect(house.heard.faults(of: Self.lock).last == ["gone"], "a confirmed command does not clear the fault")

        try await house.announce(1)
        #expect(house.heard.faults(of: Self.lock).last == [])
        #expect(house.heard.states(of: Self.lock).last == .init(.unlocked, .confirmed))
        #expect(house.listed == [], "an attached lock is not listed")
        await house.harness.end()
    }

    @Test("Other faults are reported together with `gone`, and remain when the lock is announced again")
    func otherFaults() async throws {
        let house = try await Self.house()
        try await house.announce(1, isThere: false)
        _ = try await house.harness.trigger(.faultRaised, at: Self.lock)
        #expect(house.heard.faults(of: Self.lock).last == ["gone", "tamper"])
        try await house.announce(1)
        #expect(house.heard.faults(of: Self.lock).last == ["tamper"])
        await house.harness.end()
    }

    @Test("The fault `gone` is reported again after the lock is attached again with its address")
    func attachedAnew() async throws {
        let house = try await Self.house()
        let address = house.harness.address(of: 1)
        try await house.announce(1, isThere: false)
        let count = house.heard.faults(of: Self.lock).count
        house.adapter.attach(AttachedLock(id: Self.lock, address: address))
        try await house.pass()
        #expect(house.heard.faults(of: Self.lock).dropFirst(count).last == ["gone"])
        try await house.announce(1)
        #expect(house.heard.faults(of: Self.lock).last == [])
        await house.harness.end()
    }

    @Test("A lock that is announced on two topics is not gone when one announcement is deleted")
    func announcedTwice() async throws {
        let house = try await Self.house()
        let other = "homeassistant/lock/copy/config"
        house.harness.nuki.keep(other, #"{"cmd_t":"nuki/10001/lockAction","stat_t":"nuki/10001/state","dev":{"mf":"Nuki"}}"#)
        try await house.pass()
        house.harness.nuki.keep(other, "")
        try await house.pass()
        #expect(house.heard.faults(of: Self.lock).allSatisfy { !$0.contains("gone") })
        #expect(house.heard.states(of: Self.lock).last == .init(.locked, .confirmed))
        try await house.announce(1, isThere: false)
        #expect(house.heard.faults(of: Self.lock).last == ["gone"])
        await house.harness.end()
    }
}
