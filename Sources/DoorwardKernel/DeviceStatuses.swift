package import DoorwardDomain

/// The status of each lock, as it was last reported.
package protocol DeviceStatuses: Sendable {
    /// The status of a device; an unknown status if it is not attached.
    func status(of id: DeviceID) -> DeviceStatus
}
