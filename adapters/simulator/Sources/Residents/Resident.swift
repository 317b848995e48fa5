package import DoorwardDomain

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
    package var timeJitter = Duration.minutes(20)
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
            leave: random.offset(within: timeJitter), home: random.offset(within: timeJitter),
            bed: random.offset(within: timeJitter)
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
    package var timeJitter = Duration.minutes(10)
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
        let (coming, going) = (random.offset(within: timeJitter), random.offset(within: timeJitter))
        let (doesCome, locks) = (random.chance(chance), !random.chance(forgets))
        guard days.contains(weekday), doesCome else { return [] }
        let route = EntryRoute(person: name, door: door, frontDoor: frontDoor, opens: opens)
        let come = max(.zero, .days(day) + comes + coming)
        let go = max(.days(day) + comes + stays + going, come + .minutes(5))
        return route.enter(at: come, locks: false) + route.leave(at: go, locks: locks)
    }
}

/// How a person opens a door from outside. Raw values are the words of scenario files.
package enum EntryMethod: String, CaseIterable, Sendable {
    /// Sends a command to the gateway.
    case app
    /// Types the code of the slot with their name.
    case keypad
}

/// The doors between the street and a person's rooms, and the events of passing through them.
struct EntryRoute {
    let person: String
    let door: String
    let frontDoor: String?
    let opens: EntryMethod

    /// Returns the events of coming in from the street.
    ///
    /// - Parameter locks: whether the person then locks `door` from inside.
    func enter(at time: Duration, locks: Bool) -> [ScenarioEvent] {
        var events: [ScenarioEvent] = []
        var time = time
        if let frontDoor {
            events += [ScenarioEvent(at: time, lock: frontDoor, action: unlock)] + pass(frontDoor, at: time + .seconds(6))
            time += .seconds(75)
        }
        events += [ScenarioEvent(at: time, lock: door, action: unlock)] + pass(door, at: time + .seconds(6))
        if locks { events.append(ScenarioEvent(at: time + .seconds(25), lock: door, action: .event(.thumbLock))) }
        return events
    }

    /// Returns the events of going out to the street.
    ///
    /// - Parameter locks: whether the person then locks `door` from outside.
    func leave(at time: Duration, locks: Bool) -> [ScenarioEvent] {
        var events = [ScenarioEvent(at: time, lock: door, action: .event(.thumbUnlock))] + pass(door, at: time + .seconds(4))
        if locks { events.append(ScenarioEvent(at: time + .seconds(20), lock: door, action: lock)) }
        if let frontDoor {
            let time = time + .seconds(80)
            events.append(ScenarioEvent(at: time, lock: frontDoor, action: .event(.thumbUnlock)))
            events += pass(frontDoor, at: time + .seconds(4))
        }
        return events
    }

    private func pass(_ lock: String, at time: Duration) -> [ScenarioEvent] {
        [
            ScenarioEvent(at: time, lock: lock, action: .openDoor),
            ScenarioEvent(at: time + .seconds(9), lock: lock, action: .closeDoor),
        ]
    }

    private var unlock: ScenarioEvent.Action {
        opens == .app ? .command(.unlock, by: person) : .event(.keypad, slot: person)
    }

    private var lock: ScenarioEvent.Action { opens == .app ? .command(.lock, by: person) : .event(.keypadLock) }
}
