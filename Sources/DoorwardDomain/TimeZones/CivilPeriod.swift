/// A part of the calendar by which records are counted. Raw values are those of the API.
package enum CivilPeriod: String, CaseIterable, Sendable {
    /// An hour of the clock.
    case hour
    /// A day of the clock, which has 23 to 25 hours in most zones.
    case day
}

extension TimeZoneRules {
    /// Divides a time at the beginnings of the hours or days on the clock.
    ///
    /// A repeated hour is an hour of its own. A day begins when the clock shows its date for the first time.
    ///
    /// - Parameter maxParts: the maximum number of parts.
    /// - Returns: the limits of the parts in ascending order: `from`, the beginnings between, and `until`; `nil` if there are more
    ///   parts, or `until` is not after `from`.
    package func limits(from: Timestamp, until: Timestamp, by period: CivilPeriod, maxParts: Int) -> [Timestamp]? {
        guard from < until else { return nil }
        var limits = [from]
        while true {
            let second = (limits.last ?? from).milliseconds.flooredQuotient(by: 1000)
            let next = period == .hour ? nextHour(after: second) : nextDay(after: second)
            guard limits.count <= maxParts else { return nil }
            guard next * 1000 < until.milliseconds else { return limits + [until] }
            limits.append(Timestamp(milliseconds: next * 1000))
        }
    }

    /// The first instant after `second` at which an hour begins on the clock.
    private func nextHour(after second: Int64) -> Int64 {
        var segment = segment(at: second)
        let hour = (second + segment.offset).flooredQuotient(by: 3600)
        while true {
            let next = (hour + 1) * 3600 - segment.offset
            if next <= segment.end { return next }
            // The clock changes within the hour.
            let change = segment.end
            segment = self.segment(at: change)
            let reading = change + segment.offset
            if reading.flooredQuotient(by: 3600) != hour || reading % 3600 == 0 { return change }
        }
    }

    /// The first instant after `second` at which the clock shows a new date for the first time.
    private func nextDay(after second: Int64) -> Int64 {
        var day = (second + offset(at: second)).flooredQuotient(by: 86_400)
        while true {
            day += 1
            let beginning = resolve(local: day * 86_400).instant
            if beginning > second { return beginning }
        }
    }
}
