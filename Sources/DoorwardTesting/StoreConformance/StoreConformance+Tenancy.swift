internal import DoorwardAdapterTesting
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

extension StoreConformance {
    static let tenancyChecks: [StoreConformanceCheck] = [
        .init("The tenancy is loaded as it was last written") { store in
            var fixture = StoreScript(seed: 1).fixture
            let property = fixture.property("Annex", in: fixture.portfolio("Ash Street"), timeZone: "Europe/Rome")
            let manager = fixture.user("Grace", lastName: "Hopper")
            let association = fixture.assign(manager, .propertyManager, .property(property))
            let door = fixture.device("Side door", in: .property(property), address: deepAddress)
            fixture.guestAccess(for: nil, label: "Courier", to: [door], under: association)
            fixture.change(manager) { $0.isEnabled = false }
            _ = try await store.commit(StoreTransaction(changes: fixture.changes))
            try require(try await tenancy(of: store), is: lastForms(fixture.changes), "the tenancy")
        },
        .init("A lockdown, a subscription and a retention are kept, and can be removed again", seed: 11) { store, script in
            for isSet in [true, false] {
                let changes = script.fixture.changes.compactMap { $0.withSettings(isSet, at: script.now) }
                _ = try await store.commit(StoreTransaction(changes: changes))
                try require(try await tenancy(of: store), is: lastForms(script.fixture.changes + changes), "the tenancy")
            }
        },
        .init("The restrictions of a guest access are kept, and can be removed again", seed: 12) { store, script in
            _ = try script.grant()
            _ = try await store.commit(script.tenancy)
            for isSet in [true, false] {
                let changes = script.fixture.changes.compactMap { $0.withRestrictions(isSet) }
                try require(changes.count, is: 1, "the guest accesses")
                _ = try await store.commit(StoreTransaction(changes: changes))
                try require(try await tenancy(of: store), is: lastForms(script.fixture.changes + changes), "the tenancy")
            }
        },
        .init("A removed association is deleted, and removing it again is allowed", seed: 2) { store, script in
            let before = try await tenancy(of: store)
            let association = script.fixture.assign(script.user, .owner, .portfolio(script.portfolio))
            _ = try await store.commit(script.tenancy)
            for _ in 0..<2 { try await store.write(.removeAssociation(association)) }
            try require(try await tenancy(of: store), is: before, "the tenancy")
        },
        .init("A removed device is deleted; its records, its commands and references to it are kept", seed: 8) { store, script in
            let association = script.fixture.assign(script.user, .owner, .portfolio(script.portfolio))
            script.fixture.guestAccess(for: nil, label: "Courier", to: [script.door, script.gate], under: association)
            script.fixture.share(script.gate, with: script.unit)
            _ = try await store.commit(script.tenancy)
            let command = script.command(on: script.gate)
            _ = try await store.commit(script.begin(command))
            _ = try await store.commit(script.end(script.confirmed(command)))
            let query = RecordQuery(scopes: [.property(script.property, in: script.portfolio)], deviceID: script.gate, limit: 10)
            let records = try await store.records(query)
            script.fixture.remove(script.gate)
            for _ in 0..<2 { try await store.write(.removeDevice(script.gate)) }
            try require(try await tenancy(of: store), is: lastForms(script.fixture.changes), "the tenancy")
            try require(records.count, is: 2, "the records before the removal")
            try require(try await store.records(query), is: records, "the records of the removed device")
            try require(try await store.command(command.id)?.command, is: script.confirmed(command), "its command")
        },
        .init("A second user with the same email address, ignoring case, is refused") { store in
            var fixture = TenancyFixture(seed: 3)
            _ = fixture.user("Ada", email: "ada@example.com")
            _ = try await store.commit(StoreTransaction(changes: fixture.changes))
            var other = TenancyFixture(seed: 4)
            let otherUser = other.user("Impostor", email: "ADA@Example.com")
            try await requireRefusal(.emailTaken(otherUser), of: StoreTransaction(changes: other.changes), by: store)
            try require(try await tenancy(of: store), is: Set(fixture.changes), "the tenancy after the refusal")
        },
        .init("An email address can be used again after its user has changed to another") { store in
            var fixture = TenancyFixture(seed: 5)
            let ada = fixture.user("Ada", email: "ada@example.com")
            fixture.change(ada) { $0.email = "lovelace@example.com" }
            _ = fixture.user("Other Ada", email: "ada@example.com")
            _ = try await store.commit(StoreTransaction(changes: fixture.changes))
            try require(try await tenancy(of: store), is: lastForms(fixture.changes), "the tenancy")
        },
        .init("A child without its parent is refused with its whole transaction") { store in
            var fixture = TenancyFixture(seed: 6)
            let orphan = fixture.property("No. 5", in: fixture.id())
            _ = fixture.device("Door", in: .property(orphan))
            var other = TenancyFixture(seed: 7)
            _ = other.user("Ada")
            try await requireRefusal(.parentUnknown, of: StoreTransaction(changes: other.changes + fixture.changes), by: store)
            try require(try await tenancy(of: store), is: [], "the tenancy")
        },
        .init("A role on an entity that is missing, or has another type, is refused", seed: 9) { store, script in
            script.fixture.assign(script.user, .owner, .portfolio(script.portfolio))
            script.fixture.assign(script.user, .maintenance, .property(script.property))
            script.fixture.assign(script.user, .tenant, .unit(script.unit))
            _ = try await store.commit(script.tenancy)
            let before = try await tenancy(of: store)
            try require(before, is: Set(script.fixture.changes), "the tenancy")
            // Each id exists, but belongs to another kind of entity.
            let wrong: [AssociatedEntity] = [
                .portfolio(script.unit.cast()), .property(script.portfolio.cast()), .unit(script.property.cast()),
            ]
            for entity in wrong {
                let association = UserRoleAssociation(
                    id: script.fixture.id(), userID: script.user, entity: entity, role: .auditor, createdAt: script.now,
                    updatedAt: script.now)
                try await requireRefusal(.parentUnknown, of: .putAssociation(association), by: store)
            }
            try require(try await tenancy(of: store), is: before, "the tenancy after the refusals")
        },
    ]

    /// An address with every kind of JSON value.
    private static let deepAddress: [String: JSONValue] = [
        "topic": .string("locks/a\u{0}ß"), "port": .integer(-1883), "big": .integer(.max), "ratio": .number(0.1),
        "tls": .bool(true),
        "none": .null, "list": .array([.integer(0), .string(""), .array([])]), "object": .object(["a": .bool(false)]),
    ]

    private static func lastForms(_ changes: [TenancyChange]) -> Set<TenancyChange> {
        var tenancy = InMemoryTenancy()
        for change in changes { try? tenancy.apply(change) }
        return Set(tenancy.changes)
    }
}

extension TenancyChange {
    /// The change with a schedule, a maximum number of uses and a zone, or with none of them; `nil` for a change of another kind of
    /// entity.
    fileprivate func withRestrictions(_ isSet: Bool) -> TenancyChange? {
        guard case .putGuestAccess(var access) = self else { return nil }
        access.maxUses = isSet ? 3 : nil
        access.resolution = isSet ? WindowResolution(timeZone: "Europe/Rome", validFrom: .overlap, validUntil: .gap) : .asGiven
        access.schedule =
            isSet
            ? Schedule(
                timeZone: "Asia/Tokyo", periods: [Schedule.Period(days: .everyDay, from: .endOfDay, until: .endOfDay)],
                specialDays: [Schedule.SpecialDay(date: CivilDate(daysSinceEpoch: 20_812), periods: [])], specialDayCut: .start)
            : nil
        return .putGuestAccess(access)
    }

    /// The change with a lockdown, a subscription with all limits, and a retention, or with none of them; `nil` for a change of
    /// another kind of entity.
    fileprivate func withSettings(_ isSet: Bool, at instant: Timestamp) -> TenancyChange? {
        switch self {
        case .putPortfolio(var portfolio):
            let limits = SubscriptionLimit.allCases.enumerated().map { ($0.element, $0.offset) }
            portfolio.subscription = Subscription(
                tier: isSet ? "gold" : "", modules: isSet ? Set(SubscriptionModule.allCases) : [],
                limits: isSet ? Dictionary(uniqueKeysWithValues: limits) : [:])
            portfolio.retention = isSet ? Retention(days: 30, legalHold: true) : Retention()
            return .putPortfolio(portfolio)
        case .putProperty(var property):
            property.lockdown = isSet ? Lockdown(since: instant, byUserID: UserID(high: 1, low: 2), reason: "Alarm") : nil
            return .putProperty(property)
        default: return nil
        }
    }
}
