import BenchmarkSupport
import Crypto
import DoorwardAudit
import DoorwardDomain
import Foundation

/// Measures writing and verifying an export: `benchmark-audit [records] [rounds]`.
@main
struct AuditBenchmarks {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let (count, rounds) = (arguments.first ?? 200_000, arguments.dropFirst().first ?? 5)
        Machine().report()
        let log = try SampleLog(count: count)
        let export = try log.export()
        let (one, cores) = (1, ProcessInfo.processInfo.activeProcessorCount)
        var (rates, processor) = ([String: [Double]](), [String: [Double]]())
        for _ in 0..<rounds {
            let verifications = Set([one, cores]).map { ("verify \($0)", $0) }
            for (name, width) in [("hash", 0), ("write", 0), ("encode", 0), ("tree", 0)] + verifications {
                let (start, used) = (Stopwatch.now(), processorTime())
                switch name {
                case "hash": _ = SHA256.hash(data: export)
                case "write": _ = try log.export()
                case "encode": try log.encode()
                case "tree": log.grow()
                default: try await log.verify(export, width: width)
                }
                rates[name, default: []].append(Double(count) / (Double(Stopwatch.now() - start) / 1e9))
                processor[name, default: []].append(Double(count) / (Double(processorTime() - used) / 1e9))
            }
        }
        func report(_ name: String, _ figure: String, goal: Double? = nil) {
            let (rate, cpu) = (rates[name, default: []].sorted()[rounds / 2], processor[name, default: []].sorted()[rounds / 2])
            Figure("audit", figure, rate, "records/s", goal: goal, cpu: cpu).report()
        }
        Figure("audit", "size of an exported record", Double(export.count) / Double(count), "bytes").report()
        report("hash", "SHA-256 of the export, the baseline")
        report("write", "export, formatting alone", goal: 100_000)
        report("encode", "encoding of a record with its commitments, sealed values and leaf hash")
        report("tree", "leaf hash and tree of a record")
        let tree = zip(processor["encode"] ?? [], processor["tree"] ?? []).map { $0 / $1 }
        Figure("audit", "the tree, relative to the encoding of the record", tree.sorted()[rounds / 2], "ratio").report()
        for width in Set([one, cores]).sorted() {
            let figure = width == 1 ? "verification, one core" : "verification, \(width) cores"
            report("verify \(width)", figure, goal: width == cores ? 300_000 : nil)
            let ratios = zip(processor["verify \(width)"] ?? [], processor["hash"] ?? []).map { $0 / $1 }
            let name = "\(figure), relative to SHA-256 of the same bytes, by processor time"
            Figure("audit", name, ratios.sorted()[rounds / 2], "ratio").report()
        }
    }
}

/// A log of commands of many people, as a gateway writes it.
struct SampleLog {
    private static let origin = "doors.example/logs/\(log)"
    private static let log = LogID.portfolio(PortfolioID(high: 0x019A_B3C0_0000_7000, low: 0x8000_0000_0000_0001))

    private let signer: NoteSigner
    private let keys: [PersonKey]
    private var records: [DisclosedRecord] = []
    private var levels: [[[UInt8]]] = []

    init(count: Int) throws {
        signer = try NoteSigner(name: "doors.example", seed: Array(repeating: 1, count: 32))
        var random = SystemRandomNumberGenerator()
        keys = (0..<100).map { _ in PersonKey(using: &random) }
        records.reserveCapacity(count)
        for index in 0..<count {
            let body = Self.body(index)
            let key = keys[index % keys.count]
            let encoded = try RecordDraft(body).encoded(seq: UInt64(index)) { _ in key }
            var personal: [DisclosedValue?] = []
            for (commitment, sealed) in zip(try RecordEncoding.decode(encoded.bytes).commitments, encoded.personal) {
                personal.append(try commitment.disclosed(sealed.ciphertext[...], under: key))
            }
            records.append(
                DisclosedRecord(
                    seq: UInt64(index), bytes: encoded.bytes, leafHash: Digest32(leaf: encoded.bytes), personal: personal))
        }
        levels = [records.map(\.leafHash.bytes)]
        while let last = levels.last, last.count > 1 {
            levels.append(
                stride(from: 0, to: last.count - 1, by: 2).map { MerkleTree.nodeHash(last[$0], last[$0 + 1]) })
        }
    }

    /// Encodes each record as the writer of a log does, with its commitments, sealed values and leaf hash.
    func encode() throws {
        for index in records.indices {
            _ = try RecordDraft(Self.body(index)).encoded(seq: UInt64(index)) { _ in keys[index % keys.count] }
        }
    }

    /// Computes what the tree of the log adds to each record: the hash of the leaf, and the frontier.
    func grow() {
        var frontier = MerkleFrontier()
        for record in records { frontier.append(leafHash: MerkleTree.leafHash(record.bytes)) }
    }

    private static func body(_ index: Int) -> RecordBody {
        let isOutcome = index % 2 == 1
        func id<Entity>(_ number: Int) -> EntityID<Entity> {
            EntityID(high: 0x019A_B3C0_0000_7000, low: 0x8000_0000_0000_0000 + UInt64(number))
        }
        let user: UserID = id(index % 100)
        return RecordBody(
            log: log, id: id(1_000_000 + index), at: Timestamp(milliseconds: 1_795_252_860_123 + Int64(index)),
            kind: isOutcome ? .commandOutcome : .commandIntent,
            actor: RecordActor(kind: .user, id: user.description, name: "Ada Lovelace", userID: user), source: .api,
            operation: .unlock, decision: isOutcome ? nil : .allowed, rule: isOutcome ? nil : .association(id(7), .tenant),
            clientAddress: "203.0.113.7", requestID: "0123456789abcdef",
            device: DeviceSnapshot(
                deviceID: id(index % 500), deviceName: "Front door", unitID: id(3), propertyID: id(4), portfolioID: id(1)),
            commandID: id(2_000_000 + index / 2), outcome: isOutcome ? .confirmed : nil,
            stateBefore: isOutcome ? .locked : nil, stateAfter: isOutcome ? .unlocked : nil, latencyMs: isOutcome ? 312 : nil)
    }

    private func hash(_ range: Range<UInt64>) -> [UInt8] {
        MerkleProof.root(of: MerkleProof.subtrees(range).map { levels[$0.level][Int($0.index)] })
    }

    func export() throws -> [UInt8] {
        let size = UInt64(records.count)
        let note = try Checkpoint(origin: Self.origin, size: size, root: hash(0..<size)).signed(by: signer)
        let header = ExportHeader(
            log: Self.log, range: 0..<size, checkpoint: note.rendered, publicKey: signer.verifierKey.description)
        var writer = ExportWriter(log: Self.log)
        var plan = ExportProof.Plan(size: size, isComplete: true)
        var export = header.line
        for record in records {
            try writer.add(record, proof: plan.siblings(of: record.seq).compactMap { Digest32(hash($0.range)) })
            if record.seq % 64 == 63 { export += writer.take() }
        }
        return export + writer.take() + ExportWriter.lastLine(count: size)
    }

    func verify(_ export: [UInt8], width: Int) async throws {
        var verifier = ExportVerifier(origin: Self.origin, keys: [signer.verifierKey], width: width)
        for start in stride(from: 0, to: export.count, by: 4 << 20) {
            try await verifier.add(Array(export[start..<min(export.count, start + 4 << 20)]))
        }
        _ = try await verifier.finish()
    }
}
