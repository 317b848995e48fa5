/// The UTC offsets of one time zone at all instants, from a TZif file (RFC 9636). All instants are whole seconds since
/// 1970-01-01T00:00:00Z; offsets are seconds east of UTC.
package final class TimeZoneRules: Sendable {
    /// The IANA name, such as `Europe/Berlin`.
    package let name: String
    /// The instants at which the offset changes, ascending: those of the file's table and, up to 2100, those of `footer`, because a
    /// search takes less time than the rule.
    private let transitions: [Int64]
    /// The offset before the first transition, and after each of them.
    private let offsets: [Int32]
    /// The rule for the instants after the table; `nil` if the last offset then holds forever.
    private let footer: PosixTimeZone?
    /// The first instant to which `footer` applies.
    private let footerStart: Int64

    /// An interval without a change of the offset. The intervals of a zone cover all instants.
    package struct Segment: Hashable, Sendable {
        /// The first instant; `Int64.min` in the first segment.
        package let start: Int64
        /// The first instant after the segment; `Int64.max` in the last segment.
        package let end: Int64
        /// The offset, in seconds east of UTC.
        package let offset: Int64
    }

    /// - Parameters:
    ///   - transitions: ascending, without duplicates.
    ///   - offsets: one more than there are transitions.
    init(name: String, transitions: [Int64], offsets: [Int32], footer: PosixTimeZone?) {
        (self.name, self.footer) = (name, footer)
        // Without the transitions that change only the abbreviation, a segment is as long as possible.
        let kept = transitions.indices.filter { offsets[$0] != offsets[$0 + 1] }
        var table = Table(transitions: kept.map { transitions[$0] }, offsets: [offsets[0]] + kept.map { offsets[$0 + 1] })
        let footerStart = Self.footerStart(
            footer, table: (transitions.last, table.transitions.last), offset: table.offsets.last ?? 0)
        self.footerStart = footer.map { table.extend(by: $0, from: footerStart) } ?? footerStart
        (self.transitions, self.offsets) = (table.transitions, table.offsets)
    }

    /// The table while it is built.
    private struct Table {
        var transitions: [Int64]
        var offsets: [Int32]

        /// 1900-01-01 to 2100-01-01.
        private static let extensible: Range<Int64> = -2_208_988_800..<4_102_444_800

        /// Adds the segments of a rule up to 2100. A table that ends before 1900 is not extended.
        ///
        /// - Parameter start: the first instant for which the rule is used.
        /// - Returns: the first instant that is not in the table.
        mutating func extend(by rule: PosixTimeZone, from start: Int64) -> Int64 {
            guard Self.extensible.contains(start) else { return start }
            var segment = rule.segment(at: start, notBefore: start)
            while segment.end < Self.extensible.upperBound {
                if transitions.last == segment.start {
                    offsets[offsets.count - 1] = Int32(segment.offset)
                } else if offsets[offsets.count - 1] != segment.offset {
                    transitions.append(segment.start)
                    offsets.append(Int32(segment.offset))
                }
                segment = rule.segment(at: segment.end, notBefore: start)
            }
            return segment.start
        }
    }

    /// The first instant for which the rule is used: the end of the table. Many tables end with a transition that changes nothing;
    /// if the rule gives the same offset before it, the rule is used from the transition before.
    ///
    /// - Parameter offset: the last offset of the table.
    private static func footerStart(_ footer: PosixTimeZone?, table: (end: Int64?, lastChange: Int64?), offset: Int32) -> Int64 {
        guard let footer, let end = table.end, table.lastChange != end else { return table.end ?? .min }
        let segment = footer.segment(at: table.lastChange ?? end, notBefore: .min)
        let isSame = segment.offset == Int64(offset) && segment.end > end && (table.lastChange != nil || footer.daylight == nil)
        return isSame ? table.lastChange ?? .min : end
    }

    /// The offset at an instant, in seconds east of UTC.
    package func offset(at instant: Int64) -> Int64 { segment(at: instant).offset }

    /// The segment that contains an instant.
    package func segment(at instant: Int64) -> Segment {
        if let footer, instant >= footerStart { return footer.segment(at: instant, notBefore: footerStart) }
        // The number of transitions up to the instant.
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= instant { low = middle + 1 } else { high = middle }
        }
        let tableEnd = footer == nil ? Int64.max : footerStart
        return Segment(
            start: low == 0 ? .min : transitions[low - 1], end: low == transitions.count ? tableEnd : transitions[low],
            offset: Int64(offsets[low]))
    }
}

/// The effect of a change of the clock on a local time. Raw values are those of the API.
package enum ClockChange: String, CaseIterable, Codable, Sendable {
    /// The clock shows the time exactly once.
    case none
    /// The clock skips the time.
    case gap
    /// The clock shows the time twice.
    case overlap
}

/// Which of two instants a repeated local time means. Raw values are those of the API.
package enum Fold: String, CaseIterable, Codable, Sendable {
    /// The first instant.
    case first
    /// The second instant.
    case second
}

extension TimeZoneRules {
    /// No local time is farther than this from the UTC time of its instant.
    package static let maxOffset: Int64 = 26 * 3600

    /// Resolves a local time to an instant.
    ///
    /// A time in a gap is resolved to the instant of the transition, at which the clock shows a later time. RFC 5545, section 3.3.5,
    /// applies the offset before the gap instead, which would give access at a time that the schedule does not contain. A repeated time is
    /// resolved to its first instant unless `fold` is `.second`.
    ///
    /// - Parameter local: the reading of the clock, in seconds since 1970-01-01T00:00:00 on the same clock.
    package func resolve(local: Int64, fold: Fold = .first) -> (instant: Int64, change: ClockChange) {
        var segment = segment(at: local - Self.maxOffset)
        if segment.end > local + Self.maxOffset { return (local - segment.offset, .none) }
        var exact: (first: Int64, last: Int64)?
        var afterGap: Int64?
        while true {
            let candidate = local - segment.offset
            if candidate >= segment.start && candidate < segment.end {
                exact = (exact?.first ?? candidate, candidate)
            } else if candidate < segment.start, afterGap == nil {
                // The segment begins with a later reading of the clock.
                afterGap = segment.start
            }
            guard segment.end <= local + Self.maxOffset else { break }
            segment = self.segment(at: segment.end)
        }
        if let exact { return (fold == .first ? exact.first : exact.last, exact.first == exact.last ? .none : .overlap) }
        return (afterGap ?? local - segment.offset, .gap)
    }
}

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
                    // Two transitions at one instant count as none: the offset of the later rule applies.
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
        var scanner = DigitScanner(String(text))
        guard scanner.skipName(), let offset = scanner.signedTime() else { return nil }
        standard = -offset
        if scanner.atEnd {
            daylight = nil
            return
        }
        guard scanner.skipName() else { return nil }
        var daylightOffset = standard + 3600
        if scanner.rest.first != UInt8(ascii: ",") {
            guard let offset = scanner.signedTime() else { return nil }
            daylightOffset = -offset
        }
        guard scanner.skip(","), let start = scanner.yearlyTime(), scanner.skip(","), let end = scanner.yearlyTime(),
            scanner.atEnd
        else { return nil }
        daylight = Daylight(offset: daylightOffset, start: start, end: end)
    }
}

extension DigitScanner {
    /// Skips an abbreviation: three letters or more, or any text in angle brackets.
    fileprivate mutating func skipName() -> Bool {
        if skip("<") {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
            rest = rest[rest.index(after: end)...]
            return true
        }
        let name = rest.prefix { (UInt8(ascii: "A")...UInt8(ascii: "z")).contains($0) }
        rest = rest.dropFirst(name.count)
        return name.count >= 3
    }

    fileprivate mutating func number() -> Int64? {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...3).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Reads `[+-]hh[:mm[:ss]]` in seconds.
    fileprivate mutating func signedTime() -> Int64? {
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

    fileprivate mutating func yearlyTime() -> PosixTimeZone.YearlyTime? {
        let day: PosixTimeZone.YearlyTime.Day
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
        guard skip("/") else { return PosixTimeZone.YearlyTime(day: day, seconds: 7200) }
        return signedTime().map { PosixTimeZone.YearlyTime(day: day, seconds: $0) }
    }
}
