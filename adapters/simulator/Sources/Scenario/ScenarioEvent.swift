package import DoorwardDomain

/// An event or an action at a lock, at a time of a scenario.
package struct ScenarioEvent: Hashable, Sendable {
    /// Time since the first midnight of the scenario.
    package let at: Duration
    /// The name of the lock in the scenario.
    package let lock: String
    /// The event or action. It has no effect if the lock's state does not allow it at that time.
    package let action: Action

    package init(at: Duration, lock: String, action: Action) { (self.at, self.lock, self.action) = (at, lock, action) }

    /// The action.
    package enum Action: Hashable, Sendable {
        /// An event of the simulator; for a keypad, the slot of the typed code.
        case event(SimulatorEvent, slot: String? = nil)
        /// A person sends a command to the gateway.
        case command(LockOperation, by: String)
        /// The door is pushed: it opens only if the bolt permits it.
        case openDoor
        /// The door falls shut, if it is open.
        case closeDoor
    }
}

extension Duration {
    static let day = Duration.seconds(86_400)

    static func days(_ count: Int) -> Duration { .seconds(86_400 * count) }
    static func hours(_ count: Int) -> Duration { .seconds(3600 * count) }
    static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }

    /// Whole days, rounded towards minus infinity.
    var wholeDays: Int {
        let seconds = components.seconds
        let isShort = seconds % 86_400 < 0 || (seconds % 86_400 == 0 && components.attoseconds < 0)
        return Int(seconds / 86_400) - (isShort ? 1 : 0)
    }

    var wholeMilliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
