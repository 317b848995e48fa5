internal import DoorwardDomain
internal import HashTreeCollections

// Common areas: devices that are attached to no unit, and shared by the tenants of the units that list them.
extension TenancyDirectory {
    /// The units that list a device as a common area and may do so: it is attached to their property, and to no unit.
    func sharingUnits(of device: DeviceNode) -> CommonAreaUnits { device.sharingSlot.map { sharing[$0] } ?? CommonAreaUnits() }

    /// Calls `body` with each role that a user holds on the units that share a device, in no order. Iterates over the user's roles or
    /// over the units, whichever are fewer.
    @inline(__always)
    func forEachCommonAreaRole(of user: UserNode, on device: DeviceNode, _ body: (HeldRole) -> Void) {
        guard device.isShared, let slot = device.sharingSlot else { return }
        let units = sharing[slot]
        if units.ids.count < user.roles.count {
            for unit in units.ids {
                for index in user.roles.indices(on: unit.cast(), .unit) { body(user.roles[index]) }
            }
        } else {
            for index in 0..<user.roles.count {
                guard units.mayContain(user.roles.key(index)) else { continue }
                let held = user.roles[index]
                if case .unit = held.type, units.contains(held.entityID.cast()) { body(held) }
            }
        }
    }

    /// Updates the sharing units of a device for one unit.
    mutating func share(_ id: DeviceID, by unit: Unit, isListed: Bool) {
        guard var device = devices[id] else { return }
        let isShared = isListed && device.canBeShared(by: unit)
        var units = sharingUnits(of: device)
        guard units.contains(unit.id) != isShared else { return }
        if isShared { units.insert(unit.id) } else { units.remove(unit.id) }
        keep(units, for: &device, in: device.sharingSlot)
        devices.put(device)
    }

    /// Stores the units that share a device, in its slot or in a new one.
    mutating func keep(_ units: CommonAreaUnits, for device: inout DeviceNode, in slot: Int?) {
        let known = slot ?? freeSharingSlots.popLast()
        if let known { sharing[known] = units } else { sharing.append(units) }
        device.setSharing(slot: known ?? sharing.count - 1, isShared: !units.isEmpty)
    }

    /// The units that share a device which replaces `old`.
    func sharingUnits(of device: DeviceNode, before old: DeviceNode?) -> CommonAreaUnits {
        if let old, old.propertyID == device.propertyID, old.unitID == device.unitID { return sharingUnits(of: old) }
        guard let listing = unitsByListedDevice[device.id] else { return CommonAreaUnits() }
        return CommonAreaUnits(SortedIDs(listing.filter { id in units[id].map { device.canBeShared(by: $0.value) } ?? false }))
    }
}
