import AdapterSimulator
import DoorwardDomain

/// Converts real time to the time of day in the demo's house, which passes faster.
struct HouseTime: Sendable {
    /// The real time at which the demo started.
    let beganAt: Timestamp
    /// Seconds in the house per real second.
    let speed: Double

    /// The scenario's time at `beganAt`.
    var start = Self.demoStart
    /// The day of the week of the scenario's first day.
    var firstWeekday = AdapterSimulator.Weekday.monday

    /// The start of the demo's own scenario, as the time since midnight on Monday. Most people leave the house later.
    static let demoStart = Duration.seconds(7 * 3600 + 20 * 60)

    /// Returns the day and time in the house, such as `Mon 07:42`.
    func name(of instant: Timestamp) -> String {
        let minutes = Int((start + instant.duration(since: beganAt) * speed).components.seconds / 60)
        let weekday = firstWeekday.advanced(byDays: minutes / 1440).rawValue
        return "\(weekday.prefix(1).uppercased())\(weekday.dropFirst()) \(two(minutes % 1440 / 60)):\(two(minutes % 60))"
    }

    private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
