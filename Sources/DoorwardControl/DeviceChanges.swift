internal import DoorwardAdapterKit
package import DoorwardDomain
internal import DoorwardPolicy

/// What of a device changes; `nil` leaves as it is.
package struct DeviceChanges: Sendable {
    /// 1 to 200 characters, trimmed.
    package var name: String?
    /// Another address for the device's own adapter, whole: nothing of the one before stays.
    package var address: [String: JSONValue]?
    /// Who made the lock; the inner `nil` where nobody is to say any more.
    package var manufacturer: String??
    /// The maker's name for it; the inner `nil` as for `manufacturer`.
    package var model: String??
    /// When false, nobody moves the lock through the gateway.
    package var isRemoteOperationEnabled: Bool?
    /// What people keep beside the lock, whole.
    package var metadata: [String: JSONValue]?
    /// Where it hangs; cleared, it is unassigned. A property that is not the one it hangs on takes it off its unit.
    package var propertyID = EntityChange<Property>.keep
    /// The unit that it hangs on; cleared, it hangs on the property itself.
    package var unitID = EntityChange<Unit>.keep

    package init() {}

    /// Whether anything but the address and the place is named.
    fileprivate var namesDetails: Bool {
        name != nil || manufacturer != nil || model != nil || isRemoteOperationEnabled != nil || metadata != nil
    }

    /// What the device is besides its place and address.
    fileprivate func applied(to device: LockDevice) -> LockDevice {
        var changed = device
        changed.name = name ?? device.name
        changed.manufacturer = manufacturer ?? device.manufacturer
        changed.model = model ?? device.model
        changed.isRemoteOperationEnabled = isRemoteOperationEnabled ?? device.isRemoteOperationEnabled
        changed.metadata = metadata ?? device.metadata
        return changed
    }
}

extension TenancyDirectory {
    /// - Throws: `.outOfReach` unless the caller may know of the device and of every place that the changes name.
    func requireReach(
        of subject: Subject, to deviceID: DeviceID?, changing changes: DeviceChanges, at now: Timestamp
    ) throws(GatewayError) {
        try requireReach(of: subject, to: deviceID, at: now)
        if let property = changes.propertyID.named {
            guard let property else { throw .outOfReach(of: subject) }
            try requireReach(of: subject, to: .property(property))
        }
        if let unit = changes.unitID.named {
            guard let unit else { throw .outOfReach(of: subject) }
            try requireReach(of: subject, to: .unit(unit))
        }
    }

    /// Where a device comes to hang, whether or not the unit is one of the property.
    fileprivate func place(of device: LockDevice, after changes: DeviceChanges) -> TenancyPlace {
        let propertyID = changes.propertyID.applied(to: device.propertyID)
        let unitID = changes.unitID.applied(to: propertyID == device.propertyID ? device.unitID : nil)
        return TenancyPlace(unitID: unitID, propertyID: propertyID, portfolioID: propertyID.flatMap { property($0)?.portfolioID })
    }

    /// - Throws: `.invalid` for a unit of another property.
    fileprivate func requireUnitInProperty(of place: TenancyPlace) throws(GatewayError) {
        guard let unitID = place.unitID else { return }
        guard let propertyID = place.propertyID, unit(unitID)?.propertyID == propertyID
        else { throw .invalid("unitId", "not_in_property") }
    }
}

extension TenancyDraft {
    /// - Parameters:
    ///   - check: the adapter's word on another address.
    ///   - owner: whose the way to the lock is at the address that it keeps.
    mutating func change(
        _ id: DeviceID?, _ changes: DeviceChanges, onlyIf condition: Condition<LockDevice>?, check: AddressCheck,
        owner: (LockDevice) -> TransportOwner?
    ) throws(GatewayError) -> LockDevice {
        guard let id, let device = directory.device(id) else { throw .outOfReach(of: subject) }
        let place = directory.place(of: device, after: changes)
        let isMoved = place != device.place
        if isMoved { try requireMove(of: device, to: place) }
        if changes.address != nil { try require(.deviceAttach, on: .device(id), at: now) }
        if changes.namesDetails || !isMoved && changes.address == nil {
            try require(.deviceChange, on: .device(id), at: now)
        }
        try directory.requireUnitInProperty(of: place)
        try require(condition, of: device)
        var changed = changes.applied(to: device)
        if let address = changes.address {
            let scope = directory.transportScope(of: subject).hanging(in: place.portfolioID)
            let checked = try check(address, device.adapter, scope)
            try requireFree(checked, for: id)
            (changed.capabilities, changed.address) = (checked.capabilities, address)
            // The code belongs to the previous lock: it must not be sent to a lock at another address.
            if address != device.address { changed.sealedCode = nil }
        } else if isMoved, owner(device)?.allows(hangingIn: place.portfolioID) == false {
            throw .invalid("propertyId", "other_portfolio")
        }
        if changed != device {
            changed.updatedAt = now
            apply(.putDevice(changed))
            noteUpdate(from: device, to: changed, staysInPortfolio: place.portfolioID == device.portfolioID)
        }
        return isMoved ? move(changed, to: place, from: device) : changed
    }

    /// Whoever takes a device from one place to another needs the right on both ends; an unassigned one is attached.
    private func requireMove(of device: LockDevice, to place: TenancyPlace) throws(GatewayError) {
        guard let propertyID = place.propertyID else {
            return try require(.deviceDetach, on: .device(device.id), at: now)
        }
        let target = place.unitID.map { ManagedObject.unit($0) } ?? .property(propertyID)
        guard device.propertyID != nil else { return try require(.deviceAttach, on: target) }
        try require(.deviceMove, on: .device(device.id), at: now)
        try require(.deviceMove, on: target)
    }

    /// Hangs a device of the unit's property on the unit.
    mutating func hang(_ deviceID: DeviceID?, on unit: Unit, field: String) throws(GatewayError) {
        guard let deviceID, let device = directory.device(deviceID) else { throw .outOfReach(of: subject) }
        try require(.deviceMove, on: .device(deviceID))
        guard device.propertyID == unit.propertyID else { throw .invalid(field, "not_in_property") }
        guard device.unitID != unit.id else { return }
        _ = move(
            device, to: TenancyPlace(unitID: unit.id, propertyID: unit.propertyID, portfolioID: unit.portfolioID), from: device)
    }

    /// - Parameter before: the device before this call, which may change other properties too.
    private mutating func move(_ device: LockDevice, to place: TenancyPlace, from before: LockDevice) -> LockDevice {
        var moved = device
        (moved.unitID, moved.propertyID, moved.portfolioID) = (place.unitID, place.propertyID, place.portfolioID)
        moved.updatedAt = now
        // First off the lists of those who go by where it hung.
        endGuestAccesses(listing: device.id)
        leaveCommonAreas(device.id)
        apply(.putDevice(moved))
        noteMove(of: moved, from: before)
        return moved
    }

    /// The gateway's log contains both places. A portfolio's log contains its own only: for a device that moves between
    /// portfolios it does not reveal the other place, nor that there is one.
    private mutating func noteMove(of moved: LockDevice, from device: LockDevice) {
        let (before, after) = (device.place, moved.place)
        func view(stamp: LockDevice, in portfolio: PortfolioID?) -> ChangeView {
            func shown(_ place: TenancyPlace) -> TenancyPlace {
                portfolio == nil || place.portfolioID == portfolio ? place : TenancyPlace()
            }
            return ChangeView(
                device: DeviceStamp(stamp), before: shown(before).recordFields, after: shown(after).recordFields)
        }
        let target = RecordTarget(moved)
        write(.move, target, as: view(stamp: moved, in: nil), in: .gateway)
        if let old = before.portfolioID, old != after.portfolioID {
            write(.move, target, as: view(stamp: device, in: old), in: .portfolio(old))
        }
        if let new = after.portfolioID { write(.move, target, as: view(stamp: moved, in: new), in: .portfolio(new)) }
    }

    /// Takes a device out of the tenancy, and out of everything that lists it. Its records stay.
    mutating func remove(_ deviceID: DeviceID?, onlyIf condition: Condition<LockDevice>?) throws(GatewayError) -> DeviceID {
        guard let deviceID, let device = directory.device(deviceID) else { throw .outOfReach(of: subject) }
        try require(.deviceDetach, on: .device(deviceID), at: now)
        try require(condition, of: device)
        endGuestAccesses(listing: deviceID)
        leaveCommonAreas(deviceID)
        apply(.removeDevice(deviceID))
        note(
            .delete, RecordTarget(device), in: Set([device.portfolioID].compactMap(\.self)), device: DeviceStamp(device),
            before: device.auditFields)
        return deviceID
    }

    /// A device that goes takes no guest with it: it leaves the list of every guest access that has not ended, and one that
    /// lists nothing else ends. What had ended before stays as it was.
    private mutating func endGuestAccesses(listing deviceID: DeviceID) {
        for var access in directory.guestAccesses(on: deviceID) where access.revokedAt == nil && access.endsAt > now {
            let (before, isLast) = (access, access.deviceIDs.count == 1)
            if isLast {
                access.revokedAt = now
            } else {
                access.deviceIDs.removeAll { $0 == deviceID }
            }
            apply(.putGuestAccess(access))
            note(
                isLast ? .revoke : .update, RecordTarget(access), at: .property(access.propertyID),
                before: GuestAccess.fields.recorded("deviceIds", of: before),
                after: GuestAccess.fields.recorded("deviceIds", "revokedAt", of: access))
        }
    }

    /// A device that goes, or hangs on a unit, is no common area any more.
    private mutating func leaveCommonAreas(_ deviceID: DeviceID) {
        for unitID in directory.unitsSharing(deviceID) {
            guard var unit = directory.unit(unitID) else { continue }
            let before = unit
            unit.commonAreaAccessIDs.removeAll { $0 == deviceID }
            unit.updatedAt = now
            apply(.putUnit(unit))
            let (old, new) = Unit.fields.recordedChanges(from: before, to: unit)
            note(.update, RecordTarget(unit), at: .unit(unit.id), before: old, after: new)
        }
    }

    /// - Parameter staysInPortfolio: false for a device that moves to another portfolio in the same call. Neither portfolio's log
    ///   may contain the device's properties in the other one, so only the gateway's log contains the changed values.
    mutating func noteUpdate(from device: LockDevice, to changed: LockDevice, staysInPortfolio: Bool) {
        let (before, after) = ShownDevice.fields.recordedChanges(from: ShownDevice(device), to: ShownDevice(changed))
        note(
            .update, RecordTarget(changed), in: Set([changed.portfolioID].compactMap { staysInPortfolio ? $0 : nil }),
            device: DeviceStamp(changed), before: before, after: after)
    }
}

extension LockDevice {
    fileprivate var place: TenancyPlace { TenancyPlace(unitID: unitID, propertyID: propertyID, portfolioID: portfolioID) }

    /// What the record of a device that comes or goes says of it.
    var auditFields: [String: RecordValue] { ShownDevice.fields.recorded(ShownDevice(self)) }
}

extension TenancyPlace {
    fileprivate var recordFields: [String: RecordValue] { ["propertyId": .id(propertyID), "unitId": .id(unitID)] }
}
