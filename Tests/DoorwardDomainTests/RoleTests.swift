import DoorwardDomain
import Testing

@Suite struct RoleTests {
    @Test("Roles are ranked in this order")
    func ranks() {
        #expect(
            Role.allCases.sorted { $0.rank < $1.rank }.map(\.rawValue) == [
                "SUPER_ADMIN", "OWNER", "PORTFOLIO_ADMIN", "PROPERTY_MANAGER", "MAINTENANCE", "AUDITOR", "TENANT", "GUEST",
            ])
    }

    @Test("All roles except super admin and guest can be assigned on some kind of entity")
    func assignable() {
        let assigned = AssociatedEntityType.allCases.reduce(into: Set<Role>()) { $0.formUnion($1.assignableRoles) }
        #expect(assigned == Set(Role.allCases).subtracting([.superAdmin, .guest]))
    }

    @Test("An entity consists of its type and its id")
    func entities() {
        for type in AssociatedEntityType.allCases {
            let entity = AssociatedEntity(type: type, id: EntityID(high: 1, low: 2))
            #expect(entity.type == type)
            #expect(entity.id == EntityID(high: 1, low: 2))
        }
    }

    @Test("A rule has a kind, an id and a role, except that the super admin's rule has no id")
    func rules() {
        let id = AssociationID(high: 3, low: 4)
        #expect(Rule.association(id, .owner).id == id.description)
        #expect(Rule.association(id, .owner).role == .owner)
        #expect(Rule.guestAccess(id.cast()).role == .guest)
        #expect(Rule.superAdmin.id == nil)
        #expect(
            [Rule.superAdmin, .guestAccess(id.cast()), .association(id, .tenant)].map(\.kind) == [
                "SUPER_ADMIN", "GUEST_ACCESS", "ASSOCIATION",
            ])
    }

    @Test("Denial reasons are sorted from the most general to the most specific")
    func reasons() {
        #expect(
            DenialReason.allCases.map(\.rawValue) == [
                "user_unknown", "user_disabled", "device_unknown", "device_unassigned", "no_association", "guest_access_revoked",
                "grantor_lost_access", "role_insufficient", "operation_not_granted", "guest_window_ended", "guest_uses_exhausted",
                "guest_window_not_started", "outside_schedule", "clock_untrusted", "feature_unavailable", "capability_missing",
                "remote_operation_disabled", "lockdown_active",
            ])
    }
}
