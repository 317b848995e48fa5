import DoorwardDomain
import DoorwardTesting
import FoundationEssentials
import Testing

@testable import DoorwardAudit

/// The lines of exports, each on its own.
@Suite struct ExportLineTests {
    private let fixture: ExportFixture
    private let line: String

    init() throws {
        fixture = try ExportFixture(seed: 31, count: 8, hidden: 0)
        let lines = try fixture.complete().lines
        // A record with personal values and a proof of several hashes.
        line = try #require(
            lines.dropFirst().map { String(decoding: $0, as: UTF8.self) }.first {
                $0.contains(#""personal":[["#) && $0.contains(#""proof":[""#)
            })
    }

    private func read(_ text: String) -> ExportLine {
        var reader = ExportLine.Reader(log: fixture.log)
        return Array(text.utf8).withUnsafeBufferPointer { reader.line($0) }
    }

    private func problem(_ text: String) -> ExportFault.Problem? {
        if case .fault(let problem, _) = read(text) { problem } else { nil }
    }

    private func replacing(_ old: String, with new: String) throws -> String {
        let range = try #require(line.firstRange(of: old))
        return line.replacingCharacters(range, new)
    }

    @Test("a line of a record gives its number, time, leaf hash and proof")
    func record() throws {
        guard case .record(let seq, let at, let leaf, let proof) = read(line) else {
            Issue.record("not a record")
            return
        }
        let record = fixture.records[Int(seq)]
        #expect(at == (try RecordEncoding.decode(record.bytes).record.body.at.milliseconds))
        #expect(leaf == record.leafHash)
        #expect(!proof.isEmpty)
    }

    @Test("a reader reads one line after the other")
    func several() throws {
        var reader = ExportLine.Reader(log: fixture.log)
        var count = 0
        for line in try fixture.complete().lines.dropFirst() {
            switch line.withUnsafeBufferPointer({ reader.line($0) }) {
            case .record(let seq, _, _, _):
                #expect(seq == UInt64(count))
                count += 1
            case .end(let records): #expect(records == 8)
            case .fault(let problem, let seq): Issue.record("\(problem) in record \(String(describing: seq))")
            }
        }
        #expect(count == 8)
    }

    @Test(
        "the last line has one spelling",
        arguments: [
            ("{\"records\":0}", 0), ("{\"records\":10}", 10), ("{\"records\":9223372036854775807}", UInt64(Int64.max)),
            ("{\"records\":00}", nil), ("{\"records\":01}", nil), ("{\"records\":-1}", nil), ("{\"records\":+1}", nil),
            ("{\"records\": 1}", nil), ("{\"records\":1} ", nil), ("{\"records\":1}}", nil), ("{\"records\":1", nil),
            ("{\"records\":}", nil), ("{\"records\":1.0}", nil), ("{\"records\":9223372036854775808}", nil),
            ("{\"records\":99999999999999999999}", nil),
        ] as [(String, UInt64?)])
    func end(text: String, count: UInt64?) {
        switch read(text) {
        case .end(let found): #expect(found == count)
        case .fault(let problem, _): #expect(count == nil && problem == .malformed)
        case .record: Issue.record("a record")
        }
    }

    @Test(
        "lines that are no lines of an export are malformed",
        arguments: ["", " ", "{}", "null", "{\"seq\":", "{\"seq\":1}", "\u{FEFF}"])
    func malformed(text: String) { #expect(problem(text) == .malformed) }

    @Test("every prefix of a line is rejected, and so is a line with anything behind it")
    func cut() {
        let bytes = Array(line.utf8)
        for length in stride(from: 0, to: bytes.count, by: 13) {
            #expect(problem(String(decoding: bytes[..<length], as: UTF8.self)) != nil)
        }
        #expect(problem(line + " ") == .wrongFields)
        #expect(problem(line + "}") == .wrongFields)
        #expect(problem(line + "\r") == .wrongFields)
    }

    @Test(
        "white space, other members and another order are malformed",
        arguments: [
            ("{\"seq\":", "{ \"seq\":"),
            ("{\"seq\":", "{\"seq\": "),
            ("{\"seq\":", "{\"seq\":0"),
            ("{\"seq\":", "{\"Seq\":"),
            ("{\"seq\":", "{\"note\":1,\"seq\":"),
            (",\"leafHash\":", ", \"leafHash\":"),
            (",\"leafHash\":\"", ",\"leafHash\":\"A"),
            (",\"leafHash\":\"", ",\"leafHash\":null,\"\":\""),
            (",\"proof\":[", ",\"proof\":[ "),
            (",\"proof\":[", ",\"proof\":[null,"),
            (",\"proof\":[", ",\"proof\":[\"AAAA\","),
            (",\"proof\":[", ",\"proof\":[,"),
            (",\"bytes\":\"", ",\"bytes\":\"="),
            (",\"bytes\":\"", ",\"bytes\":\"A"),
            (",\"bytes\":\"", ",\"bytes\":\"\\u0041"),
            (",\"bytes\":\"", ",\"more\":0,\"bytes\":\""),
            (",\"personal\":[", ",\"personal\":[1,"),
            (",\"personal\":[", ",\"personal\":[[],"),
            (",\"personal\":[", ",\"personal\":[[\"Ada\"],"),
            (",\"personal\":[", ",\"personal\":[[\"Ada\",\"AAAA\"],"),
            (",\"personal\":[", ",\"personal\":[ "),
            (",\"record\":", ", \"record\":"),
            (",\"record\":", ",\"Record\":"),
        ])
    func spelling(old: String, new: String) throws { #expect(problem(try replacing(old, with: new)) == .malformed) }

    @Test("values of other records are named as such, with the number that the line states")
    func values() throws {
        let empty = Data(repeating: 0, count: 32).base64EncodedString()
        #expect(problem(try replacing(",\"personal\":[", with: ",\"personal\":[null,")) == .wrongPersonalValue)
        #expect(problem(try replacing(",\"personal\":[", with: ",\"personal\":[[\"Ada\",\"\(empty)\"],")) == .wrongPersonalValue)
        #expect(problem(try replacing(",\"record\":{", with: ",\"record\":{\"more\":1,")) == .wrongFields)
        #expect(problem(try replacing("\"kind\":\"", with: "\"kind\":\"A")) == .wrongFields)
        let number = try #require(line.firstRange(of: "{\"seq\":").map { line[$0.upperBound...].prefix { $0 != "," } })
        let other = try replacing("{\"seq\":\(number),", with: "{\"seq\":77,")
        guard case .fault(let problem, let seq) = read(other) else {
            Issue.record("no fault")
            return
        }
        #expect(problem == .wrongSeq(try #require(UInt64(number))) && seq == 77)
        let hash = try #require(line.firstRange(of: "\"leafHash\":\"").map { line[$0.upperBound...].prefix(44) })
        #expect(self.problem(try replacing(String(hash), with: empty)) == .wrongLeafHash)
    }

    @Test("a proof has at most as many hashes as the highest tree has levels")
    func longProof() throws {
        let hash = "\"" + Data(repeating: 1, count: 32).base64EncodedString() + "\","
        let most = try replacing(",\"proof\":[", with: ",\"proof\":[" + String(repeating: hash, count: 55))
        #expect(problem(most) == nil)
        let more = try replacing(",\"proof\":[", with: ",\"proof\":[" + String(repeating: hash, count: 64))
        #expect(problem(more) == .malformed)
    }
}

extension String {
    fileprivate func replacingCharacters(_ range: Range<Index>, _ new: String) -> String {
        var text = self
        text.replaceSubrange(range, with: new)
        return text
    }
}

@Suite struct CanonicalJSONScannerTests {
    private func scan<Value>(_ text: String, _ body: (inout CanonicalJSONScanner) -> Value) -> (value: Value, isAtEnd: Bool) {
        scan(Array(text.utf8), body)
    }

    private func scan<Value>(_ bytes: [UInt8], _ body: (inout CanonicalJSONScanner) -> Value) -> (value: Value, isAtEnd: Bool) {
        bytes.withUnsafeBufferPointer { bytes in
            var scanner = CanonicalJSONScanner(bytes)
            let value = body(&scanner)
            return (value, scanner.isAtEnd)
        }
    }

    private func hash(_ text: String) -> [UInt8]? { scan(text) { $0.hash()?.bytes }.value }

    private func skips(_ part: StaticString, in text: String) -> (value: Bool, isAtEnd: Bool) { scan(text) { $0.skip(part) } }

    @Test(
        "numbers are whole, without leading zeros, and below 2^63",
        arguments: [
            ("0", 0),
            ("7", 7),
            ("10", 10),
            ("9223372036854775807", UInt64(Int64.max)),
            ("9223372036854775808", nil),
            ("", nil),
            ("00", nil),
            ("01", nil),
            ("-1", nil),
            ("+1", nil),
            ("x", nil),
            ("10000000000000000000", nil),
        ] as [(String, UInt64?)])
    func numbers(text: String, number: UInt64?) {
        let found = scan(text) { $0.number() }
        #expect(found.value == number)
    }

    @Test(
        "strings are those of RFC 8785",
        arguments: [
            (#""""#, ""),
            (#""Ada""#, "Ada"),
            (#""\"\\""#, "\"\\"),
            (#""\n\t\u0001""#, "\n\t\u{1}"),
            (#""Tür 🔑""#, "Tür 🔑"),
            (#""a"#, nil),
            (#"a""#, nil),
            (#""\""#, nil),
            (#""\x""#, nil),
            (#""\u0041""#, nil),
            (#""\/""#, nil),
            (#""\u000a""#, nil),
            (#""\u001F""#, nil),
            ("\"\n\"", nil),
            ("\"\u{1}\"", nil),
            ("", nil),
        ] as [(String, String?)])
    func strings(text: String, value: String?) {
        let found = scan(text) { $0.string() }
        #expect(found.value.map { Array($0.utf8) } == value.map { Array($0.utf8) })
        #expect(found.value == nil || found.isAtEnd)
    }

    @Test("strings that are not UTF-8 are rejected")
    func notUnicode() {
        for bytes in [[0xFF], [0xC3], [0xED, 0xA0, 0x80]] as [[UInt8]] {
            let found = scan([0x22] + bytes + [0x22]) { $0.string() }
            #expect(found.value == nil)
        }
    }

    @Test("a hash has 32 bytes in the one spelling of base64")
    func hashes() {
        let bytes = (0..<32).map { UInt8($0 * 7) }
        let text = Data(bytes).base64EncodedString()
        #expect(hash("\"\(text)\"") == bytes)
        let others = [
            text, "\"\(text)", "\"\(text.dropLast())\"", "\"\(text)=\"", "\"\(Data(bytes.dropLast()).base64EncodedString())\"",
            "\"\(Data(bytes + [0]).base64EncodedString())\"", "\"\"", "null",
        ]
        for other in others { #expect(hash(other) == nil, "\(other)") }
    }

    @Test("a text is skipped only if it is there")
    func skipping() {
        #expect(skips("abc", in: "abc") == (true, true))
        #expect(skips("ab", in: "abc") == (true, false))
        #expect(skips("abcd", in: "abc") == (false, false))
        #expect(skips("b", in: "abc") == (false, false))
        #expect(skips("a", in: "") == (false, true))
    }

    @Test("the offset of a byte is that of its first occurrence", arguments: 0..<40)
    func offsets(length: Int) {
        let bytes = (0..<length).map { UInt8($0 % 7) }
        for byte in 0..<8 as Range<UInt8> {
            let found = bytes.withUnsafeBufferPointer { $0.firstOffset(of: byte) }
            #expect(found == bytes.firstIndex(of: byte))
        }
    }

    @Test("a scanner continues after what it has read, and stays where it is after a failure")
    func sequence() {
        let found = scan(#"[12,"Ada","x"]"#) { scanner -> [String] in
            var found: [String] = []
            if scanner.skip("["), let number = scanner.number() { found.append("\(number)") }
            if !scanner.skip("]"), scanner.skip(","), let text = scanner.string() { found.append(text) }
            if scanner.skip(","), let text = scanner.plainString() { found.append(String(decoding: text, as: UTF8.self)) }
            if scanner.skip("]") { found.append("end") }
            return found
        }
        #expect(found.value == ["12", "Ada", "x", "end"])
        #expect(found.isAtEnd)
    }
}
