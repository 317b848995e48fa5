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
    /// Whether the role can be held there at all. One that cannot gives no right.
    var isAssignable: Bool { MatrixColumn(of: role, on: type) != nil }
    var rule: Rule { .association(id, role) }

    /// The same as an entity of its own.
    func association(of user: UserID) -> UserRoleAssociation {
        UserRoleAssociation(id: id, userID: user, entity: entity, role: role, createdAt: createdAt, updatedAt: updatedAt)
    }

    /// By entity, so that one search finds all on it; then the higher role, then the smaller id: the order in which rules are named.
    static func precedes(_ a: HeldRole, _ b: HeldRole) -> Bool {
        if a.entityID != b.entityID { return a.entityID < b.entityID }
        if a.type != b.type { return a.type.rawValue < b.type.rawValue }
        if a.role != b.role { return a.role.rank < b.role.rank }
        return a.id < b.id
    }
}

/// What one user holds, in one block of memory, sorted by entity.
struct HeldRoles: Hashable, Sendable {
    private(set) var all: ContiguousArray<HeldRole> = []

    /// Up to so many, looking at each in turn is quicker than a binary search.
    private static let scanLimit = 16

    mutating func insert(_ held: HeldRole) {
        all.insert(held, at: all.lowerBound { HeldRole.precedes($0, held) })
    }

    mutating func remove(_ id: AssociationID) { all.removeAll { $0.id == id } }

    /// The indices of all held on one entity, in the order in which rules are named.
    @inline(__always)
    func indices(on id: EntityID<AssociatedEntity>, _ type: AssociatedEntityType) -> Range<Int> {
        var start = all.count <= Self.scanLimit ? 0 : all.lowerBound { $0.entityID < id }
        while start < all.count, all[start].entityID != id || all[start].type != type {
            if all.count > Self.scanLimit && all[start].entityID != id { return start..<start }
            start += 1
        }
        var end = start
        while end < all.count, all[end].entityID == id, all[end].type == type { end += 1 }
        return start..<end
    }

    func held(on entity: AssociatedEntity) -> ArraySlice<HeldRole> { ArraySlice(all[indices(on: entity.id, entity.type)]) }

    func holdsAny(on entity: AssociatedEntity) -> Bool { !indices(on: entity.id, entity.type).isEmpty }
}
