package import DoorwardAdapterKit
package import DoorwardDomain
package import DoorwardKernel
package import DoorwardLocks
internal import DoorwardPolicy

/// The use cases of devices, except moving locks: `LockDAL` moves them, and changes settings in the lock.
package struct Devices: UseCases, Sendable {
    let kernel: Kernel
    /// Attaches and detaches the locks that this type adds and removes. A device whose kind has no adapter is rejected.
    let attachments: Attachments
    let locks: LockDAL
    var adapters: AdapterRegistry { attachments.adapters }
    var codes: LockCodeSealer { attachments.codes }

    package init(_ kernel: Kernel, attachments: Attachments, locks: LockDAL) {
        (self.kernel, self.attachments, self.locks) = (kernel, attachments, locks)
    }

    /// Adds a device to the property, or to one of its units if given, and attaches its lock to the adapter.
    ///
    /// - Throws: `.invalid` if the caller may not use the transport that the address names, and equally if there is no such
    ///   transport; `.addressTaken` if another lock is attached at the address; `.limitReached`.
    package func attach(
        _ caller: Caller, _ new: NewDevice, repeatable: IdempotentCall?
    ) async throws(GatewayError) -> Answered<LockDevice> {
        try check(new.address, for: new.adapter, within: scope(of: caller))
        return try await writer.create(
            caller, repeatable: repeatable,
            reach: new.reach,
            body: { (draft) throws(GatewayError) in try draft.attach(new, check: check) },
            afterwards: { device, _ in attachments.attach(device) })
    }

    /// Changes the fields that the request names. A new address binds the device to another lock, whose state is not known yet.
    ///
    /// Once this returns for a device that was moved, no command is sent any more under a right from its old position.
    ///
    /// - Throws: `.preconditionFailed` if `condition` is not met; if the address changes, also the errors of `attach`.
    package func change(
        _ caller: Caller, _ id: DeviceID, _ changes: DeviceChanges, onlyIf condition: Precondition<LockDevice>? = nil
    ) async throws(GatewayError) -> LockDevice {
        // Validate the address before the caller's rights are decided. The transaction validates it again, for the device as it
        // is at that time.
        if let address = changes.address, let device = try? device(id, for: caller) {
            try check(address, for: device.adapter, within: scope(of: caller))
        }
        return try await writer.change(
            caller,
            reach: [.device(id)] + changes.reach,
            body: { (draft) throws(GatewayError) in
                try draft.change(id, changes, onlyIf: condition, check: check, owner: owner)
            },
            afterwards: { device, before in
                if before.device(device.id)?.address != device.address { attachments.attach(device, isRebinding: true) }
            }
        )
    }

    /// Removes a device. Its records are kept; the users who may read the records of its former position can still read them.
    ///
    /// Once this returns, no further command is sent to it; waiting ones are denied when they reach the head of the queue. A
    /// command in flight runs to its end, and the lock stays attached until then.
    ///
    /// - Throws: `.preconditionFailed` if `condition` is not met.
    /// - Returns: the effects of a dry run, which changes nothing; otherwise `nil`.
    @discardableResult
    package func detach(
        _ caller: Caller, _ id: DeviceID, isDryRun: Bool = false, onlyIf condition: Precondition<LockDevice>? = nil
    ) async throws(GatewayError) -> RemovalPreview? {
        try await writer.remove(
            caller, isDryRun: isDryRun,
            reach: [.device(id)],
            body: { (draft) throws(GatewayError) in try draft.remove(id, onlyIf: condition) },
            afterwards: { attachments.detachIfIdle(of: id) })
    }

    /// A device that is currently visible to the caller.
    package func device(_ id: DeviceID, for caller: Caller) throws(GatewayError) -> LockDevice {
        let (tenancy, subject) = directory.resolve(caller)
        guard let device = tenancy.device(id),
            SecurityService.reaches(subject, device: id, at: clock.decisionTime(), in: tenancy)
        else { throw .outOfReach(of: subject) }
        return device
    }

    /// The devices whose status the caller may currently view.
    package func list(for caller: Caller, _ filter: DeviceFilter, _ request: PageRequest<NameOrCreatedAt>) -> Page<LockDevice> {
        let (current, now) = (CallerSnapshot(directory, caller), clock.decisionTime())
        func passes(_ device: LockDevice) -> Bool {
            filter.passes(device, status: attachments.devices.status(of: device.id)) { field in
                let level = SecurityService.fieldLevel(of: current.subject, for: .device(device.id), at: now, in: current.tenancy)
                return FieldTable.sees(field, of: .device, at: level ?? .publicLevel)
            }
        }
        func visible() -> [DeviceID] { SecurityService.visibleDeviceIDs(for: current.subject, at: now, in: current.tenancy) }
        // Which devices a guest sees depends on the time.
        guard current.subject.seesByRolesAlone else {
            return request.page(of: visible().compactMap { current.tenancy.device($0) }.filter(passes), in: current.snapshot)
        }
        return request.page(
            .devices, in: current, of: caller.principal, visible: visible, item: { current.tenancy.device($0) },
            filter: filter.isEmpty ? nil : passes)
    }

    /// The devices of a unit whose status the caller may currently view.
    ///
    /// - Throws: the errors of `Portfolios.unit`.
    package func list(
        of unit: UnitID, for caller: Caller, _ request: PageRequest<NameOrCreatedAt>
    ) throws(GatewayError) -> Page<LockDevice> {
        let (current, now) = (CallerSnapshot(directory, caller), clock.decisionTime())
        let unit = try current.tenancy.place(unit, to: current.subject, with: .unitRead)
        let devices = current.tenancy.deviceIDs(of: unit.id).filter { id in
            SecurityService.decide(current.subject, .viewStatus, on: id, at: now, override: false, in: current.tenancy).isAllowed
        }
        return request.page(of: devices.compactMap { current.tenancy.device($0) }, in: current.snapshot)
    }

    /// The currently known status of a lock.
    ///
    /// - Parameter refresh: whether to request the state from the lock first. A later call returns the state that the lock then
    ///   reports. A lock that does not support such requests is not an error.
    package func status(
        of id: DeviceID, for caller: Caller, refresh: Bool
    ) throws(GatewayError) -> (device: LockDevice, status: DeviceStatus) {
        let device = try device(id, for: caller)
        try require(.viewStatus, on: device, of: caller)
        if refresh { try? adapters[device.adapter]?.refresh(device.id) }
        return (device, attachments.devices.status(of: device.id))
    }

    /// - Throws: `.denied` with its reason if the caller may not do `operation` now. The decision is not recorded.
    package func require(_ operation: LockOperation, on device: LockDevice, of caller: Caller) throws(GatewayError) {
        let decision = SecurityService.decide(
            caller.principal, operation, on: device.id, at: clock.decisionTime(), override: false, in: directory.current)
        if let denial = decision.denial { throw .denied(denial, operation: operation, deviceID: device.id) }
    }

    /// A device that the caller may change, for operations that are specific to its adapter.
    package func changeable(_ id: DeviceID, for caller: Caller) throws(GatewayError) -> LockDevice {
        let device = try device(id, for: caller)
        let (tenancy, subject) = directory.resolve(caller)
        try tenancy.require(.deviceChange, of: subject, on: .device(device.id), at: clock.decisionTime())
        return device
    }

    /// The transports that are visible to the caller: those of the portfolios in which the caller may attach a lock.
    private func scope(of caller: Caller) -> TransportScope {
        let (tenancy, subject) = directory.resolve(caller)
        return tenancy.transportScope(of: subject)
    }

    /// - Throws: `.invalid`.
    @discardableResult
    func check(
        _ address: [String: JSONValue], for kind: String, within scope: TransportScope
    ) throws(GatewayError) -> CheckedAddress {
        guard let adapter = adapters[kind] else { throw .invalid("adapter", "unknown") }
        do {
            return try adapter.check(address: address, within: scope)
        } catch {
            throw .invalid(error.errors.map { FieldProblem(field: $0.field, problem: $0.problem) })
        }
    }

    /// The owner of the transport of a device's address; `nil` if there is no such transport now.
    package func owner(of device: LockDevice) -> TransportOwner? { adapters[device.adapter]?.owner(of: device.address) }
}

/// Validates an address with the adapter of the given kind; throws `.invalid`.
typealias AddressCheck = ([String: JSONValue], String, TransportScope) throws(GatewayError) -> CheckedAddress

/// The data of a device to add.
package struct NewDevice: Sendable {
    /// 1 to 200 characters, trimmed.
    package var name: String
    /// The adapter's kind; this gateway may not have that adapter.
    package var adapter: String
    /// The address of the lock, to be validated by the adapter.
    package var address: [String: JSONValue]
    /// The property to assign it to.
    package var propertyID: PropertyID
    /// The unit to assign it to; `nil` for the property itself.
    package var unitID: UnitID?
    /// The optional texts that are given, each trimmed and not longer than its limit.
    package var texts: [DeviceText: String]
    /// Whether the lock can be moved through the gateway. If false, every command for the lock is denied.
    package var isRemoteOperationEnabled: Bool

    package init(
        name: String, adapter: String, address: [String: JSONValue], propertyID: PropertyID, unitID: UnitID?,
        texts: [DeviceText: String] = [:], isRemoteOperationEnabled: Bool = true
    ) {
        (self.name, self.adapter, self.address) = (name, adapter, address)
        (self.propertyID, self.unitID) = (propertyID, unitID)
        (self.texts, self.isRemoteOperationEnabled) = (texts, isRemoteOperationEnabled)
    }

    fileprivate var reach: [Reach] { [.entity(.property(propertyID))] + (unitID.map { [.entity(.unit($0))] } ?? []) }
}

extension TenancyUnitOfWork {
    mutating func attach(_ new: NewDevice, check: AddressCheck) throws(GatewayError) -> LockDevice {
        guard let property = directory.property(new.propertyID) else { throw .outOfReach }
        try require(.deviceAttach, on: .property(property.id))
        if let unitID = new.unitID, directory.unit(unitID)?.propertyID != property.id {
            throw .invalid("unitId", "not_in_property")
        }
        let scope = directory.transportScope(of: subject).restricted(to: property.portfolioID)
        let checked = try check(new.address, new.adapter, scope)
        try requireFree(checked)
        let device = LockDevice(
            id: newID(), name: new.name, adapter: new.adapter, address: new.address, texts: new.texts,
            portfolioID: property.portfolioID, propertyID: property.id, unitID: new.unitID,
            isRemoteOperationEnabled: new.isRemoteOperationEnabled, capabilities: checked.capabilities, createdAt: now,
            updatedAt: now)
        apply(.putDevice(device))
        var after = device.auditFields
        if device.texts[.notes] != nil { after["hasNotes"] = .bool(true) }
        appendRecord(.create, RecordTarget(device), at: .property(property.id), device: DeviceSnapshot(device), after: after)
        try requireWithin(.maxDevices, of: property.portfolioID)
        return device
    }

    /// - Throws: `.addressTaken` if another lock of the tenancy is attached at the address; `.invalid` if another part of the
    ///   address, such as the state topic, conflicts with the address of another lock. A lock that was removed from the tenancy
    ///   stays attached until its last command has ended; it does not conflict.
    func requireFree(_ checked: CheckedAddress, for device: DeviceID? = nil) throws(GatewayError) {
        if let attached = checked.attachedDevice, attached != device, directory.device(attached) != nil { throw .addressTaken }
        let conflicts = checked.conflicts.filter { $0.device != device && directory.device($0.device) != nil }
        guard let mistake = conflicts.first?.mistake else { return }
        throw .invalid(mistake.field, mistake.problem)
    }
}

extension Devices {
    /// Moves a device to a unit: from its property, from another unit or, for a super admin, a device that is unassigned. The device is
    /// removed from the guest accesses that list it. A device that is already assigned to the unit is not changed.
    ///
    /// - Throws: `.denied` without the right at the old and the new position; `.invalid` if the device's transport belongs to another
    ///   portfolio.
    package func move(_ caller: Caller, _ id: DeviceID, to unitID: UnitID) async throws(GatewayError) -> LockDevice {
        try await writer.change(
            caller,
            reach: [.entity(.unit(unitID)), .device(id)],
            body: { (draft) throws(GatewayError) in
                guard let unit = draft.directory.unit(unitID) else { throw GatewayError.outOfReach(of: draft.subject) }
                return try draft.moveToUnit(id, unit, field: "deviceId", owner: owner)
            })
    }

    /// Moves a device from a unit to the unit's property. The device is removed from the guest accesses that list it.
    ///
    /// - Throws: `.notFound` for a device that is not assigned to the unit.
    /// - Returns: the effects of a dry run, which changes nothing; otherwise `nil`.
    @discardableResult
    package func remove(
        _ caller: Caller, _ id: DeviceID, from unitID: UnitID, isDryRun: Bool = false
    ) async throws(GatewayError) -> RemovalPreview? {
        try await writer.remove(
            caller, isDryRun: isDryRun,
            reach: [.entity(.unit(unitID))],
            body: { (draft) throws(GatewayError) in
                try draft.require(.deviceMove, on: .unit(unitID))
                guard draft.directory.deviceIDs(of: unitID).contains(id) else { throw GatewayError.notFound }
                draft.leaveUnit(id)
            })
    }
}
