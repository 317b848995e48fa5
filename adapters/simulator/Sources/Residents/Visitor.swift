/// A visitor, such as a cleaner or a guest, who comes on certain days.
package struct Visitor: Hashable, Sendable {
    /// The name of a user of the gateway, or of a keypad slot.
    package var name: String
    /// The lock of the door that they visit.
    package var door: String
    /// The lock of the front door on the way to that door; `nil` if that door is on the street.
    package var frontDoor: String?
    /// The days on which they may come.
    package var days = Weekday.all
    /// Time of day of arrival.
    package var comes = Duration.hours(9)
    /// Length of the visit, at most a day.
    package var stays = Duration.hours(2)
    /// Maximum deviation of arrival and departure, drawn at random; below 12 hours.
    package var spread = Duration.minutes(10)
    /// Probability of coming on such a day, 0 to 1.
    package var chance = 1.0
    /// Probability of leaving without locking, 0 to 1.
    package var forgets = 0.02
    /// How they open doors; with `.app` they are one of the scenario's `people`.
    package var opens = EntryMethod.app

    package init(name: String, door: String) { (self.name, self.door) = (name, door) }

    /// Whether there is a day on which they may come.
    var canCome: Bool { chance > 0 && !days.isEmpty }

    /// Returns the events of one day, in no particular order. Takes the same number of draws every day.
    func events(on day: Int, _ weekday: Weekday, _ random: inout SeededRandom) -> [ScenarioEvent] {
        let (coming, going) = (random.offset(within: spread), random.offset(within: spread))
        let (doesCome, locks) = (random.chance(chance), !random.chance(forgets))
        guard days.contains(weekday), doesCome else { return [] }
        let route = EntryRoute(person: name, door: door, frontDoor: frontDoor, opens: opens)
        let come = max(.zero, .days(day) + comes + coming)
        let go = max(.days(day) + comes + stays + going, come + .minutes(5))
        return route.enter(at: come, locks: false) + route.leave(at: go, locks: locks)
    }
}
