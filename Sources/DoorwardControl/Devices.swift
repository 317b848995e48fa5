internal import DoorwardAdapterKit
package import DoorwardDomain
internal import DoorwardPolicy

/// The use cases of devices, but for moving them, which is `LockDAL`'s.
package struct Devices: Sendable {
    let directory: PublishedDirectory
    let writer: TenancyWriter
    /// Attaches and detaches the locks that this type adds and removes; a device of a kind without an adapter is refused.
    let attachments: Attachments
    let clock: any GatewayClock
    let random: RandomSource
    var adapters: AdapterRegistry { attachments.adapters }
    var codes: LockCodeSealer { attachments.codes }

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
                try tenancy.requireReach(of: subject, to: id, changing: changes, at: clock.now())
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
                try tenancy.requireReach(of: subject, to: id, at: clock.now())
            },
            body: { (draft) throws(GatewayError) in try draft.remove(id, onlyIf: condition) },
            afterwards: { id, _ in attachments.letGo(of: id) })
    }

    /// A device that the caller may see at this moment.
    package func device(_ id: DeviceID?, for caller: Caller) throws(GatewayError) -> LockDevice {
        let (tenancy, subject) = directory.resolve(caller)
        guard let id, let device = tenancy.device(id),
            SecurityService.reaches(subject, device: id, at: clock.now(), in: tenancy)
        else { throw .outOfReach(of: subject) }
        return device
    }

    /// The devices whose status the caller may see at this moment.
    package func list(
        for caller: Caller, _ filter: DeviceFilter, _ request: PageRequest<NameOrCreatedAt>
    ) -> Page<LockDevice> {
        let (sight, now) = (Sight(directory, caller), clock.now())
        let devices = SecurityService.visibleDeviceIDs(for: sight.subject, at: now, in: sight.tenancy)
            .compactMap { sight.tenancy.device($0) }
            .filter { device in
                filter.passes(device, status: attachments.devices.status(of: device.id)) { field in
                    let level = SecurityService.fieldLevel(
                        of: sight.subject, for: .device(device.id), at: now, in: sight.tenancy)
                    return FieldTable.sees(field, of: .device, at: level ?? .publicLevel)
                }
            }
        return request.page(of: devices, in: sight.snapshot)
    }

    /// The devices of a unit whose status the caller may see at this moment.
    ///
    /// - Throws: as `Portfolios.unit`.
    package func list(
        of unit: UnitID?, for caller: Caller, _ request: PageRequest<NameOrCreatedAt>
    ) throws(GatewayError) -> Page<LockDevice> {
        let (sight, now) = (Sight(directory, caller), clock.now())
        let unit = try sight.tenancy.readable(unit, to: sight.subject)
        let devices = sight.tenancy.deviceIDs(of: unit.id).filter { id in
            SecurityService.decide(sight.subject, .viewStatus, on: id, at: now, override: false, in: sight.tenancy).isAllowed
        }
        return request.page(of: devices.compactMap { sight.tenancy.device($0) }, in: sight.snapshot)
    }

    /// What the caller may do with a device at this moment: a decision for each operation. Nothing is written down: asking is
    /// free.
    ///
    /// - Throws: as `device`.
    package func permissions(
        on id: DeviceID?, for caller: Caller
    ) throws(GatewayError) -> (at: Timestamp, decisions: [(operation: LockOperation, decision: Decision)]) {
        let (sight, now) = (Sight(directory, caller), clock.now())
        guard let id, sight.tenancy.resolve(id) != nil,
            SecurityService.reaches(sight.subject, device: id, at: now, in: sight.tenancy)
        else { throw .outOfReach(of: sight.subject) }
        let decisions = LockOperation.allCases.map { operation in
            (
                operation,
                SecurityService.decide(sight.subject, operation, on: id, at: now, override: false, in: sight.tenancy)
            )
        }
        return (now, decisions)
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
        return (device, attachments.devices.status(of: device.id))
    }

    /// - Throws: `.denied` with its reason when the caller may not do `operation` at this moment. Nothing is written down:
    ///   asking is free.
    package func require(_ operation: LockOperation, on device: LockDevice, of caller: Caller) throws(GatewayError) {
        let decision = SecurityService.decide(
            caller.principal, operation, on: device.id, at: clock.now(), override: false, in: directory.current)
        if let denial = decision.denial { throw .denied(denial, operation: operation, deviceID: device.id) }
    }

    /// A device that the caller may change, for what only its own adapter understands.
    package func changeable(_ id: DeviceID?, for caller: Caller) throws(GatewayError) -> LockDevice {
        let device = try device(id, for: caller)
        let (tenancy, subject) = directory.resolve(caller)
        try tenancy.require(
            .deviceChange, of: subject, on: .device(device.id), at: clock.now())
        return device
    }

    /// The ways to locks that the caller may know of: those of the portfolios in which they may attach a lock somewhere.
    private func scope(of caller: Caller) -> TransportScope {
        let (tenancy, subject) = directory.resolve(caller)
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

/// Which devices are listed; what is `nil` does not matter, and the inner `nil` stands for an id that cannot be one. A device
/// passes only by fields that the caller sees, so that no filter tells more than the list does.
package struct DeviceFilter: Sendable {
    /// Those attached to this property.
    package var property: PropertyID??
    /// Those attached to this unit.
    package var unit: UnitID??
    /// Those last known to be in this state.
    package var state: LockState?
    /// Those known to be on line, or known to be off line.
    package var isOnline: Bool?
    /// Those with less battery, in percent; a device of unknown battery is not listed.
    package var batteryBelow: Int?
    /// Those of this kind of adapter.
    package var adapter: String?

    package init() {}

    fileprivate func passes(_ device: LockDevice, status: @autoclosure () -> DeviceStatus, sees: (String) -> Bool) -> Bool {
        if case .some(.none) = property { return false }
        if case .some(let property) = property, device.propertyID != property || !sees("propertyId") { return false }
        if case .some(let unit) = unit, device.unitID != unit || unit == nil || !sees("unitId") { return false }
        if let adapter, device.adapter != adapter || !sees("adapter") { return false }
        guard state != nil || isOnline != nil || batteryBelow != nil else { return true }
        let status = status()
        if let state, status.state != state || !sees("state") { return false }
        if let isOnline, status.isOnline != isOnline || !sees("isOnline") { return false }
        guard let batteryBelow else { return true }
        return status.batteryLevel.map { $0 < batteryBelow } == true && sees("batteryLevel")
    }
}

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
            .create, RecordTarget(device), at: .property(propertyID), device: DeviceStamp(device), after: device.auditFields)
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
