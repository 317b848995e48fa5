/// A day of the week, with Monday first as in ISO 8601. Raw values are those of the API.
package enum Weekday: String, CaseIterable, Codable, Sendable {
    /// Monday; each other case is the day of its name.
    case monday = "MON"
    /// Tuesday.
    case tuesday = "TUE"
    /// Wednesday.
    case wednesday = "WED"
    /// Thursday.
    case thursday = "THU"
    /// Friday.
    case friday = "FRI"
    /// Saturday.
    case saturday = "SAT"
    /// Sunday.
    case sunday = "SUN"
}

/// A set of days of the week in one byte.
package struct WeekdaySet: OptionSet, Hashable, Sendable {
    /// Bit 0 is Monday, bit 6 is Sunday.
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The set of these days; repetitions do not matter.
    package init(_ days: some Sequence<Weekday>) {
        self.init(rawValue: days.reduce(0) { $0 | 1 << UInt8(Weekday.allCases.firstIndex(of: $1) ?? 0) })
    }

    /// The days of the set, Monday first.
    package var days: [Weekday] {
        Weekday.allCases.enumerated().filter { rawValue >> UInt8($0.offset) & 1 == 1 }.map(\.element)
    }

    /// All seven days.
    package static let everyDay = Self(rawValue: 0b111_1111)

    /// Whether the set contains the weekday of the day `day` after 1970-01-01, which was a Thursday.
    @inlinable
    package func contains(day: Int64) -> Bool {
        let weekday = (day + 3) % 7
        return rawValue >> UInt8(weekday < 0 ? weekday + 7 : weekday) & 1 == 1
    }
}

/// A time on the wall clock, without a date and a zone: whole seconds from 00:00 to 24:00, which is the end of the day.
package struct LocalTime: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Seconds since 00:00 on the clock, 0 to 86,400.
    package let seconds: Int32

    /// The end of the day, `24:00`.
    package static let endOfDay = Self(seconds: 86_400)

    private init(seconds: Int32) { self.seconds = seconds }

    /// Creates a time of the clock; `nil` for one that no clock shows. Of hour 24 there is only 24:00:00.
    package init?(hour: Int, minute: Int, second: Int = 0) {
        guard (0...24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second),
            hour < 24 || (minute == 0 && second == 0)
        else { return nil }
        seconds = Int32(hour * 3600 + minute * 60 + second)
    }

    /// Parses `hh:mm` or `hh:mm:ss`; `nil` for any other text. A leap second (`:60`) is read as second 59.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part -> Int? in
            guard part.count == 2, part.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
            return part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
        guard numbers.count == parts.count, (2...3).contains(numbers.count) else { return nil }
        let second = numbers.count == 3 ? numbers[2] : 0
        self.init(hour: numbers[0], minute: numbers[1], second: second == 60 && numbers[0] < 24 ? 59 : second)
    }

    /// `hh:mm`, or `hh:mm:ss` if the seconds are not 0.
    package var description: String {
        let second = seconds % 60
        let minutes = "\(Self.two(seconds / 3600)):\(Self.two(seconds / 60 % 60))"
        return second == 0 ? minutes : "\(minutes):\(Self.two(second))"
    }

    /// Orders the times of one day, 00:00 first and 24:00 last.
    package static func < (a: Self, b: Self) -> Bool { a.seconds < b.seconds }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
