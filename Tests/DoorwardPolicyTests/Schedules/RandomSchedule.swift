import DoorwardDomain
import DoorwardTesting

@testable import DoorwardPolicy

extension Schedule {
    /// A random schedule with whole minutes.
    ///
    /// - Parameters:
    ///   - days: the days since 1970 from which special days are drawn.
    ///   - times: minutes of the day near which hours begin and end more often than elsewhere.
    static func random(
        timeZone: String?, days: ClosedRange<Int64>, near times: [Int], using generator: inout SeededGenerator
    ) -> Schedule {
        func time(_ random: inout SeededGenerator) -> LocalTime {
            var minute = Int.random(in: 0...1440, using: &random)
            if let near = times.randomElement(using: &random), Int.random(in: 0..<3, using: &random) > 0 {
                minute = min(1440, max(0, near + ([-60, -30, -1, 0, 1, 15, 30, 60].randomElement(using: &random) ?? 0)))
            }
            return LocalTime(hour: minute / 60, minute: minute % 60) ?? .endOfDay
        }
        func hours(_ random: inout SeededGenerator) -> Hours {
            let from = time(&random)
            return Hours(from: from == .endOfDay ? LocalTime("00:00") ?? from : from, until: time(&random))
        }
        let periods = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            let some = WeekdaySet(rawValue: UInt8.random(in: 0..<128, using: &generator))
            let hours = hours(&generator)
            return Period(days: Bool.random(using: &generator) ? .everyDay : some, from: hours.from, until: hours.until)
        }
        let specialDays = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
            SpecialDay(
                date: CivilDate(daysSinceEpoch: Int64.random(in: days, using: &generator)),
                periods: (0..<Int.random(in: 0...2, using: &generator)).map { _ in hours(&generator) })
        }
        return Schedule(
            timeZone: timeZone, periods: periods, specialDays: specialDays,
            specialDayCut: Bool.random(using: &generator) ? .instant : .start)
    }
}

extension ScheduleClock {
    /// A clock in a zone, whether or not the schedule names it.
    init(_ schedule: Schedule, in zone: TimeZoneRules) { self.init(hours: ScheduleHours(schedule, ownZone: zone), zone: zone) }
}
