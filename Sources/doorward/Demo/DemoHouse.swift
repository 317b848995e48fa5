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
