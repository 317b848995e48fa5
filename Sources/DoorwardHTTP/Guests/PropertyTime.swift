internal import DoorwardDomain

/// Formats instants as local times of a property, for people.
struct PropertyTime: Sendable {
    /// The zone that the times are in, such as `Europe/Berlin`; `UTC` if the system does not know the property's zone.
    let zone: String
    private let rules: TimeZoneRules?

    /// - Parameter zone: the property's `defaultTimeZone`; `nil` for UTC.
    init(zone: String?) {
        rules = zone.flatMap { TimeZoneDatabase.system.rules(of: $0) }
        self.zone = rules.flatMap { _ in zone } ?? "UTC"
    }

    /// Such as `Thursday 24 December 2026, 15:00 (UTC+01:00)`. Seconds are shown only if there are any.
    func text(_ instant: Timestamp) -> String {
        let local = local(instant)
        let milliseconds = local.milliseconds.flooredRemainder(by: 86_400_000)
        let seconds = Int(milliseconds / 1000)
        let clock = [seconds / 3600, seconds / 60 % 60] + (seconds % 60 == 0 ? [] : [seconds % 60])
        let time = clock.map(Self.two).joined(separator: ":")
        return "\(Self.day(local.date)), \(time) (\(offset(local, instant)))"
    }

    private func local(_ instant: Timestamp) -> (date: CivilDate, milliseconds: Int64) {
        guard let rules else {
            return (CivilDate(daysSinceEpoch: instant.milliseconds.flooredQuotient(by: 86_400_000)), instant.milliseconds)
        }
        let local = rules.local(at: instant)
        return (local.date, local.milliseconds)
    }

    private func offset(_ local: (date: CivilDate, milliseconds: Int64), _ instant: Timestamp) -> String {
        let minutes = Int((local.milliseconds - instant.milliseconds) / 60_000)
        guard minutes != 0 else { return "UTC" }
        return "UTC\(minutes < 0 ? "-" : "+")\(Self.two(abs(minutes) / 60)):\(Self.two(abs(minutes) % 60))"
    }

    private static func day(_ date: CivilDate) -> String {
        // 1970-01-01 was a Thursday.
        let weekday = Int((date.daysSinceEpoch + 3).flooredRemainder(by: 7))
        return "\(weekdays[weekday]) \(date.day) \(months[date.month - 1]) \(date.year)"
    }

    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
    ]

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Int64 {
    /// The remainder of `flooredQuotient`, which is never negative for a positive divisor.
    fileprivate func flooredRemainder(by divisor: Int64) -> Int64 { self - flooredQuotient(by: divisor) * divisor }
}
