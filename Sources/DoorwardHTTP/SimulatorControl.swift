package import DoorwardDomain

/// Triggers events of simulated locks, for `POST /simulator/devices/:id/events`. It is implemented outside this module with the
/// simulator adapter, so that this module depends on no adapter.
package protocol SimulatorControl: Sendable {
    /// The field `adapter` of the devices that this object controls.
    var adapterKind: String { get }

    /// The names of events that `trigger` accepts, such as `jam`.
    var eventNames: Set<String> { get }

    /// Triggers one of `eventNames` at an attached lock; returns when the lock is in its new state.
    ///
    /// - Parameter slot: the keypad slot whose code is entered; `nil` if the request contains none.
    func trigger(_ event: String, slot: String?, on device: DeviceID) async -> SimulatorAnswer
}

/// The result of triggering an event.
package enum SimulatorAnswer: Sendable {
    /// The event occurred.
    case done
    /// The lock lacks the part that the event needs: a door contact, a battery or a keypad.
    case lacksPart
    /// The keypad has no such slot.
    case unknownSlot
    /// The battery is empty and must be replaced first.
    case batteryDead
    /// The lock is not attached to the adapter, or the adapter cannot read the lock's address.
    case notAttached
}
