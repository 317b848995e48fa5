import AdapterSimulator
import DoorwardDomain

/// Plans the events in the demo's house: the daily movements of all people, and the faults.
struct DemoDay {
    let house: DemoHouse
    let seed: UInt64
    /// Number of planned days; `nil` for no end.
    var days: Int?

    /// How long the guest access lasts after the start of the demo.
    static let guestWindow = Duration.seconds(20 * 60)

    var plan: DemoPlan {
        DemoPlan(
            house: house, scenario: scenario, start: HouseTime.demoStart,
            guests: [
                DemoPlan.Guest(name: "Gus", doors: ["Door 1A"], host: "Tom", window: Self.guestWindow),
                DemoPlan.Guest(name: "Clara", doors: ["Quay entrance", "Door 2A"], host: "Max"),
            ])
    }

    var scenario: Scenario {
        Scenario(
            seed: seed, firstWeekday: .monday, days: days, lockNames: house.lockNames, residents: residents,
            visitors: [cleaner] + errands, rules: opening + troubles + [attempts, round])
    }

    private var residents: [Resident] {
        house.sites.flatMap { site in
            site.flats.enumerated().flatMap { index, flat in
                flat.tenants.map { tenant in
                    var resident = Resident(name: tenant.firstName, door: flat.door)
                    resident.frontDoor = site.entrances.first
                    // The residents leave one after the other during the first hour.
                    resident.leaves = HouseTime.demoStart + .seconds(480 + 270 * index)
                    resident.returns = .seconds(16 * 3600 + 1500 * index)
                    resident.spread = .seconds(240)
                    resident.forgets = 0.25
                    return resident
                }
            }
        }
    }

    private var cleaner: Visitor {
        var cleaner = Visitor(name: "Clara", door: "Door 2A")
        cleaner.frontDoor = "Quay entrance"
        cleaner.days = Weekday.weekdays
        return cleaner
    }

    /// Short visits to the common rooms and to the rooms of the staff.
    private var errands: [Visitor] {
        let errands: [(String, String, hours: [Double])] = [
            ("Ida", "Laundry", [7.6, 13, 19.5]), ("Ben", "Bike cellar", [7.5, 16.2]), ("Eva", "Roof terrace", [12, 20]),
            ("Kim", "Garden shed", [7.7, 15]), ("Noel", "Garage", [8.4, 18]), ("Max", "Plant room", [7.9, 14.5]),
            ("Max", "Post room", [8.2, 11]), ("Jan", "Laundry", [10, 21]),
        ]
        return errands.flatMap { person, door, hours in
            hours.map { hour in
                var errand = Visitor(name: person, door: door)
                (errand.comes, errand.stays) = (.seconds(Int(hour * 3600)), .seconds(600))
                (errand.chance, errand.forgets) = (0.9, 0.15)
                return errand
            }
        }
    }

    /// Events that every viewer should see in the first minute.
    private var opening: [ScenarioRule] {
        [
            once(2, "Door 1A", .command(.unlock, by: "Gus")),
            once(4, "Door 1A", .command(.lock, by: "Gus")),
            once(5, "Door 1A", .command(.unlock, by: "Nora")),
            once(7, "Balcony 1A", .event(.jam), lasts: 40),
            once(8, "Balcony 1A", .command(.unlock, by: "Tom")),
            once(11, "Door 3B", .event(.lowBattery), lasts: 8 * 60),
            once(13, "Garage", .event(.offline), lasts: 15),
            once(14, "Garage", .command(.unlock, by: "Leo")),
            once(22, "Door 1A", .command(.unlock, by: "Gus")),
        ]
    }

    /// Occasional faults: jams, low batteries, lost connections.
    private var troubles: [ScenarioRule] {
        let doors = house.flats.map(\.door)
        return [
            ScenarioRule(
                .every(.seconds(5400)), locks: doors, action: .event(.jam), spread: .seconds(1800), chance: 0.02,
                duration: .seconds(900)),
            ScenarioRule(
                .daily(Weekday.all, at: .seconds(11 * 3600)), locks: doors, action: .event(.lowBattery), spread: .seconds(7200),
                chance: 0.04, duration: .seconds(6 * 3600)),
            ScenarioRule(
                .every(.seconds(7200)), locks: house.lockNames, action: .event(.offline), spread: .seconds(3000), chance: 0.01,
                duration: .seconds(600)),
        ]
    }

    /// A neighbour tries to unlock a door for which she has no access.
    private var attempts: ScenarioRule {
        ScenarioRule(
            .every(.seconds(10_800)), locks: ["Door 1A"], action: .command(.unlock, by: "Nora"), spread: .seconds(3600),
            chance: 0.5)
    }

    /// Every night the manager locks all doors that do not belong to a flat.
    private var round: ScenarioRule {
        let rooms = house.sites.flatMap { $0.shared + $0.closed }
        return ScenarioRule(
            .daily(Weekday.all, at: .seconds(22 * 3600)), locks: rooms, action: .command(.lock, by: "Max"), spread: .seconds(1200)
        )
    }

    private func once(
        _ minutes: Int, _ lock: String, _ action: ScenarioEvent.Action, lasts: Int? = nil
    ) -> ScenarioRule {
        ScenarioRule(
            .once(HouseTime.demoStart + .seconds(60 * minutes)), locks: [lock], action: action,
            duration: lasts.map { .seconds(60 * $0) }
        )
    }
}
