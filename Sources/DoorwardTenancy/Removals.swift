internal import DoorwardDomain
internal import DoorwardKernel
internal import DoorwardPolicy

// Removing portfolios, properties, units and users, each with everything that refers to it, in one transaction. A removal of a
// parent needs the right on the parent only: its description in `ManagementPermission` includes the cascade.
extension TenancyUnitOfWork {
    /// Removes a portfolio. Its log is kept.
    ///
    /// - Throws: `.hasDependents` without a cascade, if the portfolio has properties.
    mutating func remove(_ id: PortfolioID, _ options: RemovalOptions<Portfolio>) throws(GatewayError) {
        let portfolio = try place(id, with: .portfolioDelete)
        try require(options.condition, of: portfolio)
        let properties = directory.propertyIDs(of: id)
        guard options.isCascade || properties.isEmpty else { throw .hasDependents(["properties": properties.count]) }
        for property in properties { removeWithContents(property) }
        endAccess(on: .portfolio(id))
        recordRemoval(of: portfolio)
        apply(.removePortfolio(id))
    }

    /// Removes a property.
    ///
    /// - Throws: `.hasDependents` without a cascade, if the property has units or devices.
    mutating func remove(_ id: PropertyID, _ options: RemovalOptions<Property>) throws(GatewayError) {
        let property = try place(id, with: .propertyDelete)
        try require(options.condition, of: property)
        let (units, devices) = (directory.unitIDs(of: id).count, directory.deviceIDs(of: id).count)
        guard options.isCascade || units + devices == 0 else { throw .hasDependents(["devices": devices, "units": units]) }
        removeWithContents(id)
    }

    /// Removes a unit.
    ///
    /// - Throws: `.hasDependents` without a cascade, if the unit has devices.
    mutating func remove(_ id: UnitID, _ options: RemovalOptions<Unit>) throws(GatewayError) {
        let unit = try place(id, with: .unitDelete)
        try require(options.condition, of: unit)
        let devices = directory.deviceIDs(of: id)
        guard options.isCascade || devices.isEmpty else { throw .hasDependents(["devices": devices.count]) }
        for var access in directory.guestAccesses(in: unit.propertyID) where access.unitID == id {
            recordEnd(of: access)
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
    mutating func remove(_ id: UserID, onlyIf condition: Precondition<User>?) throws(GatewayError) {
        let user = try directory.visibleUser(id, to: subject)
        try require(.usersDelete, on: .gateway)
        try require(condition, of: user)
        if user.isSuperAdmin, directory.otherEnabledSuperAdminCount(than: id) == 0 {
            throw .conflict("This is the last super admin: create another one first.")
        }
        let portfolios = directory.portfolios(where: id).sorted()
        for access in directory.guestAccesses(of: id) {
            recordEnd(of: access)
            apply(.removeGuestAccess(access.id))
        }
        endCredentials(of: user)
        for association in directory.associations(of: id) { end(association) }
        appendRecord(.delete, RecordTarget(user), before: user.auditFields)
        // The portfolios' logs contain that the user was deleted, and no fields of the user.
        for portfolio in portfolios { appendRecord(.delete, RecordTarget(user), as: ChangeView(), to: .portfolio(portfolio)) }
        apply(.removeUser(id))
    }

    /// Removes a property with its units and guest accesses, and unassigns its devices.
    private mutating func removeWithContents(_ id: PropertyID) {
        guard let property = directory.property(id) else { return }
        for access in directory.guestAccesses(in: id) {
            recordEnd(of: access)
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
        recordRemoval(of: property)
        apply(.removeProperty(id))
    }

    /// Removes a unit that has no device and no guest access any more.
    private mutating func removeAlone(_ unit: Unit) {
        endAccess(on: .unit(unit.id))
        recordRemoval(of: unit)
        apply(.removeUnit(unit.id))
    }

    /// Ends the roles, API keys and invitations for an entity.
    private mutating func endAccess(on entity: AssociatedEntity) {
        endKeysAndInvitations(on: entity)
        for association in directory.associations(on: entity) { end(association) }
    }

    mutating func end(_ association: UserRoleAssociation) {
        apply(.removeAssociation(association.id))
        appendRecord(
            .remove, RecordTarget(association), at: association.entity, before: UserRoleAssociation.fields.recorded(association))
    }

    /// Records the end of a guest access, unless it has already ended.
    private mutating func recordEnd(of access: GuestAccess) {
        guard access.endsAt > now else { return }
        var ended = access
        ended.revokedAt = now
        appendRecord(
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
