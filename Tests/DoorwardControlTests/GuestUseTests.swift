import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// The limit of uses of a guest access: no more commands than `maxUses` open a lock, however many race for them.
@Suite struct GuestUseTests {
    private let house: House
    private let locks: [DeviceID]

    init() async throws {
        let clock = VirtualClock()
        house = try await House(clock: clock, behaviour: .confirmAtOnce, deniedPerMinute: 10_000)
        var locks: [DeviceID] = []
        for index in 0..<30 {
            let new = NewDevice(
                name: "Lock \(index)", adapter: house.adapter.kind, address: ["topic": .string("locks/\(index)")],
                propertyID: house.ids.property, unitID: house.ids.unit,
                isRemoteOperationEnabled: true)
            let device = try await house.control.attachedDevices.attach(house.caller(house.ids.owner), new, repeatable: nil)
                .executed
            locks.append(try #require(device).id)
        }
        self.locks = locks
    }

    /// Grants the stranger an access to locks.
    private func grant(_ locks: [DeviceID], maxUses: Int?, to guest: UserID? = nil) async throws -> GuestAccess {
        let now = house.clock.now()
        return try #require(
            try await house.control.guestAccesses.grant(
                house.caller(house.ids.owner),
                NewGuestAccess(
                    guestUserID: guest ?? house.ids.stranger, label: nil, propertyID: nil, unitID: nil, deviceIDs: locks,
                    operations: [.lock, .unlock],
                    window: GuestWindow(validFrom: now, validUntil: now.advanced(by: .seconds(3600))),
                    maxUses: maxUses), repeatable: nil
            ).executed)
    }

    private func usesLeft(_ access: GuestAccess) -> Int? { house.control.directory.current.usesLeft(of: access) }

    private func storedUses(_ access: GuestAccess) async throws -> Int? { try await house.store.usesTaken()[access.id] }

    private func refusal(of guest: UserID, at lock: DeviceID, _ operation: LockOperation = .unlock) async -> DenialReason? {
        await denial { _ = try await house.run(operation, by: guest, on: lock) }?.reason
    }

    /// Runs 100 commands at once, spread over all locks.
    private func run(_ count: Int = 100) async -> [CommandState?] {
        await withTaskGroup(of: CommandState?.self) { group in
            for index in 0..<count {
                group.addTask { try? await house.run(by: house.ids.stranger, on: locks[index % locks.count]).state }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("of 100 commands at 30 locks, exactly as many open a lock as there are uses", arguments: [1, 7, 30])
    func parallel(uses: Int) async throws {
        let access = try await grant(locks, maxUses: uses)
        let states = await run()
        #expect(states.count { $0 == .confirmed } == uses)
        #expect(states.count { $0 == nil } == 100 - uses)
        #expect(house.adapter.sentCommands.count == uses)
        #expect(usesLeft(access) == 0)
        #expect(try await storedUses(access) == uses)
        #expect(await refusal(of: house.ids.stranger, at: locks[0]) == .guestUsesExhausted)
        #expect(await refusal(of: house.ids.stranger, at: locks[0], .lock) == nil, "locking needs no use")
        let denials = house.portfolioLog.filter { $0.body.reason == .guestUsesExhausted }
        #expect(denials.count == 101 - uses)
    }

    @Test("locks that lose confirmations move no more often than there are uses")
    func lostConfirmations() async throws {
        for lock in locks { house.adapter.set(.silent, for: lock) }
        let access = try await grant(locks, maxUses: 7)
        let states = await withTaskGroup(of: CommandState?.self) { group in
            for index in 0..<100 {
                group.addTask { try? await house.run(by: house.ids.stranger, on: locks[index % locks.count]).state }
            }
            var ended: [CommandState?] = []
            for await state in group {
                ended.append(state)
                // The others wait for a confirmation or behind a command that does.
                if ended.count == 93 { house.clock.advance(by: .seconds(11)) }
            }
            return ended
        }
        #expect(states.prefix(93).allSatisfy { $0 == nil })
        let moved = states.count { $0 == .timedOut }
        #expect((1...7).contains(moved))
        #expect(house.adapter.sentCommands.count == moved)
        #expect(usesLeft(access) == 7 - moved)
        #expect(try await storedUses(access) == moved)
    }

    @Test(
        "a command that certainly did not open the lock gives its use back with its outcome",
        arguments: [
            (ScriptedAdapter.Behaviour.jam(after: .zero), "jammed"), (.refuse(.busy, after: .zero), "busy"),
            (.fail(.offline), "device_offline"),
        ])
    func returned(_ behaviour: ScriptedAdapter.Behaviour, _ detail: String) async throws {
        let access = try await grant([locks[0]], maxUses: 1)
        house.adapter.set(behaviour, for: locks[0])
        let command = try await house.run(by: house.ids.stranger, on: locks[0])
        #expect(command.outcomeDetail == detail)
        #expect(usesLeft(access) == 1)
        #expect(try await storedUses(access) == nil)
        house.adapter.set(.confirmAtOnce, for: locks[0])
        #expect(try await house.run(by: house.ids.stranger, on: locks[0]).state == .confirmed)
        #expect(await refusal(of: house.ids.stranger, at: locks[0]) == .guestUsesExhausted)
    }

    @Test("a guest with a second access uses it when the first has no use left")
    func secondAccess() async throws {
        let first = try await grant([locks[0]], maxUses: 1)
        let second = try await grant([locks[0]], maxUses: 2)
        let states = await run(30)
        #expect(states.count { $0 == .confirmed } == 3 || usesLeft(first) == 0)
        for _ in 0..<3 { _ = try? await house.run(by: house.ids.stranger, on: locks[0]) }
        #expect(usesLeft(first) == 0)
        #expect(usesLeft(second) == 0)
        #expect(house.adapter.sentCommands.count == 3)
    }

    @Test("fewer uses than are taken leave none, and more uses are in force at the next command")
    func changed() async throws {
        let access = try await grant([locks[0]], maxUses: 2)
        for _ in 0..<2 { #expect(try await house.run(by: house.ids.stranger, on: locks[0]).state == .confirmed) }
        var changes = GuestAccessChanges()
        for (uses, left) in [(1, 0), (3, 1)] {
            changes.maxUses = .set(uses)
            let changed = try await house.control.guestAccesses.change(house.caller(house.ids.owner), access.id, changes).access
            #expect(usesLeft(changed) == left)
        }
        #expect(try await house.run(by: house.ids.stranger, on: locks[0]).state == .confirmed)
        #expect(await refusal(of: house.ids.stranger, at: locks[0]) == .guestUsesExhausted)
        changes.maxUses = .cleared
        _ = try await house.control.guestAccesses.change(house.caller(house.ids.owner), access.id, changes).access
        #expect(await refusal(of: house.ids.stranger, at: locks[0]) == nil)
    }

    @Test("the counts are the same after a restart, and a command in flight at the end has consumed its use")
    func restart() async throws {
        let access = try await grant([locks[0], locks[1]], maxUses: 2)
        #expect(try await house.run(by: house.ids.stranger, on: locks[0]).state == .confirmed)
        house.adapter.set(.silent, for: locks[1])
        _ = try await house.begin(by: house.ids.stranger, on: locks[1])
        let restarted = try await House(clock: house.clock, store: house.store)
        let stored = try #require(restarted.control.directory.current.guestAccess(access.id))
        #expect(restarted.control.directory.current.usesLeft(of: stored) == 0)
        #expect(await denial { _ = try await restarted.run(by: house.ids.stranger, on: locks[0]) }?.reason == .guestUsesExhausted)
    }
}
