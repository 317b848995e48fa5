import DoorwardAudit
import DoorwardDomain
import Testing

/// The exact limits at which a record that is too large is truncated.
@Suite struct FittingEdgeTests {
    private func fitted(_ details: [String: RecordValue]) throws -> RecordBody {
        let body = Samples.start(details: details)
        let encoded = try RecordDraft(fitting: body).encoded(seq: 0) { try Samples.key(.gateway, $0) }
        #expect(encoded.bytes.count <= 65_535)
        return try Samples.decode(encoded, log: .gateway).record.body
    }

    /// Fills a record, so that something must be truncated.
    private let filler = RecordValue.string(String(repeating: "f", count: 65_000))

    @Test(
        "a text of 4,096 bytes is kept, and a longer one is truncated to 4,096 bytes with an ellipsis",
        arguments: [4095, 4096, 4097, 5000])
    func limit(count: Int) throws {
        let text = String(repeating: "t", count: count)
        let found = try fitted(["filler": filler, "text": .string(text)]).details["text"]
        let expected = count <= 4096 ? text : String(repeating: "t", count: 4093) + "…"
        #expect(found == .string(expected))
    }

    @Test("truncation never splits a character", arguments: 0..<4, ["é", "€", "\u{1F511}"])
    func characters(offset: Int, character: String) throws {
        let text = String(repeating: "t", count: 4090 + offset) + String(repeating: character, count: 20)
        guard case .string(let found) = try fitted(["filler": filler, "text": .string(text)]).details["text"] else {
            Issue.record("the text is missing")
            return
        }
        #expect(found.hasSuffix("…"))
        let kept = found.dropLast()
        #expect(text.utf8.starts(with: kept.utf8))
        // The text is as long as possible: with one more character it would exceed the limit.
        #expect(found.utf8.count <= 4096)
        #expect(found.utf8.count + character.utf8.count > 4096)
        #expect(
            kept.utf8.count == 4090 + offset + (kept.utf8.count - 4090 - offset) / character.utf8.count * character.utf8.count)
    }

    @Test("if truncating the details is enough, all other fields are kept", arguments: [70_000, 200_000])
    func untouched(count: Int) throws {
        var body = Samples.outcome()
        body.details = ["k": .array([.string(String(repeating: "x", count: count)), .null])]
        let encoded = try RecordDraft(fitting: body).encoded(seq: 3) { try Samples.key(Samples.portfolioLog, $0) }
        var found = try Samples.decode(encoded, log: Samples.portfolioLog).record.body
        #expect(found.details["shortened"] == .bool(true))
        found.details = body.details
        #expect(found == body)
    }

    @Test("if a record is truncated, the mark `shortened` replaces an ordinary member of that name")
    func marker() throws {
        let found = try fitted(["filler": filler, "more": filler, "shortened": .string("by hand")])
        #expect(found.details["shortened"] == .bool(true))
        let whole = Samples.start(details: ["shortened": .string("by hand")])
        let encoded = try RecordDraft(fitting: whole).encoded(seq: 0) { try Samples.key(.gateway, $0) }
        #expect(try RecordEncoding.decode(encoded.bytes).record.body == whole, "nothing was truncated, so there is no mark")
    }

    @Test(
        "integers beyond ±(2^53 − 1) become strings of their digits, and those at the limits are kept",
        arguments: [1, -1] as [Int64])
    func numbers(sign: Int64) throws {
        let border = sign * 9_007_199_254_740_991
        let found = try fitted([
            "at": .integer(border), "beyond": .array([.integer(border + sign)]), "last": .integer(sign > 0 ? .max : .min),
        ])
        #expect(found.details["at"] == .integer(border))
        #expect(found.details["beyond"] == .array([.string(String(border + sign))]))
        #expect(found.details["last"] == .string(String(sign > 0 ? Int64.max : .min)))
    }

    @Test(
        "the 33rd nested container is replaced by an ellipsis, and the containers around it are kept",
        arguments: [30, 31, 32, 40])
    func depth(containers: Int) throws {
        let value = (0..<containers).reduce(RecordValue.integer(7)) { inner, _ in .array([inner]) }
        // A body that can be encoded is not changed.
        var found = try #require(try fitted(["k": value]).details["k"])
        for _ in 0..<min(containers, 31) {
            guard case .array(let elements) = found, elements.count == 1 else {
                Issue.record("cut too early: \(found)")
                return
            }
            found = elements[0]
        }
        #expect(found == (containers <= 31 ? .integer(7) : .string("…")))
    }

    @Test("personal values are never truncated, because they are commitments of 32 bytes in the record")
    func personal() throws {
        var body = Samples.outcome()
        let long = String(repeating: "x", count: 100_000)
        (body.actor.name, body.statedReason) = (long, long)
        body.details = ["p": .personal(long, person: Samples.bob)]
        let encoded = try RecordDraft(fitting: body).encoded(seq: 3) { try Samples.key(Samples.portfolioLog, $0) }
        #expect(encoded.bytes.count < 1200)
        #expect(try Samples.decode(encoded, log: Samples.portfolioLog).record.body == body)
    }

    @Test("of many members as many are kept as fit, the smallest first")
    func smallest() throws {
        var details: [String: RecordValue] = [:]
        for number in 0..<3000 { details["key \(number)"] = .string(String(repeating: "v", count: number % 60)) }
        let found = try fitted(details).details.filter { $0.key != "shortened" }
        #expect(!found.isEmpty && found.count < 3000)
        func size(_ entry: (key: String, value: RecordValue)) -> Int {
            guard case .string(let text) = entry.value else { return 0 }
            return text.utf8.count + entry.key.utf8.count
        }
        let largest = found.map { size(($0.key, $0.value)) }.max() ?? 0
        let lost = details.filter { found[$0.key] == nil }.map { size(($0.key, $0.value)) }.min() ?? 0
        #expect(largest <= lost)
        // The record has no room for the next smallest member.
        var more = found
        if let next = details.filter({ found[$0.key] == nil }).min(by: { size(($0.key, $0.value)) < size(($1.key, $1.value)) }) {
            more[next.key] = next.value
        }
        more["shortened"] = .bool(true)
        #expect(throws: RecordEncodingError.tooLarge) { try Samples.encode(Samples.start(details: more)) }
    }
}
