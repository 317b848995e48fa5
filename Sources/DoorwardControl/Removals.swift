package import DoorwardDomain
internal import DoorwardPolicy

// Removing portfolios, properties, units and users, each with everything that refers to it, in one transaction. A removal of a
// parent needs the right on the parent only: its description in `ManagementPermission` includes the cascade.
extension TenancyUnitOfWork {
    /// Removes a portfolio. Its log is kept.
    ///
    /// - Parameter cascade: whether the properties are removed too; without it, a portfolio with properties is not removed.
    /// - Throws: `.hasDependents`.
    mutating func remove(
        _ id: PortfolioID, cascade: Bool, onlyIf condition: Condition<Portfolio>?
    ) throws(GatewayError) {
        guard let portfolio = directory.portfolio(id) else { throw .outOfReach(of: subject) }
        try require(.portfolioDelete, on: .portfolio(id))
        try require(condition, of: portfolio)
        let properties = directory.propertyIDs(of: id)
        guard cascade || properties.isEmpty else { throw .hasDependents(["properties": properties.count]) }
        for property in properties { removeWithContents(property) }
        endAccess(on: .portfolio(id))
        note(.delete, RecordTarget(portfolio), at: .portfolio(id), before: Portfolio.fields.recorded(portfolio))
        apply(.removePortfolio(id))
    }

    /// Removes a property.
    ///
    /// - Parameter cascade: whether the units are removed too, and the devices unassigned.
    /// - Throws: `.hasDependents` without `cascade`, if the property has units or devices.
    mutating func remove(
        _ id: PropertyID, cascade: Bool, onlyIf condition: Condition<Property>?
    ) throws(GatewayError) {
        guard let property = directory.property(id) else { throw .outOfReach(of: subject) }
        try require(.propertyDelete, on: .property(id))
        try require(condition, of: property)
        let (units, devices) = (directory.unitIDs(of: id).count, directory.deviceIDs(of: id).count)
        guard cascade || units + devices == 0 else { throw .hasDependents(["devices": devices, "units": units]) }
        removeWithContents(id)
    }

    /// Removes a unit.
    ///
    /// - Parameter cascade: whether the unit's devices stay on its property; without it, a unit with devices is not removed.
    /// - Throws: `.hasDependents`.
    mutating func remove(
        _ id: UnitID, cascade: Bool, onlyIf condition: Condition<Unit>?
    ) throws(GatewayError) {
        guard let unit = directory.unit(id) else { throw .outOfReach(of: subject) }
        try require(.unitDelete, on: .unit(id))
        try require(condition, of: unit)
        let devices = directory.deviceIDs(of: id)
        guard cascade || devices.isEmpty else { throw .hasDependents(["devices": devices.count]) }
        for var access in directory.guestAccesses(in: unit.propertyID) where access.unitID == id {
            noteEnd(of: access)
            access.unitID = nil
            if access.endsAt > now { access.revokedAt = now }
            apply(.putGuestAccess(access))
        }
        for device in devices { leaveUnit(device) }
        removeAlone(unit)
    }

    /// Removes a user with roles, guest accesses, password and sessions. Guest accesses that the user has granted as a tenant end
    /// with the tenancy.
    ///
    /// - Throws: `.conflict` for the last super admin who is enabled.
    mutating func remove(_ id: UserID, onlyIf condition: Condition<User>?) throws(GatewayError) {
        let user = try directory.visibleUser(id, to: subject)
        try require(.usersDelete, on: .gateway)
        try require(condition, of: user)
        if user.isSuperAdmin, directory.otherEnabledSuperAdminCount(than: id) == 0 {
            throw .conflict("This is the last super admin: create another one first.")
        }
        let portfolios = directory.portfolios(where: id).sorted()
        for access in directory.guestAccesses(of: id) {
            noteEnd(of: access)
            apply(.removeGuestAccess(access.id))
        }
        endCredentials(of: user)
        for association in directory.associations(of: id) { end(association) }
        note(.delete, RecordTarget(user), before: user.auditFields)
        // The portfolios' logs contain that the user was deleted, and no fields of the user.
        for portfolio in portfolios { write(.delete, RecordTarget(user), as: ChangeView(), in: .portfolio(portfolio)) }
        apply(.removeUser(id))
    }

    /// Removes a property with its units and guest accesses, and unassigns its devices.
    private mutating func removeWithContents(_ id: PropertyID) {
        guard let property = directory.property(id) else { return }
        for access in directory.guestAccesses(in: id) {
            noteEnd(of: access)
            apply(.removeGuestAccess(access.id))
        }
        let units = directory.unitIDs(of: id).compactMap { directory.unit($0) }
        // The devices of the units first, and the common areas after the units: so no unit is changed before it is removed.
        for unit in units {
            for device in directory.deviceIDs(of: unit.id) { unassign(device) }
            removeAlone(unit)
        }
        for device in directory.deviceIDs(of: id) { unassign(device) }
        endAccess(on: .property(id))
        note(.delete, RecordTarget(property), at: .property(id), before: Property.fields.recorded(property))
        apply(.removeProperty(id))
    }

    /// Removes a unit that has no device and no guest access any more.
    private mutating func removeAlone(_ unit: Unit) {
        endAccess(on: .unit(unit.id))
        note(.delete, RecordTarget(unit), at: .unit(unit.id), before: Unit.fields.recorded(unit))
        apply(.removeUnit(unit.id))
    }

    /// Ends the roles, API keys and invitations for an entity.
    private mutating func endAccess(on entity: AssociatedEntity) {
        endKeysAndInvitations(on: entity)
        for association in directory.associations(on: entity) { end(association) }
    }

    private mutating func end(_ association: UserRoleAssociation) {
        apply(.removeAssociation(association.id))
        note(.remove, RecordTarget(association), at: association.entity, before: association.auditFields)
    }

    /// Records the end of a guest access, unless it has already ended.
    private mutating func noteEnd(of access: GuestAccess) {
        guard access.endsAt > now else { return }
        var ended = access
        ended.revokedAt = now
        note(
            .revoke, RecordTarget(access), at: access.place, after: GuestAccess.fields.recorded("revokedAt", of: ended))
    }

    private mutating func unassign(_ id: DeviceID) {
        if let device = directory.device(id) { _ = move(device, to: EntityPathIDs(), from: device) }
    }
}

extension TenancyDirectory {
    /// The number of enabled super admins, without one user.
    func otherEnabledSuperAdminCount(than user: UserID) -> Int {
        superAdminIDs.count { id in id != user && self.user(id)?.isEnabled == true }
    }
}

/// The effects of a removal: of an entity, a role or a guest access. It is computed from the changes that the removal would
/// write, so that it cannot differ from them.
package struct RemovalPreview: Sendable {
    /// An entity that the removal deletes.
    package struct Removed: Hashable, Sendable {
        /// The type and id, as in records.
        package let target: RecordTarget
        /// The entity's name; the full name of a user.
        package let name: String

        init(target: RecordTarget, name: String) { (self.target, self.name) = (target, name) }
    }

    /// The entities that are deleted, in the order of the changes: children before their parents.
    package internal(set) var removed: [Removed] = []
    /// What ends without being an entity of its own: roles, guest accesses, API keys and invitations that are valid now or later,
    /// sessions, and the assignment of a device to a unit or property.
    package internal(set) var ended: [RecordTarget] = []

    /// What is known without a change of the tenancy.
    init(removed: [Removed] = [], ended: [RecordTarget] = []) { (self.removed, self.ended) = (removed, ended) }

    /// - Parameters:
    ///   - before: the directory before the changes.
    ///   - after: the directory after them.
    init(_ changes: [TenancyChange], from before: TenancyDirectory, to after: TenancyDirectory, at now: Timestamp) {
        var seen: Set<RecordTarget> = []
        func end(_ target: RecordTarget) { if seen.insert(target).inserted { ended.append(target) } }
        func endIfOver(_ id: GuestAccessID) {
            guard let access = before.guestAccess(id), access.isEffective(after: now, in: before) else { return }
            if after.guestAccess(id)?.isEffective(after: now, in: after) != true { end(RecordTarget(access)) }
        }
        for change in changes {
            if let removed = Removed(change, in: before) { self.removed.append(removed) }
            switch change {
            case .removeAssociation(let id):
                guard let association = before.association(id) else { continue }
                end(RecordTarget(association))
                for access in before.guestAccesses(carriedBy: association) { endIfOver(access.id) }
            case .putGuestAccess(let access): endIfOver(access.id)
            case .removeGuestAccess(let id): endIfOver(id)
            case .removeAPIKey(let id):
                if let key = before.apiKey(id), key.expiresAt > now { end(RecordTarget(key)) }
            case .removeInvitation(let id):
                if let invitation = before.invitation(id), invitation.expiresAt > now { end(RecordTarget(invitation)) }
            case .removeGuestLink(let id):
                if before.guestLink(of: id) != nil { end(RecordTarget(type: "GuestLink", id: id.description)) }
            case .putDevice(let device):
                guard let old = before.device(device.id) else { continue }
                let isDetached = old.propertyID != nil && device.propertyID == nil || old.unitID != nil && device.unitID == nil
                if isDetached { end(RecordTarget(old)) }
            default: break
            }
        }
    }
}

extension RemovalPreview.Removed {
    /// `nil` for a change that removes no entity with a name.
    fileprivate init?(_ change: TenancyChange, in before: TenancyDirectory) {
        let entity: (target: RecordTarget, name: String)? =
            switch change {
            case .removePortfolio(let id): before.portfolio(id).map { (RecordTarget($0), $0.name) }
            case .removeProperty(let id): before.property(id).map { (RecordTarget($0), $0.name) }
            case .removeUnit(let id): before.unit(id).map { (RecordTarget($0), $0.name) }
            case .removeDevice(let id): before.device(id).map { (RecordTarget($0), $0.name) }
            case .removeUser(let id): before.user(id).map { (RecordTarget($0), $0.fullName) }
            default: nil
            }
        guard let entity else { return nil }
        (target, name) = entity
    }
}

extension GuestAccess {
    /// Whether the access gives a right after `instant`: it has not ended, and its grantor still holds a right that it depends
    /// on.
    fileprivate func isEffective(after instant: Timestamp, in directory: TenancyDirectory) -> Bool {
        guard endsAt > instant else { return false }
        return deviceIDs.contains { isHeld(on: $0) { directory.association($0) != nil } }
    }
}
