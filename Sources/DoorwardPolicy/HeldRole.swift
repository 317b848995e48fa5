internal import DoorwardDomain

/// A role association as stored in its user's node: all of a `UserRoleAssociation` but the user.
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
    /// Compares the types with a `switch`, since comparing them directly calls through a table of another module.
    @inline(__always)
    func isHeld(on id: EntityID<AssociatedEntity>, _ type: AssociatedEntityType) -> Bool {
        guard entityID == id else { return false }
        switch (self.type, type) {
        case (.portfolio, .portfolio), (.property, .property), (.unit, .unit): return true
        default: return false
        }
    }
    /// Whether the role can be assigned on an entity of this type. A role that cannot be assigned gives no right.
    var isAssignable: Bool { MatrixColumn(of: role, on: type) != nil }
    var rule: Rule { .association(id, role) }

    /// The association as a `UserRoleAssociation`, with its user.
    func association(of user: UserID) -> UserRoleAssociation {
        UserRoleAssociation(id: id, userID: user, entity: entity, role: role, createdAt: createdAt, updatedAt: updatedAt)
    }

    /// Orders by the low half of the entity's id, so that one search finds all roles on it; then the higher role comes first, then
    /// the smaller id. This is the order in which rules are reported.
    static func precedes(_ a: HeldRole, _ b: HeldRole) -> Bool {
        if a.entityID.low != b.entityID.low { return a.entityID.low < b.entityID.low }
        if a.entityID.high != b.entityID.high { return a.entityID.high < b.entityID.high }
        if a.type != b.type { return a.type.rawValue < b.type.rawValue }
        if a.role != b.role { return a.role.rank < b.role.rank }
        return a.id < b.id
    }
}
