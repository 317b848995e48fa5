import DoorwardDomain
import DoorwardTesting
import Foundation
import Testing

/// RFC 3339 at its limits, and similar texts that it does not allow.
@Suite struct TimestampFormatTests {
    @Test(
        "Known instants have the right number of milliseconds since 1970",
        arguments: [
            ("1970-01-01T00:00:00.000Z", 0), ("1970-01-01T00:00:00.001Z", 1), ("1969-12-31T23:59:59.999Z", -1),
            ("1970-01-02T00:00:00.000Z", 86_400_000), ("2000-02-29T00:00:00.000Z", 951_782_400_000),
            ("2000-03-01T00:00:00.000Z", 951_868_800_000), ("2001-09-09T01:46:40.000Z", 1_000_000_000_000),
            ("2023-11-14T22:13:20.000Z", 1_700_000_000_000), ("2038-01-19T03:14:08.000Z", 2_147_483_648_000),
            ("2100-02-28T23:59:59.999Z", 4_107_542_399_999), ("2100-03-01T00:00:00.000Z", 4_107_542_400_000),
            ("1900-01-01T00:00:00.000Z", -2_208_988_800_000), ("0000-01-01T00:00:00.000Z", -62_167_219_200_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] as [(String, Int64)])
    func known(text: String, milliseconds: Int64) throws {
        #expect(try Timestamp(rfc3339: text).milliseconds == milliseconds)
        #expect(Timestamp(milliseconds: milliseconds).description == text)
        #expect(Timestamp(milliseconds: milliseconds).withText { Array($0) } == Array(text.utf8))
    }

    @Test(
        "Years with more than four digits have the same text as bytes and as a string",
        arguments: [253_402_300_800_000, .min, .max])
    func otherYears(milliseconds: Int64) {
        let instant = Timestamp(milliseconds: milliseconds)
        #expect(instant.withText { Array($0) } == Array(instant.description.utf8))
    }

    @Test(
        "A fraction has one to nine digits, of which three are used without rounding",
        arguments: [
            (".0", 0), (".9", 900), (".05", 50), (".005", 5), (".0009", 0), (".9999", 999), (".999999999", 999),
            (".123456789", 123), (".000000001", 0),
        ] as [(String, Int64)])
    func fraction(digits: String, milliseconds: Int64) throws {
        #expect(try Timestamp(rfc3339: "1970-01-01T00:00:00\(digits)Z").milliseconds == milliseconds)
        // Before 1970, too, the fraction counts forward from the whole second.
        #expect(try Timestamp(rfc3339: "1969-12-31T23:59:59\(digits)Z").milliseconds == milliseconds - 1000)
    }

    @Test("A valid text with one replaced character is another instant or is rejected")
    func mutated() throws {
        let text = "2026-11-21T08:46:07.250+01:30"
        let original = try Timestamp(rfc3339: text)
        let alphabet = Array("0123456789TtZz:-+. ,/;x٣")
        for position in text.indices {
            for character in alphabet where character != text[position] {
                var changed = text
                changed.replaceSubrange(position...position, with: [character])
                guard let read = try? Timestamp(rfc3339: changed) else { continue }
                let isDigit = character.isASCII && character.isNumber
                let isEquivalent = (text[position] == "T" && character == "t")
                #expect(isDigit || isEquivalent || (text[position] == "+" && character == "-"), "\(changed)")
                #expect((read == original) == isEquivalent, "\(changed)")
            }
        }
    }

    @Test("A truncated text is rejected")
    func truncated() {
        let text = "2026-11-21T08:46:07.250+01:30"
        for length in 0..<text.count {
            let part = String(text.prefix(length))
            // A text that ends after the seconds or within the fraction lacks only its zone, which is a different error.
            let lacksZoneOnly = [19, 21, 22, 23].contains(length)
            #expect(throws: lacksZoneOnly ? Timestamp.ParseFailure.missingZone : .malformed, "\(part)") {
                try Timestamp(rfc3339: part)
            }
        }
    }

    @Test(
        "Other date formats are rejected",
        arguments: [
            "2026-325T08:46:00Z", "2026-W47-6T08:46:00Z", "20261121T084600Z", "1763714760", "1763714760000", "2026-11-21T08Z",
            "Sat, 21 Nov 2026 08:46:00 GMT", "21.11.2026 08:46", "11/21/2026", "2026-11-21T08:46:00 UTC",
            "2026-11-21T08:46:00Europe/Rome", "2026-11-21T08:46:00Z[Europe/Rome]", "2026-11-21T08:46:00+1:00",
            "2026-11-21T08:46:00±01:00", "2026-11-21T08:46:00−01:00", "12026-11-21T08:46:00Z", "-026-11-21T08:46:00Z",
            "2026-11-21T08:46:00.+01:00", "2026-11-21T08:46:-1Z", "2026-11-21T0 :46:00Z", "\u{0}", "2026-11-21T08:46:00Z\u{0}",
            "2026-11-21T08:46:00Z\n", "2026-02-30T00:00:00Z", "2026-11-31T00:00:00Z", "2026-11-21T08:46:00+01:00Z",
        ])
    func foreign(text: String) {
        #expect(throws: Timestamp.ParseFailure.malformed) { try Timestamp(rfc3339: text) }
    }

    @Test("An offset can move an instant across midnight, across a year and beyond the years 0000 and 9999")
    func overMidnight() throws {
        #expect(try Timestamp(rfc3339: "2026-01-01T00:30:00+01:00").description == "2025-12-31T23:30:00.000Z")
        #expect(try Timestamp(rfc3339: "2024-02-28T23:30:00-01:00").description == "2024-02-29T00:30:00.000Z")
        #expect(try Timestamp(rfc3339: "2023-02-28T23:30:00-01:00").description == "2023-03-01T00:30:00.000Z")
        let latest = try Timestamp(rfc3339: "9999-12-31T23:59:59.999-23:59")
        #expect(latest.milliseconds == 253_402_300_799_999 + (23 * 60 + 59) * 60_000)
        let earliest = try Timestamp(rfc3339: "0000-01-01T00:00:00+23:59")
        #expect(earliest.milliseconds == -62_167_219_200_000 - (23 * 60 + 59) * 60_000)
    }

    @Test("Instants have the same order as their texts")
    func order() {
        var generator = SeededGenerator(seed: 21)
        let instants = (0..<2000).map { _ in
            Timestamp(milliseconds: .random(in: -62_135_596_800_000...253_402_300_799_999, using: &generator))
        }
        #expect(instants.sorted().map(\.description) == instants.map(\.description).sorted())
    }

    @Test("Every day of a leap year and the next year is printed as by Foundation, at its first and last millisecond")
    func days() {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for day in 0..<731 as Range<Int64> {
            let midnight = 1_704_067_200_000 + day * 86_400_000
            let text = Timestamp(milliseconds: midnight).description
            #expect(text == style.format(Date(timeIntervalSince1970: Double(midnight / 1000))))
            #expect(Timestamp(milliseconds: midnight + 86_399_999).description == text.prefix(11) + "23:59:59.999Z")
        }
    }

    @Test("Every hour, minute and second of a day is parsed as it was printed")
    func times() throws {
        for second in 0..<86_400 as Range<Int64> {
            let instant = Timestamp(milliseconds: 1_700_006_400_000 + second * 1000 + second % 1000)
            guard try Timestamp(rfc3339: instant.description) == instant else {
                Issue.record("\(instant)")
                return
            }
        }
    }

    @Test("Any value of 64 bits can be printed, so that a log with invalid instants can be shown")
    func extremes() {
        for milliseconds in [Int64.min, .min + 1, -1, .max - 1, .max] {
            #expect(Timestamp(milliseconds: milliseconds).description.hasSuffix("Z"))
        }
    }

    @Test(
        "A duration is converted to whole milliseconds, rounded towards zero",
        arguments: [
            (Duration.zero, 0), (.milliseconds(1), 1), (.microseconds(999), 0), (.microseconds(-999), 0),
            (.microseconds(1001), 1),
            (.microseconds(-1001), -1), (.seconds(1), 1000), (.seconds(-1), -1000), (.nanoseconds(1_999_999), 1),
            (.seconds(86_400 * 365), 31_536_000_000), (.milliseconds(-1500), -1500),
        ] as [(Duration, Int64)])
    func wholeMilliseconds(duration: Duration, milliseconds: Int64) {
        #expect(duration.wholeMilliseconds == milliseconds)
        #expect(Timestamp(milliseconds: 5).advanced(by: duration).milliseconds == 5 + milliseconds)
    }

    @Test("Advancing an instant by its distance to another gives the other")
    func thereAndBack() {
        var generator = SeededGenerator(seed: 22)
        for _ in 0..<500 {
            let a = Timestamp(milliseconds: .random(in: -1_000_000_000_000...4_000_000_000_000, using: &generator))
            let b = Timestamp(milliseconds: .random(in: -1_000_000_000_000...4_000_000_000_000, using: &generator))
            #expect(a.advanced(by: b.duration(since: a)) == b)
            #expect(b.duration(since: a) == .zero - a.duration(since: b))
            #expect((a < b) == (b.duration(since: a) > .zero))
        }
    }

    @Test(
        "Only a JSON string with an instant is decoded as an instant",
        arguments: ["7", "null", "\"\"", "\"2026-11-21T08:46:00\"", "{}", "true"])
    func decoding(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Timestamp].self, from: Data("[\(json)]".utf8)) }
    }
}
