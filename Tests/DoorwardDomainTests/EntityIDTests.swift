import DoorwardDomain
import DoorwardTesting
import Foundation
import Testing

@Suite struct EntityIDTests {
    @Test("An id can be printed and parsed")
    func roundTrip() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<1000 {
            let id = UserID(high: generator.next(), low: generator.next())
            #expect(id.description.count == 36)
            #expect(UserID(id.description) == id)
            #expect(id.withText { Array($0) } == Array(id.description.utf8))
            #expect(UUID(uuidString: id.description)?.uuidString.lowercased() == id.description)
        }
    }

    @Test("The two halves are the bytes of the text in order")
    func halves() {
        let id = DeviceID("01234567-89ab-cdef-fedc-ba9876543210")
        #expect(id == DeviceID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210))
    }

    @Test(
        "A text that is not exactly an id in lower case is rejected",
        arguments: [
            "", "01234567-89AB-cdef-fedc-ba9876543210", "0123456789abcdeffedcba9876543210", "01234567-89ab-cdef-fedc-ba987654321",
            "01234567-89ab-cdef-fedc-ba98765432100", " 1234567-89ab-cdef-fedc-ba9876543210",
            "0123456-789ab-cdef-fedc-ba9876543210",
            "01234567-89ab-cdef-fedc-ba987654321g", "01234567-89ab-cdef-fedc-ba987654321\n",
            "01234567_89ab_cdef_fedc_ba9876543210",
            "{1234567-89ab-cdef-fedc-ba987654321}", "01234567-89ab-cdef-fedc-ba98765432é", "#", "+",
        ])
    func malformed(text: String) {
        #expect(UserID(text) == nil)
        #expect(UserID(orNonexistent: text) == .nonexistent)
    }

    @Test("A byte at any position is accepted if it is a lower-case digit, or the hyphen of this position, and no other")
    func everyByte() {
        let text = Array("019ab3c0-0015-7000-8f00-0000abcdef15".utf8)
        for position in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[position] = byte
                let id = changed.withUnsafeBufferPointer { UserID(text: $0) }
                let isHyphen = [8, 13, 18, 23].contains(position)
                let isAllowed = isHyphen ? byte == UInt8(ascii: "-") : "0123456789abcdef".utf8.contains(byte)
                // The standard library reads the digits one by one.
                let digits = String(decoding: changed.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self)
                let halves = (UInt64(digits.prefix(16), radix: 16), UInt64(digits.suffix(16), radix: 16))
                guard isAllowed, case (let high?, let low?) = halves else {
                    #expect(id == nil, "\(position) \(byte)")
                    continue
                }
                #expect(id == UserID(high: high, low: low))
            }
        }
    }

    @Test("A valid id is parsed, and the id that stands for malformed ones is never issued by the gateway")
    func nonexistent() throws {
        var generator = SeededGenerator(seed: 3)
        let id = UserID.new(at: Timestamp(milliseconds: .max), using: &generator)
        #expect(UserID(orNonexistent: id.description) == id)
        // The digit after the second hyphen is the version.
        #expect(Array(id.description)[14] == "7")
        #expect(Array(UserID.nonexistent.description)[14] == "f")
    }

    @Test("Ids are in the order of their texts")
    func order() {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<1000 {
            let high = UInt64.random(in: 0...2, using: &generator) << 62
            let a = UserID(high: high, low: generator.next())
            let b = UserID(high: UInt64.random(in: 0...2, using: &generator) << 62, low: generator.next())
            #expect((a < b) == (a.description < b.description))
        }
    }

    @Test("Two ids are equal, with equal hashes, only if both halves are equal")
    func equality() {
        let id = UserID(high: 1, low: 2)
        #expect(id == UserID(high: 1, low: 2))
        #expect(id.hashValue == UserID(high: 1, low: 2).hashValue)
        #expect(id != UserID(high: 2, low: 2))
        #expect(id != UserID(high: 1, low: 1))
        #expect(Set([id, UserID(high: 2, low: 1), UserID(high: 1, low: 2)]).count == 2)
    }

    @Test("A new id has version 7 and variant 10, and begins with the time")
    func version7() {
        var generator = SeededGenerator(seed: 3)
        let time = Timestamp(milliseconds: 0x0199_8877_6655)
        let ids = (0..<500).map { _ in UserID.new(at: time, using: &generator) }
        for id in ids {
            #expect(id.description.hasPrefix("01998877-6655-7"))
            #expect("89ab".contains(id.description.dropFirst(19).prefix(1)))
        }
        #expect(Set(ids).count == 500)
        let later = UserID.new(at: time.advanced(by: .milliseconds(1)), using: &generator)
        #expect(ids.allSatisfy { $0 < later })
    }

    @Test("Each of the 74 random bits of a new id takes both values")
    func randomBits() {
        var generator = SeededGenerator(seed: 4)
        var ones: (UInt64, UInt64) = (0, 0)
        var zeros: (UInt64, UInt64) = (0, 0)
        for _ in 0..<200 {
            let id = UserID.new(at: Timestamp(milliseconds: 0), using: &generator)
            ones = (ones.0 | id.high, ones.1 | id.low)
            zeros = (zeros.0 | ~id.high, zeros.1 | ~id.low)
        }
        #expect(ones.0 & zeros.0 == 0xFFF)
        #expect(ones.1 & zeros.1 == 0x3FFF_FFFF_FFFF_FFFF)
    }

    @Test("A new id can be made for an instant before 1970 or after the range of 48 bits")
    func clampedTime() {
        var generator = SeededGenerator(seed: 5)
        #expect(UserID.new(at: Timestamp(milliseconds: -1), using: &generator).high >> 16 == 0)
        #expect(UserID.new(at: Timestamp(milliseconds: .max), using: &generator).high >> 12 & 0xF == 7)
    }

    @Test("An id is encoded in JSON as a string, and other values are rejected")
    func codable() throws {
        let id = UnitID(high: 7, low: 8)
        let data = try JSONEncoder().encode([id])
        #expect(String(decoding: data, as: UTF8.self) == "[\"\(id)\"]")
        #expect(try JSONDecoder().decode([UnitID].self, from: data) == [id])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([UnitID].self, from: Data("[\"x\"]".utf8)) }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([UnitID].self, from: Data("[7]".utf8)) }
    }

    @Test("An id can be cast to another entity type with the same bits")
    func cast() {
        let id = CommandID(high: 5, low: 6)
        #expect(id.cast(to: AccessRecord.self) == RecordID(high: 5, low: 6))
    }
}
