internal import DoorwardDomain

/// A schedule in the forms that decisions read. Equal schedules share one object.
final class ScheduleHours: Sendable, Equatable {
    let schedule: Schedule
    /// The zone that the schedule names; `nil` if it names none, or one that the system does not know.
    let ownZone: TimeZoneRules?
    /// For instants near a change of the offset.
    let occurrences: ScheduleOccurrences
    /// For all other instants.
    let days: ScheduleDays

    init(_ schedule: Schedule, ownZone: TimeZoneRules?) {
        (self.schedule, self.ownZone) = (schedule, ownZone)
        occurrences = ScheduleOccurrences(schedule)
        days = ScheduleDays(occurrences)
    }

    static func == (a: ScheduleHours, b: ScheduleHours) -> Bool { a.schedule == b.schedule }

    /// The first day from `day` on near which a change is possible, or `nil` if there is none.
    func nextDayOfChange(from day: Int64) -> Int64? {
        guard days.changesOnExceptionsOnly else { return day }
        // Hours of a special day, and what they replace, end at most two days later.
        let specialDays = occurrences.specialDays
        let index = specialDays.lowerBound { $0 < day - 3 }
        return index < specialDays.count ? max(day, specialDays[index] - 3) : nil
    }
}
