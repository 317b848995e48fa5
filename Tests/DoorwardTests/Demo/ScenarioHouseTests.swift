import AdapterSimulator
import DoorwardDomain
import Testing

@testable import doorward

/// A scenario file played by the demo: the house that is built from the file, and days in this house with the whole gateway.
@Suite("A scenario in the demo") struct ScenarioHouseTests {
    private static let file = """
        days: 2
        locks: [Front door, Flat 1, Flat 2, Cellar]
        residents:
          - { name: Ada Ames, door: Flat 1, frontDoor: Front door, leaves: 08:00, returns: 18:00, spread: 1m }
          - { name: Bo, door: Flat 1, frontDoor: Front door, opens: keypad }
          - { name: Öz, door: Flat 2, frontDoor: Front door }
        visitors:
          - { name: Cleaner, door: Flat 2, frontDoor: Front door, comes: 10:00, spread: 1m }
          - { name: Bo, door: Flat 2, comes: 20:00 }
          - { name: Courier, door: Flat 1, frontDoor: Front door, comes: 12:00, opens: keypad }
        events:
          - { at: 07:30, lock: Cellar, command: unlock, by: Max }
          - { at: 07:31, lock: Cellar, command: lock, by: Ada Ames }
          - { at: 07:32, lock: Flat 2, command: unlock, by: Ada Ames }
          - { at: 07:33, lock: Cellar, do: keypad, slot: Plumber }
          - { at: 07:34, lock: Flat 1, do: jam }
        """

    private static func plan(_ yaml: String = file) throws -> DemoPlan {
        try ScenarioHouse.plan(for: Scenario(yaml: yaml, file: "x.yaml"), title: "Home")
    }

    @Test("residents have flats, visitors are guests of the owner, and a person who only sends commands is the manager")
    func house() throws {
        let plan = try Self.plan()
        #expect(plan.house.lockNames == ["Front door", "Cellar", "Flat 1", "Flat 2"])
        #expect(plan.house.sites.map(\.entrances) == [["Front door"]])
        #expect(plan.house.flats.map { $0.tenants.map(\.firstName) } == [["Ada Ames", "Bo"], ["Öz"]])
        #expect(
            plan.house.people.map { "\($0.signIn) \($0.part)" } == [
                "cleaner guest", "courier guest", "max manager", "olga owner", "ada.ames tenant", "bo tenant", "z tenant",
            ])
        #expect(
            plan.guests == [
                DemoPlan.Guest(name: "Bo", doors: ["Flat 2"], host: "Olga"),
                DemoPlan.Guest(name: "Cleaner", doors: ["Flat 2", "Front door"], host: "Olga"),
            ])
        #expect(
            plan.house.keypadSlots == [
                "Front door": ["Bo", "Courier"], "Flat 1": ["Bo", "Courier"], "Cellar": ["Plumber"],
            ])
        #expect(plan.start == .seconds(7 * 3600 + 29 * 60))
    }

    @Test("a resident of two doors has one sign-in, a similar name gets another, and one with the owner's name is the owner")
    func oddPeople() throws {
        let house = try Self.plan(
            """
            locks: [A, B]
            residents:
              - { name: Olga, door: A }
              - { name: Ed, door: B, frontDoor: A }
              - { name: ed, door: B, frontDoor: A }
              - { name: Ed, door: A }
            """
        ).house
        #expect(house.people.map { "\($0.signIn) \($0.part)" } == ["ed tenant", "olga owner and tenant", "ed2 tenant"])
        #expect(house.lockNames == ["A", "B"])
    }

    @Test("a keypad with too many codes, or with a comma in the name of a code, is rejected, and the error names the lock")
    func keypads() {
        let residents = (1...33).map { "  - { name: P\($0), door: A, opens: keypad }\n" }.joined()
        for yaml in ["locks: [A]\nresidents:\n\(residents)", "locks: [A]\nresidents: [{ name: 'a,b', door: A, opens: keypad }]"] {
            let failure = #expect(throws: CommandFailure.self) { try Self.plan(yaml) }
            #expect(failure?.sentence.hasPrefix("the keypad of `A` would need the codes of ") == true)
        }
    }

    @Test("residents, guests and code users unlock with their own rights, and a neighbour is denied")
    func played() throws {
        let records = try DemoDayTests.records(of: Self.plan(), seed: 1)
        let done = Set(
            records.filter { $0.outcome == .confirmed }.map { "\($0.actor.name ?? "") \($0.device?.deviceName ?? "")" })
        #expect(
            done.isSuperset(of: [
                "Max Manager Cellar", "Ada Ames Tenant Cellar", "Ada Ames Tenant Front door", "Cleaner Guest Front door",
                "Cleaner Guest Flat 2", "Bo Tenant Flat 2", "Öz Tenant Flat 2",
            ]), "\(done.sorted())")
        let denials = records.filter { $0.kind == .denial }
        #expect(denials.map { $0.device?.deviceName } == ["Flat 2"], "only the neighbour is denied")
        let keypads = records.filter { $0.method == .keypad }.compactMap { $0.device?.deviceName }
        #expect(Set(keypads) == ["Front door", "Flat 1", "Cellar"])
    }
}
