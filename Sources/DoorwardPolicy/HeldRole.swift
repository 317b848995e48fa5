internal import DoorwardDomain

/// One association as its holder's node keeps it: all of a `UserRoleAssociation` but whose it is.
struct HeldRole: Hashable, Sendable {
    let entityID: EntityID<AssociatedEntity>
    let id: AssociationID
    let createdAt: Timestamp
    let updatedAt: Timestamp
    let type: AssociatedEntityType
    let role: Role

    init(_ association: UserRoleAssociation) {
        (entityID, id, type, role) = (association.entity.id, association.id, association.entity.type, association.role)
        (createdAt, updatedAt) = (association.createdAt, association.updatedAt)
    }

    var entity: AssociatedEntity { AssociatedEntity(type: type, id: entityID) }
    /// By the places of the types in a table, as comparing the types themselves is a call through a table of another module.
    @inline(__always)
    func isHeld(on id: EntityID<AssociatedEntity>, _ type: AssociatedEntityType) -> Bool {
        guard entityID == id else { return false }
        switch (self.type, type) {
        case (.portfolio, .portfolio), (.property, .property), (.unit, .unit): return true
        default: return false
        }
    }
    /// Whether the role can be held there at all. One that cannot gives no right.
    var isAssignable: Bool { MatrixColumn(of: role, on: type) != nil }
    var rule: Rule { .association(id, role) }

    /// The same as an entity of its own.
    func association(of user: UserID) -> UserRoleAssociation {
        UserRoleAssociation(id: id, userID: user, entity: entity, role: role, createdAt: createdAt, updatedAt: updatedAt)
    }

    /// By the last half of the entity's id, so that one search finds all on it; then the higher role, then the smaller
    /// id: the order in which rules are named.
    static func precedes(_ a: HeldRole, _ b: HeldRole) -> Bool {
        if a.entityID.low != b.entityID.low { return a.entityID.low < b.entityID.low }
        if a.entityID.high != b.entityID.high { return a.entityID.high < b.entityID.high }
        if a.type != b.type { return a.type.rawValue < b.type.rawValue }
        if a.role != b.role { return a.role.rank < b.role.rank }
        return a.id < b.id
    }
}
