/// A date and a time on the wall clock, without a zone.
///
/// To resolve input such as `validFrom` with a zone and a fold:
///
///     guard let local = LocalDateTime("2027-03-28T02:30") else { … bad_time … }
///     guard let zone = TimeZoneDatabase.system.rules(of: "Europe/Berlin") else { … unknown_zone … }
///     let resolved = zone.resolve(local, fold: .first)    // 2027-03-28T01:00:00.000Z, gap
package struct LocalDateTime: Hashable, Sendable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01T00:00:00 on the same clock.
    package let milliseconds: Int64

    /// The time of day `time` on a date; `24:00` is the beginning of the next day.
    package init(date: CivilDate, time: LocalTime) {
        milliseconds = (date.daysSinceEpoch * 86_400 + Int64(time.seconds)) * 1000
    }

    init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Parses `YYYY-MM-DDThh:mm[:ss[.fraction]]`, where 24:00 is the start of the next day; `nil` for any other text, and for one
    /// with a UTC offset. Digits after the third decimal are truncated.
    package init?(_ text: String) {
        var scanner = DigitScanner(text)
        guard let read = scanner.localDateTime(), scanner.atEnd else { return nil }
        self = read.local
    }

    /// The date on the clock.
    package var date: CivilDate { CivilDate(daysSinceEpoch: milliseconds.flooredQuotient(by: 86_400_000)) }

    /// `YYYY-MM-DDThh:mm:ss`, without the milliseconds.
    package var description: String {
        String(Timestamp(milliseconds: milliseconds).description.prefix { $0 != "." })
    }
}

/// The instant of a local time, and the change of the clock that decided it.
package struct ResolvedLocalTime: Hashable, Sendable {
    /// The instant.
    package let instant: Timestamp
    /// Whether the clock skips or repeats the local time.
    package let change: ClockChange

    package init(instant: Timestamp, change: ClockChange) { (self.instant, self.change) = (instant, change) }
}

extension TimeZoneRules {
    /// Resolves a local time: one in a gap to the end of the gap, a repeated one to the instant that `fold` names. `fold` has no
    /// effect on a time that is not repeated.
    package func resolve(_ local: LocalDateTime, fold: Fold = .first) -> ResolvedLocalTime {
        let second = local.milliseconds.flooredQuotient(by: 1000)
        let resolved = resolve(local: second, fold: fold)
        let fraction = resolved.change == .gap ? 0 : local.milliseconds - second * 1000
        return ResolvedLocalTime(instant: Timestamp(milliseconds: resolved.instant * 1000 + fraction), change: resolved.change)
    }

    /// The reading of the clock at an instant.
    package func local(at instant: Timestamp) -> LocalDateTime {
        LocalDateTime(milliseconds: instant.milliseconds + offset(at: instant.milliseconds.flooredQuotient(by: 1000)) * 1000)
    }
}

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
        var scanner = DigitScanner(text)
        guard let read = scanner.time(), scanner.atEnd else { return nil }
        self = read.time
    }

    /// `hh:mm`, or `hh:mm:ss` if the seconds are not 0.
    package var description: String {
        let second = seconds % 60
        let minutes = "\(two(seconds / 3600)):\(two(seconds / 60 % 60))"
        return second == 0 ? minutes : "\(minutes):\(two(second))"
    }

    /// Orders the times of one day, 00:00 first and 24:00 last.
    package static func < (a: Self, b: Self) -> Bool { a.seconds < b.seconds }
}

/// A part of the calendar by which records are counted. Raw values are those of the API.
package enum CivilPeriod: String, CaseIterable, Sendable {
    /// An hour of the clock.
    case hour
    /// A day of the clock, which has 23 to 25 hours in most zones.
    case day
}

extension TimeZoneRules {
    /// Divides a time at the beginnings of the hours or days on the clock.
    ///
    /// A repeated hour is an hour of its own. A day begins when the clock shows its date for the first time.
    ///
    /// - Parameter maxParts: the maximum number of parts.
    /// - Returns: the limits of the parts in ascending order: `from`, the beginnings between, and `until`; `nil` if there are more
    ///   parts, or `until` is not after `from`.
    package func limits(from: Timestamp, until: Timestamp, by period: CivilPeriod, maxParts: Int) -> [Timestamp]? {
        guard from < until else { return nil }
        var limits = [from]
        while true {
            let second = (limits.last ?? from).milliseconds.flooredQuotient(by: 1000)
            let next = period == .hour ? nextHour(after: second) : nextDay(after: second)
            guard limits.count <= maxParts else { return nil }
            guard next * 1000 < until.milliseconds else { return limits + [until] }
            limits.append(Timestamp(milliseconds: next * 1000))
        }
    }

    /// The first instant after `second` at which an hour begins on the clock.
    private func nextHour(after second: Int64) -> Int64 {
        var segment = segment(at: second)
        let hour = (second + segment.offset).flooredQuotient(by: 3600)
        while true {
            let next = (hour + 1) * 3600 - segment.offset
            if next <= segment.end { return next }
            // The clock changes within the hour.
            let change = segment.end
            segment = self.segment(at: change)
            let reading = change + segment.offset
            if reading.flooredQuotient(by: 3600) != hour || reading % 3600 == 0 { return change }
        }
    }

    /// The first instant after `second` at which the clock shows a new date for the first time.
    private func nextDay(after second: Int64) -> Int64 {
        var day = (second + offset(at: second)).flooredQuotient(by: 86_400)
        while true {
            day += 1
            let beginning = resolve(local: day * 86_400).instant
            if beginning > second { return beginning }
        }
    }
}
