/// Somebody who comes on certain days and goes again: a cleaner, a guest.
package struct Visitor: Hashable, Sendable {
    /// As the gateway's people, or the keypad's slots, are called.
    package var name: String
    /// The lock of the door that they come to.
    package var door: String
    /// The lock that they pass on the way to it; `nil` when the door is on the street.
    package var frontDoor: String?
    /// The days on which they may come.
    package var days = Weekday.all
    /// The time of day of their coming.
    package var comes = Duration.hours(9)
    /// How long they stay, at most a day.
    package var stays = Duration.hours(2)
    /// At most so much earlier or later, drawn for coming and going; below 12 hours.
    package var spread = Duration.minutes(10)
    /// How likely they come on such a day, 0 to 1.
    package var chance = 1.0
    /// How likely they go without locking, 0 to 1.
    package var forgets = 0.02
    /// By which way they open; by `.app` they are one of the scenario's `people`.
    package var opens = Way.app

    package init(name: String, door: String) { (self.name, self.door) = (name, door) }

    /// Whether there is a day on which they might come.
    var canCome: Bool { chance > 0 && !days.isEmpty }

    /// What they do on one day, in no order. Takes the same draws every day.
    func events(on day: Int, _ weekday: Weekday, _ draws: inout Draws) -> [ScenarioEvent] {
        let (coming, going) = (draws.offset(within: spread), draws.offset(within: spread))
        let (doesCome, locks) = (draws.chance(chance), !draws.chance(forgets))
        guard days.contains(weekday), doesCome else { return [] }
        let way = WayIn(person: name, door: door, frontDoor: frontDoor, opens: opens)
        let come = max(.zero, .days(day) + comes + coming)
        let go = max(.days(day) + comes + stays + going, come + .minutes(5))
        return way.enter(at: come, locks: false) + way.leave(at: go, locks: locks)
    }
}
