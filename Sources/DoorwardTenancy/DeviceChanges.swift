internal import DoorwardAdapterKit
package import DoorwardDomain
package import DoorwardKernel
package import DoorwardLocks
internal import DoorwardPolicy

/// The changes of a device; `nil` leaves a field unchanged.
package struct DeviceChanges: Sendable {
    /// 1 to 200 characters, trimmed.
    package var name: String?
    /// The new address for the device's adapter; replaces the previous one completely.
    package var address: [String: JSONValue]?
    /// The optional texts, each trimmed and not longer than its limit; one that is absent stays unchanged.
    package var texts: [DeviceText: Patch<String>] = [:]
    /// Whether the lock can be moved through the gateway. If false, every command for the lock is denied.
    package var isRemoteOperationEnabled: Bool?
    /// The metadata that users store with the lock; replaces the previous one completely.
    package var metadata: [String: JSONValue]?
    /// The new property; `.cleared` makes the device unassigned. A property other than the current one also removes the device
    /// from its unit.
    package var propertyID = Patch<PropertyID>.unchanged
    /// The new unit; `.cleared` assigns the device to the property itself.
    package var unitID = Patch<UnitID>.unchanged

    package init() {}

    /// Whether any field other than the address and the position changes.
    fileprivate var namesDetails: Bool {
        name != nil || texts.values.contains { !$0.isUnchanged } || isRemoteOperationEnabled != nil || metadata != nil
    }

    /// The entities that the changes name.
    var reach: [Reach] {
        [propertyID.newValue.map { .entity(.property($0)) }, unitID.newValue.map { .entity(.unit($0)) }].compactMap(\.self)
    }

    /// The device with all changes except those of position and address.
    fileprivate func applied(to device: LockDevice) -> LockDevice {
        var changed = device
        changed.name = name ?? device.name
        for (text, change) in texts { changed.texts[text] = change.applied(to: device.texts[text]) }
        changed.isRemoteOperationEnabled = isRemoteOperationEnabled ?? device.isRemoteOperationEnabled
        changed.metadata = metadata ?? device.metadata
        return changed
    }
}

extension TenancyDirectory {
    /// The device's position after the changes; does not check that the unit belongs to the property.
    fileprivate func path(of device: LockDevice, after changes: DeviceChanges) -> EntityPathIDs {
        let propertyID = changes.propertyID.applied(to: device.propertyID)
        let unitID = changes.unitID.applied(to: propertyID == device.propertyID ? device.unitID : nil)
        return EntityPathIDs(
            unitID: unitID, propertyID: propertyID, portfolioID: propertyID.flatMap { property($0)?.portfolioID })
    }
}

extension TenancyUnitOfWork {
    /// - Parameters:
    ///   - check: validates a new address with the adapter.
    ///   - owner: returns the owner of the transport of a device's current address.
    mutating func change(
        _ id: DeviceID, _ changes: DeviceChanges, onlyIf condition: Precondition<LockDevice>?, check: AddressCheck,
        owner: (LockDevice) -> TransportOwner?
    ) throws(GatewayError) -> LockDevice {
        guard let device = directory.device(id) else { throw .outOfReach(of: subject) }
        let path = directory.path(of: device, after: changes)
        let isMoved = path != device.path
        if isMoved { try requireMove(of: device, to: path) }
        if changes.address != nil { try require(.deviceAttach, on: .device(id), at: time) }
        if changes.namesDetails || !isMoved && changes.address == nil {
            try require(.deviceChange, on: .device(id), at: time)
        }
        if let unit = path.unitID, path.propertyID == nil || directory.unit(unit)?.propertyID != path.propertyID {
            throw .invalid("unitId", "not_in_property")
        }
        try require(condition, of: device)
        var changed = changes.applied(to: device)
        if let address = changes.address {
            let scope = directory.transportScope(of: subject).restricted(to: path.portfolioID)
            let checked = try check(address, device.adapter, scope)
            try requireFree(checked, for: id)
            (changed.capabilities, changed.address) = (checked.capabilities, address)
            // Code and settings belong to the previous lock: the code must not be sent to a lock at another address.
            if address != device.address { (changed.sealedCode, changed.settings) = (nil, LockSettings()) }
        } else if isMoved, owner(device)?.allows(placementIn: path.portfolioID) == false {
            throw .invalid("propertyId", "other_portfolio")
        }
        if changed != device {
            changed.updatedAt = now
            apply(.putDevice(changed))
            recordUpdate(from: device, to: changed, staysInPortfolio: path.portfolioID == device.portfolioID)
        }
        guard isMoved else { return changed }
        let statesNotes = changes.texts[.notes].map { !$0.isUnchanged } ?? false
        let moved = move(changed, to: path, from: device, statesNotes: statesNotes)
        try requireWithinDeviceLimit(moved, from: device)
        return moved
    }

    /// - Throws: `.limitReached` if the device has entered a portfolio that has no room for it.
    private func requireWithinDeviceLimit(_ moved: LockDevice, from before: LockDevice) throws(GatewayError) {
        if let portfolio = moved.portfolioID, portfolio != before.portfolioID { try requireWithin(.maxDevices, of: portfolio) }
    }

    /// Requires the right to move the device at both positions. Assigning an unassigned device instead requires the right to
    /// attach it, and making a device unassigned the right to detach it.
    private func requireMove(of device: LockDevice, to path: EntityPathIDs) throws(GatewayError) {
        guard let propertyID = path.propertyID else { return try require(.deviceDetach, on: .device(device.id), at: time) }
        let target = path.unitID.map { ManagedObject.unit($0) } ?? .property(propertyID)
        guard device.propertyID != nil else { return try require(.deviceAttach, on: target) }
        try require(.deviceMove, on: .device(device.id), at: time)
        try require(.deviceMove, on: target)
    }

    /// Moves a device to a unit, from wherever it is. A device that is already assigned to the unit is not changed.
    ///
    /// - Parameters:
    ///   - field: the field of the request that names the device.
    ///   - owner: returns the owner of the transport of a device's address.
    mutating func moveToUnit(
        _ deviceID: DeviceID, _ unit: Unit, field: String, owner: (LockDevice) -> TransportOwner?
    ) throws(GatewayError) -> LockDevice {
        guard let device = directory.device(deviceID) else { throw .outOfReach(of: subject) }
        let path = directory.path(of: unit.entity)
        try requireMove(of: device, to: path)
        guard owner(device)?.allows(placementIn: unit.portfolioID) != false else { throw .invalid(field, "other_portfolio") }
        guard device.path != path else { return device }
        let moved = move(device, to: path, from: device)
        try requireWithinDeviceLimit(moved, from: device)
        return moved
    }

    /// Moves a device from its unit to the unit's property.
    mutating func leaveUnit(_ deviceID: DeviceID) {
        guard let device = directory.device(deviceID), device.unitID != nil else { return }
        var path = device.path
        path.unitID = nil
        _ = move(device, to: path, from: device)
    }

    /// Assigns a device of the unit's property to the unit.
    mutating func assign(_ deviceID: DeviceID, to unit: Unit, field: String) throws(GatewayError) {
        guard let device = directory.device(deviceID) else { throw .outOfReach(of: subject) }
        try require(.deviceMove, on: .device(deviceID))
        guard device.propertyID == unit.propertyID else { throw .invalid(field, "not_in_property") }
        guard device.unitID != unit.id else { return }
        _ = move(device, to: directory.path(of: unit.entity), from: device)
    }

    /// - Parameters:
    ///   - before: the device before this call, which may change other fields too.
    ///   - statesNotes: whether the device has notes for its new place. Otherwise they stay with the portfolio whose managers wrote them.
    mutating func move(
        _ device: LockDevice, to path: EntityPathIDs, from before: LockDevice, statesNotes: Bool = false
    ) -> LockDevice {
        var moved = device
        if path.portfolioID != before.portfolioID, device.texts[.notes] != nil, !statesNotes {
            moved.texts[.notes] = nil
            recordUpdate(from: device, to: moved, staysInPortfolio: false)
        }
        (moved.unitID, moved.propertyID, moved.portfolioID) = (path.unitID, path.propertyID, path.portfolioID)
        moved.updatedAt = now
        // Remove the device from guest accesses and common areas first: both depend on its current position.
        endGuestAccesses(listing: device.id)
        leaveCommonAreas(device.id)
        apply(.putDevice(moved))
        recordMove(of: moved, from: before)
        return moved
    }

    /// Records a move. The gateway's log contains both positions. A portfolio's log contains only the position in that portfolio:
    /// if the device moves between portfolios, the log must reveal neither the other position nor that there is one.
    private mutating func recordMove(of moved: LockDevice, from device: LockDevice) {
        let (before, after) = (device.path, moved.path)
        func view(device: LockDevice, in portfolio: PortfolioID?) -> ChangeView {
            func shown(_ path: EntityPathIDs) -> EntityPathIDs {
                portfolio == nil || path.portfolioID == portfolio ? path : EntityPathIDs()
            }
            return ChangeView(
                device: DeviceSnapshot(device), before: shown(before).recordFields, after: shown(after).recordFields)
        }
        let target = RecordTarget(moved)
        appendRecord(.move, target, as: view(device: moved, in: nil), to: .gateway)
        if let old = before.portfolioID, old != after.portfolioID {
            appendRecord(.move, target, as: view(device: device, in: old), to: .portfolio(old))
        }
        if let new = after.portfolioID { appendRecord(.move, target, as: view(device: moved, in: new), to: .portfolio(new)) }
    }

    /// Removes a device from the tenancy and from everything that lists it. Its records are kept.
    mutating func remove(_ deviceID: DeviceID, onlyIf condition: Precondition<LockDevice>?) throws(GatewayError) {
        guard let device = directory.device(deviceID) else { throw .outOfReach(of: subject) }
        // A super admin attaches locks, and so also removes one that is not assigned to a property.
        try require(device.propertyID == nil ? .deviceAttach : .deviceDetach, on: .device(deviceID), at: time)
        try require(condition, of: device)
        endGuestAccesses(listing: deviceID)
        leaveCommonAreas(deviceID)
        apply(.removeDevice(deviceID))
        appendRecord(
            .delete, RecordTarget(device), in: Set([device.portfolioID].compactMap(\.self)), device: DeviceSnapshot(device),
            before: device.auditFields)
    }

    /// Ends the guest accesses to a device that tenants of a unit gave or widened, after the unit has ceased to share it: a guest
    /// has no more than the tenant. An access that is based on another tenancy of its grantor stays.
    mutating func endGuestAccesses(to deviceID: DeviceID, ofTenantsIn unitID: UnitID) {
        let (unit, sharing) = (AssociatedEntity.unit(unitID), directory.unitsSharing(deviceID))
        let tenancy = directory
        endGuestAccesses(listing: deviceID) { access in
            let tenancies = access.widenedUnder + (access.grantedUnderRole == .tenant ? access.carriers(of: deviceID) : [])
            guard tenancies.contains(where: { tenancy.association($0)?.entity == unit }) else { return false }
            return !access.isHeld(on: deviceID) { id in
                guard case .unit(let unit)? = tenancy.association(id)?.entity else { return false }
                return sharing.contains(unit)
            }
        }
    }

    /// Removes the device from every guest access that has not ended; an access that lists no other device is revoked. Accesses
    /// that have already ended are not changed.
    private mutating func endGuestAccesses(listing deviceID: DeviceID, where isOver: (GuestAccess) -> Bool = { _ in true }) {
        for var access in directory.guestAccesses(on: deviceID)
        where access.revokedAt == nil && access.endsAt > now && isOver(access) {
            let (before, isLast) = (access, access.deviceIDs.count == 1)
            if isLast {
                access.revokedAt = now
            } else {
                access.deviceIDs.removeAll { $0 == deviceID }
            }
            apply(.putGuestAccess(access))
            appendRecord(
                isLast ? .revoke : .update, RecordTarget(access), at: .property(access.propertyID),
                before: GuestAccess.fields.recorded("deviceIds", of: before),
                after: GuestAccess.fields.recorded("deviceIds", "revokedAt", of: access))
        }
    }

    /// Removes the device from all common areas: a device that is removed or assigned to a unit cannot be a common area.
    private mutating func leaveCommonAreas(_ deviceID: DeviceID) {
        for unitID in directory.unitsSharing(deviceID) {
            guard let unit = directory.unit(unitID) else { continue }
            var changed = unit
            changed.commonAreaAccessIDs.removeAll { $0 == deviceID }
            _ = update(unit, to: changed)
        }
    }

    /// - Parameter staysInPortfolio: false if the device moves to another portfolio in the same
    ///   call. The log of either portfolio must not contain values that the device has in the other
    ///   portfolio, so only the gateway's log contains the changed values.
    mutating func recordUpdate(from device: LockDevice, to changed: LockDevice, staysInPortfolio: Bool) {
        let (before, after) = ShownDevice.fields.recordedChanges(from: ShownDevice(device), to: ShownDevice(changed))
        appendRecord(
            .update, RecordTarget(changed), in: Set([changed.portfolioID].compactMap { staysInPortfolio ? $0 : nil }),
            device: DeviceSnapshot(changed), before: before, after: after)
    }
}

extension LockDevice {
    fileprivate var path: EntityPathIDs { EntityPathIDs(unitID: unitID, propertyID: propertyID, portfolioID: portfolioID) }

    /// The fields recorded when a device is added or removed.
    var auditFields: [String: RecordValue] { ShownDevice.fields.recorded(ShownDevice(self)) }
}

extension EntityPathIDs {
    fileprivate var recordFields: [String: RecordValue] { ["propertyId": .id(propertyID), "unitId": .id(unitID)] }
}

/// The changes of a lock's settings.
package struct DeviceSettingsChanges: Sendable {
    /// The code sent with commands; `.cleared` deletes the stored code.
    package var code: Patch<Secret<String>>
    /// Seconds until the lock locks itself, 0 for never; `nil` leaves the setting unchanged.
    package var autoRelockSeconds: Int?

    package init(code: Patch<Secret<String>> = .unchanged, autoRelockSeconds: Int? = nil) {
        (self.code, self.autoRelockSeconds) = (code, autoRelockSeconds)
    }
}

extension Devices {
    /// Changes the settings in the lock by a command, then stores the code that is sent with every command, or deletes it. The code
    /// stays as it is if the lock does not confirm the settings.
    ///
    /// - Parameter timeout: the command's timeout.
    /// - Returns: the device, and the ended command. There is no command if only the code changes, or if the lock has confirmed the
    ///   same settings since the start of the gateway and no command since may have changed them.
    /// - Throws: `.denied` if the caller may not change the settings, or if the lock has no such settings or accepts no code;
    ///   `.preconditionFailed` if `condition` is not met or another change of the settings is in progress, which ends the version
    ///   that the condition names; the errors of `LockDAL.execute`.
    package func changeSettings(
        _ caller: Caller, _ id: DeviceID, _ changes: DeviceSettingsChanges, timeout: Duration = .seconds(10),
        onlyIf condition: Precondition<LockDevice>? = nil
    ) async throws(GatewayError) -> (device: LockDevice, command: FinishedCommand?) {
        guard let seconds = changes.autoRelockSeconds else {
            return (try await changeCode(caller, id, changes, onlyIf: condition), nil)
        }
        let request = CommandRequest(
            caller: caller, deviceID: id, attemptedID: id.description, operation: .changeSettings,
            settings: LockSettings(autoRelockSeconds: seconds), timeout: timeout)
        try await locks.requireAllowed(request)
        let runtime = attachments.devices.existing(id)
        guard runtime?.beginSettingsChange(alone: condition != nil) ?? true else { throw .preconditionFailed }
        defer { runtime?.endSettingsChange() }
        let device = try requireChangeable(request, changes, onlyIf: condition)
        var command: FinishedCommand?
        if device.settings != request.settings || runtime?.areSettingsConfirmed != true {
            command = try await locks.execute(request).value
        }
        guard command.map({ $0.command.state == .confirmed }) ?? true, !changes.code.isUnchanged else {
            return (directory.current.device(id) ?? device, command)
        }
        // The precondition was met before the command, which has changed the device.
        return (try await changeCode(caller, id, changes, onlyIf: command == nil ? condition : nil), command)
    }

    /// - Returns: the device, if it supports the settings and the code, and meets `condition`.
    private func requireChangeable(
        _ request: CommandRequest, _ changes: DeviceSettingsChanges, onlyIf condition: Precondition<LockDevice>?
    ) throws(GatewayError) -> LockDevice {
        let tenancy = directory.current
        guard let device = tenancy.device(request.deviceID) else { throw .outOfReach }
        let rule = SecurityService.decide(
            request.caller.principal, request.operation, on: device.id, at: clock.decisionTime(), override: false, in: tenancy
        ).rule
        try device.require(.settings, rule)
        if changes.code.newValue != nil { try device.require(.acceptsCode, rule) }
        guard condition?(device, tenancy) ?? true else { throw .preconditionFailed }
        return device
    }

    private func changeCode(
        _ caller: Caller, _ id: DeviceID, _ changes: DeviceSettingsChanges, onlyIf condition: Precondition<LockDevice>?
    ) async throws(GatewayError) -> LockDevice {
        try await writer.change(
            caller,
            reach: [.device(id)],
            body: { (draft) throws(GatewayError) in
                try draft.changeCode(id, changes, onlyIf: condition) { (code, device) throws(GatewayError) in
                    try codes.seal(code, for: device, random)
                }
            },
            afterwards: { device, before in
                if before.device(device.id)?.sealedCode != device.sealedCode { attachments.setCode(of: device) }
            }
        )
    }
}

extension LockDevice {
    /// - Throws: `.denied` without the capability.
    fileprivate func require(_ capability: LockCapabilities, _ rule: Rule?) throws(GatewayError) {
        guard !capabilities.contains(capability) else { return }
        throw .denied(
            Denial(.capabilityMissing, hasReach: true, rule: rule, missing: Denial.Missing(capability: capability.names.first)),
            operation: .changeSettings, deviceID: id)
    }
}

extension TenancyUnitOfWork {
    fileprivate mutating func changeCode(
        _ id: DeviceID, _ changes: DeviceSettingsChanges, onlyIf condition: Precondition<LockDevice>?,
        seal: (Secret<String>, DeviceID) throws(GatewayError) -> [UInt8]
    ) throws(GatewayError) -> LockDevice {
        guard let device = directory.device(id) else { throw .outOfReach(of: subject) }
        let decision = SecurityService.decide(subject, .changeSettings, on: id, at: time, override: false, in: directory)
        if let denial = decision.denial { throw .denied(denial, operation: .changeSettings, deviceID: id) }
        guard !changes.code.isUnchanged else { return device }
        let code = changes.code.newValue
        if code != nil { try device.require(.acceptsCode, decision.rule) }
        try require(condition, of: device)
        guard code != nil || device.sealedCode != nil else { return device }
        var changed = device
        changed.sealedCode = try code.map { (code) throws(GatewayError) in try seal(code, id) }
        changed.updatedAt = now
        apply(.putDevice(changed))
        recordUpdate(from: device, to: changed, staysInPortfolio: true)
        return changed
    }
}
