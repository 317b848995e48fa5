internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// The tenancy of an `InMemoryStore`, with the constraints of a database: parents must exist, and
/// email addresses must be unique.
struct InMemoryTenancy {
    var portfolios: [PortfolioID: Portfolio] = [:]
    var properties: [PropertyID: Property] = [:]
    var units: [UnitID: Unit] = [:]
    var devices: [DeviceID: LockDevice] = [:]
    var users: [UserID: User] = [:]
    var associations: [AssociationID: UserRoleAssociation] = [:]
    var guestAccesses: [GuestAccessID: GuestAccess] = [:]
    private var emails: [String: UserID] = [:]

    mutating func apply(_ change: TenancyChange) throws(StoreRefusal) {
        switch change {
        case .putPortfolio(let portfolio): portfolios[portfolio.id] = portfolio
        case .putProperty(let property):
            try require(portfolios[property.portfolioID] != nil)
            properties[property.id] = property
        case .putUnit(let unit):
            try require(properties[unit.propertyID] != nil)
            try require(portfolios[unit.portfolioID] != nil)
            units[unit.id] = unit
        case .putDevice(let device): try put(device)
        case .removeDevice(let id): devices[id] = nil
        case .putUser(let user): try put(user)
        case .putAssociation(let association):
            try require(users[association.userID] != nil)
            try require(exists(association.entity))
            associations[association.id] = association
        case .removeAssociation(let id): associations[id] = nil
        case .putGuestAccess(let access):
            try require(properties[access.propertyID] != nil)
            try require(access.guestUserID.map { users[$0] != nil } ?? true)
            try require(access.unitID.map { units[$0] != nil } ?? true)
            guestAccesses[access.id] = access
        }
    }

    private mutating func put(_ device: LockDevice) throws(StoreRefusal) {
        try require(device.portfolioID.map { portfolios[$0] != nil } ?? true)
        try require(device.propertyID.map { properties[$0] != nil } ?? true)
        try require(device.unitID.map { units[$0] != nil } ?? true)
        devices[device.id] = device
    }

    private mutating func put(_ user: User) throws(StoreRefusal) {
        let email = user.email.lowercased()
        if let holder = emails[email], holder != user.id { throw .emailTaken(user.id) }
        if let before = users[user.id] { emails[before.email.lowercased()] = nil }
        emails[email] = user.id
        users[user.id] = user
    }

    private func exists(_ entity: AssociatedEntity) -> Bool {
        switch entity {
        case .portfolio(let id): portfolios[id] != nil
        case .property(let id): properties[id] != nil
        case .unit(let id): units[id] != nil
        }
    }

    private func require(_ parentExists: Bool) throws(StoreRefusal) {
        if !parentExists { throw .parentUnknown }
    }

    /// Returns whether the tenancy already contains the result of the change.
    func isAsAfter(_ change: TenancyChange) -> Bool {
        switch change {
        case .putPortfolio(let portfolio): portfolios[portfolio.id] == portfolio
        case .putProperty(let property): properties[property.id] == property
        case .putUnit(let unit): units[unit.id] == unit
        case .putDevice(let device): devices[device.id] == device
        case .removeDevice(let id): devices[id] == nil
        case .putUser(let user): users[user.id] == user
        case .putAssociation(let association): associations[association.id] == association
        case .removeAssociation(let id): associations[id] == nil
        case .putGuestAccess(let access): guestAccesses[access.id] == access
        }
    }

    /// All entities, parents before children.
    var changes: [TenancyChange] {
        var all = sorted(portfolios).map { TenancyChange.putPortfolio($0) }
        all += sorted(properties).map { .putProperty($0) }
        all += sorted(units).map { .putUnit($0) }
        all += sorted(devices).map { .putDevice($0) }
        all += sorted(users).map { .putUser($0) }
        all += sorted(associations).map { .putAssociation($0) }
        all += sorted(guestAccesses).map { .putGuestAccess($0) }
        return all
    }

    private func sorted<Entity, Value>(_ entities: [EntityID<Entity>: Value]) -> [Value] {
        entities.sorted { $0.key < $1.key }.map(\.value)
    }
}
