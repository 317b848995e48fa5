import DoorwardDomain
import DoorwardPolicy

/// A small tenancy for tests of single rules: one property with two units, a device in each unit, a front door that the first
/// unit shares, a cellar that no unit shares, and an unassigned device.
struct House {
    static let now = Timestamp(milliseconds: 1_700_000_000_000)
    static let hour = Duration.seconds(3600)
    static let day = Duration.seconds(86_400)

    let portfolio = PortfolioID(high: 0, low: 1)
    let property = PropertyID(high: 0, low: 2)
    let unit = UnitID(high: 0, low: 3)
    let otherUnit = UnitID(high: 0, low: 4)
    let flatDoor = DeviceID(high: 0, low: 5)
    let otherDoor = DeviceID(high: 0, low: 6)
    let frontDoor = DeviceID(high: 0, low: 7)
    let cellar = DeviceID(high: 0, low: 8)
    let unassigned = DeviceID(high: 0, low: 9)
    let person = UserID(high: 0, low: 10)
    let other = UserID(high: 0, low: 11)

    var directory = TenancyDirectory()

    init() {
        let now = Self.now
        directory.apply(.putPortfolio(Portfolio(id: portfolio, name: "P", createdAt: now, updatedAt: now)))
        directory.apply(.putProperty(Property(id: property, name: "H", portfolioID: portfolio, createdAt: now, updatedAt: now)))
        for (id, shared) in [(unit, [frontDoor]), (otherUnit, [])] {
            directory.apply(
                .putUnit(
                    Unit(
                        id: id, name: "U", propertyID: property, portfolioID: portfolio, commonAreaAccessIDs: shared,
                        createdAt: now,
                        updatedAt: now)))
        }
        for (id, unit) in [(flatDoor, unit), (otherDoor, otherUnit), (frontDoor, nil), (cellar, nil)] {
            put(device: id, unit: unit)
        }
        directory.apply(
            .putDevice(
                LockDevice(id: unassigned, name: "D", adapter: "simulator", capabilities: .all, createdAt: now, updatedAt: now)))
        put(user: person)
        put(user: other)
    }

    mutating func put(device: DeviceID, unit: UnitID?, isRemote: Bool = true, capabilities: LockCapabilities = .all) {
        directory.apply(
            .putDevice(
                LockDevice(
                    id: device, name: "D", adapter: "simulator", portfolioID: portfolio, propertyID: property, unitID: unit,
                    isRemoteOperationEnabled: isRemote, capabilities: capabilities, createdAt: Self.now, updatedAt: Self.now)))
    }

    mutating func put(lockdown: Lockdown?) {
        directory.apply(
            .putProperty(
                Property(
                    id: property, name: "H", portfolioID: portfolio, lockdown: lockdown, createdAt: Self.now,
                    updatedAt: Self.now)))
    }

    mutating func put(user: UserID, isEnabled: Bool = true, isSuperAdmin: Bool = false) {
        directory.apply(
            .putUser(
                User(
                    id: user, email: "\(user.low)@example.org", firstName: "F", lastName: "L", isEnabled: isEnabled,
                    isSuperAdmin: isSuperAdmin, createdAt: Self.now, updatedAt: Self.now)))
    }

    /// Assigns a role to `person` or to the given user. A smaller `number` gives a smaller id.
    @discardableResult
    mutating func assign(_ role: Role, on entity: AssociatedEntity? = nil, number: UInt64 = 1, to user: UserID? = nil) -> Rule {
        let entity = entity ?? place(of: role)
        let id = AssociationID(high: 1, low: number)
        directory.apply(
            .putAssociation(
                UserRoleAssociation(
                    id: id, userID: user ?? person, entity: entity, role: role, createdAt: Self.now, updatedAt: Self.now)))
        return .association(id, role)
    }

    /// Returns the entity on which a role is usually held.
    func place(of role: Role) -> AssociatedEntity {
        switch role {
        case .owner, .portfolioAdmin, .superAdmin: .portfolio(portfolio)
        case .propertyManager, .maintenance, .auditor: .property(property)
        case .tenant, .guest: .unit(unit)
        }
    }

    /// Adds a guest access for `person` or the given guest. By default it began one hour ago and ends in one hour.
    @discardableResult
    mutating func admit(
        number: UInt64 = 1, devices: [DeviceID]? = nil, operations: [LockOperation] = [.lock, .unlock],
        from: Duration = .seconds(-3600), until: Duration = .seconds(3600),
        under: (id: UInt64, role: Role) = (99, .propertyManager),
        revokedAt: Duration? = nil, createdAt: Duration = .seconds(-7200), guest: UserID? = nil, isLinkOnly: Bool = false,
        maxUses: Int? = nil
    ) -> Rule {
        let id = GuestAccessID(high: 1, low: number)
        directory.apply(
            .putGuestAccess(
                GuestAccess(
                    id: id, guestUserID: isLinkOnly ? nil : guest ?? person, label: "Guest", propertyID: property,
                    deviceIDs: devices ?? [flatDoor], operations: operations,
                    window: GuestWindow(validFrom: Self.now.advanced(by: from), validUntil: Self.now.advanced(by: until)),
                    maxUses: maxUses, grantedByUserID: other, grantedUnderAssociationID: AssociationID(high: 1, low: under.id),
                    grantedUnderRole: under.role, revokedAt: revokedAt.map { Self.now.advanced(by: $0) },
                    createdAt: Self.now.advanced(by: createdAt))))
        return .guestAccess(id)
    }

    var subject: Subject { directory.subject(person) }

    func decide(
        _ operation: LockOperation = .unlock, on device: DeviceID? = nil, at offset: Duration = .zero,
        by principal: Principal? = nil,
        override: Bool = false
    ) -> Decision {
        SecurityService.decide(
            principal ?? .user(person), operation, on: device ?? flatDoor, at: .trusted(Self.now.advanced(by: offset)),
            override: override,
            in: directory)
    }
}

extension TenancyDirectory {
    func subject(_ user: UserID) -> Subject { subject(of: .user(user)) }
}
