import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import FoundationEssentials

/// A log with random records, and exports of it as the gateway writes them.
struct ExportFixture {
    static let gateway = "doors.example"
    let log: LogID
    let signer: NoteSigner
    private(set) var records: [DisclosedRecord] = []

    var origin: String { LogOrigin(gateway: Self.gateway, log: log).description }
    var leaves: [[UInt8]] { records.map(\.leafHash.bytes) }

    /// - Parameter hidden: the share of personal values that are erased, in percent.
    init(seed: UInt64, count: Int, log: LogID = Samples.portfolioLog, hidden: Int = 20) throws {
        self.log = log
        signer = try NoteSigner(name: Self.gateway, seed: Array(repeating: 7, count: 32))
        var bodies = RandomBody(seed: seed)
        var at: Int64 = 1_700_000_000_000
        for seq in 0..<UInt64(count) {
            var body = bodies.body()
            at += Int64.random(in: 0...3, using: &bodies.random)
            (body.log, body.at) = (log, Timestamp(milliseconds: at))
            records.append(try Self.disclosed(body, seq: seq, hidden: hidden, using: &bodies.random))
        }
    }

    private static func disclosed(
        _ body: RecordBody, seq: UInt64, hidden: Int, using random: inout SeededGenerator
    ) throws -> DisclosedRecord {
        let encoded = try RecordDraft(fitting: body).encoded(seq: seq) { try Samples.key(body.log, $0) }
        let sealed = Dictionary(uniqueKeysWithValues: encoded.personal.map { ($0.field, $0.ciphertext) })
        var personal: [DisclosedValue?] = []
        for commitment in try RecordEncoding.decode(encoded.bytes).commitments {
            let isHidden = Int.random(in: 0..<100, using: &random) < hidden
            let ciphertext = isHidden ? nil : sealed[commitment.place.field]
            personal.append(try ciphertext.map { try commitment.disclosed($0, under: Samples.key(body.log, commitment.owner)) })
        }
        return DisclosedRecord(seq: seq, bytes: encoded.bytes, leafHash: Digest32(leaf: encoded.bytes), personal: personal)
    }

    func checkpoint(size: Int? = nil, origin: String? = nil) throws -> SignedNote {
        let size = size ?? records.count
        let root = MerkleTree.root(ofLeafHashes: Array(leaves[..<size]))
        return try Checkpoint(origin: origin ?? self.origin, size: UInt64(size), root: root).signed(by: signer)
    }

    /// A complete export of a range.
    func complete(_ range: Range<UInt64>? = nil, size: Int? = nil) throws -> [UInt8] {
        let size = size ?? records.count
        let range = range ?? 0..<UInt64(size)
        return try export(range.map { $0 }, range: range, size: size)
    }

    /// A partial export of some records.
    func partial(_ seqs: [UInt64]) throws -> [UInt8] { try export(seqs, range: nil, size: records.count) }

    private func export(_ seqs: [UInt64], range: Range<UInt64>?, size: Int) throws -> [UInt8] {
        let header = ExportHeader(
            log: log, range: range, checkpoint: try checkpoint(size: size).rendered, publicKey: signer.verifierKey.description)
        var writer = ExportWriter(log: log)
        var plan = ExportProof.Plan(size: UInt64(size), isComplete: range != nil)
        for seq in seqs {
            let proof = plan.siblings(of: seq).compactMap { sibling in
                Digest32(NaiveTree.root(leaves[Int(sibling.range.lowerBound)..<Int(sibling.range.upperBound)]))
            }
            try writer.add(records[Int(seq)], proof: proof)
        }
        return header.line + writer.take() + ExportWriter.lastLine(count: UInt64(seqs.count))
    }

    /// Verifies an export, in blocks of some length.
    func verify(
        _ export: [UInt8], comparingWith others: [Checkpoint] = [], block: Int = 1 << 20, width: Int = 1
    ) async throws -> ExportVerifier.Verdict {
        var verifier = ExportVerifier(origin: origin, keys: [signer.verifierKey], comparingWith: others, width: width)
        for start in stride(from: 0, to: export.count, by: block) {
            try await verifier.add(Array(export[start..<min(export.count, start + block)]))
        }
        return try await verifier.finish()
    }

    /// The first fault of an export; `nil` if there is none.
    func fault(_ export: [UInt8], block: Int = 1 << 20, width: Int = 1) async throws -> ExportFault? {
        do {
            _ = try await verify(export, block: block, width: width)
            return nil
        } catch let fault as ExportFault {
            return fault
        }
    }
}

extension [UInt8] {
    /// The lines of an export without their line breaks.
    var lines: [[UInt8]] { split(separator: 0x0A).map { Array($0) } }
}

extension [[UInt8]] {
    var joinedLines: [UInt8] { flatMap { $0 + [0x0A] } }
}
