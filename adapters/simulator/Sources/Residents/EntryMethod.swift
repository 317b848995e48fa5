internal import DoorwardDomain

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
