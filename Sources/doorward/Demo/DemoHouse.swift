import AdapterSimulator
import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy

/// The portfolio of the demo: names of its places, locks and people.
struct DemoHouse: Sendable {
    var portfolio = "Harbour Homes"
    var sites = [quay, mill]
    /// The people who do not live in the house.
    var staff = [
        Person("Rita", "Root", "super admin", .superAdmin), owner, Person("Max", "Manager", "manager", .manager),
        Person("Gus", "Guest", "guest of Tom's"), Person("Clara", "Cleaner", "cleans 2A"),
    ]

    /// The owner, whose rights the demo itself uses to read the house's state.
    static let owner = Person("Olga", "Owner", "owner", .owner)

    /// A person with a sign-in. First names and sign-ins are unique in the house.
    struct Person: Hashable, Sendable {
        let firstName: String
        let lastName: String
        /// A short description of the person's role.
        let part: String
        /// The person's rights in addition to those of tenants and guests.
        let office: Office?
        /// The part of the email address before `@`.
        let signIn: String

        enum Office: Sendable { case superAdmin, owner, manager }

        /// The domain of all email addresses.
        static let domain = "demo.example"
        var email: String { "\(signIn)@\(Self.domain)" }

        init(_ firstName: String, _ lastName: String, _ part: String, _ office: Office? = nil, signIn: String? = nil) {
            (self.firstName, self.lastName, self.part, self.office) = (firstName, lastName, part, office)
            self.signIn = signIn ?? firstName.lowercased()
        }
    }

    /// A flat and its tenants.
    struct Flat: Hashable, Sendable {
        let name: String
        /// The lock of the flat's door.
        let door: String
        /// The locks that belong only to this flat.
        let locks: [String]
        let tenants: [Person]
    }

    /// A property: a house with its flats.
    struct Site: Hashable, Sendable {
        let name: String
        /// Entrances from the street, which lock automatically.
        let entrances: [String]
        /// Other locks that all tenants of the house may use.
        let common: [String]
        /// Locks that only the staff may use.
        let closed: [String]
        let flats: [Flat]

        var shared: [String] { entrances + common }
        /// All locks, in display order.
        var lockNames: [String] { shared + closed + flats.flatMap(\.locks) }
    }

    /// The keypad slots of each lock, by the name of the lock.
    var keypadSlots: [String: [String]] = [:]

    /// A person for examples of commands: a tenant, if there is one.
    var someone: Person { flats.first?.tenants.first ?? Self.owner }
    var someDoor: String { flats.first?.door ?? lockNames.first ?? "" }

    var flats: [Flat] { sites.flatMap(\.flats) }
    /// Everybody, without duplicates: a tenant of two flats is listed once.
    var people: [Person] {
        var seen: Set<Person> = []
        return (staff + flats.flatMap(\.tenants)).filter { seen.insert($0).inserted }
    }
    /// Every lock, in display order.
    var lockNames: [String] { sites.flatMap(\.lockNames) }

    private static let quay = Site(
        name: "Quay 1", entrances: ["Quay entrance"], common: ["Bike cellar", "Laundry", "Roof terrace"], closed: ["Plant room"],
        flats: [
            flat("1A", "Tom", "Tenant"), flat("1B", "Nora", "Neighbour"), flat("2A", "Ada", "Berg"), flat("2B", "Ben", "Cruz"),
            flat("3A", "Eva", "Dahl"), flat("3B", "Finn", "Eide"), flat("4A", "Ida", "Falk"), flat("4B", "Jan", "Grau"),
        ])

    private static let mill = Site(
        name: "Mill Lane 7", entrances: ["Mill gate"], common: ["Garage", "Garden shed"], closed: ["Workshop", "Post room"],
        flats: [
            flat("M1", "Kim", "Holm", hasBalcony: false), flat("M2", "Leo", "Iwan", hasBalcony: false),
            flat("M3", "Mia", "Jung", hasBalcony: false), flat("M4", "Noel", "Koch", hasBalcony: false),
        ])

    private static func flat(_ name: String, _ firstName: String, _ lastName: String, hasBalcony: Bool = true) -> Flat {
        Flat(
            name: name, door: "Door \(name)", locks: ["Door \(name)"] + (hasBalcony ? ["Balcony \(name)"] : []),
            tenants: [Person(firstName, lastName, "tenant of \(name)")])
    }
}

/// Creates the demo's house in a fresh database, before a gateway runs on it.
struct DemoTenancy {
    private(set) var changes: [TenancyChange] = []
    /// The locks by name.
    private(set) var locks: [String: DeviceID] = [:]
    /// The users by first name.
    private(set) var users: [String: UserID] = [:]
    private let slots: [String: [String]]
    private let now: Timestamp
    private let random: RandomSource
    private let speed: Double

    /// - Parameter speed: how many times faster than real time the house's time passes; the locks move faster by the same factor.
    init(_ house: DemoHouse, at now: Timestamp, random: RandomSource, speed: Double) {
        (self.now, self.random, self.speed, slots) = (now, random, speed, house.keypadSlots)
        let portfolio = Portfolio(id: random.id(at: now), name: house.portfolio, createdAt: now, updatedAt: now)
        for person in house.people { add(person) }
        changes.append(.putPortfolio(portfolio))
        for person in house.people where person.office == .owner { assign(person, .owner, .portfolio(portfolio.id)) }
        for site in house.sites { add(site, of: house, to: portfolio.id) }
    }

    /// The records of all changes.
    var records: [PendingRecord] { SeedRecords.records(of: changes, at: now, random: random) }

    /// Writes all changes in one transaction, with their records; all users get the same password.
    func write(to storeGuard: StoreGuard, password: Secret<String>, hasher: PasswordHasher) async throws {
        let hash = try await hasher.hash(password)
        try await storeGuard.write(
            StoreTransaction(
                changes: changes, credentials: users.values.map { .setPassword($0, hash: hash) }, records: records))
    }

    private mutating func add(_ person: DemoHouse.Person) {
        let user = User(
            id: random.id(at: now), email: person.email, firstName: person.firstName, lastName: person.lastName,
            isSuperAdmin: person.office == .superAdmin, createdAt: now, updatedAt: now)
        users[person.firstName] = user.id
        changes.append(.putUser(user))
    }

    private mutating func add(_ site: DemoHouse.Site, of house: DemoHouse, to portfolio: PortfolioID) {
        let property = Property(
            id: random.id(at: now), name: site.name, portfolioID: portfolio, defaultTimeZone: "Europe/Berlin", createdAt: now,
            updatedAt: now)
        changes.append(.putProperty(property))
        for person in house.people where person.office == .manager { assign(person, .propertyManager, .property(property.id)) }
        let shared = site.shared.map { add(lock: $0, on: property, unit: nil, locksItself: site.entrances.contains($0)) }
        for lock in site.closed { _ = add(lock: lock, on: property, unit: nil) }
        for flat in site.flats {
            let unit = Unit(
                id: random.id(at: now), name: flat.name, propertyID: property.id, portfolioID: portfolio,
                commonAreaAccessIDs: shared, createdAt: now, updatedAt: now)
            changes.append(.putUnit(unit))
            for lock in flat.locks { _ = add(lock: lock, on: property, unit: unit.id) }
            for tenant in flat.tenants { assign(tenant, .tenant, .unit(unit.id)) }
        }
    }

    private mutating func add(lock name: String, on property: Property, unit: UnitID?, locksItself: Bool = false) -> DeviceID {
        var address: [String: JSONValue] = ["latencyMs": milliseconds(2000), "jitterMs": milliseconds(1000)]
        if locksItself { address["autoRelockSeconds"] = .integer(max(1, Int64(45 / speed))) }
        if let slots = slots[name] { address["keypadSlots"] = .string(slots.joined(separator: ",")) }
        let device = LockDevice(
            id: random.id(at: now), name: name, adapter: AdapterGuide.simulator.kind, address: address,
            portfolioID: property.portfolioID,
            propertyID: property.id, unitID: unit, isRemoteOperationEnabled: true, capabilities: .all, createdAt: now,
            updatedAt: now)
        locks[name] = device.id
        changes.append(.putDevice(device))
        return device.id
    }

    /// Converts a duration in the house's time to real milliseconds.
    private func milliseconds(_ inHouse: Double) -> JSONValue { .integer(Int64(inHouse / speed)) }

    private mutating func assign(_ person: DemoHouse.Person, _ role: Role, _ entity: AssociatedEntity) {
        guard let user = users[person.firstName] else { return }
        let association = UserRoleAssociation(
            id: random.id(at: now), userID: user, entity: entity, role: role, createdAt: now, updatedAt: now)
        changes.append(.putAssociation(association))
    }
}

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
