import DoorwardDomain
import DoorwardTesting
import Foundation
import Testing

/// The text form of ids, their order, and the properties of RFC 9562 that new ids have.
@Suite struct EntityIDFormTests {
    private static let text = "01998877-6655-7abc-9def-0123456789ab"

    @Test("Of ids with one replaced character only those with lower-case hexadecimal digits and hyphens in place are valid")
    func mutated() {
        let hexadecimal = "0123456789abcdef"
        for position in Self.text.indices {
            for character in Array("0123456789abcdefABCDEFgz-_ +%*/\\.\u{0}é٣") {
                var changed = Self.text
                changed.replaceSubrange(position...position, with: [character])
                let belongs = Self.text[position] == "-" ? character == "-" : hexadecimal.contains(character)
                #expect((UserID(changed) != nil) == belongs, "\(changed)")
                #expect(!belongs || UserID(changed)?.description == changed, "\(changed)")
            }
        }
    }

    @Test("A longer or shorter text is not an id")
    func lengths() {
        for length in 0..<36 { #expect(UserID(Self.text.prefix(length)) == nil) }
        for end in ["0", "-", "a", " ", Self.text] {
            #expect(UserID(Self.text + end) == nil)
            #expect(UserID(end + Self.text) == nil)
        }
    }

    @Test("An id is parsed from a substring like from a string")
    func substring() {
        let path = "/devices/\(Self.text)/unlock"
        #expect(UserID(path.dropFirst(9).prefix(36)) == UserID(Self.text))
        #expect(UserID(Self.text)?.description == Self.text)
    }

    @Test("The smallest and the largest id are printed with all digits")
    func bounds() {
        #expect(UnitID(high: 0, low: 0).description == "00000000-0000-0000-0000-000000000000")
        #expect(UnitID(high: .max, low: .max).description == "ffffffff-ffff-ffff-ffff-ffffffffffff")
        #expect(UnitID("00000000-0000-0000-0000-000000000000") == UnitID(high: 0, low: 0))
        #expect(UnitID("ffffffff-ffff-ffff-ffff-ffffffffffff") == UnitID(high: .max, low: .max))
    }

    @Test(
        "Each bit determines exactly one digit of the text",
        arguments: 0..<128)
    func bit(number: Int) {
        let (high, low): (UInt64, UInt64) = number < 64 ? (1 << (63 - number), 0) : (0, 1 << (127 - number))
        let id = DeviceID(high: high, low: low)
        let digits = id.description.filter { $0 != "-" }
        let expected = (0..<32).map { $0 == number / 4 ? String(8 >> (number % 4)) : "0" }.joined()
        #expect(digits == expected)
        #expect(DeviceID(id.description) == id)
    }

    @Test(
        "The first 48 bits are the milliseconds of the instant (RFC 9562, section 5.7)",
        arguments: [
            (0, "00000000-0000-7"), (1, "00000000-0001-7"), (0xFFFF, "00000000-ffff-7"), (0x1_0000, "00000001-0000-7"),
            (1_645_557_742_000, "017f22e2-79b0-7"), (0xFFFF_FFFF_FFFF, "ffffffff-ffff-7"), (-1, "00000000-0000-7"),
        ] as [(Int64, String)])
    func time(milliseconds: Int64, prefix: String) {
        var generator = SeededGenerator(seed: 6)
        let id = RecordID.new(at: Timestamp(milliseconds: milliseconds), using: &generator)
        #expect(id.description.hasPrefix(prefix))
    }

    @Test("Ids of later milliseconds are greater, as numbers and as texts, whatever their random bits")
    func age() {
        var generator = SeededGenerator(seed: 7)
        let ids = (0..<2000).map { CommandID.new(at: Timestamp(milliseconds: 1_700_000_000_000 + Int64($0)), using: &generator) }
        #expect(ids == ids.sorted())
        #expect(ids.map(\.description) == ids.map(\.description).sorted())
    }

    @Test("Ids of one millisecond are different and not sorted")
    func sameMillisecond() {
        var generator = SeededGenerator(seed: 8)
        let ids = (0..<2000).map { _ in CommandID.new(at: Timestamp(milliseconds: 1_700_000_000_000), using: &generator) }
        #expect(Set(ids).count == 2000)
        #expect(ids != ids.sorted())
    }

    @Test("The order of ids is total and transitive")
    func total() {
        var generator = SeededGenerator(seed: 9)
        let ids = (0..<60).map { _ in
            UserID(high: .random(in: 0...2, using: &generator), low: .random(in: 0...2, using: &generator))
        }
        for a in ids {
            for b in ids {
                #expect([a < b, a == b, b < a].count(where: \.self) == 1)
                for c in ids.prefix(12) where a < b && b < c { #expect(a < c) }
            }
        }
    }

    @Test("Ids are ordered by the high half first, and both halves are unsigned")
    func halves() {
        #expect(UserID(high: 1, low: .max) < UserID(high: 2, low: 0))
        #expect(UserID(high: 1, low: 1) < UserID(high: 1, low: 2))
        #expect(UserID(high: 1, low: 1 << 63) > UserID(high: 1, low: 1), "the halves are unsigned")
        #expect(UserID(high: 1 << 63, low: 0) > UserID(high: 1, low: 0))
    }

    @Test("An id is decoded from a JSON string of the exact form, and from nothing else")
    func json() throws {
        let id = try JSONDecoder().decode([DeviceID].self, from: Data("[\"\(Self.text)\"]".utf8))
        #expect(id == [DeviceID(Self.text)].compactMap(\.self))
        for wrong in ["\"\(Self.text.uppercased())\"", "\"\"", "null", "{}", "[]", "1", "true"] {
            #expect(throws: DecodingError.self, "\(wrong)") {
                try JSONDecoder().decode([DeviceID].self, from: Data("[\(wrong)]".utf8))
            }
        }
    }
}
