import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardControl

/// A stranger's question about an id of another portfolio does the work that one about nobody's id does, so that the time of the
/// answer does not tell which it was.
@Suite struct EqualWorkTests {
    private struct Counted {
        let house: House
        let store: CountingStore
        /// Its locks take orders and say nothing of themselves.
        let adapter: ScriptedAdapter
        let control: GatewayControl

        init() async throws {
            house = try await House()
            store = CountingStore(house.store.reopened())
            adapter = ScriptedAdapter(clock: house.clock, behaviour: .silent)
            control = GatewayControl(
                store: store, adapters: [adapter], clock: house.clock,
                random: RandomSource(SeededGenerator(seed: 99)), limits: GatewayControl.Limits())
            try await control.start()
            _ = store.takeCalls()
        }

        func unlock(_ device: DeviceID, by user: UserID) async throws -> [String] {
            let denial = await denial { _ = try await control.locks.begin(house.request(by: user, on: device)) }
            #expect(denial?.hasReach == false)
            return store.takeCalls()
        }
    }

    private static let nobodys = DeviceID(high: 0x01A1_FD86_0000_7000, low: 0x8000_0000_0000_0007)

    @Test("an unlock of another portfolio's lock, of an unassigned one and of none write as many records, of the same columns")
    func unlock() async throws {
        let counted = try await Counted()
        let (ids, clock) = (counted.house.ids, counted.house.clock)
        let unassigned = LockDevice(
            id: DeviceID(high: 3, low: 3), name: "Box", adapter: "scripted", address: [:], capabilities: [.lock, .unlock],
            createdAt: clock.now(), updatedAt: clock.now())
        var draft = TenancyUnitOfWork(
            directory: counted.control.directory.current, caller: counted.house.caller(ids.superAdmin), now: clock.now(),
            random: RandomSource())
        draft.apply(.putDevice(unassigned))
        counted.control.directory.publish(draft.directory, after: draft.transaction.changes)
        let foreign = try await counted.unlock(ids.door, by: ids.stranger)
        #expect(foreign == ["commit [\"DENIAL in portfolio 3\", \"DENIAL in gateway\"]"])
        for device in [Self.nobodys, unassigned.id] {
            #expect(try await counted.unlock(device, by: ids.stranger) == foreign)
        }
    }

    @Test("the record that makes the work equal is in a log of no portfolio, and the gateway's log has the attempt once")
    func decoy() async throws {
        let counted = try await Counted()
        let ids = counted.house.ids
        let before = counted.store.log(.gateway).count
        _ = try await counted.unlock(Self.nobodys, by: ids.stranger)
        #expect(counted.store.log(.gateway).count == before + 1)
        #expect(counted.store.log(.gateway).last?.body.details["counterpart"] == nil)
        #expect(counted.store.log(.portfolio(DenialRecorder.noPortfolio)).map(\.body.actor) == [.outside])
        #expect(counted.store.log(.portfolio(ids.portfolio)).allSatisfy { $0.body.kind != .denial })
    }

    @Test("a command of another portfolio, under way or ended, is asked of the store as one that does not exist")
    func commands() async throws {
        let counted = try await Counted()
        let ids = counted.house.ids
        let running = try #require(
            try await counted.control.locks.begin(counted.house.request(by: ids.owner)).running)
        func calls(_ id: CommandID) async throws -> [String] {
            _ = counted.store.takeCalls()
            let denial = await denial {
                _ = try await counted.control.commands.command(id, for: counted.house.caller(ids.stranger))
            }
            #expect(denial?.hasReach == false)
            return counted.store.takeCalls()
        }
        let nobodys = try await calls(CommandID(high: 7, low: 7))
        #expect(nobodys == ["command within"])
        // Under way until the lock is let speak: what its end writes would be counted too.
        #expect(try await calls(running.accepted.id) == nobodys)
        while counted.adapter.orders.isEmpty { await Task.yield() }
        counted.adapter.report(.unlocked, from: ids.door)
        _ = await running.finished
        #expect(try await calls(running.accepted.id) == nobodys)
        let own = try await counted.control.commands.command(running.accepted.id, for: counted.house.caller(ids.owner))
        #expect(own.command.state == .confirmed)
    }
}
