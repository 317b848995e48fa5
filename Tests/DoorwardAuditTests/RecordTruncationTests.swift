import DoorwardAudit
import DoorwardDomain
import Testing

@Suite struct RecordTruncationTests {
    private func fitted(_ body: RecordBody) throws -> RecordBody {
        let encoded = try RecordDraft(fitting: body).encoded(seq: 0) { try Samples.key(body.log, $0) }
        #expect(encoded.bytes.count <= RecordEncoding.maxByteCount)
        return try Samples.decode(encoded, log: body.log).record.body
    }

    @Test("a record that can be encoded is not truncated")
    func untouched() throws {
        let body = Samples.start(details: ["text": .string(String(repeating: "x", count: 60_000))])
        #expect(try fitted(body) == body)
    }

    @Test("a long text is truncated and the record is marked as shortened; short texts are kept")
    func longText() throws {
        let long = String(repeating: "é", count: 40_000)
        let body = Samples.start(details: ["long": .string(long), "short": .string("kept"), "n": .integer(1)])
        let details = try fitted(body).details
        #expect(details["short"] == .string("kept"))
        #expect(details["n"] == .integer(1))
        #expect(details["shortened"] == .bool(true))
        guard case .string(let cut)? = details["long"] else {
            Issue.record("the text is missing")
            return
        }
        #expect(cut.hasSuffix("é…"))
        // The text has 4,095 bytes, because with 4,096 bytes it would end inside a character.
        #expect(cut.utf8.count == 4095)
        #expect(cut.utf8.count <= 4096 && long.hasPrefix(cut.dropLast()))
    }

    @Test("texts are truncated no more than necessary", arguments: [(20, 3000, 1024), (100, 2000, 256), (400, 300, 64)])
    func limits(count: Int, length: Int, limit: Int) throws {
        let text = RecordValue.string(String(repeating: "x", count: length))
        let body = Samples.start(details: ["list": .array(Array(repeating: text, count: count)), "pad": filling(count * length)])
        guard case .array(let texts)? = try fitted(body).details["list"] else {
            Issue.record("the list is missing")
            return
        }
        #expect(texts == Array(repeating: .string(String(repeating: "x", count: limit - 3) + "…"), count: count))
    }

    /// Returns a list of integers, which cannot be truncated. With this list and a list of `size`
    /// bytes, a record is just too large.
    private func filling(_ size: Int) -> RecordValue {
        .array(Array(repeating: .integer(1234), count: max(0, 64_000 - min(size, 36_000)) / 5))
    }

    @Test("long texts outside the details are truncated too")
    func otherFields() throws {
        let long = String(repeating: "y", count: 30_000)
        var body = Samples.outcome()
        body.actor.id = long
        body.requestID = long
        body.device?.deviceName = long
        body.outcomeDetail = long
        body.target = RecordTarget(type: long, id: long)
        let result = try fitted(body)
        let cut = String(repeating: "y", count: 4093) + "…"
        #expect([result.actor.id, result.requestID, result.device?.deviceName, result.outcomeDetail] == [cut, cut, cut, cut])
        #expect(result.target == RecordTarget(type: cut, id: cut))
        #expect(result.commandID == body.commandID)
        // Personal values are not stored in the record, so they are kept whole.
        #expect(result.statedReason == body.statedReason)
    }

    @Test("details without a long text lose their largest members and keep the others")
    func manyMembers() throws {
        var details: [String: RecordValue] = ["counterpart": .object(["logId": .string("gateway"), "seq": .integer(7)])]
        details["huge"] = .array(Array(repeating: .integer(123_456), count: 20_000))
        for index in 0..<3000 { details["k\(index)"] = .string("some value of this key") }
        let result = try fitted(Samples.start(details: details)).details
        #expect(result["huge"] == nil)
        #expect(result["counterpart"] == nil || result["counterpart"] == details["counterpart"])
        #expect(result["shortened"] == .bool(true))
        #expect(result.count > 1000)
        for (key, value) in result where key != "shortened" { #expect(details[key] == value) }
    }

    @Test("values that cannot be encoded are replaced, and the others are kept")
    func replaced() throws {
        let deep = (0..<40).reduce(RecordValue.integer(1)) { inner, _ in .array([inner]) }
        let result = try fitted(
            Samples.start(details: [
                "big": .integer(.max), "withheld": .object(["a": .withheld]), "deep": deep, "ok": .integer(5),
            ]))
        #expect(result.details["big"] == .string("9223372036854775807"))
        #expect(result.details["withheld"] == .object(["a": .null]))
        #expect(result.details["ok"] == .integer(5))
        let folded = (0..<31).reduce(RecordValue.string("…")) { inner, _ in .array([inner]) }
        #expect(result.details["deep"] == folded)
    }

    @Test("every record can be written, whatever it contains", arguments: 0..<10 as Range<UInt64>)
    func never(seed: UInt64) throws {
        var bodies = RandomBody(seed: seed)
        for _ in 0..<5 {
            var body = bodies.body()
            for _ in 0..<12 {
                let text = String(repeating: bodies.text() + "x", count: Int.random(in: 0...9000, using: &bodies.random))
                body.details[bodies.text()] = .object([bodies.text(): .string(text), text: .integer(.max)])
            }
            body.outcomeDetail = String(repeating: "z", count: 70_000)
            let result = try fitted(body)
            #expect(result.details["shortened"] == .bool(true))
            #expect((result.id, result.kind, result.actor.kind) == (body.id, body.kind, body.actor.kind))
        }
    }

    @Test("an error of the key provider is rethrown instead of omitting the values")
    func keyError() {
        struct NoKey: Error {}
        #expect(throws: NoKey.self) { try RecordDraft(fitting: Samples.outcome()).encoded(seq: 0) { _ in throw NoKey() } }
    }
}
