import AdapterSimulator
import DoorwardDomain

/// Creates a house for the locks and people of a scenario file, with the rights that its people need.
///
/// Residents are tenants of a flat behind their door, and share all locks that belong to no flat.
/// Visitors are the owner's guests at the doors that they visit. A person who only sends commands
/// is a property manager. The owner is called Olga, unless another person has this name.
struct ScenarioHouse {
    private let scenario: Scenario
    private let title: String
    private var people: [String: DemoHouse.Person] = [:]
    private var signIns: Set<String> = [DemoHouse.owner.signIn]

    /// - Parameter title: the name of the property.
    /// - Throws: an error that lists the codes that do not fit on a keypad.
    static func plan(for scenario: Scenario, title: String) throws(CommandFailure) -> DemoPlan {
        var maker = ScenarioHouse(scenario: scenario, title: title)
        let house = maker.house()
        for (lock, slots) in house.keypadSlots.sorted(by: { $0.key < $1.key }) {
            let isSound = slots.allSatisfy { slot in
                (1...64).contains(slot.count) && !slot.contains(",") && slot.first != " " && slot.last != " "
            }
            guard isSound, slots.count <= 32 else {
                throw CommandFailure(
                    "the keypad of `\(lock.printable)` would need the codes of \(slots.joined(separator: ", ").printable): it has at "
                        + "most 32, each with a name of at most 64 characters without commas")
            }
        }
        // Start shortly before the first event, so that viewers need not wait for it.
        var events = scenario.events()
        let start = max(.zero, (events.next()?.at ?? .zero) - .seconds(60))
        return DemoPlan(house: house, scenario: scenario, start: start, guests: maker.guests(of: house))
    }

    private init(scenario: Scenario, title: String) { (self.scenario, self.title) = (scenario, title) }

    private mutating func house() -> DemoHouse {
        let (residents, visitors) = (scenario.residents, scenario.visitors)
        let frontDoors = Set(residents.compactMap(\.frontDoor) + visitors.compactMap(\.frontDoor))
        let doors = Set(residents.map(\.door))
        for name in residents.map(\.name) { add(name, "Tenant", "tenant") }
        for name in visitors.map(\.name) { add(name, "Guest", "guest") }
        for name in scenario.people { add(name, "Manager", "manager", .manager) }
        if people[DemoHouse.owner.firstName] == nil { people[DemoHouse.owner.firstName] = DemoHouse.owner }
        let flats = scenario.lockNames.filter(doors.contains).map { door in
            let names = Set(residents.filter { $0.door == door }.map(\.name)).sorted()
            return DemoHouse.Flat(
                name: door, door: door, locks: frontDoors.contains(door) ? [] : [door], tenants: names.compactMap { people[$0] })
        }
        let site = DemoHouse.Site(
            name: title, entrances: scenario.lockNames.filter(frontDoors.contains),
            common: scenario.lockNames.filter { !frontDoors.contains($0) && !doors.contains($0) }, closed: [], flats: flats)
        let tenants = Set(flats.flatMap(\.tenants))
        return DemoHouse(
            portfolio: "Scenario", sites: [site],
            staff: people.values.filter { !tenants.contains($0) }.sorted { $0.signIn < $1.signIn }, keypadSlots: keypadSlots)
    }

    private mutating func add(_ name: String, _ lastName: String, _ part: String, _ office: DemoHouse.Person.Office? = nil) {
        guard people[name] == nil else { return }
        if name == DemoHouse.owner.firstName {
            people[name] = DemoHouse.Person(name, lastName, "owner and \(part)", .owner)
            return
        }
        let words = name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let base = words.isEmpty ? "person" : words.joined(separator: ".")
        var (signIn, number) = (base, 2)
        while !signIns.insert(signIn).inserted { (signIn, number) = ("\(base)\(number)", number + 1) }
        people[name] = DemoHouse.Person(name, lastName, part, office, signIn: signIn)
    }

    /// Returns the guests of the demo: the visitors, each with the visited doors that they may not open as tenants.
    private func guests(of house: DemoHouse) -> [DemoPlan.Guest] {
        let visits = scenario.visitors.filter { $0.opens == .app }
        return Set(visits.map(\.name)).sorted().compactMap { name in
            let mine = house.flats.filter { flat in flat.tenants.contains { $0.firstName == name } }
            let own = mine.isEmpty ? [] : mine.flatMap(\.locks) + house.sites.flatMap(\.shared)
            let doors = Set(visits.filter { $0.name == name }.flatMap { [$0.door] + [$0.frontDoor].compactMap { $0 } })
                .subtracting(own)
            guard name != DemoHouse.owner.firstName, !doors.isEmpty else { return nil }
            return DemoPlan.Guest(name: name, doors: doors.sorted(), host: DemoHouse.owner.firstName)
        }
    }

    private var keypadSlots: [String: [String]] {
        var slots: [String: Set<String>] = [:]
        let comings =
            scenario.residents.filter { $0.opens == .keypad }.map { ($0.name, $0.door, $0.frontDoor) }
            + scenario.visitors.filter { $0.opens == .keypad }.map { ($0.name, $0.door, $0.frontDoor) }
        for (name, door, frontDoor) in comings {
            for lock in [door, frontDoor].compactMap({ $0 }) { slots[lock, default: []].insert(name) }
        }
        for rule in scenario.rules {
            guard case .event(let event, let slot) = rule.action, event.requiresKeypad else { continue }
            for lock in rule.locks { slots[lock, default: []].insert(slot ?? "Code") }
        }
        return slots.mapValues { $0.sorted() }
    }
}
