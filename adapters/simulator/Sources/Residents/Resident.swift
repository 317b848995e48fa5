/// Somebody who lives behind a lock: leaves and comes home, goes out on free days, forgets to lock, sleeps.
package struct Resident: Hashable, Sendable {
    /// As the gateway's people, or the keypad's slots, are called.
    package var name: String
    /// The lock of their own door.
    package var door: String
    /// The lock that they pass on the way to it; `nil` when their door is on the street.
    package var frontDoor: String?
    /// The time of day of leaving, on workdays.
    package var leaves = Duration.hours(8)
    /// The time of day of coming home, on workdays.
    package var returns = Duration.hours(18)
    /// The time of day of going to bed, when they lock from inside; one before `returns` is after midnight.
    package var sleeps = Duration.hours(23)
    /// The days on which they leave and return at these times; on the others they are home, and mostly go out once.
    package var workdays = Weekday.weekdays
    /// At most so much earlier or later, drawn for each; below 12 hours.
    package var spread = Duration.minutes(20)
    /// How likely they go without locking, 0 to 1.
    package var forgets = 0.05
    /// By which way they open; by `.app` they are one of the scenario's `people`.
    package var opens = Way.app

    /// How likely somebody goes out on a free day.
    private static let outing = 0.7

    package init(name: String, door: String) { (self.name, self.door) = (name, door) }

    /// What they do on one day, in no order. Takes the same draws every day.
    func events(on day: Int, _ weekday: Weekday, _ draws: inout Draws) -> [ScenarioEvent] {
        let midnight = Duration.days(day)
        let offsets = (leave: draws.offset(within: spread), home: draws.offset(within: spread), bed: draws.offset(within: spread))
        let locks = (leaving: !draws.chance(forgets), home: !draws.chance(forgets))
        let goesOut = draws.chance(Self.outing)
        let outing = draws.duration(in: .hours(10)...(.hours(15)))
        let outingLength = draws.duration(in: .minutes(20)...(.hours(4)))

        let bed = midnight + sleeps + (sleeps < returns ? .day : .zero) + offsets.bed
        var events = [ScenarioEvent(at: max(.zero, bed), lock: door, action: .event(.thumbLock))]
        let way = WayIn(person: name, door: door, frontDoor: frontDoor, opens: opens)
        let leave: Duration
        let home: Duration
        if workdays.contains(weekday) {
            leave = max(.zero, midnight + leaves + offsets.leave)
            home = max(midnight + returns + offsets.home, leave + .minutes(10))
        } else if goesOut {
            (leave, home) = (midnight + outing, midnight + outing + outingLength)
        } else {
            return events
        }
        events += way.leave(at: leave, locks: locks.leaving) + way.enter(at: home, locks: locks.home)
        return events
    }
}
