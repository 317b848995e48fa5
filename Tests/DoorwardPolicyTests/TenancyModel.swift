import DoorwardDomain
import DoorwardTesting

@testable import DoorwardPolicy

/// A reference model of the directory in plain dictionaries: each list is computed by searching all entries.
struct TenancyModel {
    var portfolios: [PortfolioID: Portfolio] = [:]
    var properties: [PropertyID: Property] = [:]
    var units: [UnitID: Unit] = [:]
    var devices: [DeviceID: LockDevice] = [:]
    var users: [UserID: User] = [:]
    var associations: [AssociationID: UserRoleAssociation] = [:]
    var guestAccesses: [GuestAccessID: GuestAccess] = [:]
    var removedUsers: Set<UserID> = []
    var apiKeys: [APIKeyID: APIKey] = [:]
    var invitations: [InvitationID: Invitation] = [:]
    var guestLinks: [GuestAccessID: GuestLink] = [:]

    mutating func apply(_ change: TenancyChange) {
        switch change {
        case .putPortfolio(let entity): portfolios[entity.id] = entity
        case .putProperty(let entity): properties[entity.id] = entity
        case .putUnit(let entity): units[entity.id] = entity
        case .putDevice(let entity): devices[entity.id] = entity
        case .removeDevice(let id): devices[id] = nil
        case .putUser(let entity):
            users[entity.id] = entity
            removedUsers.remove(entity.id)
        case .removePortfolio(let id): portfolios[id] = nil
        case .removeProperty(let id): properties[id] = nil
        case .removeUnit(let id): units[id] = nil
        case .removeUser(let id):
            users[id] = nil
            removedUsers.insert(id)
        case .removeGuestAccess(let id): (guestAccesses[id], guestLinks[id]) = (nil, nil)
        case .putAssociation(let entity): associations[entity.id] = entity
        case .removeAssociation(let id): associations[id] = nil
        case .putGuestAccess(let entity): guestAccesses[entity.id] = entity
        case .putAPIKey(let entity): apiKeys[entity.id] = entity
        case .removeAPIKey(let id): apiKeys[id] = nil
        case .putInvitation(let entity): invitations[entity.id] = entity
        case .removeInvitation(let id): invitations[id] = nil
        case .putGuestLink(let link): guestLinks[link.accessID] = link
        case .removeGuestLink(let id): guestLinks[id] = nil
        }
    }

    private func ids<Entity, Value>(
        _ table: [EntityID<Entity>: Value], where isIncluded: (Value) -> Bool = { _ in true }
    ) -> [EntityID<Entity>] { table.filter { isIncluded($0.value) }.keys.sorted() }

    /// Returns the first difference between a directory and the model; `nil` if there is none.
    func difference(from directory: TenancyDirectory) -> String? {
        entitiesDiffer(from: directory) ?? placesDiffer(from: directory) ?? holdingsDiffer(from: directory)
    }

    private func entitiesDiffer(from directory: TenancyDirectory) -> String? {
        if directory.portfolioIDs != ids(portfolios) { return "portfolios" }
        if directory.propertyIDs != ids(properties) { return "properties" }
        if directory.unitIDs != ids(units) { return "units" }
        if directory.deviceIDs != ids(devices) || directory.deviceCount != devices.count { return "devices" }
        if directory.userIDs != ids(users) || directory.userCount != users.count { return "users" }
        if directory.removedUsers.sorted() != removedUsers.sorted() { return "removed users" }
        if directory.guestAccessIDs != ids(guestAccesses) { return "guest accesses" }
        if directory.superAdminIDs.count != users.values.count(where: \.isSuperAdmin) { return "the number of super admins" }
        if portfolios.contains(where: { directory.portfolio($0) != $1 }) { return "a portfolio" }
        if properties.contains(where: { directory.property($0) != $1 }) { return "a property" }
        if units.contains(where: { directory.unit($0) != $1 }) { return "a unit" }
        if devices.contains(where: { directory.device($0) != $1 }) { return "a device" }
        if users.contains(where: { directory.user($0) != $1 }) { return "a user" }
        if associations.contains(where: { directory.association($0) != $1 }) { return "an association" }
        if guestAccesses.contains(where: { directory.guestAccess($0) != $1 }) { return "a guest access" }
        return accountsDiffer(from: directory)
    }

    private func accountsDiffer(from directory: TenancyDirectory) -> String? {
        if directory.apiKeyIDs != ids(apiKeys) { return "API keys" }
        if directory.invitationIDs != ids(invitations) { return "invitations" }
        if directory.guestLinks.map(\.key).sorted() != ids(guestLinks) { return "guest links" }
        for (id, link) in guestLinks {
            if directory.guestLink(of: id) != link { return "a guest link" }
            let sameDigest = guestLinks.values.filter { $0.digest == link.digest }
            if sameDigest.count == 1, directory.guestLink(digest: link.digest) != link { return "the guest link of a digest" }
        }
        if apiKeys.contains(where: { directory.apiKey($0) != $1 }) { return "an API key" }
        if invitations.contains(where: { directory.invitation($0) != $1 }) { return "an invitation" }
        for key in apiKeys.values {
            if directory.apiKeys(of: key.userID).map(\.id) != ids(apiKeys, where: { $0.userID == key.userID }) {
                return "the API keys of a user"
            }
            if directory.apiKeys(on: key.entity).map(\.id) != ids(apiKeys, where: { $0.entity == key.entity }) {
                return "the API keys on an entity"
            }
        }
        for one in invitations.values {
            if directory.invitation(digest: one.digest) != one { return "the invitation with a digest" }
            if directory.invitations(by: one.userID).map(\.id) != ids(invitations, where: { $0.userID == one.userID }) {
                return "the invitations by a user"
            }
            let sameAddress = ids(invitations) { $0.email.lowercased() == one.email.lowercased() }
            if directory.invitations(of: one.email).map(\.id) != sameAddress { return "the invitations of an address" }
            guard let entity = one.entity else { continue }
            if directory.invitations(to: entity).map(\.id) != ids(invitations, where: { $0.entity == entity }) {
                return "the invitations to an entity"
            }
        }
        return nil
    }

    private func placesDiffer(from directory: TenancyDirectory) -> String? {
        // Lists exist also for parents that were not added yet, or were removed.
        for id in Set(portfolios.keys).union(properties.values.map(\.portfolioID))
        where directory.propertyIDs(of: id) != ids(properties, where: { $0.portfolioID == id }) {
            return "the properties of a portfolio"
        }
        for id in Set(properties.keys).union(units.values.map(\.propertyID)) {
            if directory.unitIDs(of: id) != ids(units, where: { $0.propertyID == id }) { return "the units of a property" }
            if directory.deviceIDs(of: id) != ids(devices, where: { $0.propertyID == id }) { return "a property's devices" }
            let accesses = ids(guestAccesses, where: { $0.propertyID == id })
            if directory.guestAccesses(in: id).map(\.id) != accesses { return "a property's guest accesses" }
        }
        for id in units.keys where directory.deviceIDs(of: id) != ids(devices, where: { $0.unitID == id }) {
            return "the devices of a unit"
        }
        for id in devices.keys {
            if directory.unitsSharing(id) != ids(units, where: { $0.commonAreaAccessIDs.contains(id) }) {
                return "the units that list a device"
            }
            let accesses = ids(guestAccesses, where: { $0.deviceIDs.contains(id) })
            if directory.guestAccesses(on: id).map(\.id) != accesses { return "a device's guest accesses" }
        }
        return nil
    }

    private func holdingsDiffer(from directory: TenancyDirectory) -> String? {
        let held = associations.values.sorted { $0.id < $1.id }
        for user in Set(users.keys).union(held.map(\.userID)) {
            if directory.associations(of: user) != held.filter({ $0.userID == user }) { return "the roles of a user" }
            let accesses = ids(guestAccesses, where: { $0.guestUserID == user })
            if directory.guestAccesses(of: user).map(\.id) != accesses { return "a user's guest accesses" }
        }
        for entity in Set(held.map(\.entity)) where directory.associations(on: entity) != held.filter({ $0.entity == entity }) {
            return "the associations on an entity"
        }
        for user in users.values where directory.user(email: user.email.uppercased())?.id != user.id { return "an email address" }
        return nil
    }
}

/// Random changes from a seed, with few ids, so that most changes affect existing entities.
struct RandomChanges {
    var generator: SeededGenerator
    /// The number of values for the lower half of an id.
    let ids: UInt64

    init(seed: UInt64, ids: UInt64 = 6) { (generator, self.ids) = (SeededGenerator(seed: seed), ids) }

    private mutating func id<Entity>() -> EntityID<Entity> {
        EntityID(high: .random(in: 0...1, using: &generator), low: .random(in: 0..<ids, using: &generator))
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    private mutating func list<Entity>() -> [EntityID<Entity>] {
        (0..<Int.random(in: 0...4, using: &generator)).map { _ in id() }
    }

    private mutating func instant() -> Timestamp { Timestamp(milliseconds: .random(in: 0...1000, using: &generator)) }

    mutating func next() -> TenancyChange {
        switch Int.random(in: 0..<29, using: &generator) {
        case 0: .putPortfolio(Portfolio(id: id(), name: name(), createdAt: instant(), updatedAt: instant()))
        case 1: .putProperty(Property(id: id(), name: name(), portfolioID: id(), createdAt: instant(), updatedAt: instant()))
        case 2, 3:
            .putUnit(
                Unit(
                    id: id(), name: name(), propertyID: id(), portfolioID: id(), commonAreaAccessIDs: list(),
                    createdAt: instant(), updatedAt: instant()))
        case 4, 5, 6: .putDevice(device())
        case 7, 8: .putUser(user())
        case 9, 10, 11: .putAssociation(association())
        case 12, 13: .removeAssociation(id())
        case 14, 15: .removeDevice(id())
        case 16: .removePortfolio(id())
        case 17: .removeProperty(id())
        case 18: .removeUnit(id())
        case 19: .removeUser(id())
        case 20: .removeGuestAccess(id())
        case 21: .putAPIKey(apiKey())
        case 22: .removeAPIKey(id())
        case 23: .putInvitation(invitation())
        case 24: .removeInvitation(id())
        case 25: .putGuestLink(guestLink())
        case 26: .removeGuestLink(of: id())
        default: .putGuestAccess(access())
        }
    }

    private mutating func name() -> String { "name \(UInt8.random(in: 0...9, using: &generator))" }

    private mutating func guestLink() -> GuestLink {
        let digest = (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return GuestLink(accessID: id(), userID: id(), digest: digest, createdAt: instant())
    }

    private mutating func device() -> LockDevice {
        var device = LockDevice(
            id: id(), name: name(), adapter: chance(50) ? "mqtt" : "simulator", capabilities: chance(50) ? .all : [.lock],
            createdAt: instant(), updatedAt: instant())
        if chance(80) { (device.propertyID, device.portfolioID) = (id(), id()) }
        if device.propertyID != nil && chance(50) { device.unitID = id() }
        if chance(20) { device.firmwareVersion = name() }
        if chance(20) { device.texts[.notes] = name() }
        return device
    }

    /// Returns a user with a unique email address, because the store guarantees unique addresses.
    private mutating func user() -> User {
        let id: UserID = id()
        let number = UInt8.random(in: 0...2, using: &generator)
        return User(
            id: id, email: "\(chance(50) ? "a" : "A")\(number)-\(id)@example.org", firstName: name(), lastName: name(),
            isEnabled: chance(80), isSuperAdmin: chance(30), createdAt: instant(), updatedAt: instant())
    }

    private mutating func apiKey() -> APIKey {
        let like = association()
        return APIKey(
            id: id(), name: name(), userID: id(), parentID: chance(30) ? id() : nil, entity: like.entity, role: like.role,
            digest: [.random(in: 0...9, using: &generator)], createdAt: instant(), expiresAt: instant())
    }

    /// Returns an invitation with a unique digest, because the store guarantees unique digests.
    private mutating func invitation() -> Invitation {
        let (id, like): (InvitationID, UserRoleAssociation) = (id(), association())
        return Invitation(
            id: id, email: "\(chance(50) ? "a" : "A")\(UInt8.random(in: 0...3, using: &generator))@example.org",
            offer: chance(70) ? .role(like.role, on: like.entity) : .account(like.userID), userID: self.id(),
            keyID: chance(30) ? self.id() : nil, digest: Array(id.description.utf8), createdAt: instant(), expiresAt: instant())
    }

    private mutating func association() -> UserRoleAssociation {
        let type = AssociatedEntityType.allCases.randomElement(using: &generator) ?? .unit
        return UserRoleAssociation(
            id: id(), userID: id(), entity: AssociatedEntity(type: type, id: id()),
            role: Role.allCases.randomElement(using: &generator) ?? .tenant, createdAt: instant(), updatedAt: instant())
    }

    private mutating func access() -> GuestAccess {
        // The property and the grantor of a guest access never change, so both follow from its id.
        let id: GuestAccessID = id()
        return GuestAccess(
            id: id, guestUserID: chance(80) ? self.id() : nil, label: name(), propertyID: PropertyID(high: 0, low: id.low),
            deviceIDs: list(), operations: chance(50) ? [.unlock] : [.lock, .unlock],
            window: GuestWindow(validFrom: instant(), validUntil: instant()), grantedByUserID: UserID(high: 0, low: id.low),
            grantedUnderAssociationID: AssociationID(high: 0, low: id.low), grantedUnderRole: chance(50) ? .tenant : .owner,
            revokedAt: chance(20) ? instant() : nil, createdAt: instant())
    }
}
