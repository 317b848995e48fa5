import DoorwardAudit
import DoorwardDomain
import Testing

@Suite struct DetailsTests {
    /// Returns the JSON in the record's last field.
    private func json(_ details: [String: RecordValue]) throws -> String {
        let empty = try Samples.encode(Samples.start()).bytes.count
        let bytes = try Samples.encode(Samples.start(details: details)).bytes
        return String(decoding: bytes[(empty + 3)...], as: UTF8.self)
    }

    private func record(withJSON text: String) throws -> [UInt8] {
        let json = Array(text.utf8)
        return try Samples.encode(Samples.start()).bytes + [35, UInt8(json.count >> 8), UInt8(json.count & 0xFF)] + json
    }

    @Test("details are encoded as canonical JSON")
    func canonical() throws {
        let details: [String: RecordValue] = [
            "b": .array([.null, .bool(true), .bool(false), .integer(0), .integer(-1), .integer(9_007_199_254_740_991)]),
            "a": .object(["z": .object([:]), "y": .array([])]),
            "": .string(""),
        ]
        #expect(try json(details) == #"{"":"","a":{"y":[],"z":{}},"b":[null,true,false,0,-1,9007199254740991]}"#)
    }

    @Test("details without a member are encoded as no field")
    func empty() throws {
        let record = try RecordEncoding.decode(try Samples.encode(Samples.start()).bytes).record
        #expect(record.body.details.isEmpty)
        #expect(throws: RecordDecodingError.malformed(.details)) { try RecordEncoding.decode(try self.record(withJSON: "{}")) }
    }

    @Test("only the characters that RFC 8785 escapes are escaped")
    func escapes() throws {
        let text = "\0\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F} \"\\/\u{7F}\u{80}é€\u{2028}\u{1F511}"
        let expected = #"{"t":"\u0000\u0001\b\t\n\u000b\f\r\u001f \"\\/"# + "\u{7F}\u{80}é€\u{2028}\u{1F511}\"}"
        #expect(try json(["t": .string(text)]) == expected)
    }

    @Test("keys are sorted by their UTF-16 code units")
    func keyOrder() throws {
        // The keys of RFC 8785, section 3.2.3, and two keys whose order differs between UTF-8 and UTF-16.
        let keys = ["\u{20AC}", "\r", "\u{FB33}", "1", "\u{1F600}", "\u{80}", "\u{F6}", "aa", "a", "B"]
        let details = Dictionary(uniqueKeysWithValues: keys.map { ($0, RecordValue.null) })
        let expected = [#"\r"#, "1", "B", "a", "aa", "\u{80}", "\u{F6}", "\u{20AC}", "\u{1F600}", "\u{FB33}"]
        #expect(try json(details) == "{" + expected.map { "\"\($0)\":null" }.joined(separator: ",") + "}")
    }

    @Test("an ordinary key that begins with `$` gets a second `$`, which is removed when it is read")
    func reservedKeys() throws {
        let details: [String: RecordValue] = [
            "$commitment": .string("no"), "$": .null, "$$x": .null,
            "deep": .object(["$person": .string("p"), "$commitment": .string(String(repeating: "A", count: 43) + "=")]),
        ]
        #expect(
            try json(details)
                == #"{"$$":null,"$$$x":null,"$$commitment":"no","deep":{"$$commitment":""# + String(repeating: "A", count: 43)
                + #"=","$$person":"p"}}"#)
        let decoded = try RecordEncoding.decode(try Samples.encode(Samples.start(details: details)).bytes)
        #expect(decoded.record.body.details == details)
        #expect(decoded.commitments.isEmpty)
    }

    @Test(
        "JSON in another form than the encoder's is rejected",
        arguments: [
            "", "null", "[]", "\"a\"", "1", "{", "}", "{\"a\"}", "{\"a\":}", "{\"a\":1", "{\"a\":1,}", "{,}", "{\"a\":1}}",
            "{\"a\":1} ", " {\"a\":1}", "{ \"a\":1}", "{\"a\": 1}", "{\"a\":1,\"a\":1}", "{\"b\":1,\"a\":1}",
            "{\"\u{1F600}\":1,\"\u{FB33}\":1,\"\u{20AC}\":1}", "{\"\u{FB33}\":1,\"\u{1F600}\":1}", "{a:1}", "{'a':1}",
            "{\"a\":01}", "{\"a\":-0}", "{\"a\":+1}", "{\"a\":1.0}", "{\"a\":1e2}", "{\"a\":.5}", "{\"a\":-}", "{\"a\":--1}",
            "{\"a\":9007199254740992}", "{\"a\":-9007199254740992}", "{\"a\":99999999999999999999999}", "{\"a\":NaN}",
            "{\"a\":Infinity}", "{\"a\":True}", "{\"a\":nul}", "{\"a\":nullx}", "{\"a\":[1,]}", "{\"a\":[,1]}", "{\"a\":[1 ,2]}",
            "{\"a\":[1", "{\"a\":\"\\u0061\"}", "{\"a\":\"\\u00e9\"}", "{\"a\":\"\\u000A\"}", "{\"a\":\"\\u000a\"}",
            "{\"a\":\"\\u001F\"}", "{\"a\":\"\\/\"}", "{\"a\":\"\\ud83d\\ude00\"}", "{\"a\":\"\\x\"}", "{\"a\":\"\\", "{\"a\":\"",
            "{\"a\":\"\\u00\"}", "{\"a\":\"\n\"}", "{\"a\":\"\0\"}", "{\"\\u0061\":1}", "\u{FEFF}{\"a\":1}",
        ])
    func refused(text: String) throws {
        let bytes = try record(withJSON: text)
        #expect(throws: RecordDecodingError.malformed(.details)) { try RecordEncoding.decode(bytes) }
    }

    @Test(
        "an object with a key of the format is rejected unless it is exactly in the encoder's form",
        arguments: [
            "{\"$commitment\":\"@\"}", "{\"a\":{\"$commitment\":\"\"}}", "{\"a\":{\"$commitment\":1}}",
            "{\"a\":{\"$commitment\":null}}",
            "{\"a\":{\"$commitment\":\"@\",\"x\":1}}", "{\"a\":{\"$commitment\":\"@\",\"$person\":null}}",
            "{\"a\":{\"!\":1,\"$commitment\":\"@\"}}",
            "{\"a\":{\"$commitment\":\"@\",\"$person\":\"ada\"}}", "{\"a\":{\"$person\":\"#\",\"$commitment\":\"@\"}}",
            "{\"a\":{\"$person\":\"#\"}}", "{\"a\":{\"$withheld\":true}}", "{\"a\":{\"$\":1}}", "{\"$x\":1}",
            "{\"a\":{\"$commitment\":\"@\",\"$person\":\"#\",\"$x\":1}}", "{\"a\":{\"$commitment\":\"%\"}}",
            "{\"a\":{\"$commitment\":\"@\",}}",
        ])
    func refusedCommitments(template: String) throws {
        func filled(_ template: String) -> String {
            template.replacing("@", with: String(repeating: "A", count: 43) + "=")
                // The last base64 character sets bits after the last byte, so this is a second base64 text for the same bytes.
                .replacing("%", with: String(repeating: "A", count: 42) + "B=")
                .replacing("#", with: Samples.ada.description)
        }
        #expect(throws: RecordDecodingError.malformed(.details)) {
            try RecordEncoding.decode(try record(withJSON: filled(template)))
        }
        let sound = try RecordEncoding.decode(try record(withJSON: filled("{\"a\":{\"$commitment\":\"@\",\"$person\":\"#\"}}")))
        #expect(sound.record.body.details == ["a": .withheld])
        #expect(sound.commitments.map(\.owner) == [.user(Samples.ada)])
    }

    @Test("two keys that are equal in Swift but have different bytes are rejected instead of being merged")
    func equivalentKeys() throws {
        let bytes = try record(withJSON: "{\"e\u{301}\":1,\"é\":2}")
        #expect(throws: RecordDecodingError.malformed(.details)) { try RecordEncoding.decode(bytes) }
    }

    @Test("containers may be nested 32 deep and no deeper")
    func depth() throws {
        func nested(_ containers: Int) -> RecordValue {
            (0..<containers).reduce(.personal("x", person: nil)) { inner, index in
                index % 2 == 0 ? .array([inner]) : .object(["k": inner])
            }
        }
        let deepest = Samples.start(details: ["a": nested(31)])
        #expect(try Samples.decode(try Samples.encode(deepest), log: .gateway).record.body == deepest)
        #expect(throws: RecordEncodingError.tooDeep) { try Samples.encode(Samples.start(details: ["a": nested(32)])) }
        for open in ["[", "{\"a\":"] {
            let bomb = try record(withJSON: "{\"a\":" + String(repeating: open, count: 13_000 / open.utf8.count))
            #expect(throws: RecordDecodingError.malformed(.details)) { try RecordEncoding.decode(bomb) }
        }
        let close = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        #expect(throws: RecordDecodingError.malformed(.details)) {
            try RecordEncoding.decode(try record(withJSON: "{\"a\":\(close)}"))
        }
    }

    @Test(
        "integers that JSON readers may read differently cannot be encoded",
        arguments: [9_007_199_254_740_992, .max, .min] as [Int64])
    func integers(number: Int64) {
        #expect(throws: RecordEncodingError.integerOutOfRange) {
            try Samples.encode(Samples.start(details: ["n": .integer(number)]))
        }
    }

    @Test("a withheld value cannot be encoded")
    func withheld() {
        #expect(throws: RecordEncodingError.withheldValue) {
            try Samples.encode(Samples.start(details: ["a": .array([.withheld])]))
        }
    }
}
