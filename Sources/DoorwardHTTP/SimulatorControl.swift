package import DoorwardDomain

/// Makes things happen to simulated locks, for `POST /simulator/devices/:id/events`. The wiring implements it over the
/// simulator adapter, so that this module knows no adapter.
package protocol SimulatorControl: Sendable {
    /// The `adapter` of the devices that it controls.
    var adapterKind: String { get }

    /// The words that `trigger` understands, such as `jam`.
    var eventWords: Set<String> { get }

    /// Makes one of `eventWords` happen to an attached lock; returns when the lock is in its new condition.
    ///
    /// - Parameter slot: whose code is typed at a keypad; `nil` where the request names none.
    func trigger(_ event: String, slot: String?, on device: DeviceID) async -> SimulatorAnswer
}

/// What came of an event at a simulated lock.
package enum SimulatorAnswer: Sendable {
    /// It has happened.
    case done
    /// The lock has no such part: no door contact, no battery, no keypad.
    case lacksPart
    /// The keypad knows nobody of that name.
    case unknownSlot
    /// The battery is empty, and nothing but a new one helps.
    case batteryDead
    /// The adapter does not know the lock, or cannot read its address.
    case notAttached
}
