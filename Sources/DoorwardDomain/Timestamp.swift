/// An instant in time: whole milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// The text form is RFC 3339 in UTC with three decimals, `2026-11-21T08:46:00.000Z`; input may have any UTC offset.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since the Unix epoch.
    public var milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Orders instants by time. In the years 0 to 9999, their `description` texts have the same order.
    @inlinable
    public static func < (a: Self, b: Self) -> Bool { a.milliseconds < b.milliseconds }

    /// This instant moved by `duration`, rounded towards zero to a millisecond.
    public func advanced(by duration: Duration) -> Self { Self(milliseconds: milliseconds + duration.wholeMilliseconds) }

    /// The time from `other` to this instant; negative when `other` is later.
    public func duration(since other: Self) -> Duration { .milliseconds(milliseconds - other.milliseconds) }
}

extension Duration {
    /// The duration in milliseconds, rounded towards zero.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}

// MARK: - RFC 3339

extension Timestamp: CustomStringConvertible {
    /// The instant in RFC 3339, UTC, with milliseconds.
    public var description: String { withText { String(decoding: $0, as: UTF8.self) } }

    /// Calls `body` with the bytes of `description`, which are ASCII; allocates no string in the years 0 to 9999.
    package func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.maxWidth) { characters in
            body(UnsafeBufferPointer(rebasing: characters[..<write(to: characters)]))
        }
    }

    /// The number of characters in the years 0 to 9999 is 24. A year of 64 bits in milliseconds has at most ten.
    private static let maxWidth = 32

    /// - Returns: the number of characters.
    private func write(to characters: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var end = 0
        func put(_ character: Unicode.Scalar) {
            characters.initializeElement(at: end, to: UInt8(ascii: character))
            end += 1
        }
        func put(_ number: Int64, digits: Int, then separator: Unicode.Scalar) {
            var rest = number
            for place in stride(from: end + digits - 1, through: end, by: -1) {
                characters.initializeElement(at: place, to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
                rest /= 10
            }
            end += digits
            put(separator)
        }
        let day = milliseconds.flooredQuotient(by: 86_400_000)
        // Use the remainder, because the start of the day may be outside the range of 64 bits.
        let remainder = milliseconds % 86_400_000
        let (date, time) = (CivilDate(daysSinceEpoch: day), remainder < 0 ? remainder + 86_400_000 : remainder)
        if (0...9999).contains(date.year) {
            put(Int64(date.year), digits: 4, then: "-")
        } else {
            for character in (four(date.year) + "-").unicodeScalars { put(character) }
        }
        put(Int64(date.month), digits: 2, then: "-")
        put(Int64(date.day), digits: 2, then: "T")
        put(time / 3_600_000, digits: 2, then: ":")
        put(time / 60_000 % 60, digits: 2, then: ":")
        put(time / 1000 % 60, digits: 2, then: ".")
        put(time % 1000, digits: 3, then: "Z")
        return end
    }

    /// The reason why a text is not a valid instant.
    package enum ParseFailure: Error, Equatable {
        /// The text is not a date and time of RFC 3339.
        case malformed
        /// The text is a date and time without a zone.
        case missingZone
    }

    /// Parses `YYYY-MM-DDThh:mm:ss[.fraction](Z|±hh:mm)`; digits after the third decimal are truncated.
    ///
    /// A leap second (`:60`) is read as second 59 (RFC 3339, section 5.7).
    package init(rfc3339 text: String) throws(ParseFailure) {
        var scanner = DigitScanner(text)
        guard let (local, time, hasSeconds) = scanner.localDateTime(), hasSeconds, time < .endOfDay else { throw .malformed }
        if scanner.atEnd { throw .missingZone }
        guard let offset = scanner.offsetMinutes(), scanner.atEnd else { throw .malformed }
        self.init(milliseconds: local.milliseconds - Int64(offset) * 60_000)
    }
}

extension Timestamp: Codable {
    /// Decodes a string by `init(rfc3339:)`; throws a `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            self = try Self(rfc3339: try container.decode(String.self))
        } catch let failure as ParseFailure {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an instant: \(failure)")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// A day of the proleptic Gregorian calendar.
package struct CivilDate: Hashable, Sendable, CustomStringConvertible {
    /// The astronomical year: year 0 is the year before year 1.
    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int

    /// Creates a day; `nil` for a day that does not exist.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), day >= 1, day <= Self.length(ofMonth: month, in: year) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Parses `YYYY-MM-DD`; `nil` for any other text, and for a day that does not exist.
    package init?(_ text: String) {
        var scanner = DigitScanner(text)
        guard let date = scanner.date(), scanner.atEnd else { return nil }
        self = date
    }

    /// The day `days` after 1970-01-01.
    ///
    /// Years are counted from March, so that the leap day is the last day of a year. The algorithm
    /// is `civil_from_days` of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
    package init(daysSinceEpoch days: Int64) {
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
        month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    }

    /// Days since 1970-01-01, negative before (`days_from_civil` of the same source).
    package var daysSinceEpoch: Int64 {
        let shiftedYear = Int64(month <= 2 ? year - 1 : year)
        let era = shiftedYear.flooredQuotient(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// `YYYY-MM-DD` (RFC 3339, section 5.6, `full-date`) for the years 0 to 9999.
    package var description: String { "\(four(year))-\(two(month))-\(two(day))" }

    private static func length(ofMonth month: Int, in year: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// Reads dates, times and other numbers from the front of a text.
struct DigitScanner {
    var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    var atEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar, or other: Unicode.Scalar? = nil) -> Bool {
        guard let first = rest.first, first == UInt8(ascii: character) || other.map({ first == UInt8(ascii: $0) }) == true
        else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Reads `YYYY-MM-DD`, a day that exists.
    mutating func date() -> CivilDate? {
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2) else { return nil }
        return CivilDate(year: year, month: month, day: day)
    }

    /// Reads `hh:mm[:ss]`. A leap second (`:60`) is read as second 59.
    mutating func time() -> (time: LocalTime, hasSeconds: Bool)? {
        guard let hour = number(2), skip(":"), let minute = number(2) else { return nil }
        let hasSeconds = skip(":")
        guard let second = hasSeconds ? number(2) : 0,
            let time = LocalTime(hour: hour, minute: minute, second: second == 60 && hour < 24 ? 59 : second)
        else { return nil }
        return (time, hasSeconds)
    }

    /// Reads `YYYY-MM-DDThh:mm[:ss[.fraction]]`.
    mutating func localDateTime() -> (local: LocalDateTime, time: LocalTime, hasSeconds: Bool)? {
        guard let date = date(), skip("T", or: "t"), let (time, hasSeconds) = time() else { return nil }
        let hasFraction = hasSeconds && time < .endOfDay && skip(".")
        guard let fraction = hasFraction ? fraction() : 0 else { return nil }
        let whole = LocalDateTime(date: date, time: time)
        return (LocalDateTime(milliseconds: whole.milliseconds + fraction), time, hasSeconds)
    }

    mutating func number(_ digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            rest = rest.dropFirst()
        }
        return value
    }

    /// Reads one to nine decimals of a second, and returns milliseconds.
    mutating func fraction() -> Int64? {
        var value: Int64 = 0
        var digits = 0
        while digits < 9, let digit = number(1) {
            if digits < 3 { value = value * 10 + Int64(digit) }
            digits += 1
        }
        guard digits > 0 else { return nil }
        for _ in digits..<max(digits, 3) { value *= 10 }
        return value
    }

    /// Reads `Z`, or `±hh:mm` as minutes east of UTC.
    mutating func offsetMinutes() -> Int? {
        if skip("Z", or: "z") { return 0 }
        let sign: Int
        if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
        guard let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 60 + minutes)
    }
}

extension Int64 {
    /// The quotient, rounded towards negative infinity.
    @inlinable
    package func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

func two(_ value: some BinaryInteger) -> String { value < 10 ? "0\(value)" : "\(value)" }
private func four(_ value: Int) -> String { String(repeating: "0", count: max(0, 4 - String(value).count)) + String(value) }
