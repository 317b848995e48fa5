import DoorwardDomain
import Glibc

/// A point in time as typed by a user.
struct TimeArgument {
    /// The accepted forms, for help texts of commands that read local times in the user's own zone.
    static let help = help(zone: "in your own time zone")

    /// The accepted forms, for help texts.
    ///
    /// - Parameter zone: the zone of local times, such as `in your own time zone`.
    static func help(zone: String) -> String {
        """
        A time is 2026-11-21T18:00+01:00, or \(zone) "2026-11-21 18:00", 2026-11-21, 18:00 or 6pm (today), "tomorrow 9:00", \
        "friday 9:00" (the next one after today), yesterday, now, or +2h, +30m, +3d from now.
        """
    }

    /// A time that was read, before its zone is known.
    enum Form: Equatable, Sendable {
        case instant(Timestamp)
        /// A length of time from now or, if it is not negative, from the start that the time is the end of.
        case relative(Duration)
        case local(Day, LocalTime)

        /// Whether the time is read on a clock in some zone.
        var isLocal: Bool { if case .local = self { true } else { false } }

        /// Resolves the time.
        ///
        /// - Parameters:
        ///   - now: the present time, for relative forms.
        ///   - start: the start of a length of time that is not negative; `nil` for now.
        ///   - zone: the zone of a local time.
        /// - Returns: the reading of the clock, `nil` for a time that is not local, and its instant.
        func resolved(now: Timestamp, start: Timestamp?, in zone: TimeZoneRules) -> (local: LocalDateTime?, ResolvedLocalTime) {
            switch self {
            case .instant(let instant): return (nil, ResolvedLocalTime(instant: instant, change: .none))
            case .relative(let length):
                let beginning = length <= .zero ? now : start ?? now
                return (nil, ResolvedLocalTime(instant: beginning.advanced(by: length), change: .none))
            case .local(let day, let time):
                let local = LocalDateTime(date: day.date(today: zone.local(at: now).date), time: time)
                return (local, zone.resolve(local))
            }
        }
    }

    enum Day: Equatable, Sendable {
        /// Today is 0, tomorrow 1.
        case fromToday(Int)
        /// The next day of this name after today.
        case next(Weekday)
        case date(CivilDate)

        func date(today: CivilDate) -> CivilDate {
            switch self {
            case .date(let date): return date
            case .fromToday(let days): return CivilDate(daysSinceEpoch: today.daysSinceEpoch + Int64(days))
            case .next(let weekday):
                let week = (1...7).map { CivilDate(daysSinceEpoch: today.daysSinceEpoch + $0) }
                return week.first { $0.weekday == weekday } ?? today
            }
        }
    }

    private let text: String
    private let option: String
    private let help: String

    /// - Parameter help: the sentence about the accepted forms, for errors.
    init(_ text: String, option: String, help: String = Self.help) { (self.text, self.option, self.help) = (text, option, help) }

    /// Reads the text.
    ///
    /// - Throws: a usage error for a text that is not a time, and for a day and a time of day that no calendar and no clock shows.
    func form() throws(CommandFailure) -> Form {
        let typed = text.trimmed.lowercased()
        if let instant = Self.instant(typed) { return .instant(instant) }
        if typed == "now" { return .relative(.zero) }
        if let length = Self.length(typed) { return .relative(length) }
        guard let (day, rest) = try dayAndRest(typed) else { throw notATime }
        guard let numbers = rest.isEmpty ? (0, 0, 0) : Self.clock(rest) else { throw notATime }
        guard let time = LocalTime(hour: numbers.hour, minute: numbers.minute, second: numbers.second) else {
            throw failure("does not exist: a clock shows 00:00 to 23:59, and 24:00 is the end of a day.")
        }
        return .local(day ?? .fromToday(0), time)
    }

    /// Resolves the time; a local time is one in the user's own zone.
    ///
    /// - Parameters:
    ///   - now: the present time, for relative forms.
    ///   - start: the start of a duration such as `+2h`; `now` by default.
    /// - Throws: the errors of `form`, and a usage error for a local time that does not exist, or exists twice.
    func instant(now: Timestamp, start: Timestamp? = nil) throws(CommandFailure) -> Timestamp {
        let (local, resolved) = try form().resolved(now: now, start: start, in: .user)
        switch resolved.change {
        case .none: return resolved.instant
        case .gap: throw failure("does not exist: clocks here never show \(local?.shown ?? text)")
        case .overlap:
            throw failure("occurs twice, because the clock is put back: give an offset, as in 2026-10-25T02:30:00+01:00")
        }
    }

    private var notATime: CommandFailure { failure("is not a time. \(help)") }

    private func failure(_ problem: String) -> CommandFailure {
        CommandFailure("\(option): `\(text.printable)` \(problem)", code: 2)
    }

    /// Parses an instant with an offset; the seconds may be missing, and a space may stand for the `T`.
    private static func instant(_ text: String) -> Timestamp? {
        let form =
            #/([0-9]{4}-[0-9]{2}-[0-9]{2})(?:t| +)([0-9]{1,2}:[0-9]{2})(:[0-9]{2}(?:\.[0-9]+)?)? ?(z|[+-][0-9]{2}:[0-9]{2})/#
        guard let match = text.wholeMatch(of: form) else { return nil }
        let hour = match.2.count == 4 ? "0\(match.2)" : "\(match.2)"
        return try? Timestamp(rfc3339: "\(match.1)T\(hour)\(match.3 ?? ":00")\(match.4)")
    }

    /// Parses `+1h30m` or `-2d`; a day is 24 hours.
    private static func length(_ text: String) -> Duration? {
        guard let match = text.wholeMatch(of: #/([+-])((?:[0-9]{1,6}[smhdw])+)/#) else { return nil }
        let seconds = match.2.matches(of: #/([0-9]+)([smhdw])/#).reduce(0) { sum, part in
            sum + (Int(part.1) ?? 0) * (["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800][part.2] ?? 0)
        }
        return .seconds(match.1 == "-" ? -seconds : seconds)
    }

    /// Splits a local time into its day, if it names one, and the time of day, which may be empty; `nil` if it is empty.
    private func dayAndRest(_ text: String) throws(CommandFailure) -> (day: Day?, rest: Substring)? {
        guard !text.isEmpty else { return nil }
        if let match = text.prefixMatch(of: #/([0-9]{4}-[0-9]{2}-[0-9]{2})(?:$|t| +)/#) {
            guard let date = CivilDate(String(match.1)) else { throw failure("does not exist: there is no day \(match.1).") }
            return (.date(date), text[match.range.upperBound...])
        }
        let word = text.prefix { !$0.isWhitespace }
        let named = ["yesterday": -1, "today": 0, "tomorrow": 1][word].map { Day.fromToday($0) }
        guard let day = named ?? Weekday(typed: word).map({ .next($0) }) else { return (nil, text[...]) }
        return (day, text[word.endIndex...].drop(while: \.isWhitespace))
    }

    /// Parses `9:00`, `09:00:30`, `9am` or `9:30 pm`.
    static func clock(_ text: Substring) -> (hour: Int, minute: Int, second: Int)? {
        func number(_ text: Substring?) -> Int { text.flatMap { Int($0) } ?? 0 }
        if let match = text.wholeMatch(of: #/([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?/#) {
            return (number(match.1), number(match.2), number(match.3))
        }
        guard let match = text.wholeMatch(of: #/([0-9]{1,2})(?::([0-9]{2}))? ?([ap])m/#), (1...12).contains(number(match.1))
        else { return nil }
        return (number(match.1) % 12 + (match.3 == "p" ? 12 : 0), number(match.2), 0)
    }
}

extension Weekday {
    /// Reads the name of a day, or its first three letters or more, in any case: `fri`, `Friday`.
    init?(typed text: some StringProtocol) {
        let name = text.lowercased()
        guard name.count >= 3, let day = Self.allCases.first(where: { "\($0)".hasPrefix(name) }) else { return nil }
        self = day
    }

    /// `Mon`.
    var short: String { rawValue.prefix(1) + rawValue.dropFirst().lowercased() }
}

extension CivilDate {
    /// The day of the week.
    var weekday: Weekday { Weekday.allCases.first { WeekdaySet([$0]).contains(day: daysSinceEpoch) } ?? .monday }
}

extension LocalDateTime {
    /// `2026-11-21 18:00:05`.
    var shown: String { description.replacing("T", with: " ") }

    /// The time with the day of the week, and without seconds if there are none, such as `Mon 2026-11-23 09:00`.
    var withDay: String { "\(date.weekday.short) \(shown.hasSuffix(":00") ? String(shown.dropLast(3)) : shown)" }

    /// Returns a text such as `Nov 21 18:00`, or `2026-11-21 18:00` if the time is not in this year. With seconds, the time of
    /// day is `18:00:05`.
    func short(in thisYear: Int, withSeconds: Bool) -> String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let text = withSeconds ? shown : String(shown.dropLast(3))
        return date.year == thisYear ? "\(months[date.month - 1]) \(text.dropFirst("2026-11-".count))" : text
    }
}

extension TimeZoneRules {
    /// The user's time zone (`TZ`, else the system's).
    static let user =
        TimeZoneDatabase.system.hostRules(variable: getenv("TZ").map { String(cString: $0) }) ?? TimeZoneDatabase.system.utc

    /// Returns an instant on the user's clock, with the day of the week and the zone, such as `Mon 2026-11-23 09:00 (CET)`.
    static func zoned(_ instant: Timestamp) -> String {
        var (seconds, fields) = (time_t(instant.milliseconds / 1000), tm())
        localtime_r(&seconds, &fields)
        let local = user.local(at: instant)
        // A zone that this program cannot read is shown as UTC, and must not have the name that the C library knows.
        let isKnown = local.milliseconds - instant.milliseconds == Int64(fields.tm_gmtoff) * 1000
        return "\(local.withDay) (\(isKnown ? fields.tm_zone.map { String(cString: $0) } ?? "UTC" : "UTC"))"
    }
}
