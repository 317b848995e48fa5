import ArgumentParser
import DoorwardAPI
import DoorwardDomain

/// Days of the week, as typed for `--days`: `mon-fri,sun`.
struct DaysArgument: Equatable, Sendable {
    let days: WeekdaySet

    static let everyDay = DaysArgument(days: .everyDay)

    private init(days: WeekdaySet) { self.days = days }

    /// - Throws: a `ValidationError` that names the wrong day and the allowed ones.
    init(_ text: String) throws {
        var days: Set<Weekday> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = try part.split(separator: "-", omittingEmptySubsequences: false).map(Self.day)
            guard let first = ends.first, let last = ends.last, ends.count <= 2 else {
                throw ValidationError(
                    "`\(String(part).printable)` is not a range of days. Give its first and last day, as in mon-fri.")
            }
            var day = first
            days.insert(day)
            while day != last {
                day = day.next
                days.insert(day)
            }
        }
        self.init(days: WeekdaySet(days))
    }

    private static func day(_ text: Substring) throws -> Weekday {
        let typed = String(text).trimmingWhitespace
        if let day = Weekday(typed: typed) { return day }
        let names = Weekday.allCases.map { "\($0)" }
        let hint = typed.count < 4 ? "" : nearestName(to: typed, among: names).map { "Did you mean `\($0)`? " } ?? ""
        throw ValidationError(
            "`\(typed.printable)` is not a day. \(hint)The days are \(Weekday.allCases.map(\.rawValue).joined(separator: ", ")).")
    }

    /// The API's names of the days.
    var words: [String] { days.days.map(\.rawValue) }
}

extension Weekday {
    fileprivate var next: Weekday {
        let all = Self.allCases
        return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }

    /// `Mon`.
    fileprivate var short: String { String(rawValue.prefix(1)) + rawValue.dropFirst().lowercased() }
}

/// Periods of a day, as typed for `--hours`: `09:00-12:00,22:00-06:00`.
struct HoursArgument: Equatable, Sendable {
    let periods: [Schedule.Hours]

    static let wholeDay = HoursArgument(periods: [Schedule.Hours(from: .startOfDay, until: .endOfDay)])

    private init(periods: [Schedule.Hours]) { self.periods = periods }

    /// - Throws: a `ValidationError` that names the wrong period, and what to type instead.
    init(_ text: String) throws {
        periods = try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let typed = String(part).trimmingWhitespace
            let ends = typed.split(separator: "-", omittingEmptySubsequences: false).map { String($0).trimmingWhitespace }
            guard ends.count == 2, ends.allSatisfy({ $0.wholeMatch(of: #/[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?/#) != nil }) else {
                throw ValidationError(
                    "`\(typed.printable)` is not a period. Give its start and end, as in 09:00-17:00.")
            }
            let times = try ends.map { end in
                guard let time = DoorwardDomain.LocalTime(hoursAndMinutes: end) else {
                    throw ValidationError(
                        "`\(end.printable)` is not a time of day. A clock shows 00:00 to 23:59, and 24:00 is the end of a day.")
                }
                return time
            }
            guard times[0] < .endOfDay else {
                throw ValidationError(
                    "`\(typed.printable)` does not begin on its day. Begin the period at 00:00 of the next day.")
            }
            return Schedule.Hours(from: times[0], until: times[1])
        }
    }
}

extension DoorwardDomain.LocalTime {
    fileprivate static let startOfDay = DoorwardDomain.LocalTime(hour: 0, minute: 0) ?? .endOfDay

    /// Parses `9:00`, `09:00` or `09:00:30`.
    fileprivate init?(hoursAndMinutes text: String) {
        self.init(text.prefix { $0 != ":" }.count == 1 ? "0\(text)" : text)
    }
}

extension Wire.Schedule {
    /// A schedule with the same hours on each of the days.
    init(days: DaysArgument?, hours: HoursArgument?, timeZone: String?) {
        let (days, hours) = (days ?? .everyDay, hours ?? .wholeDay)
        self.init(
            timeZone: timeZone,
            periods: hours.periods.map {
                Period(days: days.words, from: $0.from.description, until: $0.until.description)
            })
    }

    /// Returns the schedule with other days, other hours, or both.
    ///
    /// - Returns: `nil` if only one of them is given, and the schedule has other hours on some days than on others.
    func changed(days: DaysArgument?, hours: HoursArgument?, timeZone: String?) -> Wire.Schedule? {
        var changed = self
        changed.timeZone = timeZone ?? self.timeZone
        let isUniform = Set(periods.map { Set($0.days) }).count == 1
        if periods.isEmpty {
            changed.periods = Self(days: days, hours: hours, timeZone: nil).periods
            return changed
        }
        switch (days, hours) {
        case (let days?, nil):
            guard isUniform else { return nil }
            changed.periods = periods.map { Period(days: days.words, from: $0.from, until: $0.until) }
        case (nil, let hours?):
            guard isUniform, let days = periods.first?.days else { return nil }
            changed.periods = hours.periods.map { Period(days: days, from: $0.from.description, until: $0.until.description) }
        default: changed.periods = Self(days: days, hours: hours, timeZone: nil).periods
        }
        return changed
    }

    /// The hours in words, such as `Mon-Fri 09:00-12:00, 13:00-17:00; Sat 10:00-12:00`.
    var words: String {
        var groups: [(days: String, hours: [String])] = []
        for period in periods {
            let (days, hours) = (Self.words(of: period.days), "\(period.from)-\(period.until)")
            if let index = groups.firstIndex(where: { $0.days == days }) {
                groups[index].hours.append(hours)
            } else {
                groups.append((days, [hours]))
            }
        }
        let regular = groups.map { "\($0.days) \($0.hours.joined(separator: ", "))" }
        let special = (specialDays ?? []).map { day in
            let hours = day.periods.map { "\($0.from)-\($0.until)" }.joined(separator: ", ")
            return "\(day.date) \(hours.isEmpty ? "closed" : hours)"
        }
        let all = regular + special
        return (all.isEmpty ? "never" : all.joined(separator: "; ")).printable
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
