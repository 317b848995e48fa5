internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// The tenancy of an `InMemoryStore`, with the constraints of a database: parents must exist, and email addresses must be unique.
struct InMemoryTenancy {
    var portfolios: [PortfolioID: Portfolio] = [:]
    var properties: [PropertyID: Property] = [:]
    var units: [UnitID: Unit] = [:]
    var devices: [DeviceID: LockDevice] = [:]
    var users: [UserID: User] = [:]
    var associations: [AssociationID: UserRoleAssociation] = [:]
    var guestAccesses: [GuestAccessID: GuestAccess] = [:]
    private(set) var removedUsers: Set<UserID> = []
    var apiKeys: [APIKeyID: APIKey] = [:]
    var invitations: [InvitationID: Invitation] = [:]
    var guestLinks: [GuestAccessID: GuestLink] = [:]
    private var emails: [String: UserID] = [:]

    mutating func apply(_ change: TenancyChange) throws(StoreRefusal) {
        switch change {
        case .putPortfolio(let portfolio): portfolios[portfolio.id] = portfolio
        case .putProperty(let property):
            try require(portfolios[property.portfolioID] != nil)
            properties[property.id] = property
        case .removePortfolio(let id):
            let isParent =
                properties.values.contains { $0.portfolioID == id } || units.values.contains { $0.portfolioID == id }
                || devices.values.contains { $0.portfolioID == id }
            try requireUnreferenced(change.entity, isParent || isReferenced(.portfolio(id)))
            portfolios[id] = nil
        case .removeProperty(let id):
            let isParent =
                units.values.contains { $0.propertyID == id } || devices.values.contains { $0.propertyID == id }
                || guestAccesses.values.contains { $0.propertyID == id }
            try requireUnreferenced(change.entity, isParent || isReferenced(.property(id)))
            properties[id] = nil
        case .removeUnit(let id):
            let isParent =
                devices.values.contains { $0.unitID == id } || guestAccesses.values.contains { $0.unitID == id }
            try requireUnreferenced(change.entity, isParent || isReferenced(.unit(id)))
            units[id] = nil
        case .putUnit(let unit):
            try require(properties[unit.propertyID] != nil)
            try require(portfolios[unit.portfolioID] != nil)
            units[unit.id] = unit
        case .putDevice(let device): try put(device)
        case .removeDevice(let id): devices[id] = nil
        case .putUser(let user): try put(user)
        case .removeUser(let id):
            let isHolder =
                associations.values.contains { $0.userID == id } || guestAccesses.values.contains { $0.guestUserID == id }
                || apiKeys.values.contains { $0.userID == id }
                || invitations.values.contains { $0.userID == id || $0.accountID == id }
            try requireUnreferenced(change.entity, isHolder)
            if let user = users.removeValue(forKey: id) { emails[user.email.lowercased()] = nil }
            removedUsers.insert(id)
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
        case .removeGuestAccess(let id): (guestAccesses[id], guestLinks[id]) = (nil, nil)
        case .putAPIKey(let key):
            try require(users[key.userID] != nil)
            try require(exists(key.entity))
            apiKeys[key.id] = key
        case .removeAPIKey(let id): apiKeys[id] = nil
        case .putInvitation(let invitation): try put(invitation)
        case .removeInvitation(let id): invitations[id] = nil
        case .putGuestLink(let link):
            guard guestLinks.values.allSatisfy({ $0.digest != link.digest || $0.accessID == link.accessID }) else {
                throw .duplicate
            }
            try require(guestAccesses[link.accessID] != nil)
            guestLinks[link.accessID] = link
        case .removeGuestLink(let id): guestLinks[id] = nil
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
        if let owner = emails[email], owner != user.id { throw .emailTaken(user.id) }
        if let before = users[user.id] { emails[before.email.lowercased()] = nil }
        emails[email] = user.id
        removedUsers.remove(user.id)
        users[user.id] = user
    }

    private mutating func put(_ invitation: Invitation) throws(StoreRefusal) {
        try require(invitation.entity.map(exists) ?? true)
        guard invitations.values.allSatisfy({ $0.digest != invitation.digest || $0.id == invitation.id }) else {
            throw .duplicate
        }
        try require(users[invitation.userID] != nil)
        try require(invitation.accountID.map { users[$0] != nil } ?? true)
        invitations[invitation.id] = invitation
    }

    private func exists(_ entity: AssociatedEntity) -> Bool {
        switch entity {
        case .portfolio(let id): portfolios[id] != nil
        case .property(let id): properties[id] != nil
        case .unit(let id): units[id] != nil
        }
    }

    /// Compares only the id, as the database does.
    private func isReferenced(_ entity: AssociatedEntity) -> Bool {
        associations.values.contains { $0.entity.id == entity.id } || apiKeys.values.contains { $0.entity.id == entity.id }
            || invitations.values.contains { $0.entity?.id == entity.id }
    }

    private func requireUnreferenced(_ entity: TenancyEntity, _ isReferenced: Bool) throws(StoreRefusal) {
        if isReferenced { throw .stillReferenced(entity) }
    }

    private func require(_ parentExists: Bool) throws(StoreRefusal) {
        if !parentExists { throw .parentUnknown }
    }

    /// Returns whether the tenancy already contains the result of the change.
    func reflects(_ change: TenancyChange) -> Bool {
        switch change {
        case .putPortfolio(let portfolio): portfolios[portfolio.id] == portfolio
        case .putProperty(let property): properties[property.id] == property
        case .removePortfolio(let id): portfolios[id] == nil
        case .removeProperty(let id): properties[id] == nil
        case .putUnit(let unit): units[unit.id] == unit
        case .removeUnit(let id): units[id] == nil
        case .putDevice(let device): devices[device.id] == device
        case .removeDevice(let id): devices[id] == nil
        case .putUser(let user): users[user.id] == user
        case .removeUser(let id): users[id] == nil
        case .removeGuestAccess(let id): guestAccesses[id] == nil
        case .putAssociation(let association): associations[association.id] == association
        case .removeAssociation(let id): associations[id] == nil
        case .putGuestAccess(let access): guestAccesses[access.id] == access
        case .putAPIKey(let key): apiKeys[key.id] == key
        case .removeAPIKey(let id): apiKeys[id] == nil
        case .putInvitation(let invitation): invitations[invitation.id] == invitation
        case .removeInvitation(let id): invitations[id] == nil
        case .putGuestLink(let link): guestLinks[link.accessID] == link
        case .removeGuestLink(let id): guestLinks[id] == nil
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
        all += removedUsers.sorted().map { .removeUser($0) }
        all += sorted(apiKeys).map { .putAPIKey($0) }
        all += sorted(invitations).map { .putInvitation($0) }
        all += sorted(guestLinks).map { .putGuestLink($0) }
        return all
    }

    private func sorted<Entity, Value>(_ entities: [EntityID<Entity>: Value]) -> [Value] {
        entities.sorted { $0.key < $1.key }.map(\.value)
    }
}
