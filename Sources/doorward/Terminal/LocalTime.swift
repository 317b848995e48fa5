import DoorwardDomain
import Glibc

/// A wall-clock time in the user's time zone (`TZ`, else the system's).
struct LocalTime: Equatable, CustomStringConvertible {
    var year: Int
    var month: Int
    var day: Int
    var hour = 0
    var minute = 0
    var second = 0

    init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// A reading of the clock.
    init(_ local: LocalDateTime) {
        let date = local.date
        let seconds = Int(local.milliseconds / 1000 - date.daysSinceEpoch * 86_400)
        self.init(
            year: date.year, month: date.month, day: date.day, hour: seconds / 3600, minute: seconds / 60 % 60,
            second: seconds % 60)
    }

    init(_ instant: Timestamp) {
        var seconds = time_t(instant.milliseconds / 1000)
        var fields = tm()
        localtime_r(&seconds, &fields)
        self.init(fields)
    }

    private init(_ fields: tm) {
        self.init(
            year: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1, day: Int(fields.tm_mday),
            hour: Int(fields.tm_hour), minute: Int(fields.tm_min), second: Int(fields.tm_sec))
    }

    var date: CivilDate { CivilDate(year: year, month: month, day: day) ?? CivilDate(daysSinceEpoch: 0) }

    /// `2026-11-21 18:00:05`.
    var description: String { "\(four(year))-\(two(month))-\(two(day)) \(two(hour)):\(two(minute)):\(two(second))" }

    /// Returns an instant with the day of the week and the zone of the local time, such as `Mon 2026-11-23 09:00 (CET)`.
    static func zoned(_ instant: Timestamp) -> String {
        var seconds = time_t(instant.milliseconds / 1000)
        var fields = tm()
        localtime_r(&seconds, &fields)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let day = days.indices.contains(Int(fields.tm_wday)) ? "\(days[Int(fields.tm_wday)]) " : ""
        let zone = fields.tm_zone.map { " (\(String(cString: $0)))" } ?? ""
        let time = LocalTime(fields).description
        return day + (time.hasSuffix(":00") ? String(time.dropLast(3)) : time) + zone
    }

    /// Returns a reading of a clock with the day of the week, such as `Mon 2026-11-23 09:00`.
    static func withDay(_ local: LocalDateTime) -> String {
        let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let day = days.indices.first { WeekdaySet([Weekday.allCases[$0]]).contains(day: local.date.daysSinceEpoch) }
        let time = LocalTime(local).description
        return "\(days[day ?? 0]) \(time.hasSuffix(":00") ? String(time.dropLast(3)) : time)"
    }

    /// Returns a text such as `Nov 21 18:00`, or `2026-11-21 18:00` if the time is not in this year. With seconds, the time of
    /// day is `18:00:05`.
    func short(in thisYear: Int, withSeconds: Bool) -> String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let time = "\(two(hour)):\(two(minute))" + (withSeconds ? ":\(two(second))" : "")
        guard year == thisYear, months.indices.contains(month - 1) else {
            return "\(four(year))-\(two(month))-\(two(day)) \(time)"
        }
        return "\(months[month - 1]) \(two(day)) \(time)"
    }

    /// All instants with this wall-clock time: none if the clock is put forward over this time, two if the clock is put back over
    /// it.
    var instants: [Timestamp] {
        let candidates = [0, 1].compactMap { isSummer -> Int? in
            var fields = tm()
            (fields.tm_year, fields.tm_mon, fields.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
            (fields.tm_hour, fields.tm_min, fields.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
            fields.tm_isdst = Int32(isSummer)
            return mktime(&fields)
        }
        return Set(candidates).sorted().map { Timestamp(milliseconds: Int64($0) * 1000) }.filter { LocalTime($0) == self }
    }

    private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    private func four(_ number: Int) -> String { String(repeating: "0", count: max(0, 4 - "\(number)".count)) + "\(number)" }
}
