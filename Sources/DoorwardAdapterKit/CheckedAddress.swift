public import DoorwardDomain

/// The result of checking a valid address.
public struct CheckedAddress: Hashable, Sendable {
    /// The capabilities of a lock at this address.
    public let capabilities: LockCapabilities
    /// The attached lock whose commands are sent to the same endpoint (with MQTT: to the same
    /// command topic of the same broker); of several, the one attached last. `nil` if there is
    /// none, or if the adapter does not detect that two addresses belong to the same lock.
    public let attachedDevice: DeviceID?
    /// Conflicts with attached locks other than `attachedDevice`.
    public let conflicts: [Conflict]

    public init(_ capabilities: LockCapabilities, attachedDevice: DeviceID? = nil, conflicts: [Conflict] = []) {
        (self.capabilities, self.attachedDevice, self.conflicts) = (capabilities, attachedDevice, conflicts)
    }

    /// A conflict with an attached lock: a value of this address does not distinguish the two locks.
    public struct Conflict: Hashable, Sendable {
        /// The lock that is already attached.
        public let device: DeviceID
        /// The field of the address, and a stable problem code such as `state_topic_in_use`.
        public let mistake: AddressErrors.Mistake

        public init(with device: DeviceID, _ mistake: AddressErrors.Mistake) {
            (self.device, self.mistake) = (device, mistake)
        }
    }
}
