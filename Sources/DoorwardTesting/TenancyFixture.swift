internal import DoorwardAdapterTesting
package import DoorwardDomain
package import DoorwardPolicy

/// Builds a small tenancy for a test in a few lines. Ids are derived from a seed, so that the same
/// calls always create the same tenancy.
///
///     var fixture = TenancyFixture(seed: 1)
///     let street = fixture.portfolio("Oak Street")
///     let house = fixture.property("No. 5", in: street)
///     let flat = fixture.unit("2B", in: house)
///     let door = fixture.device("Flat door", in: .unit(flat))
///     let ada = fixture.user("Ada")
///     fixture.assign(ada, .tenant, .unit(flat))
///     try await store.commit(StoreTransaction(changes: fixture.changes))
///
/// Create referenced entities with the same fixture first. Otherwise, the path of the new entity is invalid.
package struct TenancyFixture: Sendable {
    /// All changes so far, parents before children, for a store or a directory.
    package private(set) var changes: [TenancyChange] = []
    /// The creation time of all new entities.
    package var createdAt: Timestamp
    private var random: SeededGenerator
    /// The directory that results from the changes.
    package private(set) var directory = TenancyDirectory()

    /// The assignment of a device.
    package enum Placement: Hashable, Sendable {
        /// Assigned to a property and no unit. Units of the property may share the device.
        case property(PropertyID)
        /// Assigned to a unit, and therefore to the unit's property.
        case unit(UnitID)
        /// Unassigned, like a lock that was removed from its property.
        case unassigned
    }

    /// Creates an empty tenancy. Fixtures with different seeds share no id. The default of `createdAt` is
    /// 2026-11-21T08:00:00.000Z, the time at which a `VirtualClock` starts.
    package init(seed: UInt64, createdAt: Timestamp = Timestamp(milliseconds: 1_795_248_000_000)) {
        random = SeededGenerator(seed: seed)
        self.createdAt = createdAt
    }

    /// Returns a new id of any entity type, including commands and records.
    package mutating func id<Entity>(of: Entity.Type = Entity.self) -> EntityID<Entity> {
        EntityID.new(at: createdAt, using: &random)
    }

    private mutating func apply(_ change: TenancyChange) {
        changes.append(change)
        directory.apply(change)
    }

    private mutating func add<Entity>(_ change: TenancyChange, _ id: EntityID<Entity>) -> EntityID<Entity> {
        apply(change)
        return id
    }

    // MARK: Hierarchy

    /// Adds a portfolio. No user has a role on it until `assign` is called.
    package mutating func portfolio(_ name: String) -> PortfolioID {
        let portfolio = Portfolio(id: id(), name: name, createdAt: createdAt, updatedAt: createdAt)
        return add(.putPortfolio(portfolio), portfolio.id)
    }

    /// Adds a property without an address. `timeZone` is an IANA name and is not checked here.
    package mutating func property(_ name: String, in portfolio: PortfolioID, timeZone: String? = nil) -> PropertyID {
        let property = Property(
            id: id(), name: name, portfolioID: portfolio, defaultTimeZone: timeZone, createdAt: createdAt, updatedAt: createdAt)
        return add(.putProperty(property), property.id)
    }

    /// Adds a unit without shared devices and without tenants.
    package mutating func unit(_ name: String, in property: PropertyID) -> UnitID {
        let portfolio: PortfolioID = directory.property(property)?.portfolioID ?? id()
        let unit = Unit(
            id: id(), name: name, propertyID: property, portfolioID: portfolio, createdAt: createdAt, updatedAt: createdAt)
        return add(.putUnit(unit), unit.id)
    }

    /// Adds a lock, by default with all capabilities and the adapter kind `scripted`.
    package mutating func device(
        _ name: String, in placement: Placement, adapter: String = "scripted", address: [String: JSONValue] = [:],
        capabilities: LockCapabilities = .all, isRemoteOperationEnabled: Bool = true
    ) -> DeviceID {
        let (property, unit): (PropertyID?, UnitID?) =
            switch placement {
            case .property(let id): (id, nil)
            case .unit(let id): (directory.unit(id)?.propertyID, id)
            case .unassigned: (nil, nil)
            }
        let device = LockDevice(
            id: id(), name: name, adapter: adapter, address: address,
            portfolioID: property.flatMap { directory.property($0)?.portfolioID },
            propertyID: property, unitID: unit, isRemoteOperationEnabled: isRemoteOperationEnabled, capabilities: capabilities,
            createdAt: createdAt, updatedAt: createdAt)
        return add(.putDevice(device), device.id)
    }

    /// Adds a device of the property to the common areas of a unit.
    package mutating func share(_ device: DeviceID, with unit: UnitID) {
        guard var changed = directory.unit(unit) else { return }
        changed.commonAreaAccessIDs.append(device)
        apply(.putUnit(changed))
    }

    /// Changes an existing device.
    package mutating func change(_ device: DeviceID, _ body: (inout LockDevice) -> Void) {
        guard var changed = self.device(device) else { return }
        body(&changed)
        apply(.putDevice(changed))
    }

    /// Removes a device.
    package mutating func remove(_ device: DeviceID) { apply(.removeDevice(device)) }

    /// Removes an entity that nothing refers to any more, or a user.
    package mutating func remove(_ removal: TenancyChange) { apply(removal) }

    /// Returns the current version of a device; `nil` if this fixture did not create it.
    package func device(_ id: DeviceID) -> LockDevice? { directory.device(id) }
}

// MARK: - Users and rights

extension TenancyFixture {
    /// Adds a user.
    ///
    /// - Parameter email: the email address. If `nil`, it is derived from the first name and the number of users added before.
    package mutating func user(
        _ firstName: String, lastName: String = "", email: String? = nil, isEnabled: Bool = true, isSuperAdmin: Bool = false
    ) -> UserID {
        let user = User(
            id: id(),
            email: email ?? "\(firstName.lowercased())\(directory.userCount == 0 ? "" : "\(directory.userCount)")@example.com",
            firstName: firstName, lastName: lastName, isEnabled: isEnabled, isSuperAdmin: isSuperAdmin, createdAt: createdAt,
            updatedAt: createdAt)
        return add(.putUser(user), user.id)
    }

    /// Changes an existing user, for example to disable it.
    package mutating func change(_ user: UserID, _ body: (inout User) -> Void) {
        guard var changed = self.user(user) else { return }
        body(&changed)
        apply(.putUser(changed))
    }

    /// Returns the current version of a user; `nil` if this fixture did not create it.
    package func user(_ id: UserID) -> User? { directory.user(id) }

    /// Gives a user a role on a portfolio, property or unit.
    @discardableResult
    package mutating func assign(_ user: UserID, _ role: Role, _ entity: AssociatedEntity) -> AssociationID {
        let association = UserRoleAssociation(
            id: id(), userID: user, entity: entity, role: role, createdAt: createdAt, updatedAt: createdAt)
        return add(.putAssociation(association), association.id)
    }

    /// Removes a role.
    package mutating func remove(_ association: AssociationID) { apply(.removeAssociation(association)) }

    /// Grants a guest access.
    ///
    /// - Parameters:
    ///   - user: the guest; `nil` for a guest without an account, who is identified by the label.
    ///   - devices: the devices. At least one device must be assigned to a property.
    ///   - hours: the validity, in hours from `createdAt`.
    ///   - association: the association under which the access is granted. The association's user is the grantor.
    /// - Returns: `nil` if none of the devices is assigned to a property, or the association does not exist.
    @discardableResult
    package mutating func guestAccess(
        for user: UserID?, label: String? = nil, to devices: [DeviceID], operations: [LockOperation] = [.lock, .unlock],
        hours: Range<Int> = 0..<24, schedule: Schedule? = nil, under association: AssociationID
    ) -> GuestAccessID? {
        guard let property = devices.compactMap({ device($0)?.propertyID }).first,
            let grantor = directory.association(association)
        else { return nil }
        let window = GuestWindow(
            validFrom: createdAt.advanced(by: .seconds(hours.lowerBound * 3600)),
            validUntil: createdAt.advanced(by: .seconds(hours.upperBound * 3600)))
        let access = GuestAccess(
            id: id(), guestUserID: user, label: label, propertyID: property, deviceIDs: devices, operations: operations,
            window: window, schedule: schedule, grantedByUserID: grantor.userID, grantedUnderAssociationID: association,
            grantedUnderRole: grantor.role, createdAt: createdAt)
        return add(.putGuestAccess(access), access.id)
    }

    /// Returns the current version of a guest access; `nil` if this fixture did not create it.
    package func guestAccess(_ id: GuestAccessID) -> GuestAccess? { directory.guestAccess(id) }

    /// Revokes a guest access at `instant`.
    package mutating func revoke(_ access: GuestAccessID, at instant: Timestamp) {
        guard var changed = guestAccess(access) else { return }
        changed.revokedAt = instant
        apply(.putGuestAccess(changed))
    }
}
