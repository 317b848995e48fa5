import DoorwardAudit
import DoorwardDomain
import Foundation
import Testing

/// The log accepts only one JSON encoding of each value.
@Suite struct SpellingTests {
    /// Returns a record with exactly these bytes as details.
    private func record(_ json: String) -> [UInt8] { FieldList().with(35, json).bytes }

    /// Returns the spellings of `details` that are accepted.
    private func accepted(_ spellings: [String]) -> [String] {
        spellings.filter { (try? RecordEncoding.decode(record($0))) != nil }
    }

    private func written(_ details: [String: RecordValue]) throws -> String {
        String(
            decoding: try #require(FieldList(splitting: Samples.encode(Samples.start(details: details)).bytes)[35]), as: UTF8.self
        )
    }

    @Test(
        "each character is accepted only in the encoder's spelling",
        arguments: Array(0...0x7F) + [0x80, 0xE9, 0x2028] as [UInt32])
    func characters(code: UInt32) throws {
        let character = String(try #require(Unicode.Scalar(code)))
        let digits = String(code, radix: 16)
        let padded = String(repeating: "0", count: 4 - digits.count) + digits
        let escapes = [
            "\\b", "\\t", "\\n", "\\f", "\\r", "\\\"", "\\\\", "\\/", "\\u\(padded)", "\\u\(padded.uppercased())", "\\U\(padded)",
        ]
        let spellings = Set(([character] + escapes).map { "{\"k\":\"\($0)\"}" })
        // Keep the spellings that mean this character, and those that are not JSON at all.
        let mine = spellings.filter { text in
            guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String] else { return true }
            return object["k"] == character
        }
        #expect(accepted(Array(mine)) == [try written(["k": .string(character)])])
        let keys = Set(([character] + escapes).map { "{\"\($0)\":1}" }).filter { text in
            guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Int] else { return true }
            return object.keys.first == character
        }
        // An ordinary key `$` is written as `$$`.
        #expect(accepted(Array(keys)) == (character == "$" ? [] : [try written([character: .integer(1)])]))
    }

    @Test(
        "each integer is accepted only in the encoder's spelling",
        arguments: [0, 1, -1, 9, 10, -10, 100, 4096, 9_007_199_254_740_991, -9_007_199_254_740_991] as [Int64])
    func numbers(number: Int64) throws {
        let plain = String(number)
        let spellings = [
            plain, "+\(plain)", "0\(plain)", "-0\(plain)", "\(plain).0", "\(plain).", "\(plain)e0", "\(plain)E0", "\(plain)e+0",
            "\(plain)0e-1", " \(plain)", "\(plain) ", "0x\(String(number, radix: 16))",
            number == 0 ? "-0" : "--\(plain)", plain + "_0",
        ]
        let taken = accepted(Array(Set(spellings)).map { "{\"k\":\($0)}" })
        #expect(taken == ["{\"k\":\(plain)}"])
        #expect(try written(["k": .integer(number)]) == taken.first)
    }

    @Test("integers just beyond the limits can be neither encoded nor decoded")
    func border() throws {
        let border: Int64 = 9_007_199_254_740_991
        for number in [border, -border] {
            let body = Samples.start(details: ["k": .integer(number)])
            #expect(try RecordEncoding.decode(Samples.encode(body).bytes).record.body == body)
            let beyond = number + number.signum()
            #expect(throws: RecordEncodingError.integerOutOfRange) {
                try Samples.encode(Samples.start(details: ["k": .integer(beyond)]))
            }
            #expect(throws: RecordDecodingError.malformed(.details)) { try RecordEncoding.decode(record("{\"k\":\(beyond)}")) }
        }
    }

    @Test("the members of an object are accepted only in one order")
    func orders() throws {
        // `B` sorts before `a`. In UTF-8 order the last two keys would be exchanged.
        let keys = ["B", "a", "\u{E9}", "\u{1F600}", "\u{FB33}"]
        let taken = accepted(permutations(keys).map { "{" + $0.map { "\"\($0)\":1" }.joined(separator: ",") + "}" })
        #expect(taken == ["{\"B\":1,\"a\":1,\"\u{E9}\":1,\"\u{1F600}\":1,\"\u{FB33}\":1}"])
        #expect(try written(Dictionary(uniqueKeysWithValues: keys.map { ($0, .integer(1)) })) == taken.first)
    }

    @Test(
        "a duplicate key is rejected in any object", arguments: ["", "a", "$$x", "\u{1F600}", "e\u{301}", "long key"])
    func twice(key: String) {
        let twice = "{\"\(key)\":1,\"\(key)\":1}"
        for json in [twice, "{\"k\":\(twice)}", "{\"k\":[\(twice)]}", "{\"\(key)\":1,\"\(key)\":2}"] {
            #expect(throws: RecordDecodingError.malformed(.details)) { try RecordEncoding.decode(record(json)) }
        }
    }

    @Test(
        "white space and other characters between the tokens are rejected",
        arguments: [" ", "\t", "\n", "\r", "\u{FEFF}", "\u{A0}", "/**/", ","])
    func between(filler: String) throws {
        let tokens = ["{", "\"a\"", ":", "[", "1", ",", "true", "]", ",", "\"b\"", ":", "{", "}", "}"]
        #expect(accepted([tokens.joined()]).count == 1)
        for position in 0...tokens.count {
            let filled = (tokens[..<position] + [filler] + tokens[position...]).joined()
            #expect(throws: RecordDecodingError.malformed(.details)) { try RecordEncoding.decode(record(filled)) }
        }
    }

    @Test("Foundation's JSON reader reads the same details that were written", arguments: 0..<10 as Range<UInt64>)
    func otherReader(seed: UInt64) throws {
        var bodies = RandomBody(seed: seed)
        for _ in 0..<50 {
            let details = bodies.body().details
            guard !details.isEmpty else { continue }
            let found = try JSONSerialization.jsonObject(with: Data(try written(details).utf8))
            #expect((found as? [String: Any])?.count == details.count)
            #expect(isSame(found, .object(details)))
        }
    }

    private func isSame(_ found: Any, _ value: RecordValue) -> Bool {
        switch value {
        case .null, .withheld: found is NSNull
        case .bool(let flag): found as? Bool == flag
        case .integer(let number): (found as? NSNumber)?.int64Value == number
        case .string(let text): (found as? String).map { $0.utf8.elementsEqual(text.utf8) } ?? false
        case .array(let elements):
            (found as? [Any]).map { $0.count == elements.count && zip($0, elements).allSatisfy(isSame) } ?? false
        case .personal(_, let person):
            (found as? [String: String])?["$person"] == person?.description
        case .object(let members):
            (found as? [String: Any]).map { object in
                members.allSatisfy { key, member in
                    object[key.utf8.first == UInt8(ascii: "$") ? "$" + key : key].map { isSame($0, member) } ?? false
                }
            } ?? false
        }
    }

    private func permutations(_ keys: [String]) -> [[String]] {
        guard keys.count > 1 else { return [keys] }
        return keys.indices.flatMap { index in
            var rest = keys
            let key = rest.remove(at: index)
            return permutations(rest).map { [key] + $0 }
        }
    }
}
