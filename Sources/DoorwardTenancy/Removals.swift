internal import DoorwardDomain
internal import DoorwardKernel
internal import DoorwardPolicy

// Removing portfolios, properties, units and users, each with everything that refers to it, in one transaction. A removal of a
// parent needs the right on the parent only: its description in `ManagementPermission` includes the cascade.
extension TenancyUnitOfWork {
    /// Removes a place.
    ///
    /// - Throws: `.hasDependents` without a cascade, if it contains others or devices.
    mutating func remove<Entity: Place>(_ id: EntityID<Entity>, _ options: RemovalOptions<Entity>) throws(GatewayError) {
        let place = try place(id, with: Entity.rights.delete)
        try require(options.condition, of: place)
        let dependents = directory.dependents(of: place.entity)
        guard options.isCascade || dependents.values.allSatisfy({ $0 == 0 }) else { throw .hasDependents(dependents) }
        switch place.entity {
        case .portfolio(let id):
            for property in directory.propertyIDs(of: id) { removeWithContents(property) }
            removeAlone(place, by: .removePortfolio(id))
        case .property(let id): removeWithContents(id)
        case .unit(let id):
            guard let property = directory.unit(id)?.propertyID else { throw .outOfReach(of: subject) }
            for var access in directory.guestAccesses(in: property) where access.unitID == id {
                recordEnd(of: access)
                access.unitID = nil
                if access.endsAt > now { access.revokedAt = now }
                apply(.putGuestAccess(access))
            }
            for device in directory.deviceIDs(of: id) { leaveUnit(device) }
            removeAlone(place, by: .removeUnit(id))
        }
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
            removeAlone(unit, by: .removeUnit(unit.id))
        }
        for device in directory.deviceIDs(of: id) { unassign(device) }
        removeAlone(property, by: .removeProperty(id))
    }

    /// Removes a place that contains nothing any more, and ends the roles, API keys and invitations for it.
    private mutating func removeAlone<Entity: Place>(_ place: Entity, by removal: TenancyChange) {
        endKeysAndInvitations(on: place.entity)
        for association in directory.associations(on: place.entity) { end(association) }
        appendRecord(.delete, place.target, at: place.entity, before: Entity.fields.recorded(place))
        apply(removal)
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
        appendRecord(.revoke, RecordTarget(access), at: access.place, after: GuestAccess.fields.recorded("revokedAt", of: ended))
    }

    private mutating func unassign(_ id: DeviceID) {
        if let device = directory.device(id) { _ = move(device, to: EntityPathIDs(), from: device) }
    }
}

extension TenancyDirectory {
    /// The numbers of objects that prevent the removal of an entity without a cascade, by their names in the API.
    fileprivate func dependents(of entity: AssociatedEntity) -> [String: Int] {
        switch entity {
        case .portfolio(let id): ["properties": propertyIDs(of: id).count]
        case .property(let id): ["devices": deviceIDs(of: id).count, "units": unitIDs(of: id).count]
        case .unit(let id): ["devices": deviceIDs(of: id).count]
        }
    }

    /// The number of enabled super admins, without one user.
    func otherEnabledSuperAdminCount(than user: UserID) -> Int {
        superAdminIDs.count { id in id != user && self.user(id)?.isEnabled == true }
    }
}
