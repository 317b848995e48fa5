package import DoorwardDomain

/// Something that somebody does, or that happens, at a lock at some time of a scenario.
package struct ScenarioEvent: Hashable, Sendable {
    /// Since the first midnight of the scenario.
    package let at: Duration
    /// The name of the lock in the scenario.
    package let lock: String
    /// Tried at its time: what the lock's condition does not allow then does not happen.
    package let action: Action

    package init(at: Duration, lock: String, action: Action) { (self.at, self.lock, self.action) = (at, lock, action) }

    /// What is done.
    package enum Action: Hashable, Sendable {
        /// The slot is that of a keypad's code.
        case event(SimulatorEvent, slot: String? = nil)
        /// A person asks the gateway to move the lock.
        case command(LockOperation, by: String)
        /// Somebody pushes the door: it opens only if the bolt lets it.
        case openDoor
        /// Somebody lets the door fall shut, if it is open.
        case closeDoor
    }
}

extension Duration {
    static let day = Duration.seconds(86_400)

    static func days(_ count: Int) -> Duration { .seconds(86_400 * count) }
    static func hours(_ count: Int) -> Duration { .seconds(3600 * count) }
    static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }

    /// Whole days, towards minus infinity.
    var wholeDays: Int {
        let seconds = components.seconds
        let isShort = seconds % 86_400 < 0 || (seconds % 86_400 == 0 && components.attoseconds < 0)
        return Int(seconds / 86_400) - (isShort ? 1 : 0)
    }

    var wholeMilliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
