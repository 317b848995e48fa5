import AdapterSimulator
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Logging
import Testing

@testable import doorward

/// The demo's house in the whole gateway, on a virtual clock.
@Suite("Days in the demo's house") struct DemoDayTests {
    private static let house = DemoHouse()

    /// The portfolio's records of some days.
    private struct Days: Equatable {
        let records: [RecordBody]

        func records(of lock: String, forHours hours: Int) -> [RecordBody] {
            guard let end = records.first?.at.advanced(by: .seconds(3600 * hours)) else { return [] }
            return records.filter { $0.device?.deviceName == lock && $0.at < end }
        }
    }

    /// Plays Monday from 07:20 to midnight, and Tuesday.
    private static func play(seed: UInt64) throws -> Days {
        Days(records: try records(of: DemoDay(house: house, seed: seed, days: 2).plan, seed: seed))
    }

    /// Plays a plan to its end and returns the records of its portfolio.
    static func records(of plan: DemoPlan, seed: UInt64) throws -> [RecordBody] {
        let (clock, store) = (VirtualClock(), InMemoryStore())
        let executor = SeededExecutor(seed: seed, clock: clock)
        let random = RandomSource(SeededGenerator(seed: seed))
        let tenancy = DemoTenancy(plan.house, at: clock.now(), random: random, speed: 1)
        try executor.run(stepLimit: 5_000_000) {
            _ = try await store.commit(StoreTransaction(changes: tenancy.changes, records: tenancy.records))
            let simulator = SimulatorAdapter(clock: clock, executor: executor)
            let control = GatewayControl(
                store: store, adapters: [simulator], clock: clock, random: random,
                logger: Logger(label: "house") { _ in SwiftLogNoOpLogHandler() }, executor: executor)
            try await control.start()
            let script = DemoScript(
                plan: plan, users: tenancy.users, locks: tenancy.locks, control: control, simulator: simulator, speed: 1)
            try await script.run()
            await control.stop()
        }
        var records: [RecordBody] = []
        for case .putPortfolio(let portfolio) in tenancy.changes { records += store.log(.portfolio(portfolio.id)).map(\.body) }
        return records
    }

    @Test("the same seed gives the same records, and another seed gives others")
    func seeded() throws {
        let days = try Self.play(seed: 3)
        #expect(try Self.play(seed: 3) == days)
        #expect(try Self.play(seed: 4) != days)
    }

    /// Whether a person may operate a lock, stated independently of the tenancy data.
    private static func mayMove(_ person: String, _ lock: String) -> Bool {
        switch person {
        case "Max Manager": return true
        case "Gus Guest": return lock == "Door 1A"
        case "Clara Cleaner": return ["Quay entrance", "Door 2A"].contains(lock)
        default:
            return house.sites.contains { site in
                site.flats.contains { flat in
                    flat.tenants.contains { "\($0.firstName) \($0.lastName)" == person }
                        && (flat.locks + site.shared).contains(lock)
                }
            }
        }
    }

    @Test("no lock is moved without a right to it, and only the expected commands are denied", arguments: [1, 2])
    func rights(seed: UInt64) throws {
        let days = try Self.play(seed: seed)
        for record in days.records where record.kind == .commandIntent {
            let (person, lock) = (record.actor.name ?? "", record.device?.deviceName ?? "")
            #expect(Self.mayMove(person, lock), "\(person) moved \(lock)")
        }
        let denials = days.records.filter { $0.kind == .denial }
        #expect(denials.allSatisfy { $0.device?.deviceName == "Door 1A" })
        #expect(denials.contains { $0.actor == .outside && $0.reason == .noAssociation }, "a neighbour is denied")
        #expect(denials.contains { $0.actor.name == "Gus Guest" && $0.reason == .guestWindowEnded }, "the guest is denied later")
        #expect(denials.allSatisfy { $0.actor == .outside || $0.actor.name == "Gus Guest" })
        #expect(
            days.records.contains { $0.kind == .commandOutcome && $0.actor.name == "Gus Guest" && $0.outcome == .confirmed },
            "the guest's command in time is confirmed")
    }

    @Test("every kind of event occurs, the first of each within one hour of house time", arguments: [1, 2])
    func events(seed: UInt64) throws {
        let days = try Self.play(seed: seed)
        let end = try #require(days.records.first).at.advanced(by: .seconds(3600))
        let hour = days.records.filter { $0.at < end }
        #expect(
            Set(hour.compactMap(\.event)).isSuperset(of: [
                .locked, .unlocked, .jammed, .batteryLow, .offline, .online, .doorOpened, .doorClosed,
            ]))
        #expect(Set(hour.compactMap(\.outcome)).isSuperset(of: [.confirmed, .failed]))
        #expect(Set(hour.map(\.kind)).isSuperset(of: [.adminChange, .denial, .commandIntent, .commandOutcome, .deviceEvent]))
        #expect(Set(hour.compactMap(\.method)).isSuperset(of: [.manual, .auto]))
    }

    @Test("the log begins with the records of all created entities and roles")
    func making() throws {
        let tenancy = DemoTenancy(Self.house, at: VirtualClock().now(), random: RandomSource(), speed: 1)
        let records = tenancy.records.map(\.body)
        func made(_ type: String, in log: (LogID) -> Bool) -> [RecordBody] {
            records.filter { $0.target?.type == type && log($0.log) && $0.kind == .adminChange }
        }
        let portfolio = { (log: LogID) in log != .gateway }
        for (type, count) in [("Portfolio", 1), ("Property", 2), ("Unit", 12), ("LockDevice", 30), ("UserRoleAssociation", 15)] {
            #expect(made(type, in: portfolio).count == count, "\(type)")
            #expect(made(type, in: { $0 == .gateway }).count == count, "\(type)")
        }
        #expect(made("User", in: { $0 == .gateway }).count == Self.house.people.count)
        #expect(made("User", in: portfolio).isEmpty, "an account gives no right in a portfolio")
        let roles = made("UserRoleAssociation", in: portfolio).map { $0.details["after"] }
        for case .putAssociation(let association) in tenancy.changes {
            #expect(roles.contains { "\($0 as Any)".contains(association.userID.description) })
        }
        let days = try Self.play(seed: 1)
        #expect(days.records.prefix(60).allSatisfy { $0.kind == .adminChange && $0.actor == .gateway })
    }

    @Test("all tenants leave and come home, and some forget to lock")
    func people() throws {
        let days = try Self.play(seed: 1)
        var forgotten = 0
        for flat in Self.house.flats {
            let door = days.records(of: flat.door, forHours: 16)
            #expect(door.contains { (record: RecordBody) in record.method == .manual && record.event == .unlocked }, "leaves")
            let unlocked = door.contains { (record: RecordBody) in
                flat.tenants.contains { record.actor.name?.hasPrefix($0.firstName) == true } && record.operation == .unlock
            }
            #expect(unlocked, "\(flat.name): comes home")
            let moved = days.records(of: flat.door, forHours: 4).last { (record: RecordBody) in
                record.event == .unlocked || record.event == .locked || record.outcome == .confirmed
            }
            if moved?.event == .unlocked { forgotten += 1 }
        }
        #expect((1...6).contains(forgotten), "\(forgotten) of twelve doors are unlocked at noon")
    }

    @Test("the house has two properties, twelve flats, thirty locks and unique names")
    func house() {
        #expect(Self.house.sites.count == 2)
        #expect(Self.house.flats.count == 12)
        #expect(Set(Self.house.lockNames).count == 30)
        #expect(Set(Self.house.people.map(\.firstName)).count == Self.house.people.count)
        let scenario = DemoDay(house: Self.house, seed: 1).scenario
        #expect(Set(scenario.people).isSubset(of: Self.house.people.map(\.firstName)))
    }

    @Test(
        "house time advances at the given speed, starting on a Monday morning",
        arguments: [(1.0, 0, "Mon 07:20"), (60, 59, "Mon 08:19"), (60, 1000, "Tue 00:00"), (120, 3600 * 12, "Fri 07:20")])
    func time(_ speed: Double, _ seconds: Int, _ shown: String) {
        let began = Timestamp(milliseconds: 1_795_248_000_000)
        #expect(HouseTime(beganAt: began, speed: speed).name(of: began.advanced(by: .seconds(seconds))) == shown)
    }
}
