package import DoorwardDomain

/// What an adapter says of an address that makes sense to it.
package struct CheckedAddress: Hashable, Sendable {
    /// What a lock there can do.
    package let capabilities: LockCapabilities
    /// The lock that is attached already and takes its orders at the same place (with MQTT: the same command topic of the same
    /// broker); of several the one attached last, and `nil` where there is none or where no two addresses are one lock.
    package let holder: DeviceID?

    package init(_ capabilities: LockCapabilities, holder: DeviceID? = nil) {
        (self.capabilities, self.holder) = (capabilities, holder)
    }
}
