internal import DoorwardAdapterKit
package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy

/// The changes of a portfolio; `nil` leaves a field unchanged.
package struct PortfolioChanges: Sendable {
    /// 1 to 200 characters, trimmed.
    package var name: String?
    /// The complete list of owners and portfolio admins. Those who are new become PORTFOLIO_ADMIN.
    package var administrators: [UserID]?

    package init() {}
}

/// The changes of a property; `nil` leaves a field unchanged.
package struct PropertyChanges: Sendable {
    /// 1 to 200 characters, trimmed.
    package var name: String?
    /// The postal address; replaces the previous one completely.
    package var address = Patch<PostalAddress>.unchanged
    /// A validated IANA time zone name.
    package var defaultTimeZone = Patch<String>.unchanged
    /// The complete list of users with PROPERTY_MANAGER.
    package var managers: [UserID]?

    package init() {}
}

/// The changes of a unit; `nil` leaves a field unchanged.
package struct UnitChanges: Sendable {
    /// 1 to 200 characters, trimmed.
    package var name: String?
    /// The complete list of users with TENANT.
    package var tenants: [UserID]?
    /// The complete list of devices of the unit. New ones move to the unit from wherever they are; those that are left out stay on
    /// the property.
    package var devices: [DeviceID]?
    /// The complete list of common areas.
    package var commonAreas: [DeviceID]?

    package init() {}
}

/// The precondition for removing an entity of the hierarchy, and whether the removal includes what the entity contains.
package struct RemovalOptions<Entity: Sendable>: Sendable {
    /// Whether an entity that contains others is removed together with them.
    package var isCascade = false
    /// Whether nothing is changed, and only the effects are computed.
    package var isDryRun = false
    /// The caller's precondition; `nil` if there is none.
    package var condition: Precondition<Entity>?

    package init(isCascade: Bool = false, isDryRun: Bool = false, onlyIf condition: Precondition<Entity>? = nil) {
        (self.isCascade, self.isDryRun, self.condition) = (isCascade, isDryRun, condition)
    }
}

extension Portfolios {
    /// Changes the fields that the request names. The list of administrators has the same rights, records and refusals as the
    /// calls that assign and remove them one by one.
    ///
    /// - Throws: `.notFound` for a user who does not exist; `.conflict` if the last owner would be removed;
    ///   `.preconditionFailed` if `condition` is not met.
    package func change(
        _ caller: Caller, _ id: PortfolioID, _ changes: PortfolioChanges, onlyIf condition: Precondition<Portfolio>? = nil
    ) async throws(GatewayError) -> Portfolio {
        try await writer.change(
            caller,
            reach: [.entity(.portfolio(id))],
            body: { (draft) throws(GatewayError) in try draft.change(id, changes, onlyIf: condition) })
    }

    /// Changes the fields that the request names; see the same function for portfolios.
    package func change(
        _ caller: Caller, _ id: PropertyID, _ changes: PropertyChanges, onlyIf condition: Precondition<Property>? = nil
    ) async throws(GatewayError) -> Property {
        try await writer.change(
            caller,
            reach: [.entity(.property(id))],
            body: { (draft) throws(GatewayError) in try draft.change(id, changes, onlyIf: condition) })
    }

    /// Changes the fields that the request names; see the same function for portfolios.
    ///
    /// - Throws: `.invalid` for a common area that is not a device of the property itself.
    package func change(
        _ caller: Caller, _ id: UnitID, _ changes: UnitChanges, onlyIf condition: Precondition<Unit>? = nil
    ) async throws(GatewayError) -> Unit {
        try await writer.change(
            caller,
            reach: [.entity(.unit(id))] + ((changes.devices ?? []) + (changes.commonAreas ?? [])).map { .device($0) },
            body: { (draft) throws(GatewayError) in try draft.change(id, changes, onlyIf: condition, owner: transportOwner) })
    }

    // MARK: - Deleting

    /// Deletes a portfolio. Once this returns, no command is sent any more under a right in it. Its log is kept.
    ///
    /// - Throws: `.hasDependents` without a cascade, if it has properties.
    /// - Returns: the effects of a dry run, which changes nothing; otherwise `nil`.
    @discardableResult
    package func delete(
        _ caller: Caller, _ id: PortfolioID, _ options: RemovalOptions<Portfolio>
    ) async throws(GatewayError) -> RemovalPreview? {
        try await writer.remove(
            caller, isDryRun: options.isDryRun,
            reach: [.entity(.portfolio(id))],
            body: { (draft) throws(GatewayError) in try draft.remove(id, options) })
    }

    /// Deletes a property. A cascade unassigns its devices; they are not deleted.
    ///
    /// - Throws: `.hasDependents` without a cascade, if it has units or devices.
    /// - Returns: the effects of a dry run, which changes nothing; otherwise `nil`.
    @discardableResult
    package func delete(
        _ caller: Caller, _ id: PropertyID, _ options: RemovalOptions<Property>
    ) async throws(GatewayError) -> RemovalPreview? {
        try await writer.remove(
            caller, isDryRun: options.isDryRun,
            reach: [.entity(.property(id))],
            body: { (draft) throws(GatewayError) in try draft.remove(id, options) })
    }

    /// Deletes a unit. A cascade moves its devices to the property.
    ///
    /// - Throws: `.hasDependents` without a cascade, if it has devices.
    /// - Returns: the effects of a dry run, which changes nothing; otherwise `nil`.
    @discardableResult
    package func delete(
        _ caller: Caller, _ id: UnitID, _ options: RemovalOptions<Unit>
    ) async throws(GatewayError) -> RemovalPreview? {
        try await writer.remove(
            caller, isDryRun: options.isDryRun,
            reach: [.entity(.unit(id))],
            body: { (draft) throws(GatewayError) in try draft.remove(id, options) })
    }
}

extension TenancyUnitOfWork {
    fileprivate mutating func change(
        _ id: PortfolioID, _ changes: PortfolioChanges, onlyIf condition: Precondition<Portfolio>?
    ) throws(GatewayError) -> Portfolio {
        let portfolio = try place(id, with: .portfolioRename)
        let holders = try HolderChange(
            of: [.owner, .portfolioAdmin], to: changes.administrators, on: .portfolio(id), adding: .portfolioAdmin, in: self)
        try require(condition, of: portfolio)
        var changed = portfolio
        changed.name = changes.name ?? portfolio.name
        changed = update(portfolio, to: changed)
        try apply(holders)
        return changed
    }

    fileprivate mutating func change(
        _ id: PropertyID, _ changes: PropertyChanges, onlyIf condition: Precondition<Property>?
    ) throws(GatewayError) -> Property {
        let property = try place(id, with: .propertyChange)
        let holders = try HolderChange(
            of: [.propertyManager], to: changes.managers, on: .property(id), adding: .propertyManager, in: self)
        try require(condition, of: property)
        var changed = property
        changed.name = changes.name ?? property.name
        changed.address = changes.address.applied(to: property.address)
        changed.defaultTimeZone = changes.defaultTimeZone.applied(to: property.defaultTimeZone)
        changed = update(property, to: changed)
        try apply(holders)
        return changed
    }

    fileprivate mutating func change(
        _ id: UnitID, _ changes: UnitChanges, onlyIf condition: Precondition<Unit>?, owner: (LockDevice) -> TransportOwner?
    ) throws(GatewayError) -> Unit {
        let unit = try place(id, with: .unitChange)
        let holders = try HolderChange(of: [.tenant], to: changes.tenants, on: .unit(id), adding: .tenant, in: self)
        try require(condition, of: unit)
        if let devices = changes.devices {
            for device in directory.deviceIDs(of: id) where !devices.contains(device) {
                try require(.deviceMove, on: .device(device))
                leaveUnit(device)
            }
            for device in devices { _ = try moveToUnit(device, unit, field: "deviceIds", owner: owner) }
        }
        // Moving devices may have changed the common areas of the unit.
        var changed = directory.unit(id) ?? unit
        let before = changed
        changed.name = changes.name ?? unit.name
        if let commonAreas = changes.commonAreas { changed.commonAreaAccessIDs = try checked(commonAreas, of: unit) }
        changed = update(before, to: changed)
        for device in before.commonAreaAccessIDs where !changed.commonAreaAccessIDs.contains(device) {
            endGuestAccesses(to: device, ofTenantsIn: id)
        }
        try apply(holders)
        return changed
    }

    /// - Throws: `.invalid` for a device that is assigned to a unit, or is not of the unit's property.
    private func checked(_ commonAreas: [DeviceID], of unit: Unit) throws(GatewayError) -> [DeviceID] {
        for id in commonAreas {
            guard let device = directory.device(id), device.propertyID == unit.propertyID, device.unitID == nil else {
                throw .invalid("commonAreaAccessIds", "not_common_area")
            }
        }
        return commonAreas.unique
    }

    private mutating func apply(_ change: HolderChange) throws(GatewayError) {
        // Add first, so that a portfolio whose owners are replaced always has an administrator.
        for user in change.added { _ = try assign(change.role, to: user, on: change.entity) }
        for association in change.removed { try remove(association) }
    }
}

/// The change of the complete list of users who hold certain roles on an entity. Roles that are not listed are not changed.
private struct HolderChange {
    let entity: AssociatedEntity
    /// The role that added users get.
    let role: Role
    let added: [UserID]
    let removed: [UserRoleAssociation]

    /// Checks the caller's right to assign `role`, unless the list stays the same, and that all added users exist.
    ///
    /// - Parameter users: the new list; `nil` if it stays as it is.
    init(
        of roles: Set<Role>, to users: [UserID]?, on entity: AssociatedEntity, adding role: Role, in draft: TenancyUnitOfWork
    ) throws(GatewayError) {
        (self.entity, self.role) = (entity, role)
        let held = draft.directory.associations(on: entity).filter { roles.contains($0.role) }
        let (holders, named) = (Set(held.map(\.userID)), Set(users ?? held.map(\.userID)))
        added = named.subtracting(holders).sorted()
        removed = held.filter { !named.contains($0.userID) }
        guard !added.isEmpty || !removed.isEmpty else { return }
        try draft.require(.assigning(role, on: entity.type), on: ManagedObject(entity))
        guard added.allSatisfy({ draft.directory.user($0) != nil }) else { throw .notFound }
    }
}
