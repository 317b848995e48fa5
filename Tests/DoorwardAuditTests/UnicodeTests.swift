import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import Testing

/// Texts that look alike, or that are equal in Swift, but have different bytes.
@Suite struct UnicodeTests {
    /// Pairs of canonically equivalent texts, which Swift's `==` treats as equal.
    private static let equivalent = [
        ("\u{E9}", "e\u{301}"), ("\u{212B}", "\u{C5}"), ("\u{AC00}", "\u{1100}\u{1161}"), ("q\u{323}\u{307}", "q\u{307}\u{323}"),
        ("\u{2126}", "\u{3A9}"), ("K", "\u{212A}"),
    ]

    /// Texts that software often changes by mistake when it copies them.
    private static let odd = [
        "", " ", "\u{FEFF}begins with a mark", "\u{202E}from right to left", "a\u{200D}b", "\u{1F468}\u{200D}\u{1F469}",
        "\u{10FFFF}", "\u{FFFE}", "\u{D7FF}\u{E000}", "\r\n", "\u{85}", "\0", "\u{301}begins with an accent", "𝔸𝔹", "İı", "ß",
    ]

    private func everywhere(_ text: String) -> RecordBody {
        var body = Samples.outcome()
        (body.actor.id, body.actor.name, body.requestID, body.clientAddress) = (text, text, text, text)
        (body.outcomeDetail, body.statedReason, body.override) = (text, text, text)
        body.device?.deviceName = text
        body.target = RecordTarget(type: text, id: text)
        body.details = [
            "plain": .string(text), "list": .array([.string(text)]), "personal": .personal(text, person: Samples.bob),
            "key": .object([text: .null, text + "!": .personal(text, person: nil)]),
        ]
        return body
    }

    /// Returns all texts of the body as bytes, because `==` treats canonically equivalent strings as equal.
    private func texts(of body: RecordBody) -> [[UInt8]] {
        let outside = [
            body.actor.id, body.actor.name, body.requestID, body.clientAddress, body.outcomeDetail, body.statedReason,
            body.override, body.device?.deviceName, body.target?.type, body.target?.id,
        ]
        return outside.map { Array(($0 ?? "absent").utf8) } + texts(of: .object(body.details))
    }

    private func texts(of value: RecordValue) -> [[UInt8]] {
        switch value {
        case .string(let text), .personal(let text, _): [Array(text.utf8)]
        case .array(let elements): elements.flatMap(texts)
        case .object(let members):
            members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.flatMap {
                [Array($0.key.utf8)] + texts(of: $0.value)
            }
        case .null, .bool, .integer, .withheld: []
        }
    }

    @Test("a text is kept byte for byte in every field", arguments: odd + equivalent.flatMap { [$0.0, $0.1] })
    func kept(text: String) throws {
        let body = everywhere(text)
        let encoded = try Samples.encode(body)
        let decoded = try Samples.decode(encoded, log: Samples.portfolioLog).record.body
        #expect(texts(of: decoded) == texts(of: body))
        #expect(try Samples.encode(decoded).bytes == encoded.bytes)
    }

    @Test("texts that are equal in Swift but have different bytes give different records and commitments", arguments: equivalent)
    func apart(one: String, other: String) throws {
        #expect(one == other)
        let (first, second) = (try Samples.encode(everywhere(one)), try Samples.encode(everywhere(other)))
        #expect(first.bytes != second.bytes)
        #expect(first.leafHash != second.leafHash)
        let commitments = try [first, second].map { try RecordEncoding.decode($0.bytes).commitments.map(\.commitment) }
        for (mine, theirs) in zip(commitments[0], commitments[1]) { #expect(mine != theirs) }
        let place = PersonalFieldPath(record: Samples.id(1), field: "actorName")
        let salt = Digest32(leaf: [1])
        let commitment = PersonalCommitment(
            place: place, owner: .user(Samples.ada), commitment: place.commitment(to: one, salt: salt))
        #expect(!commitment.holds(for: other, salt: salt))
    }

    @Test(
        "a value that only looks like an allowed one is rejected in every field of fixed values",
        arguments: [5, 6, 7, 8, 10, 14, 23, 25, 26, 30, 31, 32] as [UInt8])
    func words(number: UInt8) throws {
        var body = Samples.outcome()
        (body.reason, body.event, body.method, body.action) = (.lockdownActive, .keyRotated, .keypad, .revoke)
        body.operation = .lock
        let list = FieldList(splitting: try Samples.encode(body).bytes)
        let field = try #require(RecordField(rawValue: number))
        let word = String(decoding: try #require(list[number]), as: UTF8.self)
        let lookalikes =
            [
                "", word + " ", " " + word, word + "\0", word == word.lowercased() ? word.uppercased() : word.lowercased(),
                word + word, String(word.dropLast()),
                word.replacing("K", with: "\u{212A}") + (word.contains("K") ? "" : "\u{200B}"), word + "\u{301}",
                "\u{FEFF}" + word,
                word.unicodeScalars.map { String(UnicodeScalar($0.value + 0xFEE0) ?? $0) }.joined(),
            ] as [String]
        for lookalike in lookalikes {
            #expect(throws: RecordDecodingError.malformed(field), "\(lookalike)") {
                try RecordEncoding.decode(list.with(number, lookalike).bytes)
            }
        }
        #expect((try? RecordEncoding.decode(list.with(number, word).bytes)) != nil)
    }

    @Test("an id is accepted in only one spelling in every field of ids", arguments: [1, 3, 13, 17, 19, 20, 21, 22] as [UInt8])
    func ids(number: UInt8) throws {
        let list = FieldList(splitting: try Samples.encode(Samples.outcome()).bytes)
        let field = try #require(RecordField(rawValue: number))
        let id = String(decoding: try #require(list[number]), as: UTF8.self)
        let bare = id.replacing("-", with: "")
        let spellings =
            [
                "", id.uppercased(), "{\(id)}", "urn:uuid:\(id)", bare, id + "0", String(id.dropLast()), " " + id.dropLast(),
                id.dropLast() + " ",
                id.replacing("-", with: "_"), id.replacing("-", with: "\u{2010}"), "-" + bare.dropLast(3) + "---",
                "g" + id.dropFirst(),
                id.dropLast() + "\u{661}", id.dropLast(2) + "\u{E9}", id + "\n",
            ] as [String]
        for spelling in spellings where spelling != id {
            #expect(throws: RecordDecodingError.malformed(field), "\(spelling)") {
                try RecordEncoding.decode(list.with(number, spelling).bytes)
            }
        }
    }

    @Test("a rule is accepted in only one spelling")
    func rules() throws {
        let list = FieldList(splitting: try Samples.encode(Samples.outcome()).bytes)
        let id = Samples.id(12, User.self).description
        let spellings = [
            "", "/", "//", "///", "ASSOCIATION", "ASSOCIATION/\(id)", "ASSOCIATION//TENANT", "ASSOCIATION/\(id)/",
            "ASSOCIATION/\(id)/TENANT/",
            "association/\(id)/TENANT", "ASSOCIATION/\(id.uppercased())/TENANT", "ASSOCIATION/\(id)/tenant", "/\(id)/TENANT",
            "GUEST_ACCESS/\(id)/TENANT", "GUEST_ACCESS//GUEST", "SUPER_ADMIN/\(id)/SUPER_ADMIN", "SUPER_ADMIN//OWNER",
            "SUPER_ADMIN/SUPER_ADMIN",
            "ASSOCIATION/\(id)/TENANT ", " ASSOCIATION/\(id)/TENANT", "ASSOCIATION/ \(id)/TENANT",
            "ASSOCIATION\u{2215}\(id)\u{2215}TENANT",
        ]
        for spelling in spellings {
            #expect(throws: RecordDecodingError.malformed(.rule), "\(spelling)") {
                try RecordEncoding.decode(list.with(9, spelling).bytes)
            }
        }
        for spelling in ["ASSOCIATION/\(id)/TENANT", "GUEST_ACCESS/\(id)/GUEST", "SUPER_ADMIN//SUPER_ADMIN"] {
            let bytes = list.with(9, spelling).bytes
            #expect(try Recommitted.bytes(of: bytes) == bytes)
        }
    }

    @Test(
        "bytes that are not UTF-8 are rejected in every text field",
        arguments: [11, 16, 18, 24, 33, 34, 35] as [UInt8])
    func encodings(number: UInt8) throws {
        var body = Samples.outcome()
        body.target = RecordTarget(type: "T", id: "t")
        let list = FieldList(splitting: try Samples.encode(body).bytes)
        let field = try #require(RecordField(rawValue: number))
        // A lone continuation byte, an overlong slash, a surrogate, a value beyond U+10FFFF, a truncated sequence, an invalid
        // byte, and a lead byte without its continuation.
        let broken: [[UInt8]] = [
            [0x80], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0xFF], [0xC3, 0x28],
        ]
        for bytes in broken {
            let value = number == 35 ? Array("{\"k\":\"".utf8) + bytes + Array("\"}".utf8) : Array("a".utf8) + bytes
            #expect(throws: RecordDecodingError.malformed(field)) { try RecordEncoding.decode(list.with(number, value).bytes) }
        }
    }
}
