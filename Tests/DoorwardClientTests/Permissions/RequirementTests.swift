import DoorwardClientTesting
import Observation
import Testing

@testable import DoorwardClient

@Suite @MainActor struct RequirementTests {
    /// People, by what their rules permit and which roles they hold.
    private static let people: [(name: String, role: Doorward.Role, actions: [Doorward.Action])] = [
        ("owner", .owner, [.unlock, .propertyChange, .guestAccessGrant, .accessLogExport, .portfolioRename]),
        ("manager", .propertyManager, [.unlock, .propertyChange, .guestAccessGrant]),
        ("tenant", .tenant, [.unlock, .guestAccessGrant]), ("maintenance", .maintenance, [.unlock]),
        ("auditor", .auditor, [.accessLogExport]), ("super admin", .superAdmin, [.usersCreate, .portfolioRename]),
        ("stranger", Doorward.Role(rawValue: "CONCIERGE"), []),
    ]

    private func context(
        _ person: (name: String, role: Doorward.Role, actions: [Doorward.Action]), _ subscription: Doorward.Subscription
    ) -> AccessContext {
        let permissions = MockPermissionProvider()
        for action in person.actions { permissions.setPermission(action, .property, allowed: true) }
        permissions.setRole(person.role, on: "p")
        permissions.selectedPortfolioID = "p"
        return AccessContext(permissions: permissions, subscriptions: MockSubscriptionProvider(subscription))
    }

    /// The ten patterns, each with what it must be for a person and a tier.
    @Test func tenPatternsForAllPeopleAndTiers() {
        for person in Self.people {
            for tier in Doorward.Subscription.tiers {
                let context = context(person, tier)
                let (actions, role) = (Set(person.actions), person.role)
                let hasLinks = tier.modules["guestLinks"] == true
                func expect(_ requirement: Requirement, _ expected: Bool) {
                    #expect(requirement.isMet(in: context) == expected, "\(person.name), \(tier.tier): \(requirement)")
                }
                expect(.permission(.unlock), actions.contains(.unlock))
                expect(.feature(.guestLinks), hasLinks)
                expect(.featureAndPermission(.guestLinks, .guestAccessGrant), hasLinks && actions.contains(.guestAccessGrant))
                expect(.role(.owner), role == .owner)
                expect(.roles([.maintenance, .auditor]), role == .maintenance || role == .auditor)
                expect(
                    .anyPermission([.usersCreate, .accessLogExport]), !actions.isDisjoint(with: [.usersCreate, .accessLogExport]))
                expect(.allPermissions([.unlock, .propertyChange]), actions.isSuperset(of: [.unlock, .propertyChange]))
                expect(.portfolioOwner, role == .owner)
                expect(.all([.feature(.guestLinks), .role(.owner)]), hasLinks && role == .owner)
                expect(.any([.feature(.guestLinks), .role(.owner)]), hasLinks || role == .owner)
                let toolbar = [
                    GatedItem("unlock", requires: .permission(.unlock)), GatedItem("help"),
                    GatedItem("export", requires: .permission(.accessLogExport)),
                ]
                let buttons =
                    (actions.contains(.unlock) ? ["unlock"] : []) + ["help"]
                    + (actions.contains(.accessLogExport) ? ["export"] : [])
                #expect(toolbar.visible(in: context) == buttons)
                let section = GatedSection(
                    requires: .feature(.guestLinks),
                    rows: [
                        GatedItem("grant", requires: .permission(.guestAccessGrant)),
                        GatedItem("export", requires: .permission(.accessLogExport)),
                    ])
                let rows =
                    (actions.contains(.guestAccessGrant) ? ["grant"] : [])
                    + (actions.contains(.accessLogExport) ? ["export"] : [])
                #expect(section.visibleRows(in: context) == (hasLinks ? rows : []))
            }
        }
    }

    @Test func withoutProvidersNothingIsMet() {
        let context = AccessContext(permissions: nil)
        let requirements: [Requirement] = [
            .permission(.unlock), .feature(.guestLinks), .featureAndPermission(.guestLinks, .unlock), .role(.owner),
            .roles([.owner]), .anyPermission([.unlock]), .allPermissions([.unlock]), .portfolioOwner, .any([.role(.owner)]),
            .any([]),
        ]
        for requirement in requirements { #expect(!requirement.isMet(in: context), "\(requirement)") }
        #expect(!Requirement.allPermissions([]).isMet(in: context) && !Requirement.anyPermission([]).isMet(in: context))
        #expect(Requirement.all([]).isMet(in: context))
    }

    @Test func theMockAnswersPerObjectAndType() {
        let mock = MockPermissionProvider()
        let (first, second) = (Doorward.LockDevice.door("d"), Doorward.LockDevice.door("e"))
        #expect(!mock.canUnlock(first))
        mock.setPermission(.unlock, .device, allowed: true)
        mock.setPermission(.unlock, second, allowed: false)
        #expect(mock.canUnlock(first) && !mock.canUnlock(second) && !mock.canLock(first) && !mock.canUnlock(nil))
        mock.setAvailability(.unavailable(reason: .lockdownActive, opensAt: nil), of: .unlock, on: first)
        #expect(mock.availability(of: .unlock, on: first) == .unavailable(reason: .lockdownActive, opensAt: nil))
        #expect(mock.availability(of: .unlock, on: second) == .hidden)
        mock.setRole(.owner, on: "p")
        mock.selectedPortfolioID = "p"
        #expect(mock.isPortfolioOwner && mock.hasRole(.owner))
        mock.removeRole(.owner)
        #expect(!mock.isPortfolioOwner)
    }
}

/// A view model as the documentation shows it: it depends on the protocols only.
@MainActor @Observable final class GuestScreen: AccessHolder {
    let access: AccessContext
    @ObservationIgnored @Permission(.guestAccessGrant) var canInvite: Bool
    @ObservationIgnored @FeatureFlag(.guestLinks) var hasLinks: Bool
    @ObservationIgnored @HasRole(.owner) var isOwner: Bool
    private(set) var message: String?

    init(access: AccessContext) { self.access = access }

    func invite() {
        guard canInvite else {
            message = "You may not invite guests here."
            return
        }
        message = hasLinks ? "A link was made." : "Guests get access without a link."
    }
}

@Suite @MainActor struct PropertyWrapperTests {
    @Test func theWrappersReadTheProvidersAndStayReactive() {
        let (permissions, subscriptions) = (MockPermissionProvider(), MockSubscriptionProvider())
        let screen = GuestScreen(access: AccessContext(permissions: permissions, subscriptions: subscriptions))
        #expect(!screen.canInvite && !screen.hasLinks && !screen.isOwner)
        let changes = (Changes { _ = screen.canInvite }, Changes { _ = screen.hasLinks }, Changes { _ = screen.isOwner })

        permissions.setPermission(.guestAccessGrant, .unit, allowed: true)
        #expect(screen.canInvite && changes.0.count == 1 && changes.1.count == 0 && changes.2.count == 0)
        subscriptions.subscription = Doorward.Subscription.tiers[2]
        #expect(screen.hasLinks && changes.1.count == 1 && changes.2.count == 0)
        permissions.setRole(.owner)
        #expect(screen.isOwner && changes.2.count == 1)
        changes.0.redraw()
        permissions.setPermission(.guestAccessGrant, .unit, allowed: false)
        #expect(!screen.canInvite && changes.0.count == 2)
    }

    @Test func theActionGuardsItselfToo() {
        let permissions = MockPermissionProvider()
        let screen = GuestScreen(access: AccessContext(permissions: permissions))
        screen.invite()
        #expect(screen.message == "You may not invite guests here.")
        permissions.setPermission(.guestAccessGrant, .property, allowed: true)
        screen.invite()
        #expect(screen.message == "Guests get access without a link.")
    }
}
