/// The recurring hours that narrow the window of a guest access. Times are those of the wall clock in one time zone.
///
/// Outside these hours the guest is denied; a schedule without any period denies at every instant. `ScheduleHours` computes the
/// intervals. The content is in a shared object, so that a schedule takes one word in each of a million guest accesses.
package struct Schedule: Hashable, Sendable {
    private let content: SharedObject<Content>

    private struct Content: Hashable {
        let timeZone: String?
        let periods: [Period]
        let specialDays: [SpecialDay]
        let specialDayCut: SpecialDayCut
    }

    /// - Parameters:
    ///   - timeZone: an IANA name; `nil` for the zone of the property.
    ///   - periods: the hours of ordinary days. They may abut and overlap.
    ///   - specialDays: days with hours of their own; several entries of one date count together.
    package init(
        timeZone: String? = nil, periods: [Period], specialDays: [SpecialDay] = [], specialDayCut: SpecialDayCut = .instant
    ) {
        content = SharedObject(
            Content(timeZone: timeZone, periods: periods, specialDays: specialDays, specialDayCut: specialDayCut))
    }

    /// The IANA name of the zone of all times; `nil` for the property's zone as it is when a decision is made.
    package var timeZone: String? { content.value.timeZone }
    /// The hours of ordinary days, as they were given.
    package var periods: [Period] { content.value.periods }
    /// The days on which other hours replace the periods, as they were given.
    package var specialDays: [SpecialDay] { content.value.specialDays }
    /// Which part of an overnight period a special day replaces.
    package var specialDayCut: SpecialDayCut { content.value.specialDayCut }

    /// Whether the schedule has no hours at all, so that it denies at every instant.
    package var isEmpty: Bool {
        !periods.contains { !$0.days.isEmpty } && specialDays.allSatisfy(\.periods.isEmpty)
    }

    /// Hours on some days of the week.
    package struct Period: Hashable, Sendable {
        /// The days on which the hours begin. An overnight period belongs to the day of its beginning.
        package let days: WeekdaySet
        /// The hours, the same on each of the days.
        package let hours: Hours

        /// Hours from `from` until `until` on each of the days; until the next day if `until` is not later.
        package init(days: WeekdaySet, from: LocalTime, until: LocalTime) {
            (self.days, hours) = (days, Hours(from: from, until: until))
        }
    }

    /// The half-open interval `[from, until)` on the wall clock, at most 24 hours long.
    package struct Hours: Hashable, Sendable {
        /// The beginning, before 24:00.
        package let from: LocalTime
        /// The end; not later than `from` if the hours end on the next day. 24:00 and 00:00 are the same end.
        package let until: LocalTime

        package init(from: LocalTime, until: LocalTime) { (self.from, self.until) = (from, until) }
    }

    /// A date on which other hours replace the periods.
    package struct SpecialDay: Hashable, Sendable {
        /// The date in the zone of the schedule.
        package let date: CivilDate
        /// The hours that begin on this date. Without any, the date is closed.
        package let periods: [Hours]

        package init(date: CivilDate, periods: [Hours]) { (self.date, self.periods) = (date, periods) }
    }

    /// Which part of the periods that run over midnight a special day replaces. Raw values are those of the API.
    package enum SpecialDayCut: String, CaseIterable, Codable, Sendable {
        /// It governs the instants of its date: a period that began the evening before ends at midnight.
        case instant
        /// It governs the periods that begin on its date: a period that began the evening before runs on to its end.
        case start
    }
}

/// A value in an object of its own, which takes one word where it is stored. Two references to one object are equal without a comparison.
final class SharedObject<Value: Hashable & Sendable>: Hashable, Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func == (a: SharedObject, b: SharedObject) -> Bool { a === b || a.value == b.value }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
