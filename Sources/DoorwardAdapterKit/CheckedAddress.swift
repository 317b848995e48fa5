package import DoorwardDomain

/// What an adapter says of an address that makes sense to it.
package struct CheckedAddress: Hashable, Sendable {
    /// What a lock there can do.
    package let capabilities: LockCapabilities
    /// The lock that is attached already and takes its orders at the same place (with MQTT: the same command topic of the same
    /// broker); of several the one attached last, and `nil` where there is none or where no two addresses are one lock.
    package let holder: DeviceID?
    /// Conflicts with other attached locks, beside `holder`.
    package let conflicts: [Conflict]

    package init(_ capabilities: LockCapabilities, holder: DeviceID? = nil, conflicts: [Conflict] = []) {
        (self.capabilities, self.holder, self.conflicts) = (capabilities, holder, conflicts)
    }

    /// A conflict with an attached lock: a value of this address does not tell the two locks apart.
    package struct Conflict: Hashable, Sendable {
        /// The lock that is attached.
        package let device: DeviceID
        /// The field of the address, and a stable problem code such as `state_topic_in_use`.
        package let mistake: AddressMistakes.Mistake

        package init(with device: DeviceID, _ mistake: AddressMistakes.Mistake) {
            (self.device, self.mistake) = (device, mistake)
        }
    }
}
