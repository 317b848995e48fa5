import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import Testing

/// Random logs with random damage, all of which must be detected.
@Suite struct LogDamageTests {
    private typealias Stored = (bytes: [UInt8], leafHash: [UInt8])

    /// Returns a valid log with records of all shapes.
    private func log(_ bodies: inout RandomBody, count: UInt64) throws -> (records: [Stored], frontier: MerkleFrontier) {
        var frontier = MerkleFrontier()
        var at: Int64 = 0
        let records = try (0..<count).map { seq in
            var body = bodies.body()
            at += Int64.random(in: 0...3, using: &bodies.random)
            (body.log, body.at) = (.gateway, Timestamp(milliseconds: at))
            let encoded = try Samples.encode(body, seq: seq)
            frontier.append(leafHash: encoded.leafHash)
            return Stored(encoded.bytes, encoded.leafHash)
        }
        return (records, frontier)
    }

    private func fault(_ records: [Stored], _ frontier: MerkleFrontier) -> LogFault? {
        LogCheck.firstFault(in: records, of: .gateway, storedFrontier: frontier.bytes)
    }

    @Test("a damaged record is detected, even if its leaf hash was changed to match", arguments: 0..<10 as Range<UInt64>)
    func records(seed: UInt64) throws {
        var bodies = RandomBody(seed: seed)
        let (records, frontier) = try log(&bodies, count: 12)
        #expect(fault(records, frontier) == nil)
        for _ in 0..<20 {
            let index = Int.random(in: records.indices, using: &bodies.random)
            var damaged = records
            damaged[index].bytes = Mutation.mutate(records[index].bytes, using: &bodies.random)
            guard damaged[index].bytes != records[index].bytes else { continue }
            let plain = try #require(fault(damaged, frontier))
            #expect(plain.position == UInt64(index))
            damaged[index].leafHash = MerkleTree.leafHash(damaged[index].bytes)
            #expect(fault(damaged, frontier) != nil)
        }
    }

    @Test("records in another order are reported at the first wrong position", arguments: 0..<10 as Range<UInt64>)
    func order(seed: UInt64) throws {
        var bodies = RandomBody(seed: seed)
        let (records, frontier) = try log(&bodies, count: 9)
        let order = Array(records.indices).shuffled(using: &bodies.random)
        guard let first = order.indices.first(where: { order[$0] != $0 }) else { return }
        let found = try #require(fault(order.map { records[$0] }, frontier))
        #expect(found == LogFault(position: UInt64(first), problem: .wrongSeq(UInt64(order[first]))))
    }

    @Test("any flipped bit in a frontier is detected")
    func frontier() throws {
        var bodies = RandomBody(seed: 1)
        let (records, frontier) = try log(&bodies, count: 5)
        for position in frontier.bytes.indices {
            var turned = frontier.bytes
            turned[position] ^= 1 << UInt8(position % 8)
            #expect(LogCheck.firstFault(in: records, of: .gateway, storedFrontier: turned) != nil)
        }
    }

    @Test("a value encrypted for one record cannot be decrypted in another record of the same person")
    func exchanged() throws {
        let one = try Samples.encode(Samples.outcome(), seq: 1)
        let two = try Samples.encode(Samples.outcome(id: 17), seq: 2)
        let key = try Samples.key(Samples.portfolioLog, .user(Samples.ada))
        for (commitment, other) in zip(try RecordEncoding.decode(one.bytes).commitments, two.personal) {
            #expect(commitment.place.field == other.field)
            #expect(throws: PersonalValueError.doesNotOpen(field: other.field)) {
                try commitment.open(other.ciphertext, under: key)
            }
        }
    }
}
