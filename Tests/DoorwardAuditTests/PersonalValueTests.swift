import Crypto
import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import FoundationEssentials
import Testing

@Suite struct PersonalValueTests {
    private let log = Samples.portfolioLog

    private func keyBytes(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    @Test("salt, commitment and ciphertext follow the formulas of docs/log-format.md")
    func formulas() throws {
        let key = try #require(PersonKey(bytes: keyBytes(7)))
        var body = Samples.start()
        let place = PersonalFieldPath(record: body.id, field: "actorName")
        let tuple = Array("\(body.id)\0actorName".utf8)
        let salt = Array(HMAC<SHA256>.authenticationCode(for: tuple, using: SymmetricKey(data: keyBytes(7))))
        #expect(place.salt(under: key).bytes == salt)

        let input = Array("doorward/pii/1\0actorName\0".utf8) + salt + Array("Ada".utf8)
        let commitment = Array(SHA256.hash(data: input))
        #expect(place.commitment(to: "Ada", salt: try #require(Digest32(salt))).bytes == commitment)

        body.actor.name = "Ada"
        let encoded = try RecordDraft(body).encoded(seq: 258) { _ in key }
        let sealed = try #require(encoded.personal.first)
        #expect(sealed.field == "actorName")
        #expect(Array(sealed.ciphertext[..<12]) == Array(commitment[..<12]))
        let sealing = HMAC<SHA256>.authenticationCode(for: Array("doorward/seal/1".utf8), using: SymmetricKey(data: keyBytes(7)))
        let opened = try AES.GCM.open(
            try AES.GCM.SealedBox(combined: sealed.ciphertext), using: SymmetricKey(data: sealing), authenticating: tuple)
        #expect(Array(opened) == Array("Ada".utf8))
    }

    @Test("the actor's own values are encrypted under the actor's key, other values under their person's or the day's key")
    func owners() throws {
        var body = Samples.outcome()
        body.details = [
            "a": .personal("x", person: Samples.bob), "b": .array([.null, .personal("y", person: nil)]),
            "c.d": .object(["e[0]\\": .personal("z", person: Samples.ada), "\0": .personal("w", person: nil)]),
        ]
        let owners = try Samples.encode(body).personal.map { "\($0.field) \(Samples.text(of: $0.owner))" }
        let (ada, bob, day) = ("user/\(Samples.ada)", "user/\(Samples.bob)", "day/2026-11-21")
        #expect(
            owners == [
                "actorName \(ada)", "clientAddress \(ada)", "statedReason \(ada)", "override.reason \(ada)",
                "details.a \(bob)", "details.b[1] \(day)", #"details.c\.d.\0 \#(day)"#, #"details.c\.d.e\[0]\\ \#(ada)"#,
            ])
        body.actor.userID = nil
        #expect(try Samples.encode(body).personal.prefix(4).allSatisfy { $0.owner == .day("2026-11-21") })
    }

    @Test(
        "the day of a key is the day of the instant in UTC",
        arguments: [
            (0, "1970-01-01"), (-1, "1969-12-31"), (86_399_999, "1970-01-01"), (86_400_000, "1970-01-02"),
            (951_782_400_000, "2000-02-29"), (-62_135_596_800_000, "0001-01-01"),
        ] as [(Int64, String)])
    func days(milliseconds: Int64, day: String) {
        #expect(PersonKeyOwner.day(of: Timestamp(milliseconds: milliseconds)) == .day(day))
    }

    @Test("details with similar paths have different field names")
    func fieldNames() throws {
        let details: [String: RecordValue] = [
            "a.b": .personal("1", person: nil), "a": .object(["b": .personal("2", person: nil)]),
            "a[0]": .personal("3", person: nil), "x": .array([.personal("4", person: nil)]),
            "x[0]": .personal("5", person: nil), "": .object(["": .personal("6", person: nil)]), ".": .personal("7", person: nil),
            "a\\": .object(["b": .personal("8", person: nil)]), "a\\.b": .personal("9", person: nil),
            "n\0": .personal("10", person: nil), "n\\0": .personal("11", person: nil),
        ]
        let fields = try Samples.encode(Samples.start(details: details)).personal.map(\.field)
        #expect(fields.count == 11)
        #expect(Set(fields).count == 11)
        #expect(!fields.contains { $0.utf8.contains(0) })
    }

    @Test("without its key a value is withheld, and the rest of the record can be read")
    func withheld() throws {
        var body = Samples.outcome()
        body.details = ["name": .personal("Bob", person: Samples.bob), "note": .string("plain")]
        let encoded = try Samples.encode(body, seq: 3)
        let sealed = Dictionary(uniqueKeysWithValues: encoded.personal.map { ($0.field, $0.ciphertext) })
        let decoded = try RecordEncoding.decode(encoded.bytes) { commitment in
            guard commitment.owner == .user(Samples.bob) else { return nil }
            return try sealed[commitment.place.field].map { try commitment.open($0, under: Samples.key(log, commitment.owner)) }
        }
        #expect(decoded.withheld == ["actorName", "clientAddress", "statedReason", "override.reason"])
        #expect(
            decoded.record.body.actor == RecordActor(kind: .user, id: Samples.ada.description, name: nil, userID: Samples.ada))
        #expect(decoded.record.body.details == body.details)

        let nothing = try RecordEncoding.decode(encoded.bytes)
        #expect(nothing.withheld.count == 5)
        #expect(nothing.record.body.details == ["name": .withheld, "note": .string("plain")])
        #expect(nothing.commitments == decoded.commitments)
    }

    @Test("a value can be decrypted only with its own key, at its own place and unaltered")
    func opening() throws {
        let key = try Samples.key(log, .user(Samples.ada))
        let encoded = try Samples.encode(Samples.outcome(), seq: 9)
        let commitment = try #require(try RecordEncoding.decode(encoded.bytes).commitments.first)
        let sealed = encoded.personal[0].ciphertext
        #expect(try commitment.open(sealed, under: key) == "Ada Lovelace")
        #expect(commitment.holds(for: "Ada Lovelace", salt: commitment.place.salt(under: key)))
        #expect(!commitment.holds(for: "Ada lovelace", salt: commitment.place.salt(under: key)))

        let closed = PersonalValueError.doesNotOpen(field: "actorName")
        let other = try Samples.key(log, .user(Samples.bob))
        #expect(throws: closed) { try commitment.open(sealed, under: other) }
        #expect(throws: closed) { try commitment.open(encoded.personal[1].ciphertext, under: key) }
        for place in [
            PersonalFieldPath(record: commitment.place.record, field: "clientAddress"),
            PersonalFieldPath(record: Samples.id(77), field: "actorName"),
        ] {
            let moved = PersonalCommitment(place: place, owner: commitment.owner, commitment: commitment.commitment)
            #expect(throws: PersonalValueError.doesNotOpen(field: place.field)) { try moved.open(sealed, under: key) }
        }
        for position in sealed.indices {
            var altered = sealed
            altered[position] ^= 1
            #expect(throws: closed) { try commitment.open(altered, under: key) }
        }
        for count in 0..<sealed.count { #expect(throws: closed) { try commitment.open(Array(sealed[..<count]), under: key) } }
    }

    @Test("a decrypted value that does not match its commitment is rejected")
    func mismatch() throws {
        let key = try Samples.key(log, .user(Samples.ada))
        let encoded = try Samples.encode(Samples.outcome(), seq: 9)
        let first = try #require(try RecordEncoding.decode(encoded.bytes).commitments.first)
        let wrong = PersonalCommitment(place: first.place, owner: first.owner, commitment: Digest32(leaf: []))
        #expect(throws: PersonalValueError.commitmentMismatch(field: "actorName")) {
            try wrong.open(encoded.personal[0].ciphertext, under: key)
        }
    }

    @Test("no nonce is used twice under one key, even if another value is written at the same place")
    func nonces() throws {
        let key = try #require(PersonKey(bytes: keyBytes(1)))
        var (nonces, sealedOnce) = (Set<[UInt8]>(), Set<[UInt8]>())
        var count = 0
        for seq in 0..<40 as Range<UInt64> {
            for attempt in 0..<10 {
                var body = Samples.outcome(id: 1000 + seq)
                (body.actor.name, body.statedReason) = ("Ada \(attempt)", "reason \(attempt)")
                body.clientAddress = nil
                body.override = nil
                body.details = [
                    "n": .array([.personal("Ada \(attempt)", person: nil), .personal("Ada \(attempt)", person: nil)])
                ]
                for value in try RecordDraft(body).encoded(seq: seq, key: { _ in key }).personal {
                    nonces.insert(Array(value.ciphertext[..<12]))
                    sealedOnce.insert(value.ciphertext)
                    count += 1
                }
            }
        }
        #expect(count == 1600)
        #expect(nonces.count == count)
        #expect(sealedOnce.count == count)
    }

    @Test("encoding the same value at the same place again gives the same bytes")
    func deterministic() throws {
        #expect(try Samples.encode(Samples.outcome(), seq: 4) == Samples.encode(Samples.outcome(), seq: 4))
    }

    @Test("equal values have different commitments")
    func unlinkable() throws {
        var body = Samples.outcome()
        (body.actor.name, body.statedReason) = ("same", "same")
        let one = try RecordEncoding.decode(try Samples.encode(body, seq: 1).bytes).commitments.map(\.commitment)
        body.id = Samples.id(17)
        let two = try RecordEncoding.decode(try Samples.encode(body, seq: 2).bytes).commitments.map(\.commitment)
        #expect(Set(one + two).count == 8)
    }

    @Test("a person key has 32 bytes, comes from the given generator, and is masked when printed")
    func keys() throws {
        #expect(PersonKey(bytes: keyBytes(1).dropLast()) == nil)
        #expect(PersonKey(bytes: keyBytes(1) + [1]) == nil)
        var first = SeededGenerator(seed: 1)
        var second = SeededGenerator(seed: 1)
        let key = PersonKey(using: &first)
        #expect(key.revealBytes() == PersonKey(using: &second).revealBytes())
        #expect(key.revealBytes() != PersonKey(using: &first).revealBytes())
        #expect(Set(key.revealBytes()).count > 20)
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped, "\([key])"] {
            #expect(text.contains("•"))
            #expect(!text.contains(String(key.revealBytes()[0])) || !text.contains(String(key.revealBytes()[1])))
        }
    }
}
