/// The rule at the end of a TZif file: a standard offset and, in most cases, a second one between two dates of every year. The
/// form is that of the environment variable `TZ` in POSIX, with the extension of RFC 9636, section 3.3.1: hours from -167 to 167.
struct PosixTimeZone: Hashable, Sendable {
    /// The standard offset, in seconds east of UTC.
    let standard: Int64
    /// The other offset; `nil` if the standard offset always holds.
    let daylight: Daylight?

    struct Daylight: Hashable, Sendable {
        let offset: Int64
        /// The beginning, by a clock with the standard offset.
        let start: YearlyTime
        /// The end, by a clock with `offset`.
        let end: YearlyTime
    }

    /// A time in every year.
    struct YearlyTime: Hashable, Sendable {
        let day: Day
        /// Seconds since the start of the day; may be negative, or more than a day.
        let seconds: Int64

        enum Day: Hashable, Sendable {
            /// The day of the year from 1 to 365; February 29 is not counted.
            case julian(Int64)
            /// The days since January 1, with February 29.
            case zeroBased(Int64)
            /// A weekday (0 is Sunday) of a week (5 is the last) of a month.
            case weekday(month: Int, week: Int64, weekday: Int64)
        }

        /// The time in a year, in seconds since 1970 on the clock that the rule is written for.
        func local(in year: Int) -> Int64 { dayNumber(in: year) * 86_400 + seconds }

        private func dayNumber(in year: Int) -> Int64 {
            let january = PosixTimeZone.day(year, 1)
            switch day {
            case .zeroBased(let days): return january + days
            case .julian(let days):
                let isAfterLeapDay = PosixTimeZone.day(year, 3) - january == 60 && days >= 60
                return january + days - (isAfterLeapDay ? 0 : 1)
            case .weekday(let month, let week, let weekday):
                let first = PosixTimeZone.day(year, month)
                let next = month == 12 ? PosixTimeZone.day(year + 1, 1) : PosixTimeZone.day(year, month + 1)
                // 1970-01-01 was a Thursday, which is 4 here.
                let firstWeekday = ((first + 4) % 7 + 7) % 7
                let found = first + (weekday - firstWeekday + 7) % 7 + 7 * (week - 1)
                return found < next ? found : found - 7
            }
        }
    }

    private static func day(_ year: Int, _ month: Int) -> Int64 {
        CivilDate(year: year, month: month, day: 1)?.daysSinceEpoch ?? 0
    }

    /// The segment that contains an instant, by the rule alone.
    ///
    /// - Parameter footerStart: the segment does not begin before this instant.
    func segment(at instant: Int64, notBefore footerStart: Int64) -> TimeZoneRules.Segment {
        guard let daylight else { return .init(start: footerStart, end: .max, offset: standard) }
        let year = CivilDate(daysSinceEpoch: (instant - (instant % 86_400 + 86_400) % 86_400) / 86_400).year
        var (start, end, offset) = (footerStart, Int64.max, standard)
        for year in year - 1...year + 1 {
            let begins = (daylight.start.local(in: year) - standard, daylight.offset)
            let ends = (daylight.end.local(in: year) - daylight.offset, standard)
            for (transition, after) in begins.0 < ends.0 ? [begins, ends] : [ends, begins] {
                if transition <= instant {
                    // Two transitions at one instant are none: the offset of the later rule holds.
                    (start, offset) = (max(footerStart, transition), after)
                } else if end == .max {
                    end = transition
                }
            }
        }
        return .init(start: start, end: end, offset: offset)
    }
}

extension PosixTimeZone {
    /// Parses a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`; `nil` if it has another form.
    init?(_ text: some StringProtocol) {
        var scanner = Scanner(rest: Array(text.utf8)[...])
        guard scanner.skipName(), let offset = scanner.time() else { return nil }
        standard = -offset
        if scanner.rest.isEmpty {
            daylight = nil
            return
        }
        guard scanner.skipName() else { return nil }
        var daylightOffset = standard + 3600
        if scanner.rest.first != UInt8(ascii: ",") {
            guard let offset = scanner.time() else { return nil }
            daylightOffset = -offset
        }
        guard scanner.skip(","), let start = scanner.yearlyTime(), scanner.skip(","), let end = scanner.yearlyTime(),
            scanner.rest.isEmpty
        else { return nil }
        daylight = Daylight(offset: daylightOffset, start: start, end: end)
    }

    private struct Scanner {
        var rest: ArraySlice<UInt8>

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        /// Skips an abbreviation: three letters or more, or any text in angle brackets.
        mutating func skipName() -> Bool {
            if skip("<") {
                guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
                rest = rest[(end + 1)...]
                return true
            }
            let name = rest.prefix { (UInt8(ascii: "A")...UInt8(ascii: "z")).contains($0) }
            rest = rest.dropFirst(name.count)
            return name.count >= 3
        }

        mutating func number() -> Int64? {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard (1...3).contains(digits.count) else { return nil }
            rest = rest.dropFirst(digits.count)
            return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        }

        /// Reads `[+-]hh[:mm[:ss]]` in seconds.
        mutating func time() -> Int64? {
            let isNegative = skip("-")
            if !isNegative { _ = skip("+") }
            guard let hours = number() else { return nil }
            var seconds = hours * 3600
            for unit in [60, 1] as [Int64] where skip(":") {
                guard let value = number() else { return nil }
                seconds += value * unit
            }
            return isNegative ? -seconds : seconds
        }

        mutating func yearlyTime() -> YearlyTime? {
            let day: YearlyTime.Day
            if skip("M") {
                guard let month = number(), (1...12).contains(month), skip("."), let week = number(), (1...5).contains(week),
                    skip("."), let weekday = number(), weekday < 7
                else { return nil }
                day = .weekday(month: Int(month), week: week, weekday: weekday)
            } else if skip("J") {
                guard let number = number(), (1...365).contains(number) else { return nil }
                day = .julian(number)
            } else {
                guard let number = number(), number <= 365 else { return nil }
                day = .zeroBased(number)
            }
            guard skip("/") else { return YearlyTime(day: day, seconds: 7200) }
            return time().map { YearlyTime(day: day, seconds: $0) }
        }
    }
}
