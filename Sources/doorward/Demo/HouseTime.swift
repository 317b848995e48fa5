import AdapterSimulator
import DoorwardDomain

/// The time of day in the demo's house, where it passes faster than on the wall.
struct HouseTime: Sendable {
    /// What the clock on the wall showed when the house's life began.
    let beganAt: Timestamp
    /// How many seconds pass in the house in one on the wall.
    let speed: Double

    /// The time of the scenario at that moment.
    var start = Self.demoStart
    /// The day of the week of the scenario's first day.
    var firstWeekday = Weekday.monday

    /// When the demo's own day begins, since a Monday's midnight: before most people leave.
    static let demoStart = Duration.seconds(7 * 3600 + 20 * 60)

    /// `Mon 07:42`.
    func name(of instant: Timestamp) -> String {
        let minutes = Int((start + instant.duration(since: beganAt) * speed).components.seconds / 60)
        let weekday = firstWeekday.advanced(byDays: minutes / 1440).rawValue
        return "\(weekday.prefix(1).uppercased())\(weekday.dropFirst()) \(two(minutes % 1440 / 60)):\(two(minutes % 60))"
    }

    private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
