package import DoorwardDomain

/// How things are at a simulated lock, whatever it says of them: for views that show the door, and for tests.
package struct SimulatedCondition: Hashable, Sendable {
    /// Where the bolt rests, or set out from if it travels: `.locked`, `.unlocked` or, while the latch is held, `.unlatched`.
    package let position: LockState
    /// Whether the last movement jammed and nothing has freed the bolt since.
    package let isStuck: Bool
    /// Whether the leaf is home.
    package let isDoorClosed: Bool
    /// Whole percent, rounded up.
    package let batteryLevel: Int
    /// Whether the gateway cannot reach it: out of range, or without power.
    package let isAway: Bool

    init(_ machine: LockMachine) {
        (position, isStuck, isDoorClosed) = (machine.position, machine.isStuck, machine.door == .closed)
        (batteryLevel, isAway) = (machine.battery.level, machine.isAway)
    }

    /// Whether somebody who pushes the door gets in: the bolt is withdrawn, or the leaf is not home anyway.
    package var opens: Bool { position != .locked || !isDoorClosed }
}
