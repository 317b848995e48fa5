import AdapterSimulator
import DoorwardClient
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
            visitors: visitors, rules: rules)
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
                    resident.timeJitter = .seconds(240)
                    resident.forgets = 0.25
                    return resident
                }
            }
        }
    }

    private var visitors: [Visitor] {
        var cleaner = Visitor(name: "Clara", door: "Door 2A")
        (cleaner.frontDoor, cleaner.days) = ("Quay entrance", Weekday.weekdays)
        // Short visits to the common rooms and to the rooms of the staff.
        let errands: [(String, String, hours: [Double])] = [
            ("Ida", "Laundry", [7.6, 13, 19.5]), ("Ben", "Bike cellar", [7.5, 16.2]), ("Eva", "Roof terrace", [12, 20]),
            ("Kim", "Garden shed", [7.7, 15]), ("Noel", "Garage", [8.4, 18]), ("Max", "Plant room", [7.9, 14.5]),
            ("Max", "Post room", [8.2, 11]), ("Jan", "Laundry", [10, 21]),
        ]
        return [cleaner]
            + errands.flatMap { person, door, hours in
                hours.map { hour in
                    var errand = Visitor(name: person, door: door)
                    (errand.comes, errand.stays) = (.seconds(Int(hour * 3600)), .seconds(600))
                    (errand.chance, errand.forgets) = (0.9, 0.15)
                    return errand
                }
            }
    }

    private var rules: [ScenarioRule] {
        let doors = house.flats.map(\.door)
        return [
            // Events that every viewer should see in the first minute.
            once(2, "Door 1A", .command(.unlock, by: "Gus")),
            once(4, "Door 1A", .command(.lock, by: "Gus")),
            once(5, "Door 1A", .command(.unlock, by: "Nora")),
            once(7, "Balcony 1A", .event(.jam), lasts: 40),
            once(8, "Balcony 1A", .command(.unlock, by: "Tom")),
            once(11, "Door 3B", .event(.lowBattery), lasts: 8 * 60),
            once(13, "Garage", .event(.offline), lasts: 15),
            once(14, "Garage", .command(.unlock, by: "Leo")),
            once(22, "Door 1A", .command(.unlock, by: "Gus")),
            // Occasional faults: jams, low batteries, lost connections.
            ScenarioRule(
                .every(.seconds(5400)), locks: doors, action: .event(.jam), timeJitter: .seconds(1800), chance: 0.02,
                duration: .seconds(900)),
            ScenarioRule(
                .daily(Weekday.all, at: .seconds(11 * 3600)), locks: doors, action: .event(.lowBattery),
                timeJitter: .seconds(7200), chance: 0.04, duration: .seconds(6 * 3600)),
            ScenarioRule(
                .every(.seconds(7200)), locks: house.lockNames, action: .event(.offline), timeJitter: .seconds(3000),
                chance: 0.01, duration: .seconds(600)),
            // A neighbour tries to unlock a door for which she has no access.
            ScenarioRule(
                .every(.seconds(10_800)), locks: ["Door 1A"], action: .command(.unlock, by: "Nora"),
                timeJitter: .seconds(3600), chance: 0.5),
            // Every night the manager locks all doors that do not belong to a flat.
            ScenarioRule(
                .daily(Weekday.all, at: .seconds(22 * 3600)), locks: house.sites.flatMap { $0.shared + $0.closed },
                action: .command(.lock, by: "Max"), timeJitter: .seconds(1200)),
        ]
    }

    private func once(_ minutes: Int, _ lock: String, _ action: ScenarioEvent.Action, lasts: Int? = nil) -> ScenarioRule {
        ScenarioRule(
            .once(HouseTime.demoStart + .seconds(60 * minutes)), locks: [lock], action: action,
            duration: lasts.map { .seconds(60 * $0) })
    }
}

/// The content of a demo: a house, its events, and its guests.
struct DemoPlan: Sendable {
    let house: DemoHouse
    let scenario: Scenario
    /// The time of the scenario at which the demo begins.
    let start: Duration
    let guests: [Guest]

    /// A person who gets a guest access when the demo starts.
    struct Guest: Hashable, Sendable {
        let name: String
        let doors: [String]
        /// The first name of the person who grants the access.
        let host: String
        /// The duration of the access, in the house's time; `nil` for one year of real time.
        var window: Duration?
    }
}

/// A record as the demo shows it: one short sentence.
struct DemoEvent: Equatable, Sendable {
    /// The kind of event: a sign of one column, which shows the kind without colour, and its colour.
    struct Mark: Equatable, Sendable {
        let sign: String
        let colour: OutputStyle.Colour

        /// A command that the lock has confirmed.
        static let done = Mark(sign: "✓", colour: .green)
        /// A command that was denied or failed.
        static let refused = Mark(sign: "✗", colour: .red)
        /// A fault of a lock.
        static let trouble = Mark(sign: "!", colour: .yellow)
        /// An event at the lock, or a change of rights.
        static let noted = Mark(sign: "·", colour: .dim)
    }

    let mark: Mark
    let text: String

    private init(_ mark: Mark, _ text: String) { (self.mark, self.text) = (mark, text.printable) }

    /// Returns `nil` for a record that the demo does not show, such as an intent, the creation of
    /// the house, or an opened or closed door, which the list of doors shows.
    init?(_ record: Doorward.AccessRecord) {
        let (who, lock) = (RecordTable.who(record) ?? "somebody", record.deviceName ?? "a lock")
        let what = "\(record.operation.map(\.verb) ?? "move") \(lock)"
        switch (record.kind, record.actorKind) {
        case ("COMMAND_OUTCOME", _) where record.outcome == .confirmed:
            self.init(.done, "\(who) \(Self.pastTense(of: record.operation)) \(lock)")
        case ("COMMAND_OUTCOME", _):
            let why = record.outcomeDetail.map(DisplayText.reason) ?? record.outcome.map(DisplayText.word) ?? "unknown"
            self.init(.refused, "\(who) could not \(what): \(why)")
        // For an actor without access, the sentence already contains the reason.
        case ("DENIAL", "OUTSIDE"): self.init(.refused, "\(who) may not \(what)")
        case ("DENIAL", _):
            self.init(.refused, "\(who) may not \(what)\(record.reason.map { ": \(DisplayText.reason($0))" } ?? "")")
        case ("DEVICE_EVENT", _): self.init(of: record, at: lock)
        case ("ADMIN_CHANGE", "GATEWAY"): return nil
        case ("ADMIN_CHANGE", _):
            switch record.action {
            case "GRANT": self.init(.noted, "\(who) grants a guest access")
            case "REVOKE": self.init(.noted, "\(who) revokes a guest access")
            default: self.init(.noted, "\(who): \(RecordTable.what(record))")
            }
        default: return nil
        }
    }

    private init?(of record: Doorward.AccessRecord, at lock: String) {
        switch record.event {
        case "DOOR_OPENED", "DOOR_CLOSED", nil: return nil
        case "LOCKED": self.init(.noted, "\(lock) was locked\(Self.means(record))")
        case "UNLOCKED": self.init(.noted, "\(lock) was unlocked\(Self.means(record))")
        case "UNLATCHED": self.init(.noted, "\(lock) was unlatched\(Self.means(record))")
        case "JAMMED": self.init(.trouble, "\(lock) is jammed")
        case "BATTERY_LOW": self.init(.trouble, "\(lock): the battery is low")
        case "COMMAND_DELIVERED_LATE": self.init(.trouble, "\(lock): a command came late, and may have moved it")
        case "OFFLINE": self.init(.trouble, "\(lock) is offline")
        case "ONLINE": self.init(.noted, "\(lock) is online again")
        case let event?: self.init(.trouble, "\(lock): \(DisplayText.word(event))")
        }
    }

    private static func pastTense(of operation: Doorward.Action?) -> String {
        switch operation {
        case .unlatch: "unlatched"
        case .changeSettings: "changed the settings of"
        default: (operation.map(DisplayText.word) ?? "mov") + "ed"
        }
    }

    private static func means(_ record: Doorward.AccessRecord) -> String {
        switch record.method {
        case "MANUAL": " from inside"
        case "AUTO": " by itself"
        case let method? where method != "UNKNOWN": ", \(DisplayText.word(method))"
        default: ""
        }
    }
}

/// Converts real time to the time of day in the demo's house, which passes faster.
struct HouseTime: Sendable {
    /// The real time at which the demo started.
    let beganAt: Timestamp
    /// Seconds in the house per real second.
    let speed: Double

    /// The scenario's time at `beganAt`.
    var start = Self.demoStart
    /// The day of the week of the scenario's first day.
    var firstWeekday = Weekday.monday

    /// The start of the demo's own scenario, as the time since midnight on Monday. Most people leave the house later.
    static let demoStart = Duration.seconds(7 * 3600 + 20 * 60)

    /// Returns the day and time in the house, such as `Mon 07:42`.
    func name(of instant: Timestamp) -> String {
        let minutes = Int((start + instant.duration(since: beganAt) * speed).components.seconds / 60)
        let weekday = firstWeekday.advanced(byDays: minutes / 1440).rawValue
        return "\(weekday.prefix(1))\(weekday.dropFirst().lowercased()) \(two(minutes % 1440 / 60)):\(two(minutes % 60))"
    }

    private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
