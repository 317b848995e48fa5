import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import FoundationEssentials
import Testing

@Suite struct ExportFaultTests {
    private let fixture: ExportFixture
    private let lines: [[UInt8]]

    init() throws {
        fixture = try ExportFixture(seed: 11, count: 20)
        lines = try fixture.complete().lines
    }

    private func fault(_ change: (inout [[UInt8]]) throws -> Void) async throws -> ExportFault? {
        var lines = lines
        try change(&lines)
        return try await fixture.fault(lines.joinedLines)
    }

    @Test("a missing, doubled or moved record is named")
    func positions() async throws {
        #expect(try await fault { $0.remove(at: 5) } == ExportFault(line: 6, seq: 4, problem: .wrongSeq(5)))
        #expect(try await fault { $0.insert($0[5], at: 6) } == ExportFault(line: 7, seq: 5, problem: .wrongSeq(4)))
        #expect(try await fault { $0.swapAt(3, 9) } == ExportFault(line: 4, seq: 2, problem: .wrongSeq(8)))
    }

    @Test("a record that was replaced together with its hash and its fields is named")
    func replaced() async throws {
        // The forger has all that the gateway has but the signing key, and writes the line of another record with the same number.
        for seq in 0..<20 as Range<UInt64> {
            var bodies = RandomBody(seed: 99 + seq)
            var body = bodies.body()
            body.log = fixture.log
            body.at = try RecordEncoding.decode(fixture.records[Int(seq)].bytes).record.body.at
            let encoded = try RecordDraft(fitting: body).encoded(seq: seq) { try Samples.key(body.log, $0) }
            let count = try RecordEncoding.decode(encoded.bytes).commitments.count
            let forged = DisclosedRecord(
                seq: seq, bytes: encoded.bytes, leafHash: Digest32(leaf: encoded.bytes),
                personal: Array(repeating: nil, count: count))
            var writer = ExportWriter(log: fixture.log)
            let proof = try JSONDecoder().decode(Proof.self, from: Data(lines[Int(seq) + 1])).proof
            try writer.add(forged, proof: try proof.map { try #require(Digest32(Array($0))) })
            let fault = try await fault { $0[Int(seq) + 1] = writer.take().dropLast() }
            #expect(fault == ExportFault(line: Int(seq) + 2, seq: seq, problem: .notIncluded))
        }
    }

    private struct Proof: Decodable { let proof: [Data] }

    @Test("a changed field, value, salt or hash beside an unchanged record is named")
    func besides() async throws {
        let index = try #require(lines.firstIndex { $0.contains("\"actorName\":\"") })
        let seq = UInt64(index - 1)
        #expect(
            try await fault { try $0[index].replace("\"actorName\":\"", with: "\"actorName\":\"Eve ") }
                == ExportFault(line: index + 1, seq: seq, problem: .wrongFields))
        #expect(
            try await fault { try $0[index].replace("\"personal\":[[\"", with: "\"personal\":[[\"Eve ") }
                == ExportFault(line: index + 1, seq: seq, problem: .wrongPersonalValue))
        #expect(
            try await fault { try $0[3].replace("\"kind\":\"", with: "\"kind\":\"X") }
                == ExportFault(line: 4, seq: 2, problem: .wrongFields))
        #expect(
            try await fault { $0[3] = $0[3].replacingHash($0[4]) } == ExportFault(line: 4, seq: 2, problem: .wrongLeafHash))
    }

    @Test("a file that ends too early is incomplete, at any byte")
    func cut() async throws {
        let export = lines.joinedLines
        for length in stride(from: 0, to: export.count, by: 211) {
            let fault = try #require(try await fixture.fault(Array(export[..<length])))
            #expect(fault.isIncomplete, "\(length): \(fault)")
            #expect(fault.line == export[..<length].count { $0 == 0x0A } + 1)
        }
        #expect(try await fixture.fault(Array(export.dropLast()))?.isIncomplete == true)
    }

    @Test("records that are missing at the end are noticed, also with another end or header")
    func tail() async throws {
        let shorter = try await fault { $0.removeSubrange(15...20) }
        #expect(shorter == ExportFault(line: 16, seq: nil, problem: .wrongCount(20)))
        let counted = try await fault {
            $0.removeSubrange(15...20)
            $0[15] = Array("{\"records\":14}".utf8)
        }
        #expect(counted?.isIncomplete == true)
        // A shorter range is a complete export of that range, and says so.
        let verdict = try await fixture.verify(try fixture.complete(0..<14))
        #expect(verdict.header.range == 0..<14 && verdict.checkpoint.size == 20)
        #expect(try await fault { $0.append(Array("{\"records\":20}".utf8)) }?.problem == .afterTheEnd)
        #expect(try await fixture.fault(lines.joinedLines + [0x20])?.problem == .afterTheEnd)
    }

    @Test("the header is one of the expected log and key, with a valid checkpoint")
    func header() async throws {
        let other = try ExportFixture(seed: 11, count: 20, log: .gateway)
        #expect(try await fixture.fault(try other.complete())?.problem == .checkpoint(.otherOrigin(other.origin)))
        let forger = try NoteSigner(name: ExportFixture.gateway, seed: Array(repeating: 8, count: 32))
        let root = Checkpoint(origin: fixture.origin, size: 20, root: NaiveTree.root(fixture.leaves[...]))
        func header(_ note: String, _ key: VerifierKey, _ range: Range<UInt64>? = 0..<20, log: LogID? = nil) -> [UInt8] {
            ExportHeader(log: log ?? fixture.log, range: range, checkpoint: note, publicKey: "\(key)").line.dropLast()
        }
        let (own, forged) = (try root.signed(by: fixture.signer).rendered, try root.signed(by: forger).rendered)
        #expect(try await fault { $0[0] = header(own, forger.verifierKey) }?.problem == .otherKey)
        #expect(
            try await fault { $0[0] = header(forged, fixture.signer.verifierKey) }?.problem
                == .checkpoint(.notSigned(by: ExportFixture.gateway)))
        #expect(try await fault { $0[0] = header("", fixture.signer.verifierKey) }?.problem == .checkpoint(.malformed))
        #expect(try await fault { $0[0] = header(own, fixture.signer.verifierKey, log: .gateway) }?.problem == .otherLog)
        #expect(try await fault { $0[0] = header(own, fixture.signer.verifierKey, 0..<21) }?.problem == .malformed)
        #expect(try await fault { $0[0] = header(own, fixture.signer.verifierKey, 1..<20) }?.line == 2)
        // Without the range the export is partial, and its records need whole proofs.
        let partial = try await fault { $0[0] = header(own, fixture.signer.verifierKey, nil) }
        #expect(partial == ExportFault(line: 3, seq: 1, problem: .notIncluded))
        #expect(try await fault { $0.remove(at: 0) } == ExportFault(line: 1, seq: nil, problem: .malformed))
        #expect(try await fixture.fault([]) == ExportFault(line: 1, seq: nil, problem: .incomplete))
    }

    @Test("in a partial export the numbers rise, and each record is the one of the log")
    func partial() async throws {
        let lines = try fixture.partial([2, 5, 6, 11]).lines
        var swapped = lines
        swapped.swapAt(2, 3)
        #expect(try await fixture.fault(swapped.joinedLines) == ExportFault(line: 4, seq: 5, problem: .wrongSeq(5)))
        var removed = lines
        removed.remove(at: 2)
        #expect(try await fixture.fault(removed.joinedLines) == ExportFault(line: 5, seq: nil, problem: .wrongCount(4)))
        let other = try ExportFixture(seed: 12, count: 20).partial([2, 5, 6, 11]).lines
        var foreign = lines
        foreign[3] = other[3]
        #expect(try await fixture.fault(foreign.joinedLines) == ExportFault(line: 4, seq: 6, problem: .notIncluded))
    }

    // MARK: - Other checkpoints

    private func checkpoint(_ size: Int, of other: ExportFixture? = nil) throws -> Checkpoint {
        let leaves = (other ?? fixture).leaves
        return Checkpoint(origin: fixture.origin, size: UInt64(size), root: NaiveTree.root(leaves[..<size]))
    }

    @Test("older checkpoints are compared with the records of the export", arguments: [0..<20, 0..<1, 7..<13, 19..<20, 8..<16])
    func comparisons(range: Range<Int>) async throws {
        let export = try fixture.complete(UInt64(range.lowerBound)..<UInt64(range.upperBound))
        let forked = try ExportFixture(seed: 12, count: 20)
        for size in 1...20 {
            let isComparable = (range.lowerBound...range.upperBound).contains(size) || size == 20
            let verdict = try await fixture.verify(
                export, comparingWith: [try checkpoint(size), try checkpoint(size, of: forked)])
            #expect(
                verdict.comparisons == (isComparable ? [.consistent, .changed] : [.notComparable, .notComparable]), "\(size)")
        }
    }

    @Test("an export that is older than a checkpoint shows it")
    func older() async throws {
        let verdict = try await fixture.verify(try fixture.complete(size: 12), comparingWith: [try checkpoint(13)])
        #expect(verdict.comparisons == [.newer])
        let partial = try await fixture.verify(
            try fixture.partial([4]), comparingWith: [try checkpoint(20), try checkpoint(5), try checkpoint(20)])
        #expect(partial.comparisons == [.consistent, .notComparable, .consistent])
    }
}

extension [UInt8] {
    func contains(_ text: String) -> Bool { firstRange(of: Array(text.utf8)) != nil }

    mutating func replace(_ text: String, with new: String) throws {
        let range = try #require(firstRange(of: Array(text.utf8)))
        replaceSubrange(range, with: Array(new.utf8))
    }

    /// The line with the leaf hash of another line.
    fileprivate func replacingHash(_ other: [UInt8]) -> [UInt8] {
        func hash(_ line: [UInt8]) -> Range<Int> {
            let start = line.firstRange(of: Array("\"leafHash\":\"".utf8))?.upperBound ?? 0
            return start..<start + 44
        }
        var line = self
        line.replaceSubrange(hash(line), with: other[hash(other)])
        return line
    }
}
