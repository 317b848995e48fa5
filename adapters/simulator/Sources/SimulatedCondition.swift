package import DoorwardDomain

/// The actual state of a simulated lock, whatever it reports: for views that show the door, and for tests.
package struct SimulatedCondition: Hashable, Sendable {
    /// Resting position of the bolt, or the one before its movement: `.locked`, `.unlocked` or, while the latch is held, `.unlatched`.
    package let position: LockState
    /// Whether the last movement jammed and the bolt has not been freed since.
    package let isStuck: Bool
    /// Whether the door is closed.
    package let isDoorClosed: Bool
    /// Whole percent, rounded up.
    package let batteryLevel: Int
    /// Whether the lock is unreachable for the gateway: offline, or without power.
    package let isAway: Bool

    init(_ machine: LockMachine) {
        (position, isStuck, isDoorClosed) = (machine.position, machine.isStuck, machine.door == .closed)
        (batteryLevel, isAway) = (machine.battery.level, machine.isAway)
    }

    /// Whether the door opens when pushed: the bolt is withdrawn, or the leaf is not closed anyway.
    package var opens: Bool { position != .locked || !isDoorClosed }
}
