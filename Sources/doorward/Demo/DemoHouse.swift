/// The made-up portfolio of the demo: its places, its locks and its people, by name.
struct DemoHouse: Sendable {
    let portfolio = "Harbour Homes"
    let sites = [quay, mill]
    /// Beside those who live there.
    let staff = [
        Person("Rita", "Root", "super admin"), Person("Olga", "Owner", "owner"), Person("Max", "Manager", "manager"),
        Person("Gus", "Guest", "guest of Tom's"), Person("Clara", "Cleaner", "cleans 2A"),
    ]

    /// Somebody with a sign-in of their own. First names are unique in the house.
    struct Person: Hashable, Sendable {
        let firstName: String
        let lastName: String
        /// What they are here, in a word or two.
        let part: String

        /// What all addresses end in.
        static let domain = "demo.example"
        var email: String { "\(firstName.lowercased())@\(Self.domain)" }

        init(_ firstName: String, _ lastName: String, _ part: String) {
            (self.firstName, self.lastName, self.part) = (firstName, lastName, part)
        }
    }

    /// A flat with its own locks and the one who lives in it.
    struct Flat: Hashable, Sendable {
        let name: String
        let locks: [String]
        let tenant: Person

        /// The lock of the flat's own door.
        var door: String { locks[0] }
    }

    /// A property: a house with its flats.
    struct Site: Hashable, Sendable {
        let name: String
        /// Locks that everybody who lives there may use; the first is the way in from the street.
        let shared: [String]
        /// Locks for the staff alone.
        let closed: [String]
        let flats: [Flat]

        var entrance: String { shared[0] }
        /// In the order in which they are shown.
        var lockNames: [String] { shared + closed + flats.flatMap(\.locks) }
    }

    /// The address of one who has a door to open, for examples.
    static let someone = "tom@\(Person.domain)"

    var flats: [Flat] { sites.flatMap(\.flats) }
    var people: [Person] { staff + flats.map(\.tenant) }
    /// Every lock, in the order in which they are shown.
    var lockNames: [String] { sites.flatMap(\.lockNames) }

    private static let quay = Site(
        name: "Quay 1", shared: ["Quay entrance", "Bike cellar", "Laundry", "Roof terrace"], closed: ["Plant room"],
        flats: [
            flat("1A", "Tom", "Tenant"), flat("1B", "Nora", "Neighbour"), flat("2A", "Ada", "Berg"), flat("2B", "Ben", "Cruz"),
            flat("3A", "Eva", "Dahl"), flat("3B", "Finn", "Eide"), flat("4A", "Ida", "Falk"), flat("4B", "Jan", "Grau"),
        ])

    private static let mill = Site(
        name: "Mill Lane 7", shared: ["Mill gate", "Garage", "Garden shed"], closed: ["Workshop", "Post room"],
        flats: [
            flat("M1", "Kim", "Holm", hasBalcony: false), flat("M2", "Leo", "Iwan", hasBalcony: false),
            flat("M3", "Mia", "Jung", hasBalcony: false), flat("M4", "Noel", "Koch", hasBalcony: false),
        ])

    private static func flat(_ name: String, _ firstName: String, _ lastName: String, hasBalcony: Bool = true) -> Flat {
        Flat(
            name: name, locks: ["Door \(name)"] + (hasBalcony ? ["Balcony \(name)"] : []),
            tenant: Person(firstName, lastName, "tenant of \(name)"))
    }
}
