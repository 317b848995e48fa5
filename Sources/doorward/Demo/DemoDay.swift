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
                    resident.timeJitter = .seconds(240)
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
                .every(.seconds(5400)), locks: doors, action: .event(.jam), timeJitter: .seconds(1800), chance: 0.02,
                duration: .seconds(900)),
            ScenarioRule(
                .daily(Weekday.all, at: .seconds(11 * 3600)), locks: doors, action: .event(.lowBattery),
                timeJitter: .seconds(7200),
                chance: 0.04, duration: .seconds(6 * 3600)),
            ScenarioRule(
                .every(.seconds(7200)), locks: house.lockNames, action: .event(.offline), timeJitter: .seconds(3000),
                chance: 0.01,
                duration: .seconds(600)),
        ]
    }

    /// A neighbour tries to unlock a door for which she has no access.
    private var attempts: ScenarioRule {
        ScenarioRule(
            .every(.seconds(10_800)), locks: ["Door 1A"], action: .command(.unlock, by: "Nora"), timeJitter: .seconds(3600),
            chance: 0.5)
    }

    /// Every night the manager locks all doors that do not belong to a flat.
    private var round: ScenarioRule {
        let rooms = house.sites.flatMap { $0.shared + $0.closed }
        return ScenarioRule(
            .daily(Weekday.all, at: .seconds(22 * 3600)), locks: rooms, action: .command(.lock, by: "Max"),
            timeJitter: .seconds(1200)
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
    /// The kind of event.
    enum Mark: Sendable {
        /// A command that the lock has confirmed.
        case done
        /// A command that was denied or failed.
        case refused
        /// A fault of a lock.
        case trouble
        /// An event at the lock, or a change of rights.
        case noted

        /// A sign of one column, which shows the kind without colour.
        var sign: String {
            switch self {
            case .done: "✓"
            case .refused: "✗"
            case .trouble: "!"
            case .noted: "·"
            }
        }

        var colour: OutputStyle.Colour? {
            switch self {
            case .done: .green
            case .refused: .red
            case .trouble: .yellow
            case .noted: .dim
            }
        }
    }

    let mark: Mark
    let text: String

    /// Returns `nil` for a record that the demo does not show, such as an intent, the creation of
    /// the house, or an opened or closed door, which the list of doors shows.
    init?(_ record: Doorward.AccessRecord) {
        let told: (Mark, String)?
        switch record.kind {
        case "COMMAND_OUTCOME": told = Self.outcome(record)
        case "DENIAL": told = (.refused, Self.denial(record))
        case "DEVICE_EVENT": told = Self.event(record)
        case "ADMIN_CHANGE" where record.actorKind == "GATEWAY": told = nil
        case "ADMIN_CHANGE": told = (.noted, Self.change(record))
        default: told = nil
        }
        guard let told else { return nil }
        (mark, text) = (told.0, told.1.printable)
    }

    private static func denial(_ record: Doorward.AccessRecord) -> String {
        let sentence = "\(who(record)) may not \(operation(record)) \(lock(record))"
        // For an actor without access, the sentence already contains the reason.
        guard record.actorKind != "OUTSIDE", let reason = record.reason else { return sentence }
        return "\(sentence): \(DisplayText.reason(reason))"
    }

    private static func outcome(_ record: Doorward.AccessRecord) -> (Mark, String) {
        guard record.outcome == .confirmed else {
            let why = record.outcomeDetail.map(DisplayText.reason) ?? record.outcome.map(DisplayText.word) ?? "unknown"
            return (.refused, "\(who(record)) could not \(operation(record)) \(lock(record)): \(why)")
        }
        return (.done, "\(who(record)) \(pastTense(of: record.operation)) \(lock(record))")
    }

    private static func pastTense(of operation: Doorward.Action?) -> String {
        switch operation {
        case .unlatch: "unlatched"
        case .changeSettings: "changed the settings of"
        default: (operation.map(DisplayText.word) ?? "mov") + "ed"
        }
    }

    private static func event(_ record: Doorward.AccessRecord) -> (Mark, String)? {
        let lock = lock(record)
        switch record.event {
        case "DOOR_OPENED", "DOOR_CLOSED", nil: return nil
        case "LOCKED": return (.noted, "\(lock) was locked\(means(record))")
        case "UNLOCKED": return (.noted, "\(lock) was unlocked\(means(record))")
        case "UNLATCHED": return (.noted, "\(lock) was unlatched\(means(record))")
        case "JAMMED": return (.trouble, "\(lock) is jammed")
        case "BATTERY_LOW": return (.trouble, "\(lock): the battery is low")
        case "COMMAND_DELIVERED_LATE": return (.trouble, "\(lock): a command came late, and may have moved it")
        case "OFFLINE": return (.trouble, "\(lock) is offline")
        case "ONLINE": return (.noted, "\(lock) is online again")
        case let event?: return (.trouble, "\(lock): \(DisplayText.word(event))")
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

    private static func change(_ record: Doorward.AccessRecord) -> String {
        switch record.action {
        case "GRANT": "\(who(record)) grants a guest access"
        case "REVOKE": "\(who(record)) revokes a guest access"
        default: "\(who(record)): \(RecordTable.what(record))"
        }
    }

    private static func lock(_ record: Doorward.AccessRecord) -> String { record.deviceName ?? "a lock" }
    private static func who(_ record: Doorward.AccessRecord) -> String { RecordTable.who(record) ?? "somebody" }
    private static func operation(_ record: Doorward.AccessRecord) -> String { record.operation.map(DecisionView.verb) ?? "move" }
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
