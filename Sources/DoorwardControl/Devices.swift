internal import DoorwardAdapterKit
package import DoorwardDomain
internal import DoorwardPolicy

/// The use cases of devices, but for moving them, which is `LockDAL`'s.
package struct Devices: Sendable {
    let writer: TenancyWriter
    let adapters: AdapterRegistry
    let attachments: Attachments
    var codes: LockCodeSealer { attachments.codes }

    /// - Parameters:
    ///   - adapters: attach and detach the locks that this type adds and removes; a device of another kind is refused.
    ///   - codes: encrypts the codes of locks.
    init(writer: TenancyWriter, adapters: AdapterRegistry, codes: LockCodeSealer) {
        (self.writer, self.adapters) = (writer, adapters)
        attachments = Attachments(devices: writer.devices, adapters: adapters, codes: codes)
    }

    /// Attaches a lock: it hangs on the property, and on the unit if one is named, and the adapter listens to it.
    ///
    /// - Throws: `.invalid` for an address by a way to locks that is not the caller's, as for one that does not exist, and
    ///   `.addressTaken` for one at which another lock is attached.
    package func attach(
        _ caller: Caller, _ new: NewDevice, repeatable: IdempotentCall?
    ) async throws(GatewayError) -> Answered<LockDevice> {
        try check(new.address, for: new.adapter, within: scope(of: caller))
        return try await writer.create(
            caller, repeatable: repeatable,
            reach: { (tenancy, subject) throws(GatewayError) in try tenancy.requireReach(of: subject, to: new) },
            body: { (draft) throws(GatewayError) in try draft.attach(new, check: check) },
            afterwards: { device, _ in attachments.attach(device) })
    }

    /// Changes what the request names. A lock with another address is another lock: nothing is known of it.
    ///
    /// When this has returned for a device that moved, no command leaves any more under a right from where it hung.
    ///
    /// - Throws: `.preconditionFailed` where `condition` does not hold; for another address also as `attach`.
    package func change(
        _ caller: Caller, _ id: DeviceID?, _ changes: DeviceChanges, onlyIf condition: Condition<LockDevice>? = nil
    ) async throws(GatewayError) -> LockDevice {
        // What is wrong in the request is answered before what the caller may not do; again below, of the address as it is then.
        if let address = changes.address, let device = try? device(id, for: caller) {
            try check(address, for: device.adapter, within: scope(of: caller))
        }
        return try await writer.change(
            caller,
            reach: { (tenancy, subject) throws(GatewayError) in
                try tenancy.requireReach(of: subject, to: id, changing: changes, at: writer.clock.now())
            },
            body: { (draft) throws(GatewayError) in
                try draft.change(id, changes, onlyIf: condition, check: check, owner: owner)
            },
            afterwards: { device, before in
                if before.device(device.id)?.address != device.address { attachments.attach(device, isAnew: true) }
            }
        )
    }

    /// Ends the gateway's dealings with a lock. Its records stay, and are read by those who read what happened where it hung.
    ///
    /// When this has returned, no command leaves for it any more; those that waited are denied in their turn. One that was
    /// sent goes on to its end, and until then the lock is listened to.
    ///
    /// - Throws: `.preconditionFailed` where `condition` does not hold.
    package func detach(
        _ caller: Caller, _ id: DeviceID?, onlyIf condition: Condition<LockDevice>? = nil
    ) async throws(GatewayError) {
        _ = try await writer.change(
            caller,
            reach: { (tenancy, subject) throws(GatewayError) in
                try tenancy.requireReach(of: subject, to: id, at: writer.clock.now())
            },
            body: { (draft) throws(GatewayError) in try draft.remove(id, onlyIf: condition) },
            afterwards: { id, _ in attachments.letGo(of: id) })
    }

    /// A device that the caller may see at this moment.
    package func device(_ id: DeviceID?, for caller: Caller) throws(GatewayError) -> LockDevice {
        let (tenancy, subject) = writer.directory.resolve(caller)
        guard let id, let device = tenancy.device(id),
            SecurityService.reaches(subject, device: id, at: writer.clock.now(), in: tenancy)
        else { throw .outOfReach(of: subject) }
        return device
    }

    /// What is known of a lock's condition.
    ///
    /// - Parameter refresh: ask the lock first; the answer shows in a later call. A lock that cannot be asked is no error.
    package func status(
        of id: DeviceID?, for caller: Caller, refresh: Bool
    ) throws(GatewayError) -> (device: LockDevice, status: DeviceStatus) {
        let device = try device(id, for: caller)
        try require(.viewStatus, on: device, of: caller)
        if refresh { try? adapters[device.adapter]?.refresh(device.id) }
        return (device, writer.devices.status(of: device.id))
    }

    /// - Throws: `.denied` with its reason when the caller may not do `operation` at this moment. Nothing is written down:
    ///   asking is free.
    package func require(_ operation: LockOperation, on device: LockDevice, of caller: Caller) throws(GatewayError) {
        let decision = SecurityService.decide(
            caller.principal, operation, on: device.id, at: writer.clock.now(), override: false, in: writer.directory.current)
        if let denial = decision.denial { throw .denied(denial, operation: operation, deviceID: device.id) }
    }

    /// A device that the caller may change, for what only its own adapter understands.
    package func changeable(_ id: DeviceID?, for caller: Caller) throws(GatewayError) -> LockDevice {
        let device = try device(id, for: caller)
        let (tenancy, subject) = writer.directory.resolve(caller)
        try tenancy.require(
            .deviceChange, of: subject, on: .device(device.id), at: writer.clock.now())
        return device
    }

    /// The ways to locks that the caller may know of: those of the portfolios in which they may attach a lock somewhere.
    private func scope(of caller: Caller) -> TransportScope {
        let (tenancy, subject) = writer.directory.resolve(caller)
        return tenancy.transportScope(of: subject)
    }

    /// - Throws: `.invalid`.
    @discardableResult
    private func check(
        _ address: [String: JSONValue], for kind: String, within scope: TransportScope
    ) throws(GatewayError) -> CheckedAddress {
        guard let adapter = adapters[kind] else { throw .invalid("adapter", "unknown") }
        do {
            return try adapter.check(address: address, within: scope)
        } catch {
            throw .invalid(error.mistakes.map { FieldProblem(field: $0.field, problem: $0.problem) })
        }
    }

    /// Whose the way to a device's lock is; `nil` where there is none now.
    private func owner(of device: LockDevice) -> TransportOwner? { adapters[device.adapter]?.owner(of: device.address) }
}

/// An adapter's word on an address, to the adapter's kind; throws `.invalid`.
typealias AddressCheck = ([String: JSONValue], String, TransportScope) throws(GatewayError) -> CheckedAddress

/// What a device is made from.
package struct NewDevice: Sendable {
    /// 1 to 200 characters, trimmed.
    package var name: String
    /// The adapter's kind, which this gateway need not have.
    package var adapter: String
    /// What the adapter finds the lock by; it alone knows whether that makes sense.
    package var address: [String: JSONValue]
    /// The property that it comes to; `nil` stands for an id that cannot be one.
    package var propertyID: PropertyID?
    /// The unit that it hangs on, if the request names one; the inner `nil` stands for an id that cannot be one.
    package var unitID: UnitID??
    /// Who made the lock, as far as anybody said.
    package var manufacturer: String?
    /// The maker's name for it, as far as anybody said.
    package var model: String?
    /// When false, nobody moves the lock through the gateway.
    package var isRemoteOperationEnabled: Bool

    package init(
        name: String, adapter: String, address: [String: JSONValue], propertyID: PropertyID?, unitID: UnitID??,
        manufacturer: String?, model: String?, isRemoteOperationEnabled: Bool
    ) {
        (self.name, self.adapter, self.address) = (name, adapter, address)
        (self.propertyID, self.unitID) = (propertyID, unitID)
        (self.manufacturer, self.model) = (manufacturer, model)
        self.isRemoteOperationEnabled = isRemoteOperationEnabled
    }
}

extension TenancyDirectory {
    fileprivate func requireReach(of subject: Subject, to new: NewDevice) throws(GatewayError) {
        guard let property = new.propertyID else { throw .outOfReach(of: subject) }
        try requireReach(of: subject, to: .property(property))
        guard let unitID = new.unitID else { return }
        guard let unitID else { throw .outOfReach(of: subject) }
        try requireReach(of: subject, to: .unit(unitID))
    }

    func requireReach(of subject: Subject, to deviceID: DeviceID?, at now: Timestamp) throws(GatewayError) {
        guard let deviceID, SecurityService.reaches(subject, device: deviceID, at: now, in: self)
        else { throw .outOfReach(of: subject) }
    }
}

extension TenancyDraft {
    fileprivate mutating func attach(_ new: NewDevice, check: AddressCheck) throws(GatewayError) -> LockDevice {
        guard let propertyID = new.propertyID, let property = directory.property(propertyID) else { throw .outOfReach }
        try require(.deviceAttach, on: .property(propertyID))
        let unitID = new.unitID ?? nil
        if let unitID, directory.unit(unitID)?.propertyID != propertyID { throw .invalid("unitId", "not_in_property") }
        let scope = directory.transportScope(of: subject).hanging(in: property.portfolioID)
        let checked = try check(new.address, new.adapter, scope)
        try requireFree(checked)
        let device = LockDevice(
            id: newID(), name: new.name, adapter: new.adapter, address: new.address, manufacturer: new.manufacturer,
            model: new.model, portfolioID: property.portfolioID, propertyID: propertyID, unitID: unitID,
            isRemoteOperationEnabled: new.isRemoteOperationEnabled, capabilities: checked.capabilities, createdAt: now,
            updatedAt: now)
        apply(.putDevice(device))
        note(
            .create, RecordTarget(device), at: .property(propertyID), device: DeviceStamp(device), after: device.recordFields)
        return device
    }

    /// - Throws: `.addressTaken` where another lock of the tenancy is attached at the address, and `.invalid` where one could
    ///   not be told from it by something else, such as the topic of its state. One that the tenancy has no
    ///   longer, and that is listened to until its last order has ended, is in nobody's way.
    func requireFree(_ checked: CheckedAddress, for device: DeviceID? = nil) throws(GatewayError) {
        if let holder = checked.holder, holder != device, directory.device(holder) != nil { throw .addressTaken }
        let conflicts = checked.conflicts.filter { $0.device != device && directory.device($0.device) != nil }
        guard let mistake = conflicts.first?.mistake else { return }
        throw .invalid(mistake.field, mistake.problem)
    }
}
