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
}
