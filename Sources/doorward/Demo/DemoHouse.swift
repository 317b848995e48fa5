/// The portfolio of the demo: its places, its locks and its people, by name.
struct DemoHouse: Sendable {
    var portfolio = "Harbour Homes"
    var sites = [quay, mill]
    /// Beside those who live there.
    var staff = [
        Person("Rita", "Root", "super admin", .superAdmin), owner, Person("Max", "Manager", "manager", .manager),
        Person("Gus", "Guest", "guest of Tom's"), Person("Clara", "Cleaner", "cleans 2A"),
    ]

    /// The owner, with whose rights the demo itself looks at the house.
    static let owner = Person("Olga", "Owner", "owner", .owner)

    /// Somebody with a sign-in of their own. First names and sign-ins are unique in the house.
    struct Person: Hashable, Sendable {
        let firstName: String
        let lastName: String
        /// What they are here, in a word or two.
        let part: String
        /// Their rights beside those of tenants and guests.
        let office: Office?
        /// The part of the email address before `@`.
        let signIn: String

        enum Office: Sendable { case superAdmin, owner, manager }

        /// What all addresses end in.
        static let domain = "demo.example"
        var email: String { "\(signIn)@\(Self.domain)" }

        init(_ firstName: String, _ lastName: String, _ part: String, _ office: Office? = nil, signIn: String? = nil) {
            (self.firstName, self.lastName, self.part, self.office) = (firstName, lastName, part, office)
            self.signIn = signIn ?? firstName.lowercased()
        }
    }

    /// A flat, and those who live in it.
    struct Flat: Hashable, Sendable {
        let name: String
        /// The lock of the flat's door.
        let door: String
        /// The locks that belong to the flat alone.
        let locks: [String]
        let tenants: [Person]
    }

    /// A property: a house with its flats.
    struct Site: Hashable, Sendable {
        let name: String
        /// Ways in from the street, which lock themselves.
        let entrances: [String]
        /// Other locks that everybody who lives there may use.
        let common: [String]
        /// Locks for the staff alone.
        let closed: [String]
        let flats: [Flat]

        var shared: [String] { entrances + common }
        /// In the order in which they are shown.
        var lockNames: [String] { shared + closed + flats.flatMap(\.locks) }
    }

    /// The codes that each lock's keypad knows, by the name of the lock.
    var keypadSlots: [String: [String]] = [:]

    /// One who has a door to open, and the door, for examples.
    var someone: Person { flats.first?.tenants.first ?? Self.owner }
    var someDoor: String { flats.first?.door ?? lockNames.first ?? "" }

    var flats: [Flat] { sites.flatMap(\.flats) }
    /// Each once, also the tenant of two flats.
    var people: [Person] {
        var seen: Set<Person> = []
        return (staff + flats.flatMap(\.tenants)).filter { seen.insert($0).inserted }
    }
    /// Every lock, in the order in which they are shown.
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
