import DoorwardDomain

/// A second implementation of schedules, written only from the rules: a table of what the clock on the wall shows in each minute,
/// and the minutes that the hours leave open. It uses nothing of the interval engine; all times must be whole minutes.
struct NaiveSchedule {
    /// The first minute of the table, since 1970 in UTC.
    let first: Int64
    /// For each minute from `first` on, whether it is open.
    private(set) var isOpen: [Bool]

    /// The minutes that the table has beyond the wanted ones on each side, for hours that begin before or end after them.
    private static let margin = 36 * 60

    /// - Parameters:
    ///   - minutes: the wanted minutes, since 1970 in UTC.
    ///   - offset: the UTC offset in seconds at an instant in seconds.
    init(_ schedule: Schedule, minutes: Range<Int64>, offset: (Int64) -> Int64) {
        self.init(schedule, Clock(minutes: minutes, offset: offset))
    }

    init(_ schedule: Schedule, _ clock: Clock) {
        first = clock.first
        isOpen = Array(repeating: false, count: clock.shown.count)
        let special = Dictionary(grouping: schedule.specialDays) { Self.number(of: $0.date) }
        guard let firstDate = clock.shown.min(), let lastDate = clock.shown.max() else { return }
        for date in firstDate / 1440...lastDate / 1440 {
            for hours in special[date, default: []].flatMap(\.periods) {
                open(hours, on: date, clock) { special[$0] == nil || $0 == date || schedule.specialDayCut == .start }
            }
            if schedule.specialDayCut == .start && special[date] != nil { continue }
            for period in schedule.periods where period.days.days.contains(Self.weekday(of: date)) {
                open(period.hours, on: date, clock) { schedule.specialDayCut == .start || special[$0] == nil }
            }
        }
    }

    private mutating func open(
        _ hours: Schedule.Hours, on date: Int64, _ clock: Clock, where isGoverned: (_ date: Int64) -> Bool
    ) {
        let from = Int64(hours.from.seconds) / 60
        var until = Int64(hours.until.seconds) / 60
        if until <= from { until += 1440 }
        for minute in clock.firstMinute(showing: date * 1440 + from)..<clock.firstMinute(showing: date * 1440 + until)
        where isGoverned(clock.shown[minute] / 1440) { isOpen[minute] = true }
    }

    /// Whether an instant in milliseconds is within the hours.
    func contains(_ milliseconds: Int64) -> Bool {
        let index = Int(milliseconds / 60_000 - first)
        return isOpen.indices.contains(index) && isOpen[index]
    }

    /// The minutes in a range at which the hours begin or end.
    func changes(in minutes: Range<Int64>) -> [Int64] {
        minutes.filter { isOpen[Int($0 - first)] != isOpen[Int($0 - first) - 1] }
    }

    private static func number(of date: CivilDate) -> Int64 { date.daysSinceEpoch }

    /// 2000-01-01, the day 10,957, was a Saturday.
    private static func weekday(of date: Int64) -> Weekday {
        let names: [Weekday] = [.saturday, .sunday, .monday, .tuesday, .wednesday, .thursday, .friday]
        return names[Int(((date - 10_957) % 7 + 7) % 7)]
    }

    /// What the clock shows, minute by minute.
    struct Clock {
        let first: Int64
        /// For each minute from `first` on, the shown minute since 1970.
        private(set) var shown: [Int64]
        /// For each shown minute from `firstShown` on, the index of the first minute that shows it or, if none does, the next one.
        private var indices: [Int]
        private let firstShown: Int64

        init(minutes: Range<Int64>, offset: (Int64) -> Int64) {
            first = minutes.lowerBound - Int64(NaiveSchedule.margin)
            shown = (first..<minutes.upperBound + Int64(NaiveSchedule.margin)).map { $0 + offset($0 * 60) / 60 }
            firstShown = shown.min() ?? 0
            indices = Array(repeating: Int.max, count: Int((shown.max() ?? 0) - firstShown) + 1)
            for (index, minute) in shown.enumerated().reversed() { indices[Int(minute - firstShown)] = index }
            var next = shown.count
            for index in indices.indices.reversed() {
                if indices[index] == Int.max { indices[index] = next } else { next = indices[index] }
            }
        }

        func firstMinute(showing minute: Int64) -> Int {
            if minute < firstShown { return 0 }
            let index = Int(minute - firstShown)
            return index < indices.count ? indices[index] : shown.count
        }
    }
}
