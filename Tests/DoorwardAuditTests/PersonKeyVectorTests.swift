import Crypto
import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import Testing

/// Values that a Python program computed with hashlib, hmac and the package cryptography, from docs/security.md.
@Suite struct PersonKeyVectorTests {
    private static let text = """
        doorward-person-keys/1
        id AAECAwQFBgcICQoLDA0ODw==
        common AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=
        0 0 BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=

        """

    private static let personKey = PersonKey(bytes: Array(0..<32))

    struct Person: Sendable {
        let low: UInt64
        let generation: Int
        let wrapped: String
        let sealed: String

        var id: UserID { UserID(high: 1, low: low) }
    }

    private static let persons = [
        Person(
            low: 2, generation: 0,
            wrapped: "bee1db04ae942afab0ea1dc3b91d10a468a077eb86c4109c6b0d83c69ac7f47f25702e6ece088de5",
            sealed:
                "a6a0bb42661c19f098759ecff0e1dde582f67be7e7f7d8cad5d64e87f9e5c902680abcb3"
        ),
        Person(
            low: 2, generation: 1,
            wrapped: "68bedc7bf0e1bd12b6f74f466b41e9e42bdd9f185ce74cafa462ecee26e364b1ba12f7cc584f59ba",
            sealed:
                "8c74b5cbf5c08c607ebef20b89b9c386b711e10529b5dab717be9025e2ac4cf16eb79a61"
        ),
        Person(
            low: 3, generation: 0,
            wrapped: "ca747869773861091d26bf5017728d9914cd78bfdcc4567bb2b9786660b06c840a36ef4638976a2d",
            sealed:
                "5ee109550a27efef9301581df67937a4b5caf432e73f55050080f05cf7d8d8569c73e14c"
        ),
        Person(
            low: 3, generation: 1,
            wrapped: "cedda83faa0c2bf8cc92d1e0d94d16f4a57c69556a5bcd43740d395107990e03f70fd1d3fb44fcee",
            sealed:
                "d072e59ecf7a6ac6dda41b452f90b196888a48f3f0f99152e2f9cd1e8a197e9f7475241c"
        ),
        Person(
            low: 4, generation: 0,
            wrapped: "5980ee3a5feae3741572d56a108964b950f95d29c1787496a7a1cbf4a65fe8f49a280b1f32a3dc92",
            sealed:
                "b9dc67f25b79821593854014288f5097983045fb1ec00efa78e6e5d5dfc10066406786ce"
        ),
        Person(
            low: 4, generation: 1,
            wrapped: "560928b7456cf975ddee2d9fe00212b69f11e0629579dcd2134ee2d07c1b16e61ac11f5269e5f1e7",
            sealed:
                "304cee2c68e436b1fbbf8e7b82322f37cda7a7b9acf9e55e0604699967889c8a89d46847"
        ),
        Person(
            low: .max, generation: 0,
            wrapped: "133992d30c7d028a69c03c0704b012fdea832c149eba39625ac7c24302828d5678c60e65b1293d44",
            sealed:
                "2f62763a8eab761998c336520b1311c9be47770314e7d165d7e201700a55c52d1dcbad46e4dd3a813f97509e9f6f8162f477ba201562eb"
        ),
        Person(
            low: .max, generation: 1,
            wrapped: "48c7edce39bacba38b34f448bb3c7d1713cc6bf6ec08310320eede10fef5db1ba76db42db4444345",
            sealed:
                "dcdcd35c19920acf892422f61d8c6dd30b18bcb447bb5bd57392ddf57d9c9876fcd1c17f5634d54d4d1f9c7cd4cfe10737a26336013a67"
        ),
    ]

    @Test("The wrapped key and the sealed account of a person are as the page says", arguments: persons)
    func person(_ person: Person) throws {
        let ring = try #require(PersonKeyRing(fileText: Self.text))
        let wrapping = try #require(ring.wrappingKey(of: person.id, generation: person.generation))
        let key = try #require(Self.personKey)
        let wrapped = try wrapping.wrap(key, of: .user(person.id), log: 7)
        #expect(wrapped.hexadecimal == person.wrapped)
        #expect(wrapping.unwrap(wrapped, of: .user(person.id), log: 7)?.revealBytes() == key.revealBytes())
        let account = Array("person \(person.low)".utf8)
        let sealed = try wrapping.seal(account, of: person.id)
        #expect(sealed.hexadecimal == person.sealed)
        #expect(wrapping.open(sealed, of: person.id) == account)
    }

    struct Day: Sendable {
        let date: String
        let log: Int64
        let wrapped: String
    }

    private static let days = [
        Day(
            date: "2026-11-25", log: 7,
            wrapped: "3aa14f2b4ddf68ce75915794b70cb9118fd1ed05bda57a5dc593857a398d69f7770ebea82a097995"
        ),
        Day(
            date: "2026-11-25", log: 1,
            wrapped: "ef1905830e38d44e72b944a62a32cc8975d465fed19b1444e10dd0d4674eae012425928c110cd9e7"
        ),
        Day(
            date: "1999-12-31", log: 7,
            wrapped: "3607559866f8c52751056a04d1249918f205fc0616bb7cf64f6b4aa5e4e57ea90c9d66a088474e9f"
        ),
        Day(
            date: "1999-12-31", log: 1,
            wrapped: "48a53a9e9f86d71856f05b5e182bc3bb79cb48a05433438c9127b556b276b1a82b9cb1e949df7a2a"
        ),
    ]

    @Test("The wrapped key of a day is as the page says", arguments: days)
    func day(_ day: Day) throws {
        let ring = try #require(PersonKeyRing(fileText: Self.text))
        let key = try #require(Self.personKey)
        let wrapped = try ring.wrappingKeyOfDays().wrap(key, of: .day(day.date), log: day.log)
        #expect(wrapped.hexadecimal == day.wrapped)
        let others = Self.days.filter { $0.date != day.date || $0.log != day.log }
        for other in others {
            #expect(ring.wrappingKeyOfDays().unwrap(wrapped, of: .day(other.date), log: other.log) == nil)
        }
    }

    @Test(
        "The index of an email address is as the page says, in any case",
        arguments: [
            ("ada@example.org", "oW7ZyJmQ+WpW02gzSBgYa2GU"),
            ("Ada@Example.ORG", "oW7ZyJmQ+WpW02gzSBgYa2GU"),
            ("bob@doors.example", "aaECTAuF0yGzhlZ8Yku6CwLW"),
            ("z\u{E9}@example.org", "fdxEO7+Rl3W97LlvBzYSlrDu"),
        ])
    func email(address: String, index: String) throws {
        let ring = try #require(PersonKeyRing(fileText: Self.text))
        #expect(ring.emailIndex(of: address) == index)
    }

    struct Erasure: Sendable {
        let low: UInt64
        let generation: Int
        let digest: String
        let nodes: Int
    }

    /// The SHA-256 of the file after each erasure, and the number of its nodes.
    private static let erasures = [
        Erasure(
            low: 2, generation: 0,
            digest: "df57a123b468270eae1384fa31678e257b4e3d6a17957f114b3de36787d8a9af",
            nodes: 64),
        Erasure(
            low: 3, generation: 0,
            digest: "6761ddb950afbf980a5a06a6aeec1d12e1eb9f0b3ee285c34800011a82e982bf",
            nodes: 125),
        Erasure(
            low: 2, generation: 1,
            digest: "798efb1f6118ffa753ca288e0374acf2298c62a44e4518ba4edc70ccbbe827fb",
            nodes: 185),
        Erasure(
            low: 4, generation: 0,
            digest: "f691ea7f13e03f4dde730e245bef495b2a55bfa3a310dea690f2f7113498e4cf",
            nodes: 247),
    ]

    @Test("The file after each of several erasures is as the page says")
    func erasure() throws {
        var ring = try #require(PersonKeyRing(fileText: Self.text))
        #expect(
            Array(SHA256.hash(data: Array(ring.fileText.utf8))).hexadecimal
                == "b5ca7e5ecb487237a16fa9d722f5eff62cec90eeace017d403cbd41cbbe63497")
        for erasure in Self.erasures {
            ring.erase(UserID(high: 1, low: erasure.low), generation: erasure.generation)
            #expect(Array(SHA256.hash(data: Array(ring.fileText.utf8))).hexadecimal == erasure.digest)
            #expect(ring.fileText.split(separator: "\n").count == erasure.nodes + 3)
        }
        for person in Self.persons {
            let isErased = Self.erasures.contains { $0.low == person.low && $0.generation == person.generation }
            #expect((ring.wrappingKey(of: person.id, generation: person.generation) == nil) == isErased)
        }
    }
}
