import DoorwardAudit
import DoorwardDomain
import Testing

@Suite struct RecordEncodingTests {
    @Test("every record is decoded as it was encoded", arguments: 0..<20 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var bodies = RandomBody(seed: seed)
        for round in 0..<50 {
            let body = bodies.body()
            let seq = UInt64.random(in: 0...UInt64(Int64.max), using: &bodies.random)
            let encoded = try Samples.encode(body, seq: seq)
            let decoded = try Samples.decode(encoded, log: body.log)
            #expect(decoded.record == AccessRecord(seq: seq, body: body), "seed \(seed), round \(round)")
            #expect(decoded.withheld.isEmpty)
            // Swift's `==` treats canonically equivalent strings as equal, so the bytes are compared as well.
            let again = try Samples.encode(decoded.record.body, seq: seq)
            #expect(again == encoded)
            #expect(decoded.commitments.map(\.place.field) == encoded.personal.map(\.field))
            #expect(decoded.commitments.map(\.owner) == encoded.personal.map(\.owner))
        }
    }

    @Test("the smallest record has exactly these bytes")
    func goldenBytes() throws {
        let expected =
            "44575244" + "01"
            + "010007" + "67617465776179"
            + "020008" + "0000000000000005"
            + "030024" + "30313961623363302d303030612d373030302d383030302d303030303030303030303061"
            + "040008" + "000001a1fd68b4db"
            + "050007" + "47415445574159"
            + "0a0007" + "47415445574159"
            + "0e0007" + "47415445574159"
            + "1e0005" + "5354415254"
        let encoded = try Samples.encode(Samples.start(), seq: 5)
        #expect(encoded.bytes.hex == expected)
        #expect(encoded.leafHash == MerkleTree.leafHash(encoded.bytes))
        #expect(encoded.personal.isEmpty)
    }

    @Test("a record's fields are sorted by number, and personal values are commitments of 32 bytes")
    func order() throws {
        let bytes = try Samples.encode(Samples.outcome(), seq: 1).bytes
        var numbers: [UInt8] = []
        var position = 5
        while position < bytes.count {
            let length = Int(bytes[position + 1]) << 8 | Int(bytes[position + 2])
            numbers.append(bytes[position])
            if [12, 15, 28, 29].contains(bytes[position]) { #expect(length == 32) }
            position += 3 + length
        }
        #expect(numbers == Array(1...7) + Array(9...29))
        for personal in ["Ada", "203.0.113.7", "Parcel", "Fire drill"] {
            #expect(bytes.firstRange(of: Array(personal.utf8)) == nil)
        }
    }

    @Test("the order in which a dictionary was filled does not affect the encoding")
    func dictionaryOrder() throws {
        let names = (0..<200).map { "key\($0)" }
        var forwards: [String: RecordValue] = [:]
        var backwards: [String: RecordValue] = Dictionary(minimumCapacity: 4096)
        for (index, name) in names.enumerated() { forwards[name] = .integer(Int64(index)) }
        for (index, name) in names.enumerated().reversed() { backwards[name] = .integer(Int64(index)) }
        let first = try Samples.encode(Samples.start(details: forwards))
        let second = try Samples.encode(Samples.start(details: backwards))
        #expect(first == second)
    }

    @Test("texts are kept byte for byte, without normalization and with control characters")
    func texts() throws {
        var body = Samples.outcome()
        body.device?.deviceName = "Caf\u{65}\u{301}\0\u{7}"
        body.actor.name = "e\u{301}"
        body.details = ["note": .string("e\u{301}"), "same": .string("é")]
        let decoded = try Samples.decode(try Samples.encode(body), log: body.log).record.body
        #expect(decoded.device?.deviceName.map { Array($0.utf8) } == Array("Caf\u{65}\u{301}\0\u{7}".utf8))
        #expect(decoded.actor.name.map { Array($0.utf8) } == [0x65, 0xCC, 0x81])
        guard case .string(let note)? = decoded.details["note"], case .string(let same)? = decoded.details["same"] else {
            Issue.record("the details are not those that were encoded")
            return
        }
        #expect(Array(note.utf8) == [0x65, 0xCC, 0x81])
        #expect(Array(same.utf8) == [0xC3, 0xA9])
    }

    @Test("a record has at most 65,535 bytes")
    func sizeLimit() throws {
        var body = Samples.start()
        body.requestID = ""
        let room = RecordEncoding.maxByteCount - (try Samples.encode(body).bytes.count)
        body.requestID = String(repeating: "x", count: room)
        let largest = try Samples.encode(body)
        #expect(largest.bytes.count == 65_535)
        #expect(try RecordEncoding.decode(largest.bytes).record.body == body)
        for length in [room + 1, 65_535, 65_536, 200_000] {
            body.requestID = String(repeating: "x", count: length)
            #expect(throws: RecordEncodingError.tooLarge) { try Samples.encode(body) }
        }
    }

    @Test("an error of the key provider is rethrown")
    func keyError() {
        struct NoKey: Error {}
        #expect(throws: NoKey.self) { try RecordDraft(Samples.outcome()).encoded(seq: 0) { _ in throw NoKey() } }
    }

    @Test("the key for several values of one owner in a row is requested once")
    func keysAsked() throws {
        var asked: [PersonKeyOwner] = []
        _ = try RecordDraft(Samples.outcome()).encoded(seq: 0) { owner in
            asked.append(owner)
            return try Samples.key(Samples.portfolioLog, owner)
        }
        #expect(asked == [.user(Samples.ada)])
    }
}
