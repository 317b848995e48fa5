import DoorwardAudit
import DoorwardDomain
import FoundationEssentials
import Testing

@Suite struct ExportHeaderTests {
    private static let header = ExportHeader(
        log: Samples.portfolioLog, range: 3..<17, checkpoint: "a\n17\nb\n\n— c d\n", publicKey: "c+00000000+AQ==")

    private static let text = String(decoding: header.line.dropLast(), as: UTF8.self)

    @Test("a header is read as it was written")
    func roundTrip() throws {
        for range in [0..<1, 3..<17, 0..<9_007_199_254_740_991, nil] as [Range<UInt64>?] {
            for log in [LogID.gateway, Samples.portfolioLog] {
                let header = ExportHeader(log: log, range: range, checkpoint: "\"\\\u{1}\n", publicKey: "k")
                #expect(header.line.last == 0x0A)
                #expect(ExportHeader(parsing: header.line.dropLast()) == header)
                #expect(header.isComplete == (range != nil))
            }
        }
        #expect(
            Self.text == """
                {"format":"doorward-export/1","complete":true,"logId":"\(Samples.portfolioLog)","from":3,"until":17,\
                "checkpoint":"a\\n17\\nb\\n\\n— c d\\n","publicKey":"c+00000000+AQ=="}
                """)
    }

    @Test(
        "any other spelling is rejected",
        arguments: [
            ("{\"format\"", "{ \"format\""),
            ("doorward-export/1", "doorward-export/2"),
            ("doorward-export/1", "doorward-export\\/1"),
            ("\"complete\":true", "\"complete\":\"true\""),
            ("\"complete\":true", "\"complete\":1"),
            ("\"complete\":true", "\"complete\":false"),
            ("\"complete\":true,", ""),
            ("\"from\":3", "\"from\":03"),
            ("\"from\":3", "\"from\":-3"),
            ("\"from\":3", "\"from\":3.0"),
            ("\"from\":3", "\"from\":17"),
            ("\"from\":3", "\"from\":18"),
            ("\"from\":3,", ""),
            ("\"until\":17", "\"until\":3"),
            ("\"until\":17", "\"until\":99999999999999999"),
            ("\"from\":3,\"until\":17", "\"until\":17,\"from\":3"),
            ("\"checkpoint\":\"a", "\"checkpoint\":\"\\u0061"),
            ("\"checkpoint\":\"a\\n", "\"checkpoint\":\"a\\u000a"),
            ("\"checkpoint\":", "\"note\":\"\",\"checkpoint\":"),
            ("—", "\\u2014"),
            ("AQ==\"}", "AQ==\"} "),
            ("AQ==\"}", "AQ==\"}}"),
            ("AQ==\"}", "AQ==\""),
            ("\"publicKey\"", "\"PublicKey\""),
        ])
    func spelling(old: String, new: String) {
        let changed = Self.text.replacing(old, with: new)
        #expect(changed != Self.text)
        #expect(ExportHeader(parsing: Array(changed.utf8)) == nil)
    }

    @Test("the log has the one spelling of its id")
    func log() {
        let id = Samples.portfolioLog.description
        for other in [id.uppercased(), "", "Gateway", id + " ", String(id.dropLast())] where other != id {
            #expect(ExportHeader(parsing: Array(Self.text.replacing(id, with: other).utf8)) == nil, "\(other)")
        }
        #expect(ExportHeader(parsing: Array(Self.text.replacing(id, with: "gateway").utf8))?.log == .gateway)
    }

    @Test("bytes that are not UTF-8 are no header")
    func notUnicode() {
        let line = Array(Self.text.utf8)
        for index in line.indices where index % 7 == 0 {
            var changed = line
            changed[index] = 0xFF
            #expect(ExportHeader(parsing: changed) == nil)
        }
    }

    @Test("a partial export has no range in its header")
    func partial() {
        let partial = ExportHeader(log: .gateway, range: nil, checkpoint: "c", publicKey: "k")
        let text = String(decoding: partial.line.dropLast(), as: UTF8.self)
        #expect(text == #"{"format":"doorward-export/1","complete":false,"logId":"gateway","checkpoint":"c","publicKey":"k"}"#)
        let ranged = text.replacing(#""checkpoint""#, with: #""from":0,"until":1,"checkpoint""#)
        #expect(ExportHeader(parsing: Array(ranged.utf8)) == nil)
    }
}

@Suite struct ExportVerifierTests {
    @Test("progress is counted, and known before the end for a complete export")
    func progress() async throws {
        let fixture = try ExportFixture(seed: 41, count: 30)
        let export = try fixture.complete(4..<25)
        var verifier = ExportVerifier(origin: fixture.origin, keys: [fixture.signer.verifierKey])
        #expect(verifier.count == 0 && verifier.total == nil)
        let half = export.count / 2
        try await verifier.add(Array(export[..<half]))
        #expect(verifier.total == 21)
        #expect((1..<21).contains(Int(verifier.count)))
        try await verifier.add(Array(export[half...]))
        #expect(verifier.count == 21)
        #expect(try await verifier.finish().count == 21)
        var partial = ExportVerifier(origin: fixture.origin, keys: [fixture.signer.verifierKey])
        try await partial.add(try fixture.partial([1, 2]))
        #expect(partial.count == 2 && partial.total == nil)
    }

    @Test("a file without line breaks is not read into memory without a limit")
    func longLine() async throws {
        let fixture = try ExportFixture(seed: 42, count: 1)
        var verifier = ExportVerifier(origin: fixture.origin, keys: [fixture.signer.verifierKey])
        let block = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        var blocks = 0
        await #expect(throws: ExportFault(line: 1, seq: nil, problem: .malformed)) {
            while blocks < 64 {
                try await verifier.add(block)
                blocks += 1
            }
        }
        #expect(blocks < 8)
    }

    @Test("one of several expected keys has signed the checkpoint, and an unexpected one does not count")
    func keys() async throws {
        let fixture = try ExportFixture(seed: 43, count: 3)
        let other = try NoteSigner(name: ExportFixture.gateway, seed: Array(repeating: 9, count: 32)).verifierKey
        let export = try fixture.complete()
        for keys in [[fixture.signer.verifierKey], [other, fixture.signer.verifierKey], [fixture.signer.verifierKey, other]] {
            var verifier = ExportVerifier(origin: fixture.origin, keys: keys)
            try await verifier.add(export)
            #expect(try await verifier.finish().count == 3)
        }
        var verifier = ExportVerifier(origin: fixture.origin, keys: [other])
        await #expect(throws: ExportFault(line: 1, seq: nil, problem: .otherKey)) { try await verifier.add(export) }
    }

    @Test("an empty partial export has nothing but a checkpoint")
    func empty() async throws {
        let fixture = try ExportFixture(seed: 44, count: 3)
        let verdict = try await fixture.verify(try fixture.partial([]))
        #expect(verdict.count == 0 && verdict.checkpoint.size == 3)
    }

    @Test("a fault is incomplete only if the file ends too early")
    func kinds() {
        let problems: [ExportFault.Problem] = [
            .malformed, .otherKey, .otherLog, .notARecord, .wrongSeq(1), .wrongLeafHash, .wrongPersonalValue, .wrongFields,
            .earlierThanTheOneBefore, .notIncluded, .wrongCount(1), .afterTheEnd, .checkpoint(.malformed),
        ]
        for problem in problems { #expect(!ExportFault(line: 1, problem: problem).isIncomplete) }
        #expect(ExportFault(line: 1, problem: .incomplete).isIncomplete)
    }

    @Test("a record that is earlier than the one before is rejected, although it is in the log")
    func earlier() async throws {
        // A gateway with a defect writes such a log; its exports show it.
        let signer = try NoteSigner(name: ExportFixture.gateway, seed: Array(repeating: 7, count: 32))
        let records = try ([10, 20, 15] as [Int64]).enumerated().map { index, at in
            let encoded = try Samples.encode(Samples.start(at: Timestamp(milliseconds: at)), seq: UInt64(index))
            return DisclosedRecord(
                seq: UInt64(index), bytes: encoded.bytes, leafHash: Digest32(leaf: encoded.bytes), personal: [])
        }
        let leaves = records.map(\.leafHash.bytes)
        let origin = LogOrigin(gateway: ExportFixture.gateway, log: .gateway).description
        let note = try Checkpoint(origin: origin, size: 3, root: NaiveTree.root(leaves[...])).signed(by: signer)
        let header = ExportHeader(
            log: .gateway, range: 0..<3, checkpoint: note.rendered, publicKey: signer.verifierKey.description)
        var writer = ExportWriter(log: .gateway)
        var plan = ExportProof.Plan(size: 3, isComplete: true)
        for record in records {
            let proof = try plan.siblings(of: record.seq).map {
                try #require(Digest32(NaiveTree.root(leaves[Int($0.range.lowerBound)..<Int($0.range.upperBound)])))
            }
            try writer.add(record, proof: proof)
        }
        var verifier = ExportVerifier(origin: origin, keys: [signer.verifierKey])
        let export = header.line + writer.take() + ExportWriter.lastLine(count: 3)
        await #expect(throws: ExportFault(line: 4, seq: 2, problem: .earlierThanTheOneBefore)) { try await verifier.add(export) }
    }
}
