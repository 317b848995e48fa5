public import DoorwardDomain

/// What an adapter says of an address that makes sense to it.
public struct CheckedAddress: Hashable, Sendable {
    /// What a lock there can do.
    public let capabilities: LockCapabilities
    /// The lock that is attached already and takes its orders at the same place (with MQTT: the same command topic of the same
    /// broker); of several the one attached last, and `nil` where there is none or where no two addresses are one lock.
    public let holder: DeviceID?
    /// Conflicts with other attached locks, beside `holder`.
    public let conflicts: [Conflict]

    public init(_ capabilities: LockCapabilities, holder: DeviceID? = nil, conflicts: [Conflict] = []) {
        (self.capabilities, self.holder, self.conflicts) = (capabilities, holder, conflicts)
    }

    /// A conflict with an attached lock: a value of this address does not tell the two locks apart.
    public struct Conflict: Hashable, Sendable {
        /// The lock that is attached.
        public let device: DeviceID
        /// The field of the address, and a stable problem code such as `state_topic_in_use`.
        public let mistake: AddressErrors.Mistake

        public init(with device: DeviceID, _ mistake: AddressErrors.Mistake) {
            (self.device, self.mistake) = (device, mistake)
        }
    }
}
