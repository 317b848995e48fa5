import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardLocks

/// A request with an id of another portfolio does the same work as one with an unknown id, so that the response time does not
/// reveal which it was.
@Suite struct EqualWorkTests {
    private struct Counted {
        let house: House
        let store: CountingStore
        /// Its locks accept commands and send no reports.
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

    @Test("unlocking another portfolio's lock, an unassigned lock or an unknown id writes as many records, with the same columns")
    func unlock() async throws {
        let counted = try await Counted()
        let (ids, clock) = (counted.house.ids, counted.house.clock)
        let unassigned = LockDevice(
            id: DeviceID(high: 3, low: 3), name: "Box", adapter: "scripted", address: [:], capabilities: [.lock, .unlock],
            createdAt: clock.now(), updatedAt: clock.now())
        var draft = TenancyUnitOfWork(
            directory: counted.control.directory.current, caller: counted.house.caller(ids.superAdmin),
            time: .trusted(clock.now()),
            random: RandomSource())
        draft.apply(.putDevice(unassigned))
        counted.control.directory.publish(draft.directory, after: draft.transaction.changes)
        let foreign = try await counted.unlock(ids.door, by: ids.stranger)
        #expect(foreign == ["commit [\"DENIAL in portfolio 3\", \"DENIAL in gateway\"]"])
        for device in [Self.nobodys, unassigned.id] {
            #expect(try await counted.unlock(device, by: ids.stranger) == foreign)
        }
    }

    @Test("the record that equalizes the work is in a log of no portfolio, and the gateway's log has the attempt once")
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

    @Test("reading another portfolio's command, in flight or ended, makes the same store calls as reading an unknown id")
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
        // The command stays in flight until the lock reports. If it ended, the writes of its outcome would be counted too.
        #expect(try await calls(running.accepted.id) == nobodys)
        while counted.adapter.sentCommands.isEmpty { await Task.yield() }
        counted.adapter.report(.unlocked, from: ids.door)
        _ = await running.finished
        #expect(try await calls(running.accepted.id) == nobodys)
        let own = try await counted.control.commands.command(running.accepted.id, for: counted.house.caller(ids.owner))
        #expect(own.command.state == .confirmed)
    }
}
