import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import FoundationEssentials
import Testing

@Suite struct ExportTests {
    @Test("complete exports of all ranges of small logs are whole", arguments: 1...9)
    func ranges(size: Int) async throws {
        let fixture = try ExportFixture(seed: 1, count: size)
        for from in 0..<UInt64(size) {
            for until in from + 1...UInt64(size) {
                let export = try fixture.complete(from..<until)
                let verdict = try await fixture.verify(export)
                #expect(verdict.count == until - from)
                #expect(verdict.header.range == from..<until)
                #expect(verdict.checkpoint.size == UInt64(size))
            }
        }
    }

    @Test("complete exports have one hash for each record on average, and begin with a proof of inclusion")
    func proofs() throws {
        for size in [1, 2, 3, 64, 100, 255] {
            let leaves = (0..<size).map { MerkleTree.leafHash([UInt8($0)]) }
            var (plan, count) = (ExportProof.Plan(size: UInt64(size), isComplete: true), 0)
            for seq in 0..<UInt64(size) {
                let siblings = plan.siblings(of: seq)
                count += siblings.count
                let hashes = siblings.map { NaiveTree.root(leaves[Int($0.range.lowerBound)..<Int($0.range.upperBound)]) }
                if seq == 0 { #expect(hashes == NaiveTree.path(0, leaves[...])) }
            }
            #expect(count == size - 1)
            var partial = ExportProof.Plan(size: UInt64(size), isComplete: false)
            for seq in 0..<size {
                let hashes = partial.siblings(of: UInt64(seq)).map {
                    NaiveTree.root(leaves[Int($0.range.lowerBound)..<Int($0.range.upperBound)])
                }
                #expect(hashes == NaiveTree.path(seq, leaves[...]))
            }
        }
    }

    @Test("a partial export of any records is genuine, and does not claim to be complete", arguments: 0..<20 as Range<UInt64>)
    func partial(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let fixture = try ExportFixture(seed: seed, count: Int.random(in: 1...40, using: &random))
        let seqs = fixture.records.map(\.seq).filter { _ in Bool.random(using: &random) }
        let verdict = try await fixture.verify(try fixture.partial(seqs))
        #expect(verdict.count == UInt64(seqs.count))
        #expect(!verdict.header.isComplete)
    }

    @Test("the result does not depend on the blocks in which a file is read, or on the number of cores")
    func blocks() async throws {
        let fixture = try ExportFixture(seed: 3, count: 100)
        var export = try fixture.complete()
        for (block, width) in [(1 << 20, 1), (1, 1), (777, 2), (1 << 17, 3), (1 << 20, 8)] {
            let verdict = try await fixture.verify(export, block: block, width: width)
            #expect(verdict.count == 100)
        }
        export[export.count / 2] ^= 1
        let expected = try #require(try await fixture.fault(export))
        for (block, width) in [(1000, 1), (1 << 17, 3), (1 << 20, 8)] {
            await #expect(throws: expected) { try await fixture.verify(export, block: block, width: width) }
        }
    }

    @Test("the fields of each line are those of the record, with the values that the reader may see")
    func fields() throws {
        let fixture = try ExportFixture(seed: 4, count: 40, hidden: 30)
        let lines = try fixture.complete().lines.dropFirst().dropLast()
        for (line, record) in zip(lines, fixture.records) {
            let decoded = try RecordEncoding.decode(record.bytes) { commitment in
                let index = try RecordEncoding.decode(record.bytes).commitments.firstIndex(of: commitment)
                return index.flatMap { record.personal[$0]?.value }
            }
            let json = try JSONDecoder().decode(Line.self, from: Data(line))
            let body = decoded.record.body
            #expect(json.seq == record.seq)
            #expect(json.leafHash == Data(record.leafHash.bytes))
            #expect(json.bytes == Data(record.bytes))
            #expect(json.record.logId == body.log.description)
            #expect(json.record.at == body.at.description)
            #expect(json.record.actorName == body.actor.name)
            #expect(json.record.override?.reason == body.override)
            #expect((json.record.override == nil) == !record.hasOverride)
            #expect(json.record.latencyMs == body.latencyMs)
            #expect(json.record.rule?.role == body.rule?.role.rawValue)
            #expect(json.record.rule?.id == body.rule?.id)
            #expect(json.record.outcomeDetail == body.outcomeDetail)
        }
    }

    private struct Line: Decodable {
        let seq: UInt64
        let leafHash: Data
        let bytes: Data
        let record: Fields
    }

    private struct Fields: Decodable {
        let logId: String
        let at: String
        let actorName: String?
        let override: Override?
        let latencyMs: Int64?
        let rule: RuleFields?
        let outcomeDetail: String?
    }

    private struct Override: Decodable { let reason: String? }

    private struct RuleFields: Decodable {
        let id: String?
        let role: String
    }

    @Test("a stored record that is damaged is not exported")
    func damaged() throws {
        let fixture = try ExportFixture(seed: 5, count: 3)
        let other = fixture.records[1]
        var writer = ExportWriter(log: fixture.log)
        let moved = DisclosedRecord(seq: 0, bytes: other.bytes, leafHash: other.leafHash, personal: other.personal)
        #expect(throws: ExportFault.Problem.wrongSeq(1)) { try writer.add(moved, proof: []) }
        let cut = DisclosedRecord(
            seq: 1, bytes: Array(other.bytes.dropLast()), leafHash: other.leafHash, personal: other.personal)
        #expect(throws: ExportFault.Problem.self) { try writer.add(cut, proof: []) }
        let foreign = try ExportFixture(seed: 5, count: 1, log: .gateway).records[0]
        #expect(throws: ExportFault.Problem.otherLog) { try writer.add(foreign, proof: []) }
    }
}

extension DisclosedRecord {
    fileprivate var hasOverride: Bool {
        ((try? RecordEncoding.decode(bytes).commitments) ?? []).contains { $0.place.field == "override.reason" }
    }
}
