import ArgumentParser
import DoorwardClient
import DoorwardDomain

extension WeekdaySet {
    /// Reads days of the week as typed for `--days`: `mon-fri,sun`.
    ///
    /// - Throws: a `ValidationError` that names the wrong day and the allowed ones.
    init(typed text: String) throws {
        var days: Set<Weekday> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = try part.split(separator: "-", omittingEmptySubsequences: false).map(Self.day)
            guard let first = ends.first, let last = ends.last, ends.count <= 2 else {
                throw ValidationError(
                    "`\(String(part).printable)` is not a range of days. Give its first and last day, as in mon-fri.")
            }
            days.formUnion(sequence(first: first) { $0 == last ? nil : $0.next })
        }
        self.init(days)
    }

    private static func day(_ text: Substring) throws -> Weekday {
        let typed = String(text).trimmed
        if let day = Weekday(typed: typed) { return day }
        let names = Weekday.allCases.map { "\($0)" }
        let hint = typed.count < 4 ? "" : nearestName(to: typed, among: names).map { "Did you mean `\($0)`? " } ?? ""
        throw ValidationError(
            "`\(typed.printable)` is not a day. \(hint)The days are \(Weekday.allCases.map(\.rawValue).joined(separator: ", ")).")
    }

    /// The API's names of the days.
    var words: [String] { days.map(\.rawValue) }
}

extension Weekday {
    fileprivate var next: Weekday {
        let all = Self.allCases
        return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }
}

/// Periods of a day, as typed for `--hours`: `09:00-12:00,22:00-06:00` or `9am-5pm`, or with days of their own `mon-fri 09:00-12:00`.
struct HoursArgument: Equatable, Sendable {
    /// The days on which the periods begin; `nil` if the text names none.
    let days: WeekdaySet?
    let periods: [Doorward.GuestAccess.Hours]

    /// - Throws: a `ValidationError` that names the wrong day or period, and what to type instead.
    init(_ text: String) throws {
        let typed = text.trimmed
        let hours = typed.drop { !$0.isNumber }
        let days = typed.first?.isLetter == true ? String(typed[..<hours.startIndex]) : nil
        if let days, hours.isEmpty, (try? WeekdaySet(typed: days)) != nil {
            throw ValidationError(
                "`\(typed.printable)` has no hours. Give them after the days, as in \"mon-fri 09:00-17:00\", or use --days.")
        }
        self.days = hours.isEmpty ? nil : try days.map { try WeekdaySet(typed: $0.trimmed) }
        periods = try Self.periods(self.days == nil ? typed : String(hours))
    }

    fileprivate static func periods(_ text: String) throws -> [Doorward.GuestAccess.Hours] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let typed = String(part).trimmed
            let ends = typed.split(separator: "-", omittingEmptySubsequences: false).map { String($0).trimmed }
            let clocks = ends.compactMap { TimeArgument.clock($0.lowercased()[...]) }
            guard ends.count == 2, clocks.count == 2 else {
                let days = String(typed.prefix { !$0.isNumber }).trimmed
                let hasDays = !days.isEmpty && (try? WeekdaySet(typed: days)) != nil
                let hint = hasDays ? "Use --hours once more for other days." : "Give its start and end, as in 09:00-17:00."
                throw ValidationError("`\(typed.printable)` is not a period. \(hint)")
            }
            let times = try zip(ends, clocks).map { end, shown in
                guard let time = LocalTime(hour: shown.hour, minute: shown.minute, second: shown.second) else {
                    throw ValidationError(
                        "`\(end.printable)` is not a time of day. A clock shows 00:00 to 23:59, and 24:00 is the end of a day.")
                }
                return time
            }
            guard times[0] < .endOfDay else {
                throw ValidationError(
                    "`\(typed.printable)` does not begin on its day. Begin the period at 00:00 of the next day.")
            }
            return Doorward.GuestAccess.Hours(from: times[0].description, until: times[1].description)
        }
    }
}

extension Doorward.GuestAccess.SpecialDay {
    private static let form = "as in 2026-12-24=09:00-12:00 or 2026-12-25=closed"

    /// Reads a date with hours of its own, as typed for `--special`: `2026-12-24=09:00-12:00` or `2026-12-25=closed`.
    ///
    /// - Throws: a `ValidationError` that names the wrong date or period, and what to type instead.
    init(typed text: String) throws {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0).trimmed }
        guard parts.count == 2, !parts[1].isEmpty else {
            throw ValidationError("`\(text.printable)` has no hours. Give a date and its hours, \(Self.form).")
        }
        guard let date = CivilDate(parts[0]) else {
            let exists = parts[0].wholeMatch(of: #/[0-9]{4}-[0-9]{2}-[0-9]{2}/#) == nil
            throw ValidationError(
                "`\(parts[0].printable)` is not a date. "
                    + (exists ? "Give year, month and day, \(Self.form)." : "There is no such day in the calendar."))
        }
        let isClosed = parts[1].lowercased() == "closed"
        guard isClosed || parts[1].first?.isLetter != true else {
            throw ValidationError("`\(parts[1].printable)` is not a period. Give periods or `closed`, \(Self.form).")
        }
        self.init(date: date.description, periods: isClosed ? [] : try HoursArgument.periods(parts[1]))
    }

    /// The hours in words: `closed`, or `09:00-12:00, 14:00-16:00`.
    fileprivate var hours: String {
        periods.isEmpty ? "closed" : periods.map { "\($0.from)-\($0.until)" }.joined(separator: ", ")
    }
}

/// The recurring hours that the options of a command describe.
struct RecurringHours: Equatable, Sendable {
    /// The days of all hours without days of their own; `nil` if no option names them.
    var days: WeekdaySet?
    /// The hours, each with days of its own or all without; empty if no option names them.
    var hours: [HoursArgument] = []
    /// The special days; `nil` if no option names them.
    var special: [Doorward.GuestAccess.SpecialDay]?

    /// Checks that the options agree with each other.
    ///
    /// - Throws: a `ValidationError` that names the options.
    func validate() throws {
        let own = hours.filter { $0.days != nil }
        if days != nil, !own.isEmpty {
            throw ValidationError("--days cannot be combined with --hours that name days, as in --hours \"mon-fri 09:00-17:00\".")
        }
        guard own.isEmpty || own.count == hours.count else {
            throw ValidationError("Name the days of every --hours or of none, as in --hours \"mon-fri 09:00-17:00\".")
        }
        let dates = (special ?? []).map(\.date)
        if let twice = dates.first(where: { date in dates.count { $0 == date } > 1 }) {
            throw ValidationError(
                "--special names \(twice) twice. Give all hours of a date at once, as in \(twice)=09:00-12:00,14:00-16:00.")
        }
    }
}

extension Doorward.GuestAccess.Schedule {
    /// A schedule with these hours: those without days on every day, days without hours as a whole.
    init(_ recurring: RecurringHours, timeZone: String?) {
        let days = recurring.days ?? .everyDay
        let wholeDay = [Doorward.GuestAccess.Hours(from: "00:00", until: "24:00")]
        let periods = recurring.hours.flatMap { Self.periods($0.periods, on: ($0.days ?? days).words) }
        self.init(
            timeZone: timeZone, periods: periods.isEmpty ? Self.periods(wholeDay, on: days.words) : periods,
            specialDays: recurring.special)
    }

    private static func periods(_ hours: [Doorward.GuestAccess.Hours], on days: [String]) -> [Doorward.GuestAccess.Period] {
        hours.map { Doorward.GuestAccess.Period(days: days, from: $0.from, until: $0.until) }
    }

    /// Returns the schedule with other hours. Hours without an option do not change; special days are replaced as a whole.
    ///
    /// - Returns: `nil` if only days or only hours without days are given, and the schedule has other hours on some days than on
    ///   others.
    func changed(by recurring: RecurringHours, timeZone: String?) -> Doorward.GuestAccess.Schedule? {
        var changed = self
        changed.timeZone = timeZone ?? self.timeZone
        if let special = recurring.special { changed.specialDays = special }
        guard recurring.days != nil || !recurring.hours.isEmpty else { return changed }
        let isUniform = Set(periods.map { Set($0.days) }).count == 1
        if periods.isEmpty || recurring.days != nil && !recurring.hours.isEmpty
            || recurring.hours.contains(where: { $0.days != nil })
        {
            changed.periods = Self(recurring, timeZone: nil).periods
            return changed
        }
        guard isUniform, let old = periods.first?.days else { return nil }
        if let days = recurring.days {
            changed.periods = periods.map { Doorward.GuestAccess.Period(days: days.words, from: $0.from, until: $0.until) }
        } else {
            changed.periods = recurring.hours.flatMap { Self.periods($0.periods, on: old) }
        }
        return changed
    }

    /// The hours in words, such as `Mon-Fri 09:00-12:00, 13:00-17:00; Sat 10:00-12:00; 2026-12-25 closed`.
    var words: String {
        let all = [regularWords].compactMap(\.self) + (specialDays ?? []).map { "\($0.date) \($0.hours)".printable }
        return all.isEmpty ? "never" : all.joined(separator: "; ")
    }

    /// The hours of ordinary days in words; `nil` if there are none.
    var regularWords: String? {
        var groups: [(days: String, hours: [String])] = []
        for period in periods {
            let (days, hours) = (Self.words(of: period.days), "\(period.from)-\(period.until)")
            if let index = groups.firstIndex(where: { $0.days == days }) {
                groups[index].hours.append(hours)
            } else {
                groups.append((days, [hours]))
            }
        }
        return groups.isEmpty
            ? nil : groups.map { "\($0.days) \($0.hours.joined(separator: ", "))" }.joined(separator: "; ").printable
    }

    /// The special days in words with their days of the week, such as `Fri 2026-12-25 closed`.
    var specialWords: [String] {
        (specialDays ?? []).map { day in
            ((CivilDate(day.date).map { "\($0.weekday.short) " } ?? "") + "\(day.date) \(day.hours)").printable
        }
    }

    /// The days in words: `daily`, `Mon-Fri`, `Mon, Thu`.
    private static func words(of codes: [String]) -> String {
        let days = WeekdaySet(codes.compactMap { Weekday(rawValue: $0) })
        if days == .everyDay { return "daily" }
        var runs: [[Weekday]] = []
        for day in days.days {
            if let last = runs.last?.last, last.next == day, day != .monday {
                runs[runs.count - 1].append(day)
            } else {
                runs.append([day])
            }
        }
        return runs.flatMap { run in
            run.count > 2 ? ["\(run[0].short)-\(run[run.count - 1].short)"] : run.map(\.short)
        }.joined(separator: ", ")
    }
}

extension TimeZoneRules {
    /// Reads the name of a time zone, as typed for `--zone`.
    ///
    /// - Throws: a `ValidationError` for a name that is not that of a zone, with the nearest name if there is one.
    static func typed(_ text: String) throws -> TimeZoneRules {
        let (typed, zones) = (text.trimmed, TimeZoneDatabase.system)
        if let rules = zones.rules(of: typed) { return rules }
        let names = zones.names
        let unavailable = names.count > 1 ? "" : " This machine has no time zones: install the package tzdata."
        let hint =
            suggestion(for: typed, among: names).map { "Did you mean `\($0)`?" } ?? "Use an IANA name, as in Europe/Berlin."
        throw ValidationError("`\(text.printable)` is not a time zone. \(hint)\(unavailable)")
    }

    /// The zone whose name equals the text in another case or without its region, or else the zone with the most similar name.
    private static func suggestion(for text: String, among names: [String]) -> String? {
        let typed = text.lowercased().replacing(" ", with: "_")
        guard !typed.isEmpty else { return nil }
        return names.first { $0.lowercased() == typed }
            ?? names.first { $0.lowercased().hasSuffix("/\(typed)") }
            ?? nearestName(to: typed, among: names)
    }
}

/// The start and the end of a guest access, as typed for `--from` and `--until`.
struct WindowTimes {
    /// The accepted forms, for help texts.
    static let help = TimeArgument.help(zone: "on the clock of the property (or of --zone)")

    private let from: TimeArgument.Form?
    private let until: TimeArgument.Form?

    /// - Throws: a usage error for a text that is not a time.
    init(from: String?, until: String?) throws(CommandFailure) {
        func form(_ text: String?, _ option: String) throws(CommandFailure) -> TimeArgument.Form? {
            guard let text else { return nil }
            return try TimeArgument(text, option: option, help: Self.help).form()
        }
        (self.from, self.until) = (try form(from, "--from"), try form(until, "--until"))
    }

    /// The option whose time is read on a clock, so that its zone has to be known; `nil` if there is none.
    var localOption: String? { from?.isLocal == true ? "--from" : until?.isLocal == true ? "--until" : nil }

    /// A time as it is sent to the gateway.
    struct Resolved: Equatable {
        /// An instant, or a local time without an offset, which the gateway resolves in the zone of the request.
        let text: String
        /// The instant by this machine's time zones.
        let instant: Timestamp
    }

    /// Resolves the times.
    ///
    /// - Parameter zone: the zone of local times; required if `localOption` is not `nil`.
    func resolved(now: Timestamp, in zone: TimeZoneRules?) -> (from: Resolved?, until: Resolved?) {
        func resolved(_ form: TimeArgument.Form, start: Timestamp?) -> Resolved {
            let (local, time) = form.resolved(now: now, start: start, in: zone ?? TimeZoneDatabase.system.utc)
            return Resolved(text: local?.description ?? time.instant.description, instant: time.instant)
        }
        let start = from.map { resolved($0, start: nil) }
        return (start, until.map { resolved($0, start: start?.instant) })
    }
}
