import DoorwardDomain
import Testing

@Suite struct DecisionTests {
    private static let association = AssociationID(high: 1, low: 2)
    private static let access = GuestAccessID(high: 3, low: 4)

    @Test("An allowed decision has a rule and no denial; decisions with and without an override are different")
    func allowed() {
        let decision = Decision.allowed(.association(Self.association, .owner), override: false)
        #expect(decision.isAllowed)
        #expect(decision.rule == .association(Self.association, .owner))
        #expect(decision.denial == nil)
        #expect(decision != .allowed(.association(Self.association, .owner), override: true))
        #expect(Decision.allowed(.superAdmin, override: true).isAllowed)
    }

    @Test("A denied decision has a denial and no rule, even if the denial names a rule")
    func denied() {
        let denial = Denial(.roleInsufficient, hasReach: true, rule: .superAdmin)
        let decision = Decision.denied(denial)
        #expect(!decision.isAllowed)
        #expect(decision.rule == nil)
        #expect(decision.denial == denial)
    }

    @Test(
        "A rule has a kind, an id and a role",
        arguments: [
            (Rule.association(association, .tenant), "ASSOCIATION", association.description, Role.tenant),
            (.association(association, .owner), "ASSOCIATION", association.description, .owner),
            (.guestAccess(access), "GUEST_ACCESS", access.description, .guest), (.superAdmin, "SUPER_ADMIN", nil, .superAdmin),
        ] as [(Rule, String, String?, Role)])
    func rules(rule: Rule, kind: String, id: String?, role: Role) {
        #expect(rule.kind == kind)
        #expect(rule.id == id)
        #expect(rule.role == role)
    }

    @Test("Optional fields of a denial are nil if they are not set")
    func silence() {
        let denial = Denial(.noAssociation, hasReach: false)
        #expect(denial.reason == .noAssociation && !denial.hasReach)
        #expect(denial.rule == nil && denial.opensAt == nil && denial.closesAt == nil && denial.missing == nil)
        let missing = Denial.Missing()
        #expect(missing.role == nil && missing.operation == nil && missing.capability == nil && missing.module == nil)
    }

    @Test("Each value of a denial is stored in its own field")
    func fields() {
        let missing = Denial.Missing(role: .auditor, operation: .lock, capability: "UNLATCH", module: "guestLinks")
        let denial = Denial(
            .guestWindowNotStarted, hasReach: true, rule: .guestAccess(Self.access), opensAt: Timestamp(milliseconds: 1),
            closesAt: Timestamp(milliseconds: 2), missing: missing)
        #expect(denial.reason == .guestWindowNotStarted && denial.hasReach && denial.rule == .guestAccess(Self.access))
        #expect(denial.opensAt?.milliseconds == 1 && denial.closesAt?.milliseconds == 2)
        #expect(denial.missing?.role == .auditor && denial.missing?.operation == .lock)
        #expect(denial.missing?.capability == "UNLATCH" && denial.missing?.module == "guestLinks")
    }

    @Test("A user and a guest link with the same bits are different principals")
    func principals() {
        let id = EntityID<Rule>(high: 5, low: 6)
        #expect(Principal.user(id.cast()) != Principal.guestLink(id.cast()))
        #expect(Set([Principal.user(id.cast()), .guestLink(id.cast()), .user(id.cast())]).count == 2)
    }
}
