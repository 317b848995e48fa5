import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Subscriptions: who changes them, and what they refuse. Also the retention of a portfolio's log.
@Suite struct SubscriptionTests {
    @Test("a new portfolio has the tier `standard`: all modules except the compliance report, and no limits")
    func newPortfolio() async throws {
        let house = try await House()
        let portfolio = try await house.control.portfolios.create(
            house.caller(house.ids.superAdmin), name: "New", owners: [], repeatable: nil
        ).value
        #expect(portfolio.subscription == .standard && portfolio.retention == Retention())
    }

    @Test("choosing a tier sets its modules and limits, except those that the request names")
    func tiers() async throws {
        let house = try await House()
        var changes = SubscriptionChanges()
        (changes.tier, changes.modules) = ("free", [.webhooks: true, .guestAccess: false])
        changes.limits = [.maxUnits: .cleared, .maxDevices: .set(7)]
        let free = try await house.change(changes).subscription
        #expect(free.tier == "free" && free.modules == [.accessLogExport, .webhooks])
        #expect(free.limits == [.maxProperties: 1, .maxDevices: 7, .maxActiveGuestAccess: 5])
        let pro = try await house.change(tier: "pro").subscription
        #expect(pro == .pro)
    }

    @Test("an unknown tier changes only the name, and a change without a tier only what it names")
    func openTier() async throws {
        let house = try await House()
        _ = try await house.change(tier: "free")
        let gold = try await house.change(tier: "gold").subscription
        #expect(gold.tier == "gold" && gold.modules == Subscription.free.modules && gold.limits == Subscription.free.limits)
        var changes = SubscriptionChanges()
        changes.limits = [.maxUnits: .set(9)]
        let more = try await house.change(changes).subscription
        #expect(more.tier == "gold" && more.modules == gold.modules && more.limits[.maxUnits] == 9)
        #expect(more.limits[.maxDevices] == gold.limits[.maxDevices])
    }

    @Test("only super admins change a subscription; owners read it, tenants do not, and strangers learn nothing")
    func rights() async throws {
        let house = try await House()
        let portfolios = house.control.portfolios
        #expect(try portfolios.subscription(of: house.ids.portfolio, for: house.caller(house.ids.owner)).usage[.maxUnits] == 1)
        #expect(await denial { _ = try await house.change(tier: "pro", by: house.ids.owner) }?.reason == .roleInsufficient)
        #expect(await denial { _ = try await house.change(tier: "pro", by: house.ids.stranger) }?.hasReach == false)
        for user in [house.ids.stranger, house.ids.tenant] {
            let denied = await denial { _ = try portfolios.subscription(of: house.ids.portfolio, for: house.caller(user)) }
            #expect(denied?.hasReach == false)
        }
        let unknown = await failure {
            _ = try portfolios.subscription(of: PortfolioID(high: 9, low: 9), for: house.caller(house.ids.superAdmin))
        }
        guard case .notFound = unknown else { Issue.record("\(String(describing: unknown))"); return }
    }

    @Test("a change is recorded in both logs with the values before and after, and one that changes nothing is not")
    func records() async throws {
        let house = try await House()
        var changes = SubscriptionChanges()
        changes.limits = [.maxUnits: .set(4)]
        _ = try await house.change(changes)
        _ = try await house.change(changes)
        _ = try await house.change(tier: "standard")
        for log in [house.gatewayLog, house.portfolioLog] {
            let records = log.map(\.body).filter { $0.kind == .adminChange }
            let limited: RecordValue = .object(["limits": .object(["maxUnits": .integer(4)])])
            let free: RecordValue = .object(["limits": .object([:])])
            #expect(records.map { $0.details["before"] } == [free, limited])
            #expect(records.map { $0.details["after"] } == [limited, free])
            #expect(records.allSatisfy { $0.target == RecordTarget(type: "Portfolio", id: house.ids.portfolio.description) })
        }
    }

    // MARK: - Modules

    @Test("without the module, no guest access is granted, existing ones are denied at the gate, and other rights stay")
    func guestAccess() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 5, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(1)))
            let first = try await house.begin(by: house.ids.guest)
            let waiting = try await house.begin(by: house.ids.guest)
            try await house.switchOff(.guestAccess)
            #expect(await first.finished.command.state == .confirmed)
            let denied = await waiting.finished
            #expect(denied.command.state == .denied && denied.denial?.reason == .featureUnavailable)
            #expect(denied.denial?.missing == Denial.Missing(module: "guestAccess"))
            #expect(try await house.run(by: house.ids.tenant).state == .confirmed)
            let refused = await failure { _ = try await house.grant(by: house.ids.tenant) }
            guard case .featureUnavailable(.guestAccess) = refused else {
                Issue.record("\(String(describing: refused))"); return
            }
            var changes = SubscriptionChanges()
            changes.modules = [.guestAccess: true]
            _ = try await house.change(changes)
            #expect(try await house.run(by: house.ids.guest).state == .confirmed)
            _ = try await house.grant(by: house.ids.tenant)
        }
    }

    @Test("no module and no limit prevents a lockdown")
    func lockdown() async throws {
        let house = try await House()
        var changes = SubscriptionChanges()
        changes.modules = Dictionary(uniqueKeysWithValues: SubscriptionModule.allCases.map { ($0, false) })
        changes.limits = Dictionary(uniqueKeysWithValues: SubscriptionLimit.allCases.map { ($0, .set(0)) })
        _ = try await house.change(changes)
        #expect(try await house.lockDown(by: house.ids.owner).value.commands.count == 2)
    }

    // MARK: - Limits

    @Test("at a limit nothing more is created, for super admins too; the error names the limit and the count")
    func limits() async throws {
        let house = try await House()
        let (owner, control) = (house.caller(house.ids.owner), house.control)
        let creations: [(SubscriptionLimit, Int, () async throws -> Void)] = [
            (
                .maxProperties, 1,
                {
                    let new = NewProperty(name: "N", address: nil, defaultTimeZone: nil, managers: [])
                    _ = try await control.portfolios.createProperty(owner, in: house.ids.portfolio, new, repeatable: nil)
                }
            ),
            (
                .maxUnits, 1,
                {
                    let new = NewUnit(name: "N", tenants: [], devices: [])
                    _ = try await control.portfolios.createUnit(owner, in: house.ids.property, new, repeatable: nil)
                }
            ),
            (.maxDevices, 2, { _ = try await house.attachDevices(1) }),
            (.maxActiveGuestAccess, 1, { _ = try await house.grant(by: house.ids.tenant) }),
        ]
        for (limit, count, create) in creations {
            var changes = SubscriptionChanges()
            changes.limits = [limit: .set(count)]
            _ = try await house.change(changes)
            let records = house.gatewayLog.count
            guard case .limitReached(limit, max: count, count: count) = await failure(create) else {
                Issue.record("\(limit)")
                continue
            }
            #expect(house.gatewayLog.count == records, "nothing was written")
            changes.limits = [limit: .set(count + 1)]
            _ = try await house.change(changes)
            try await create()
            guard case .limitReached(limit, max: count + 1, count: count + 1) = await failure(create) else {
                Issue.record("\(limit)")
                continue
            }
        }
    }

    @Test("a missing right is reported before a limit, and a missing user before a limit")
    func order() async throws {
        let house = try await House()
        var changes = SubscriptionChanges()
        changes.limits = [.maxUnits: .set(0)]
        _ = try await house.change(changes)
        func create(by user: UserID, tenants: [UserID] = []) async -> GatewayError? {
            await failure {
                _ = try await house.control.portfolios.createUnit(
                    house.caller(user), in: house.ids.property, NewUnit(name: "N", tenants: tenants, devices: []),
                    repeatable: nil)
            }
        }
        guard case .denied = await create(by: house.ids.tenant) else { Issue.record("the right comes first"); return }
        guard case .notFound = await create(by: house.ids.owner, tenants: [UserID(high: 9, low: 9)]) else {
            Issue.record("the user comes first"); return
        }
        guard case .limitReached = await create(by: house.ids.owner) else { Issue.record("then the limit"); return }
    }

    @Test("a device does not move into a portfolio that has as many as it may have, and moves within it")
    func moves() async throws {
        let house = try await House()
        let control = house.control
        _ = try await control.roles.assign(
            house.caller(house.ids.superAdmin), .owner, to: house.ids.owner, on: .portfolio(house.ids.otherPortfolio))
        var changes = SubscriptionChanges()
        changes.limits = [.maxDevices: .set(2)]
        _ = try await house.change(changes)
        var move = DeviceChanges()
        move.propertyID = .set(house.ids.property)
        let refused = await failure {
            _ = try await control.attachedDevices.change(house.caller(house.ids.owner), house.ids.otherDoor, move)
        }
        guard case .limitReached(.maxDevices, max: 2, count: 2) = refused else {
            Issue.record("\(String(describing: refused))"); return
        }
        var within = DeviceChanges()
        within.unitID = .cleared
        _ = try await control.attachedDevices.change(house.caller(house.ids.owner), house.ids.door, within)
        var out = DeviceChanges()
        out.propertyID = .cleared
        _ = try await control.attachedDevices.change(house.caller(house.ids.owner), house.ids.door, out)
        _ = try await control.attachedDevices.change(house.caller(house.ids.owner), house.ids.otherDoor, move)
        let back = await failure {
            _ = try await control.attachedDevices.change(house.caller(house.ids.superAdmin), house.ids.door, move)
        }
        guard case .limitReached = back else { Issue.record("\(String(describing: back))"); return }
    }

    @Test("a limit below the present count removes nothing")
    func lowered() async throws {
        let house = try await House()
        var changes = SubscriptionChanges()
        changes.limits = [.maxDevices: .set(0)]
        #expect(try await house.change(changes).usage[.maxDevices] == 2)
        #expect(try await house.run(by: house.ids.tenant).state == .confirmed)
    }

    // MARK: - Retention

    @Test("only an owner changes the retention; it is stored and recorded, and nothing is removed")
    func retention() async throws {
        let house = try await House()
        let portfolios = house.control.portfolios
        func change(_ user: UserID, days: Patch<Int> = .unchanged, legalHold: Bool? = nil) async throws -> Retention {
            try await portfolios.changeRetention(
                house.caller(user), of: house.ids.portfolio, days: days, legalHold: legalHold)
        }
        let records = house.portfolioLog.count
        #expect(try await change(house.ids.owner, days: .set(30)) == Retention(days: 30))
        #expect(try await change(house.ids.owner, legalHold: true) == Retention(days: 30, legalHold: true))
        #expect(try await change(house.ids.owner, days: .cleared) == Retention(legalHold: true))
        #expect(house.portfolioLog.count == records + 3)
        #expect(
            house.portfolioLog.last?.body.details == [
                "before": .object(["retentionDays": .integer(30)]), "after": .object(["retentionDays": .null]),
            ])
        #expect(await denial { _ = try await change(house.ids.superAdmin, days: .set(1)) }?.reason == .roleInsufficient)
        #expect(await denial { _ = try await change(house.ids.stranger, days: .set(1)) }?.hasReach == false)
        for user in [house.ids.owner, house.ids.superAdmin] {
            #expect(try portfolios.retention(of: house.ids.portfolio, for: house.caller(user)) == Retention(legalHold: true))
        }
        let next = try await House(clock: house.clock, store: house.store)
        #expect(next.control.directory.current.portfolio(house.ids.portfolio)?.retention == Retention(legalHold: true))
    }
}

extension House {
    func change(_ changes: SubscriptionChanges, by user: UserID? = nil) async throws(GatewayError) -> SeenSubscription {
        let shown = try await control.portfolios.changeSubscription(
            caller(user ?? ids.superAdmin), of: ids.portfolio, changes)
        return SeenSubscription(subscription: shown.portfolio.subscription, usage: shown.usage)
    }

    func change(tier: String, by user: UserID? = nil) async throws(GatewayError) -> SeenSubscription {
        var changes = SubscriptionChanges()
        changes.tier = tier
        return try await change(changes, by: user)
    }

    func switchOff(_ module: SubscriptionModule) async throws(GatewayError) {
        var changes = SubscriptionChanges()
        changes.modules = [module: false]
        _ = try await change(changes)
    }

    /// Grants a guest without an account access to the flat's door.
    func grant(by user: UserID) async throws -> GuestAccess {
        let window = GuestWindow(validFrom: clock.now(), validUntil: clock.now().advanced(by: .seconds(3600)))
        let new = NewGuestAccess(
            guestUserID: nil, label: "Courier", propertyID: nil, unitID: nil, deviceIDs: [ids.door], operations: [.unlock],
            window: window)
        return try await control.guestAccesses.grant(caller(user), new, repeatable: nil).value
    }
}

/// A subscription as a use case returns it.
struct SeenSubscription {
    let subscription: Subscription
    let usage: [SubscriptionLimit: Int]
}
