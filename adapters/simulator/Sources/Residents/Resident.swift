/// A resident, who leaves and returns, goes out on free days, may forget to lock, and locks at bedtime.
package struct Resident: Hashable, Sendable {
    /// The name of a user of the gateway, or of a keypad slot.
    package var name: String
    /// The lock of their own door.
    package var door: String
    /// The lock of the front door on the way to their own door; `nil` if their own door is on the street.
    package var frontDoor: String?
    /// Time of day of leaving, on workdays.
    package var leaves = Duration.hours(8)
    /// Time of day of returning, on workdays.
    package var returns = Duration.hours(18)
    /// Time of day of locking from inside at bedtime; a time before `returns` is after midnight.
    package var sleeps = Duration.hours(23)
    /// The days on which they leave and return at these times; on the others they are at home, and usually go out once.
    package var workdays = Weekday.weekdays
    /// Maximum deviation from each time, drawn at random; below 12 hours.
    package var spread = Duration.minutes(20)
    /// Probability of leaving without locking, 0 to 1.
    package var forgets = 0.05
    /// How they open doors; with `.app` they are one of the scenario's `people`.
    package var opens = EntryMethod.app

    /// Probability of going out on a free day.
    private static let outing = 0.7

    package init(name: String, door: String) { (self.name, self.door) = (name, door) }

    /// Returns the events of one day, in no particular order. Takes the same number of draws every day.
    func events(on day: Int, _ weekday: Weekday, _ random: inout SeededRandom) -> [ScenarioEvent] {
        let midnight = Duration.days(day)
        let offsets = (
            leave: random.offset(within: spread), home: random.offset(within: spread), bed: random.offset(within: spread)
        )
        let locks = (leaving: !random.chance(forgets), home: !random.chance(forgets))
        let goesOut = random.chance(Self.outing)
        let outing = random.duration(in: .hours(10)...(.hours(15)))
        let outingLength = random.duration(in: .minutes(20)...(.hours(4)))

        let bed = midnight + sleeps + (sleeps < returns ? .day : .zero) + offsets.bed
        var events = [ScenarioEvent(at: max(.zero, bed), lock: door, action: .event(.thumbLock))]
        let route = EntryRoute(person: name, door: door, frontDoor: frontDoor, opens: opens)
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
        events += route.leave(at: leave, locks: locks.leaving) + route.enter(at: home, locks: locks.home)
        return events
    }
}
