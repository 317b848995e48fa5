package import DoorwardAdapterKit
package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy

/// The changes of a place; `nil` leaves a field unchanged.
package protocol PlaceChanges<Entity>: Sendable {
    /// The type of the place.
    associatedtype Entity: Place
    /// The complete list of people with the roles `Place.rights.staff`.
    var holders: [UserID]? { get }
    /// The devices that the changes name.
    var namedDevices: [DeviceID] { get }

    /// Changes everything but the list of people. The right to change the place is checked by `Portfolios.change`, before this call.
    ///
    /// - Parameter owner: returns the owner of the transport of a device's address.
    /// - Returns: the changed place.
    func apply(
        to place: Entity, in draft: inout TenancyUnitOfWork, owner: (LockDevice) -> TransportOwner?
    ) throws(GatewayError) -> Entity
}

extension PlaceChanges {
    /// None.
    package var namedDevices: [DeviceID] { [] }
}

/// The changes of a portfolio; `nil` leaves a field unchanged.
package struct PortfolioChanges: PlaceChanges {
    /// 1 to 200 characters, trimmed.
    package var name: String?
    /// The complete list of owners and portfolio admins. Those who are new become PORTFOLIO_ADMIN.
    package var holders: [UserID]?

    package init() {}

    /// Changes the name.
    package func apply(
        to portfolio: Portfolio, in draft: inout TenancyUnitOfWork, owner: (LockDevice) -> TransportOwner?
    ) -> Portfolio {
        var changed = portfolio
        changed.name = name ?? portfolio.name
        return draft.update(portfolio, to: changed)
    }
}

/// The changes of a property; `nil` leaves a field unchanged.
package struct PropertyChanges: PlaceChanges {
    /// 1 to 200 characters, trimmed.
    package var name: String?
    /// The postal address; replaces the previous one completely.
    package var address = Patch<PostalAddress>.unchanged
    /// A validated IANA time zone name.
    package var defaultTimeZone = Patch<String>.unchanged
    /// The complete list of users with PROPERTY_MANAGER.
    package var holders: [UserID]?

    package init() {}

    /// Changes the name, the address and the zone.
    package func apply(
        to property: Property, in draft: inout TenancyUnitOfWork, owner: (LockDevice) -> TransportOwner?
    ) -> Property {
        var changed = property
        changed.name = name ?? property.name
        changed.address = address.applied(to: property.address)
        changed.defaultTimeZone = defaultTimeZone.applied(to: property.defaultTimeZone)
        return draft.update(property, to: changed)
    }
}

/// The changes of a unit; `nil` leaves a field unchanged.
package struct UnitChanges: PlaceChanges {
    /// 1 to 200 characters, trimmed.
    package var name: String?
    /// The complete list of users with TENANT.
    package var holders: [UserID]?
    /// The complete list of devices of the unit. New ones move to the unit from wherever they are; those that are left out stay on
    /// the property.
    package var devices: [DeviceID]?
    /// The complete list of common areas.
    package var commonAreas: [DeviceID]?

    package init() {}

    /// Those of both lists.
    package var namedDevices: [DeviceID] { (devices ?? []) + (commonAreas ?? []) }

    /// - Throws: `.invalid` for a common area that is assigned to a unit, or is not a device of the unit's property.
    package func apply(
        to unit: Unit, in draft: inout TenancyUnitOfWork, owner: (LockDevice) -> TransportOwner?
    ) throws(GatewayError) -> Unit {
        if let devices {
            for device in draft.directory.deviceIDs(of: unit.id) where !devices.contains(device) {
                try draft.require(.deviceMove, on: .device(device))
                draft.leaveUnit(device)
            }
            for device in devices { _ = try draft.moveToUnit(device, unit, field: "deviceIds", owner: owner) }
        }
        // Moving devices may have changed the common areas of the unit.
        let before = draft.directory.unit(unit.id) ?? unit
        var changed = before
        changed.name = name ?? unit.name
        for id in commonAreas ?? [] {
            guard let device = draft.directory.device(id), device.propertyID == unit.propertyID, device.unitID == nil else {
                throw .invalid("commonAreaAccessIds", "not_common_area")
            }
        }
        changed.commonAreaAccessIDs = commonAreas?.unique ?? before.commonAreaAccessIDs
        changed = draft.update(before, to: changed)
        for device in before.commonAreaAccessIDs where !changed.commonAreaAccessIDs.contains(device) {
            draft.endGuestAccesses(to: device, ofTenantsIn: unit.id)
        }
        return changed
    }
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
    /// Changes the fields that the request names. The list of people has the same rights, records and refusals as the calls that
    /// assign and remove them one by one.
    ///
    /// - Throws: `.notFound` for a user who does not exist; `.conflict` if the last owner would be removed;
    ///   `.preconditionFailed` if `condition` is not met.
    package func change<Changes: PlaceChanges>(
        _ caller: Caller, _ id: EntityID<Changes.Entity>, _ changes: Changes,
        onlyIf condition: Precondition<Changes.Entity>? = nil
    ) async throws(GatewayError) -> Changes.Entity {
        let reach = [.entity(Changes.Entity.entity(id))] + changes.namedDevices.map { Reach.device($0) }
        return try await writer.change(caller, reach: reach) { (draft) throws(GatewayError) in
            let place = try draft.place(id, with: Changes.Entity.rights.change)
            let staff = try draft.changedStaff(of: place, to: changes.holders)
            try draft.require(condition, of: place)
            let changed = try changes.apply(to: place, in: &draft, owner: transportOwner)
            // Add first, so that a portfolio whose owners are replaced always has an administrator.
            for user in staff.added { _ = try draft.assign(Changes.Entity.rights.added, to: user, on: place.entity) }
            for association in staff.removed { try draft.remove(association) }
            return changed
        }
    }

    /// Deletes a place. Once this returns, no command is sent any more under a right in it. The log of a portfolio is kept.
    ///
    /// A cascade unassigns the devices of a property, and moves those of a unit to the property; none is deleted.
    ///
    /// - Throws: `.hasDependents` without a cascade, if a portfolio has properties, a property units or devices, or a unit devices.
    /// - Returns: the effects of a dry run, which changes nothing; otherwise `nil`.
    @discardableResult
    package func delete<Entity: Place>(
        _ caller: Caller, _ id: EntityID<Entity>, _ options: RemovalOptions<Entity>
    ) async throws(GatewayError) -> RemovalPreview? {
        try await writer.remove(caller, isDryRun: options.isDryRun, reach: [.entity(Entity.entity(id))]) {
            (draft) throws(GatewayError) in try draft.remove(id, options)
        }
    }
}

extension TenancyUnitOfWork {
    /// The difference between the listed people of a place and a new list. Roles that are not listed are not changed.
    ///
    /// Checks the caller's right to assign the role, unless the list stays the same, and that all added users exist.
    ///
    /// - Parameter users: the new list; `nil` if it stays as it is.
    fileprivate func changedStaff<Entity: Place>(
        of place: Entity, to users: [UserID]?
    ) throws(GatewayError) -> (added: [UserID], removed: [UserRoleAssociation]) {
        let held = directory.associations(on: place.entity).filter { Entity.rights.staff.contains($0.role) }
        let (holders, named) = (Set(held.map(\.userID)), Set(users ?? held.map(\.userID)))
        let (added, removed) = (named.subtracting(holders).sorted(), held.filter { !named.contains($0.userID) })
        guard !added.isEmpty || !removed.isEmpty else { return ([], []) }
        try require(.assigning(Entity.rights.added, on: place.entity.type), on: ManagedObject(place.entity))
        guard added.allSatisfy({ directory.user($0) != nil }) else { throw .notFound }
        return (added, removed)
    }
}
