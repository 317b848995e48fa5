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

    /// What a user holds on the units that share this device.
    func sharedRoles(of user: UserNode) -> [HeldRole] {
        var found: [HeldRole] = []
        forEachSharedRole(of: user) { found.append($0) }
        return found
    }

    /// The same one by one, without making a list; goes through the user's roles or the units, whichever are fewer.
    @inline(__always)
    func forEachSharedRole(of user: UserNode, _ body: (HeldRole) -> Void) {
        guard isShared else { return }
        if sharingUnits.count < user.roles.count {
            for unit in sharingUnits {
                for index in user.roles.indices(on: unit.cast(), .unit) { body(user.roles[index]) }
            }
        } else {
            for index in 0..<user.roles.count {
                let held = user.roles[index]
                if held.type == .unit && sharingUnits.contains(held.entityID.cast()) { body(held) }
            }
        }
    }
}

/// A value that is kept once and pointed at from every version of the directory.
final class Node<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
