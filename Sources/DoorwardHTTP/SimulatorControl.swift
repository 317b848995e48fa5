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
    /// - Returns: false when it cannot happen to this lock: it has no such part, or is not attached any more.
    func trigger(_ event: String, on device: DeviceID) async -> Bool
}
