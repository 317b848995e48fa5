internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// The tenancy of an `InMemoryStore`, with the constraints of a database: parents must exist, and email addresses must be unique.
struct InMemoryTenancy {
    /// The change that has written each entity, and the removals of users.
    private var entities: [TenancyEntity: TenancyChange] = [:]
    /// The entities with an email address or digest, which no other may have.
    private var holders: [String: TenancyEntity] = [:]

    mutating func apply(_ change: TenancyChange) throws(StoreRefusal) {
        let entity = change.entity
        guard let written = change.written else { return try remove(entity, by: change) }
        guard written.references.allSatisfy(exists) else { throw .parentUnknown }
        if let key = change.uniqueKey, let holder = holders[key], holder != entity {
            if case .user(let id) = entity { throw .emailTaken(id) } else { throw .duplicate }
        }
        forget(entity)
        entities[entity] = change
        if let key = change.uniqueKey { holders[key] = entity }
    }

    private mutating func remove(_ entity: TenancyEntity, by change: TenancyChange) throws(StoreRefusal) {
        if case .guestAccess(let id) = entity { forget(.guestLink(of: id)) }
        let isReferenced = entities.values.contains { $0.written?.references.contains(entity) == true }
        if isReferenced { throw .stillReferenced(entity) }
        forget(entity)
        if case .user = entity { entities[entity] = change }
    }

    private mutating func forget(_ entity: TenancyEntity) {
        if let key = entities.removeValue(forKey: entity)?.uniqueKey { holders[key] = nil }
    }

    func exists(_ entity: TenancyEntity) -> Bool { entities[entity]?.written != nil }

    func isEnabled(_ user: UserID) -> Bool {
        if case .putUser(let user) = entities[.user(user)] { user.isEnabled } else { false }
    }

    /// Returns whether the tenancy already contains the result of the change.
    func reflects(_ change: TenancyChange) -> Bool {
        change.written == nil ? !exists(change.entity) : entities[change.entity] == change
    }

    /// All entities, parents before children.
    var changes: [TenancyChange] {
        let sorted = entities.map { (order: $1.written?.order ?? .max, id: "\($0)", change: $1) }
            .sorted { ($0.order, $0.id) < ($1.order, $1.id) }
        return sorted.map(\.change)
    }
}

extension TenancyChange {
    /// The entities that must exist while the entity of the change does, and its place in an order with parents before children; `nil`
    /// for a removal.
    fileprivate var written: (order: Int, references: [TenancyEntity])? {
        switch self {
        case .putPortfolio: (0, [])
        case .putProperty(let property): (1, [.portfolio(property.portfolioID)])
        case .putUnit(let unit): (2, [.property(unit.propertyID), .portfolio(unit.portfolioID)])
        case .putDevice(let device):
            (
                3,
                present(
                    device.portfolioID.map { .portfolio($0) }, device.propertyID.map { .property($0) },
                    device.unitID.map { .unit($0) })
            )
        case .putUser: (4, [])
        case .putAssociation(let association): (5, [.user(association.userID), association.entity.inTenancy])
        case .putGuestAccess(let access):
            (6, present(.property(access.propertyID), access.guestUserID.map { .user($0) }, access.unitID.map { .unit($0) }))
        case .putAPIKey(let key): (7, [.user(key.userID), key.entity.inTenancy])
        case .putInvitation(let invitation):
            (8, present(.user(invitation.userID), invitation.accountID.map { .user($0) }, invitation.entity?.inTenancy))
        case .putGuestLink(let link): (9, [.guestAccess(link.accessID)])
        case .removePortfolio, .removeProperty, .removeUnit, .removeDevice, .removeUser, .removeAssociation, .removeGuestAccess,
            .removeAPIKey, .removeInvitation, .removeGuestLink:
            nil
        }
    }

    /// What no two entities may have in common: email addresses and digests.
    fileprivate var uniqueKey: String? {
        switch self {
        case .putUser(let user): "email \(user.email.lowercased())"
        case .putInvitation(let invitation): "invitation \(invitation.digest)"
        case .putGuestLink(let link): "guest link \(link.digest)"
        default: nil
        }
    }
}

private func present(_ entities: TenancyEntity?...) -> [TenancyEntity] { entities.compactMap(\.self) }

extension AssociatedEntity {
    fileprivate var inTenancy: TenancyEntity {
        switch self {
        case .portfolio(let id): .portfolio(id)
        case .property(let id): .property(id)
        case .unit(let id): .unit(id)
        }
    }
}
