import DoorwardDomain
import DoorwardTesting
import Foundation
import Testing

@Suite struct TimestampTests {
    @Test(
        "RFC 3339 with any offset is parsed, and printed in UTC with milliseconds",
        arguments: [
            ("2026-11-21T08:46:00Z", "2026-11-21T08:46:00.000Z"),
            ("2026-11-21t08:46:00z", "2026-11-21T08:46:00.000Z"),
            ("2026-11-21T08:46:00+01:00", "2026-11-21T07:46:00.000Z"),
            ("2026-11-21T00:15:00.5+05:45", "2026-11-20T18:30:00.500Z"),
            ("2026-12-31T23:00:00-03:30", "2027-01-01T02:30:00.000Z"),
            ("2026-11-21T08:46:00-00:00", "2026-11-21T08:46:00.000Z"),
            ("2026-11-21T08:46:00.1Z", "2026-11-21T08:46:00.100Z"),
            ("2026-11-21T08:46:00.12Z", "2026-11-21T08:46:00.120Z"),
            ("2026-11-21T08:46:00.1239Z", "2026-11-21T08:46:00.123Z"),
            ("2026-11-21T08:46:00.123456789Z", "2026-11-21T08:46:00.123Z"),
            ("2024-02-29T12:00:00Z", "2024-02-29T12:00:00.000Z"),
            ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"),
        ])
    func reads(text: String, printed: String) throws {
        #expect(try Timestamp(rfc3339: text).description == printed)
    }

    @Test("A leap second is read as the second before it")
    func leapSecond() throws {
        #expect(try Timestamp(rfc3339: "2016-12-31T23:59:60Z").description == "2016-12-31T23:59:59.000Z")
        #expect(try Timestamp(rfc3339: "2017-01-01T00:59:60.250+01:00").description == "2016-12-31T23:59:59.250Z")
    }

    @Test(
        "A text without a zone gives an error of its own",
        arguments: ["2026-11-21T08:46:00", "2026-11-21T08:46:00.5", "2024-02-29T00:00:00"])
    func missingZone(text: String) {
        #expect(throws: Timestamp.ParseFailure.missingZone) { try Timestamp(rfc3339: text) }
    }

    @Test(
        "Any other text is malformed",
        arguments: [
            "", "2026-11-21", "2026-11-21 08:46:00Z", "2026-11-21T08:46Z", "2026-11-21T24:00:00Z", "2026-11-21T08:60:00Z",
            "2026-11-21T08:46:61Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-04-31T00:00:00Z", "2026-11-00T00:00:00Z", "2026-11-21T08:46:00.Z", "2026-11-21T08:46:00,5Z",
            "2026-11-21T08:46:00+24:00", "2026-11-21T08:46:00+01:60", "2026-11-21T08:46:00+0100", "2026-11-21T08:46:00+01",
            "2026-11-21T08:46:00ZZ", "2026-11-21T08:46:00Z ", " 2026-11-21T08:46:00Z", "26-11-21T08:46:00Z",
            "+2026-11-21T08:46:00Z",
            "2026-11-21T08:46:00.1234567890Z", "２026-11-21T08:46:00Z", "2026-11-21T8:46:00Z", "2026-11-21T08:46:00 Z", "now",
        ])
    func malformed(text: String) {
        #expect(throws: Timestamp.ParseFailure.malformed) { try Timestamp(rfc3339: text) }
    }

    @Test("Random instants are printed and parsed as by Foundation")
    func againstFoundation() throws {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<3000 {
            // The years are 1583 to 9999, because Foundation uses the Julian calendar before 1583.
            // The instants are whole seconds, because Foundation stores fractions in binary.
            let seconds = Int64.random(in: -12_212_553_600...253_402_300_799, using: &generator)
            let text = Timestamp(milliseconds: seconds * 1000).description
            #expect(text == style.format(Date(timeIntervalSince1970: Double(seconds))))
            #expect(try Timestamp(rfc3339: text).milliseconds == seconds * 1000)
        }
    }

    @Test("Random instants with milliseconds can be printed and parsed")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<3000 {
            let instant = Timestamp(milliseconds: .random(in: -62_135_596_800_000...253_402_300_799_999, using: &generator))
            #expect(try Timestamp(rfc3339: instant.description) == instant)
        }
    }

    @Test("Each offset, in steps of a quarter of an hour, shifts the instant by the same time")
    func offsets() throws {
        let utc = try Timestamp(rfc3339: "2026-03-01T00:00:00Z")
        for quarter in -95...95 {
            let (hours, minutes) = (abs(quarter) / 4, abs(quarter) % 4 * 15)
            let offset = "\(quarter < 0 ? "-" : "+")\(hours < 10 ? "0" : "")\(hours):\(minutes < 10 ? "0" : "")\(minutes)"
            let read = try Timestamp(rfc3339: "2026-03-01T00:00:00\(offset)")
            #expect(read.duration(since: utc) == .seconds(-900 * quarter))
        }
    }

    @Test("Advancing an instant rounds towards zero to a millisecond")
    func advanced() {
        let instant = Timestamp(milliseconds: 1000)
        #expect(instant.advanced(by: .microseconds(1999)).milliseconds == 1001)
        #expect(instant.advanced(by: .microseconds(-1999)).milliseconds == 999)
        #expect(instant.advanced(by: .seconds(-2)).milliseconds == -1000)
        #expect(Timestamp(milliseconds: 5).duration(since: instant) == .milliseconds(-995))
        #expect(Duration.seconds(90).wholeMilliseconds == 90_000)
    }

    @Test("An instant is encoded in JSON as a string")
    func codable() throws {
        let data = Data("[\"2026-11-21T09:46:00+01:00\"]".utf8)
        let read = try JSONDecoder().decode([Timestamp].self, from: data)
        #expect(read.map(\.description) == ["2026-11-21T08:46:00.000Z"])
        #expect(String(decoding: try JSONEncoder().encode(read), as: UTF8.self) == "[\"2026-11-21T08:46:00.000Z\"]")
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Timestamp].self, from: Data("[\"2026\"]".utf8)) }
    }
}
