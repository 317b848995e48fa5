import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import FoundationEssentials
import Testing

/// Verifies a complete export with all records in memory: it decodes each line with a JSON library, and compares each record with a
/// copy of the log. It needs no proof, so it finds the first wrong record without the code that it is compared with.
private struct NaiveExport {
    private struct Header: Decodable {
        let format: String
        let complete: Bool
        let logId: String
        let from: UInt64
        let until: UInt64
        let checkpoint: String
        let publicKey: String
    }

    private struct Line: Decodable {
        let seq: UInt64
        let leafHash: Data
        let bytes: Data
    }

    private struct End: Decodable { let records: UInt64 }

    let fixture: ExportFixture

    /// The number of the first line that differs from those of the true log; `nil` if there is none.
    func firstWrongLine(_ lines: [[UInt8]]) -> Int? {
        guard let first = lines.first, let header = try? JSONDecoder().decode(Header.self, from: Data(first)) else { return 1 }
        guard header.format == "doorward-export/1", header.complete, header.logId == fixture.log.description,
            header.publicKey == "\(fixture.signer.verifierKey)", header.until <= fixture.records.count
        else { return 1 }
        var expected = header.from
        for (index, text) in lines.enumerated().dropFirst() {
            if let end = try? JSONDecoder().decode(End.self, from: Data(text)) {
                return end.records == expected - header.from && index == lines.count - 1 ? nil : index + 1
            }
            guard let line = try? JSONDecoder().decode(Line.self, from: Data(text)), line.seq == expected, expected < header.until
            else { return index + 1 }
            let record = fixture.records[Int(expected)]
            guard Array(line.bytes) == record.bytes, Array(line.leafHash) == record.leafHash.bytes else { return index + 1 }
            expected += 1
        }
        return lines.count + 1
    }
}

@Suite struct NaiveExportTests {
    /// Exchanges, removes, repeats and forges lines.
    private func damage(
        _ lines: [[UInt8]], _ forged: [[UInt8]], using random: inout SeededGenerator
    ) -> [[UInt8]] {
        var lines = lines
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let index = Int.random(in: 1..<lines.count - 1, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: lines.remove(at: index)
            case 1: lines.insert(lines[index], at: index)
            case 2: lines.swapAt(index, Int.random(in: 1..<lines.count - 1, using: &random))
            default: if index < forged.count { lines[index] = forged[index] }
            }
        }
        return lines
    }

    @Test(
        "the first wrong record is the first that is not in the log, however many are wrong", arguments: 0..<30 as Range<UInt64>)
    func firstWrong(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let fixture = try ExportFixture(seed: seed, count: 12, hidden: 50)
        let forgery = try ExportFixture(seed: seed + 1000, count: 12, hidden: 50)
        let naive = NaiveExport(fixture: fixture)
        let from = UInt64.random(in: 0..<6, using: &random)
        let (lines, forged) = (try fixture.complete(from..<12).lines, try forgery.complete(from..<12).lines)
        #expect(naive.firstWrongLine(lines) == nil)
        for _ in 0..<8 {
            let damaged = damage(lines, forged, using: &random)
            let fault = try await fixture.fault(damaged.joinedLines)
            #expect(fault?.line == naive.firstWrongLine(damaged), "\(String(describing: fault))")
        }
    }

    @Test("a forged history with the same header is wrong from its first record on")
    func forgedHistory() async throws {
        let fixture = try ExportFixture(seed: 61, count: 20)
        let forgery = try ExportFixture(seed: 62, count: 20)
        var lines = try forgery.complete().lines
        lines[0] = try fixture.complete().lines[0]
        let fault = try #require(try await fixture.fault(lines.joinedLines))
        #expect(fault == ExportFault(line: 2, seq: 0, problem: .notIncluded))
        // A forger who has the key signs a checkpoint of the forged history. An older checkpoint shows it.
        let older = Checkpoint(origin: fixture.origin, size: 9, root: NaiveTree.root(fixture.leaves[..<9]))
        let verdict = try await forgery.verify(try forgery.complete(), comparingWith: [older])
        #expect(verdict.comparisons == [.changed])
    }

    @Test("a log that was begun anew is newer than no checkpoint of the old one")
    func begunAnew() async throws {
        let fixture = try ExportFixture(seed: 63, count: 20)
        let anew = try ExportFixture(seed: 64, count: 5)
        let older = Checkpoint(origin: fixture.origin, size: 9, root: NaiveTree.root(fixture.leaves[..<9]))
        let verdict = try await anew.verify(try anew.complete(), comparingWith: [older])
        #expect(verdict.comparisons == [.newer])
    }

    @Test("complete subtrees of any range of a tree cover it, the largest first", arguments: 1...40)
    func subtrees(size: Int) {
        for index in 0..<UInt64(size) {
            for sibling in ExportProof.siblings(of: index, in: 0..<UInt64(size)) {
                let nodes = MerkleProof.subtrees(sibling.range)
                let covered = nodes.flatMap { node -> [UInt64] in
                    let width = UInt64(1) << UInt64(node.level)
                    return Array(node.index * width..<(node.index + 1) * width)
                }
                #expect(covered == Array(sibling.range))
                #expect(zip(nodes, nodes.dropFirst()).allSatisfy { $0.level > $1.level })
            }
        }
    }

    @Test("the root of a subtree is computed from its complete parts")
    func partRoots() {
        let leaves = (0..<23).map { MerkleTree.leafHash([UInt8($0)]) }
        for index in 0..<23 as Range<UInt64> {
            for sibling in ExportProof.siblings(of: index, in: 0..<23) {
                let parts = MerkleProof.subtrees(sibling.range).map { node in
                    NaiveTree.root(leaves[Int(node.index) << node.level..<Int(node.index + 1) << node.level])
                }
                let range = Int(sibling.range.lowerBound)..<Int(sibling.range.upperBound)
                #expect(MerkleProof.root(of: parts) == NaiveTree.root(leaves[range]))
            }
        }
    }
}

/// What spreadsheets and other programs read from a CSV export.
@Suite struct RecordCSVFormTests {
    private func text(
        _ records: [AccessRecord], zone: TimeZoneRules? = nil, separator: Character = ","
    ) -> String {
        var csv = RecordCSV(separator: separator.asciiValue ?? 0)
        for record in records { csv.add(record, zone: zone) }
        return String(decoding: csv.take(), as: UTF8.self)
    }

    @Test("lines end with CR LF, also the last one, and the first one has the names")
    func lines() {
        let text = text([AccessRecord(seq: 0, body: Samples.start()), AccessRecord(seq: 1, body: Samples.outcome())])
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.count == 4 && lines.last == "")
        #expect(lines[0] == "\u{FEFF}" + RecordCSV.columns.joined(separator: ","))
        #expect(lines[1].hasPrefix("gateway,0,"))
        #expect(lines[2].hasPrefix("\(Samples.portfolioLog),1,"))
        #expect(Set(RecordCSV.columns).count == RecordCSV.columns.count)
    }

    @Test(
        "only texts with a comma, a quotation mark or a line break are quoted",
        arguments: [
            ("plain", "plain"),
            ("with space", "with space"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("two\r\nlines", "\"two\r\nlines\""),
            ("semi;colon", "semi;colon"),
            ("=1,2", "\"'=1,2\""),
            ("'quoted'", "'quoted'"),
        ])
    func quoting(value: String, cell: String) {
        var body = Samples.start()
        body.requestID = value
        #expect(text([AccessRecord(seq: 0, body: body)]).contains("," + cell + ","))
    }

    @Test("with semicolons, texts with a semicolon are quoted and those with a comma are not; formulas stay texts")
    func semicolons() {
        for (value, cell) in [("a,b", "a,b"), ("semi;colon", "\"semi;colon\""), ("=1;2", "\"'=1;2\""), ("-1", "'-1")] {
            var body = Samples.start()
            body.requestID = value
            #expect(text([AccessRecord(seq: 0, body: body)], separator: ";").contains(";" + cell + ";"))
        }
        #expect(text([], separator: ";") == "\u{FEFF}" + RecordCSV.columns.joined(separator: ";") + "\r\n")
    }

    @Test("the file begins with the byte order mark of UTF-8, once")
    func mark() {
        var csv = RecordCSV()
        #expect(csv.take().starts(with: [0xEF, 0xBB, 0xBF]))
        csv.add(AccessRecord(seq: 0, body: Samples.start()), zone: nil)
        #expect(!csv.take().contains(0xEF))
    }

    @Test("a record without a property has no local time, and the bytes are taken once")
    func parts() {
        var csv = RecordCSV()
        #expect(csv.byteCount > 0)
        _ = csv.take()
        let nothing = csv.take()
        #expect(csv.byteCount == 0 && nothing.isEmpty)
        csv.add(AccessRecord(seq: 5, body: Samples.start()), zone: nil)
        let line = String(decoding: csv.take(), as: UTF8.self)
        #expect(line.contains("2026-11-21T09:21:00.123Z,,,GATEWAY"))
    }
}
