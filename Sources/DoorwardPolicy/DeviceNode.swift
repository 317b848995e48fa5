package import DoorwardDomain

/// A device with the units whose tenants share it.
package final class DeviceNode: Sendable {
    /// The units that list it as a common area, and rightly: it hangs on no unit, and on their property.
    let sharingUnits: SortedIDs<Unit>
    let isShared: Bool
    package let device: LockDevice

    init(_ device: LockDevice, sharingUnits: SortedIDs<Unit>) {
        (self.device, self.sharingUnits) = (device, sharingUnits)
        isShared = !sharingUnits.isEmpty
    }

    package var id: DeviceID { device.id }

    /// Whether tenants of `unit` may share this device if the unit lists it.
    func canBeShared(by unit: Unit) -> Bool { device.unitID == nil && device.propertyID == unit.propertyID }

    /// What a user holds on the units that share this device, by unit.
    func sharedRoles(of user: UserNode) -> [HeldRole] {
        if !isShared { return [] }
        if sharingUnits.count < user.roles.count { return sharingUnits.flatMap { user.roles.held(on: .unit($0)) } }
        return (0..<user.roles.count).lazy.map { user.roles[$0] }.filter {
            $0.type == .unit && sharingUnits.contains($0.entityID.cast())
        }
    }
}

/// A value that is kept once and pointed at from every version of the directory.
final class Node<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
