/// A day of the week. Raw values are the words of scenario files.
package enum Weekday: String, CaseIterable, Hashable, Sendable {
    /// The days in the order of ISO 8601, which `advanced(byDays:)` uses.
    case monday = "mon", tuesday = "tue", wednesday = "wed", thursday = "thu", friday = "fri", saturday = "sat", sunday = "sun"

    /// Every day.
    package static let all = Set(allCases)
    /// Monday to Friday.
    package static let weekdays = all.subtracting(weekends)
    /// Saturday and Sunday.
    package static let weekends: Set<Weekday> = [.saturday, .sunday]

    /// The day of the week this many days later, or earlier for a negative number.
    package func advanced(byDays days: Int) -> Weekday {
        let all = Self.allCases
        let index = (all.firstIndex(of: self) ?? 0) + days % all.count + all.count
        return all[index % all.count]
    }

    /// Parses `day`, `weekdays`, `weekends` or names such as `mon,thu`; `nil` for anything else.
    static func days(_ text: some StringProtocol) -> Set<Weekday>? {
        switch text {
        case "day": return all
        case "weekdays": return weekdays
        case "weekends": return weekends
        default:
            let names = text.split(separator: ",", omittingEmptySubsequences: false).map { Weekday(rawValue: String($0)) }
            let days = Set(names.compactMap { $0 })
            return days.count == names.count ? days : nil
        }
    }
}
