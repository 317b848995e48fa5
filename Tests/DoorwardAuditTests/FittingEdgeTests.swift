import DoorwardAudit
import DoorwardDomain
import Testing

/// Exactly where a record that is too large is cut.
@Suite struct FittingEdgeTests {
    private func fitted(_ details: [String: RecordValue]) throws -> RecordBody {
        let body = Samples.start(details: details)
        let encoded = try RecordEncoding.encodeFitting(body, seq: 0) { try Samples.key(.gateway, $0) }
        #expect(encoded.bytes.count <= 65_535)
        return try Samples.decode(encoded, log: .gateway).record.body
    }

    /// Fills a record, so that something has to be cut.
    private let filler = RecordValue.string(String(repeating: "f", count: 65_000))

    @Test("a text of 4,096 bytes stays whole, one more byte costs four", arguments: [4095, 4096, 4097, 5000])
    func limit(count: Int) throws {
        let text = String(repeating: "t", count: count)
        let found = try fitted(["filler": filler, "text": .string(text)]).details["text"]
        let expected = count <= 4096 ? text : String(repeating: "t", count: 4093) + "…"
        #expect(found == .string(expected))
    }

    @Test("no character is cut in two, wherever the cut falls", arguments: 0..<4, ["é", "€", "\u{1F511}"])
    func characters(offset: Int, character: String) throws {
        let text = String(repeating: "t", count: 4090 + offset) + String(repeating: character, count: 20)
        guard case .string(let found) = try fitted(["filler": filler, "text": .string(text)]).details["text"] else {
            Issue.record("the text is gone")
            return
        }
        #expect(found.hasSuffix("…"))
        let kept = found.dropLast()
        #expect(text.utf8.starts(with: kept.utf8))
        // As much as there is room for: one character more would be too long.
        #expect(found.utf8.count <= 4096)
        #expect(found.utf8.count + character.utf8.count > 4096)
        #expect(
            kept.utf8.count == 4090 + offset + (kept.utf8.count - 4090 - offset) / character.utf8.count * character.utf8.count)
    }

    @Test("what says who, when, where and what happened is never cut", arguments: [70_000, 200_000])
    func untouched(count: Int) throws {
        var body = Samples.outcome()
        body.details = ["k": .array([.string(String(repeating: "x", count: count)), .null])]
        let encoded = try RecordEncoding.encodeFitting(body, seq: 3) { try Samples.key(Samples.portfolioLog, $0) }
        var found = try Samples.decode(encoded, log: Samples.portfolioLog).record.body
        #expect(found.details["shortened"] == .bool(true))
        found.details = body.details
        #expect(found == body)
    }

    @Test("an ordinary member called shortened gives way to the mark")
    func marker() throws {
        let found = try fitted(["filler": filler, "more": filler, "shortened": .string("by hand")])
        #expect(found.details["shortened"] == .bool(true))
        let whole = Samples.start(details: ["shortened": .string("by hand")])
        let encoded = try RecordEncoding.encodeFitting(whole, seq: 0) { try Samples.key(.gateway, $0) }
        #expect(try RecordEncoding.decode(encoded.bytes).record.body == whole, "where nothing is cut, nothing is marked")
    }

    @Test("numbers beyond the border become their digits, and those at it stay", arguments: [1, -1] as [Int64])
    func numbers(sign: Int64) throws {
        let border = sign * 9_007_199_254_740_991
        let found = try fitted([
            "at": .integer(border), "beyond": .array([.integer(border + sign)]), "last": .integer(sign > 0 ? .max : .min),
        ])
        #expect(found.details["at"] == .integer(border))
        #expect(found.details["beyond"] == .array([.string(String(border + sign))]))
        #expect(found.details["last"] == .string(String(sign > 0 ? Int64.max : .min)))
    }

    @Test("what is nested too deep is cut off at the 33rd container, and nothing above it", arguments: [30, 31, 32, 40])
    func depth(containers: Int) throws {
        let value = (0..<containers).reduce(RecordValue.integer(7)) { inner, _ in .array([inner]) }
        // A body that has an encoding is not touched at all.
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

    @Test("personal values are not cut: however long, they are 32 bytes in the record")
    func personal() throws {
        var body = Samples.outcome()
        let long = String(repeating: "x", count: 100_000)
        (body.actor.name, body.statedReason) = (long, long)
        body.details = ["p": .personal(long, person: Samples.bob)]
        let encoded = try RecordEncoding.encodeFitting(body, seq: 3) { try Samples.key(Samples.portfolioLog, $0) }
        #expect(encoded.bytes.count < 1200)
        #expect(try Samples.decode(encoded, log: Samples.portfolioLog).record.body == body)
    }

    @Test("of many members as many stay as there is room for, the small ones first")
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
        // Room for one more of those that went there was not.
        var more = found
        if let next = details.filter({ found[$0.key] == nil }).min(by: { size(($0.key, $0.value)) < size(($1.key, $1.value)) }) {
            more[next.key] = next.value
        }
        more["shortened"] = .bool(true)
        #expect(throws: RecordEncodingError.tooLarge) { try Samples.encode(Samples.start(details: more)) }
    }
}
