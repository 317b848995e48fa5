internal import DoorwardDomain

/// A role association as it is stored in its user's node: without the user's id.
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
    /// Compares the types with a `switch`, because `==` would call through a witness table of another module.
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

    /// Orders roles by the low half of the entity's id, so that one search finds all roles on an entity. On one entity, the
    /// higher role comes first, then the smaller id, as in the order in which rules are reported.
    static func precedes(_ a: HeldRole, _ b: HeldRole) -> Bool {
        if a.entityID.low != b.entityID.low { return a.entityID.low < b.entityID.low }
        if a.entityID.high != b.entityID.high { return a.entityID.high < b.entityID.high }
        if a.type != b.type { return a.type.rawValue < b.type.rawValue }
        if a.role != b.role { return a.role.rank < b.role.rank }
        return a.id < b.id
    }
}

/// The user of an association, in the table of associations.
struct AssociationHolder: TableEntry {
    let id: AssociationID
    let userID: UserID
}

/// The roles of one user, sorted by entity, in one block of memory that begins with the keys.
///
/// Only this type manages its memory manually, because a decision spends most of its time waiting for memory. An array would be
/// retained at each access, and an atomic increment outside the cache prevents the processor from fetching other memory at the
/// same time. `benchmark-policy` measures the difference.
///
/// The type is `@unchecked Sendable` because the block is written only in `init`, and no other code
/// has its address. `deinit` frees the block.
struct HeldRoles: ~Copyable, @unchecked Sendable {  // Written only in `init`.
    let count: Int
    /// The low halves of the entities' ids, ascending. They contain 62 random bits, so equal halves
    /// nearly always belong to the same entity.
    private let keys: UnsafeMutablePointer<UInt64>
    /// The roles, in the order of the keys. They follow the keys in the same block.
    private let roles: UnsafeMutablePointer<HeldRole>

    /// Up to this count, a linear scan of the keys is faster than a binary search.
    private static let scanLimit = 24

    init(_ held: [HeldRole] = []) {
        let sorted = held.sorted(by: HeldRole.precedes)
        count = sorted.count
        let keyBytes = count * MemoryLayout<UInt64>.stride
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: keyBytes + count * MemoryLayout<HeldRole>.stride, alignment: MemoryLayout<HeldRole>.alignment)
        keys = block.bindMemory(to: UInt64.self, capacity: count)
        roles = (block + keyBytes).bindMemory(to: HeldRole.self, capacity: count)
        for (index, role) in sorted.enumerated() {
            (keys + index).initialize(to: role.entityID.low)
            (roles + index).initialize(to: role)
        }
    }

    deinit {
        // Keys and roles contain no references to release.
        UnsafeMutableRawPointer(keys).deallocate()
    }

    subscript(index: Int) -> HeldRole {
        precondition(index >= 0 && index < count)
        return roles[index]
    }

    /// The low half of the id of the entity that a role is held on.
    @inline(__always)
    func key(_ index: Int) -> UInt64 {
        precondition(index >= 0 && index < count)
        return keys[index]
    }

    var all: [HeldRole] { Array(UnsafeBufferPointer(start: roles, count: count)) }

    /// The indices of all roles on one entity, in the order in which rules are reported.
    @inline(__always)
    func indices(on id: EntityID<AssociatedEntity>, _ type: AssociatedEntityType) -> Range<Int> {
        var start = count <= Self.scanLimit ? 0 : bisect(count) { keys[$0] < id.low }
        while start < count, keys[start] < id.low { start += 1 }
        while start < count, keys[start] == id.low, !roles[start].isHeld(on: id, type) { start += 1 }
        var end = start
        while end < count, keys[end] == id.low, roles[end].isHeld(on: id, type) { end += 1 }
        return start..<end
    }

    func held(on entity: AssociatedEntity) -> [HeldRole] { indices(on: entity.id, entity.type).map { roles[$0] } }

    func holdsAny(on entity: AssociatedEntity) -> Bool { !indices(on: entity.id, entity.type).isEmpty }
}
