import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import Testing

/// Erasure of a person by destroying their key: which values are lost, and which are kept.
@Suite struct ErasureTests {
    private static let eve: UserID = Samples.id(4)
    private let log = Samples.portfolioLog

    /// A record with values of three users and one unknown person.
    private var body: RecordBody {
        var body = Samples.outcome()
        body.details = [
            "before": .object(["name": .personal("Bob", person: Samples.bob), "note": .string("plain")]),
            "after": .array([.personal("Eve", person: Self.eve), .personal("Plumber", person: nil), .integer(3)]),
        ]
        return body
    }

    /// All values with their field and the owner of their key.
    private static let values: [(field: String, owner: PersonKeyOwner, value: String)] = [
        ("actorName", .user(Samples.ada), "Ada Lovelace"), ("clientAddress", .user(Samples.ada), "203.0.113.7"),
        ("statedReason", .user(Samples.ada), "Parcel"), ("override.reason", .user(Samples.ada), "Fire drill"),
        ("details.after[0]", .user(eve), "Eve"), ("details.after[1]", .day("2026-11-21"), "Plumber"),
        ("details.before.name", .user(Samples.bob), "Bob"),
    ]

    private static let owners: [PersonKeyOwner] = [.user(Samples.ada), .user(Samples.bob), .user(eve), .day("2026-11-21")]

    /// Reads the record with the keys of all owners except the erased ones.
    private func read(_ encoded: EncodedRecord, without erased: Set<PersonKeyOwner>) throws -> DecodedRecord {
        let sealed = Dictionary(uniqueKeysWithValues: encoded.personal.map { ($0.field, $0.ciphertext) })
        return try RecordEncoding.decode(encoded.bytes) { commitment in
            guard !erased.contains(commitment.owner) else { return nil }
            return try sealed[commitment.place.field].map { try commitment.open($0, under: Samples.key(log, commitment.owner)) }
        }
    }

    @Test("erasing owners removes exactly their values, and keeps all others", arguments: 0..<16)
    func subsets(mask: Int) throws {
        let erased = Set(Self.owners.indices.filter { mask & (1 << $0) != 0 }.map { Self.owners[$0] })
        let encoded = try Samples.encode(body, seq: 7)
        let decoded = try read(encoded, without: erased)
        #expect(Set(decoded.withheld) == Set(Self.values.filter { erased.contains($0.owner) }.map(\.field)))

        func kept(_ field: String) -> String? {
            Self.values.first { $0.field == field && !erased.contains($0.owner) }?.value
        }
        func kept(_ field: String, _ person: UserID?) -> RecordValue {
            kept(field).map { .personal($0, person: person) } ?? .withheld
        }
        var expected = body
        (expected.actor.name, expected.clientAddress) = (kept("actorName"), kept("clientAddress"))
        (expected.statedReason, expected.override) = (kept("statedReason"), kept("override.reason"))
        expected.details = [
            "before": .object(["name": kept("details.before.name", Samples.bob), "note": .string("plain")]),
            "after": .array([kept("details.after[0]", Self.eve), kept("details.after[1]", nil), .integer(3)]),
        ]
        #expect(decoded.record == AccessRecord(seq: 7, body: expected))
    }

    @Test("an erasure changes no byte of the log, which is checked as before")
    func logStays() throws {
        var frontier = MerkleFrontier()
        let records = try (0..<5 as Range<UInt64>).map { seq in
            let encoded = try Samples.encode(body, seq: seq)
            frontier.append(leafHash: encoded.leafHash)
            return encoded
        }
        let stored = records.map { (bytes: $0.bytes, leafHash: $0.leafHash) }
        #expect(LogCheck.firstFault(in: stored, of: log, storedFrontier: frontier.bytes) == nil)
        for record in records {
            let before = try read(record, without: [])
            let after = try read(record, without: Set(Self.owners))
            #expect(after.commitments == before.commitments)
            #expect(after.withheld == before.commitments.map(\.place.field))
            #expect(after.record.body.actor.id == before.record.body.actor.id, "the pseudonym is kept")
            #expect(after.record.body.actor.userID == before.record.body.actor.userID)
        }
    }

    @Test("a record contains only commitments to personal values; the values are encrypted under their owners' keys")
    func nowhereInClear() throws {
        let encoded = try Samples.encode(body, seq: 7)
        #expect(encoded.personal.map(\.field) == Self.values.map(\.field))
        #expect(encoded.personal.map(\.owner) == Self.values.map(\.owner))
        for (_, _, value) in Self.values {
            #expect(encoded.bytes.firstRange(of: Array(value.utf8)) == nil, "\(value) is in the record in clear text")
            for sealed in encoded.personal { #expect(sealed.ciphertext.firstRange(of: Array(value.utf8)) == nil) }
        }
    }

    @Test("without the key, even the right value cannot be confirmed as a guess")
    func guessing() throws {
        let encoded = try Samples.encode(body, seq: 7)
        let commitment = try #require(try RecordEncoding.decode(encoded.bytes).commitments.first)
        let key = try Samples.key(log, commitment.owner)
        #expect(commitment.holds(for: "Ada Lovelace", salt: commitment.place.salt(under: key)))
        for byte in 0...255 as ClosedRange<UInt8> {
            let other = try #require(PersonKey(bytes: [UInt8](repeating: byte, count: 32)))
            #expect(!commitment.holds(for: "Ada Lovelace", salt: commitment.place.salt(under: other)))
        }
        for salt in [try #require(Digest32([UInt8](repeating: 0, count: 32))), commitment.commitment] {
            #expect(!commitment.holds(for: "Ada Lovelace", salt: salt))
        }
    }

    @Test("a person's key for one log decrypts none of their values in another log")
    func otherLog() throws {
        var elsewhere = body
        elsewhere.log = .portfolio(Samples.id(99))
        let (here, there) = (try Samples.encode(body, seq: 7), try Samples.encode(elsewhere, seq: 7))
        for (mine, theirs) in zip(here.personal, there.personal) {
            #expect(mine.field == theirs.field)
            #expect(mine.ciphertext != theirs.ciphertext)
            let place = PersonalFieldPath(record: elsewhere.id, field: mine.field)
            let found = try #require(RecordEncoding.decode(there.bytes).commitments.first { $0.place == place })
            let foreign = try Samples.key(log, mine.owner)
            #expect(throws: PersonalValueError.doesNotOpen(field: mine.field)) {
                try found.open(theirs.ciphertext, under: foreign)
            }
        }
    }

    @Test("one value has a different salt, commitment and nonce for every log, record, field and owner")
    func separation() throws {
        var seen: [String: Set<[UInt8]>] = [:]
        var count = 0
        for log in [LogID.gateway, Samples.portfolioLog, .portfolio(Samples.id(99))] {
            for record in [0, 1, 255, 256, 65_535] as [UInt64] {
                for field in ["actorName", "clientAddress", "details.a", "details.a[0]", "details.a.0"] {
                    for owner in Self.owners {
                        let (place, key) = (
                            PersonalFieldPath(record: Samples.id(record), field: field), try Samples.key(log, owner)
                        )
                        let salt = place.salt(under: key)
                        let commitment = place.commitment(to: "the same", salt: salt)
                        seen["salt", default: []].insert(salt.bytes)
                        seen["commitment", default: []].insert(commitment.bytes)
                        seen["nonce", default: []].insert(Array(commitment.bytes.prefix(12)))
                        count += 1
                    }
                }
            }
        }
        for (what, values) in seen { #expect(values.count == count, "a \(what) occurs twice") }
        #expect(seen.count == 3)
    }

    @Test("moving characters between field and value changes the commitment")
    func boundaries() {
        let place = { PersonalFieldPath(record: Samples.id(1), field: $0) }
        let salt = Digest32(leaf: [0x41])
        let commitments = [
            place("ab").commitment(to: "c", salt: salt), place("a").commitment(to: "bc", salt: salt),
            place("a").commitment(to: "c", salt: salt), place("ab").commitment(to: "", salt: salt),
            place("").commitment(to: "abc", salt: salt), place("abc").commitment(to: "", salt: salt),
        ]
        #expect(Set(commitments).count == commitments.count)
    }
}
