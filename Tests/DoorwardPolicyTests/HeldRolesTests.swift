import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardPolicy

@Suite struct HeldRolesTests {
    private static func held(_ number: UInt64, _ role: Role, on entity: AssociatedEntity) -> HeldRole {
        HeldRole(
            UserRoleAssociation(
                id: AssociationID(high: 0, low: number), userID: UserID(high: 0, low: 1), entity: entity, role: role,
                createdAt: Timestamp(milliseconds: 1), updatedAt: Timestamp(milliseconds: 2)))
    }

    /// Entities whose ids are equal in one half, or equal but with different entity types.
    private static let entities: [AssociatedEntity] = (0..<4 as Range<UInt64>).flatMap { high in
        (0..<5 as Range<UInt64>).flatMap { low in
            AssociatedEntityType.allCases.map { AssociatedEntity(type: $0, id: EntityID(high: high, low: low)) }
        }
    }

    @Test(
        "Finds the roles on each entity, highest role first, then the smallest id",
        arguments: [0, 1, 5, 24, 25, 60, 400])
    func model(count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        let list = (0..<count).compactMap { number -> HeldRole? in
            guard let role = Role.allCases.randomElement(using: &generator),
                let entity = Self.entities.randomElement(using: &generator)
            else { return nil }
            return Self.held(UInt64(number * 7 % 401), role, on: entity)
        }
        let roles = HeldRoles(list)
        #expect(roles.count == count)
        #expect(Set(roles.all) == Set(list))
        for entity in Self.entities {
            let expected = list.filter { $0.entity == entity }.sorted { ($0.role.rank, $0.id) < ($1.role.rank, $1.id) }
            #expect(roles.held(on: entity) == expected)
            #expect(roles.holdsAny(on: entity) == !expected.isEmpty)
        }
    }

    @Test("A user's roles do not depend on the order in which they were added")
    func order() {
        var generator = SeededGenerator(seed: 3)
        let list = Self.entities.enumerated().map { Self.held(UInt64($0), .tenant, on: $1) }
        let expected = HeldRoles(list).all
        for _ in 0..<10 { #expect(HeldRoles(list.shuffled(using: &generator)).all == expected) }
    }

    @Test("The key of a role is the lower half of its entity's id, and keys are in ascending order")
    func keys() {
        let roles = HeldRoles(Self.entities.enumerated().map { Self.held(UInt64($0), .owner, on: $1) })
        let keys = (0..<roles.count).map { roles.key($0) }
        #expect(keys == keys.sorted())
        for index in 0..<roles.count { #expect(roles[index].entityID.low == roles.key(index)) }
    }

    @Test("A role association is converted to its compact form and back without loss", arguments: AssociatedEntityType.allCases)
    func association(type: AssociatedEntityType) {
        for role in Role.allCases {
            let association = UserRoleAssociation(
                id: AssociationID(high: 4, low: 5), userID: UserID(high: 6, low: 7),
                entity: AssociatedEntity(type: type, id: EntityID(high: 8, low: 9)), role: role,
                createdAt: Timestamp(milliseconds: 10), updatedAt: Timestamp(milliseconds: 11))
            let held = HeldRole(association)
            #expect(held.association(of: association.userID) == association)
            #expect(held.rule == .association(association.id, role))
            #expect(held.isAssignable == type.assignableRoles.contains(role))
            for other in AssociatedEntityType.allCases { #expect(held.isHeld(on: held.entityID, other) == (other == type)) }
            #expect(!held.isHeld(on: EntityID(high: 8, low: 10), type))
            #expect(!held.isHeld(on: EntityID(high: 9, low: 9), type))
        }
    }
}
