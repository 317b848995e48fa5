import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import Testing

/// Finding the commitments of a record without decoding it.
@Suite struct FoundCommitmentsTests {
    @Test("the commitments are those that decoding finds, in the same order", arguments: 0..<10 as Range<UInt64>)
    func same(seed: UInt64) throws {
        var (bodies, found) = (RandomBody(seed: seed), 0)
        for seq in 0..<100 as Range<UInt64> {
            let bytes = try Samples.encode(bodies.body(), seq: seq).bytes
            let commitments = try RecordEncoding.commitments(in: bytes)
            #expect(commitments == (try RecordEncoding.decode(bytes).commitments))
            found += commitments.count
        }
        #expect(found > 100)
    }

    @Test("altered bytes that can be decoded have the same commitments as decoding finds", arguments: 0..<10 as Range<UInt64>)
    func altered(seed: UInt64) throws {
        var bodies = RandomBody(seed: seed)
        for _ in 0..<200 {
            let mutated = Mutation.mutate(try Samples.encode(bodies.body(), seq: seed).bytes, using: &bodies.random)
            guard let decoded = try? RecordEncoding.decode(mutated) else { continue }
            #expect(try RecordEncoding.commitments(in: mutated) == decoded.commitments)
        }
    }

    @Test("bytes that are no record, or whose end is missing, are rejected")
    func rejected() throws {
        let bytes = try Samples.encode(Samples.outcome(), seq: 3).bytes
        #expect(throws: RecordDecodingError.notARecord) { try RecordEncoding.commitments(in: []) }
        #expect(throws: RecordDecodingError.notARecord) { try RecordEncoding.commitments(in: [0] + bytes) }
        for count in 5..<40 {
            #expect(throws: RecordDecodingError.self) { try RecordEncoding.commitments(in: Array(bytes.prefix(count))) }
        }
    }

    @Test("a commitment in the details is found with the person whose key encrypts it")
    func details() throws {
        var body = Samples.start(details: ["after": .object(["email": .personal("ada@example.org", person: Samples.ada)])])
        body.details["note"] = .personal("at the door", person: nil)
        let found = try RecordEncoding.commitments(in: try Samples.encode(body).bytes)
        #expect(found.map(\.place.field) == ["details.after.email", "details.note"])
        #expect(found.map(\.owner) == [.user(Samples.ada), .day(of: Samples.at)])
        let plain = try Samples.encode(Samples.start(details: ["note": .string("costs 5 $")])).bytes
        #expect(try RecordEncoding.commitments(in: plain) == [])
    }

    /// Each found commitment with the ciphertext of its value.
    private func values(_ body: RecordBody, seq: UInt64) throws -> [(PersonalCommitment, [UInt8])] {
        let encoded = try Samples.encode(body, seq: seq)
        let sealed = Dictionary(uniqueKeysWithValues: encoded.personal.map { ($0.field, $0.ciphertext) })
        return try RecordEncoding.commitments(in: encoded.bytes).map { ($0, try #require(sealed[$0.place.field])) }
    }

    @Test("a found commitment discloses the value that was encrypted, with the salt of its place")
    func disclosed() throws {
        let body = Samples.outcome()
        var found: [String] = []
        for (commitment, ciphertext) in try values(body, seq: 7) {
            let key = try Samples.key(body.log, commitment.owner)
            let disclosed = try commitment.disclosed(ciphertext, under: key)
            #expect(disclosed.salt == commitment.place.salt(under: key))
            #expect(disclosed.value == (try commitment.open(ciphertext, under: key)))
            found.append(disclosed.value)
        }
        #expect(found == ["Ada Lovelace", "203.0.113.7", "Parcel", "Fire drill"])
    }

    @Test("a value that the record does not commit to is not disclosed, although it is encrypted for its place")
    func mismatch() throws {
        var other = Samples.outcome()
        other.actor.name = "Eve Lovelace"
        let (commitment, _) = try #require(try values(Samples.outcome(), seq: 7).first)
        let (_, ciphertext) = try #require(try values(other, seq: 7).first)
        let key = try Samples.key(other.log, commitment.owner)
        #expect(throws: PersonalValueError.commitmentMismatch(field: "actorName")) {
            try commitment.disclosed(ciphertext, under: key)
        }
    }
}
