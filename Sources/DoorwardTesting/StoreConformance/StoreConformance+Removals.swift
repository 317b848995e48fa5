internal import DoorwardAdapterTesting
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

extension StoreConformance {
    static let removalChecks: [StoreConformanceCheck] = [
        StoreConformanceCheck("An entity that another one refers to cannot be removed, and its whole transaction is refused") {
            store in
            let tree = try await tree(in: store)
            let before = try await tenancy(of: store)
            let late = TenancyChange.removeAssociation(tree.role)
            for removal in tree.removals.dropFirst(tree.leaves) {
                try await requireRefusal(
                    .stillReferenced(removal.entity), of: StoreTransaction(changes: [late, removal]), by: store)
                try require(try await tenancy(of: store), is: before, "the tenancy after a refusal")
            }
        },
        StoreConformanceCheck("Entities are removed with those that refer to them, in one transaction, children first") { store in
            let tree = try await tree(in: store)
            _ = try await store.commit(StoreTransaction(changes: tree.removals))
            try require(try await tenancy(of: store), is: [.removeUser(tree.user)], "the tenancy: the tombstone of the user")
            _ = try await store.commit(StoreTransaction(changes: tree.removals))
            try require(try await tenancy(of: store), is: [.removeUser(tree.user)], "the tenancy after a second removal")
        },
        StoreConformanceCheck("A role alone prevents the removal of the entity that it is held on, and of its user") { store in
            var fixture = TenancyFixture(seed: 92)
            let portfolio = fixture.portfolio("Oak Street")
            let property = fixture.property("No. 5", in: portfolio)
            let unit = fixture.unit("2B", in: property)
            let user = fixture.user("Ada")
            let held: [(TenancyChange, AssociatedEntity, Role)] = [
                (.removeUnit(unit), .unit(unit), .tenant), (.removeProperty(property), .property(property), .auditor),
                (.removePortfolio(portfolio), .portfolio(portfolio), .owner),
            ]
            let roles = held.map { fixture.assign(user, $0.2, $0.1) }
            _ = try await store.commit(StoreTransaction(changes: fixture.changes))
            for (removal, role) in zip(held.map(\.0), roles) {
                try await requireRefusal(
                    .stillReferenced(removal.entity), of: StoreTransaction(changes: [removal]), by: store)
                try await requireRefusal(
                    .stillReferenced(.user(user)), of: StoreTransaction(changes: [.removeUser(user)]), by: store)
                _ = try await store.commit(StoreTransaction(changes: [.removeAssociation(role), removal]))
            }
            _ = try await store.commit(StoreTransaction(changes: [.removeUser(user)]))
            try require(try await tenancy(of: store), is: [.removeUser(user)], "the tenancy")
        },
        StoreConformanceCheck("A removed user leaves no password, session, refresh token or password reset") { store in
            var script = StoreScript(seed: 93)
            let (victim, session) = (script.user, script.session())
            let other = script.fixture.user("Grace", email: "grace@example.com")
            _ = try await store.commit(script.tenancy)
            func reset(of user: UserID, by maker: UserID, id: UInt64) -> PasswordReset {
                PasswordReset(
                    id: EntityID(high: 93, low: id), userID: user, madeBy: maker, createdAt: script.now,
                    expiresAt: script.now.advanced(by: .seconds(60)))
            }
            _ = try await store.commit(
                StoreTransaction(credentials: [
                    .setPassword(victim, hash: "$scrypt$1"), .beginSession(session, refreshDigest: [1]),
                    .offerReset(reset(of: victim, by: other, id: 1), digest: [2]),
                    .offerReset(reset(of: other, by: victim, id: 2), digest: [3]),
                ]))
            _ = try await store.commit(StoreTransaction(changes: [.removeUser(victim)]))
            try require(try await store.passwordHash(of: victim), is: nil, "the password")
            try require(try await store.liveSessions(at: script.now), is: [], "the sessions")
            try require(try await store.refreshToken(digest: [1])?.session, is: nil, "the refresh token")
            try require(try await store.passwordReset(digest: [2])?.id, is: nil, "the reset of the user")
            try require(try await store.passwordReset(digest: [3])?.id, is: nil, "the reset that the user has created")
            let late = StoreTransaction(credentials: [.beginSession(session, refreshDigest: [4])])
            try await requireRefusal(.userDisabled(victim), of: late, by: store)
        },
        StoreConformanceCheck("The address of a removed user can be given to another one, and their records stay readable") {
            store in
            var script = StoreScript(seed: 94)
            _ = try await store.commit(script.tenancy)
            let address = script.fixture.user(script.user)?.email ?? ""
            let written = try await store.commit(script.begin(script.command(on: script.door)))
            _ = try await store.commit(StoreTransaction(changes: [.removeUser(script.user)]))
            let scope = RecordScope.portfolioLog(script.portfolio)
            let record = try await store.records(RecordQuery(scopes: [scope], limit: 5)).first
            try require(record?.place, is: written.first, "the record")
            try require(record?.body.actor, is: script.actor, "its actor, with the name")
            var other = TenancyFixture(seed: 95)
            let namesake = other.user("Ada", email: address.uppercased())
            _ = try await store.commit(StoreTransaction(changes: other.changes))
            let users = try await tenancy(of: store).filter { if case .user = $0.entity { true } else { false } }
            try require(users, is: Set(other.changes + [.removeUser(script.user)]), "the users")
            try require(users.map(\.entity).contains(.user(namesake)), is: true, "the other user")
        },
        StoreConformanceCheck("Writing a removed user again replaces the tombstone") { store in
            let script = StoreScript(seed: 96)
            _ = try await store.commit(script.tenancy)
            let before = try await tenancy(of: store)
            guard let user = script.fixture.user(script.user) else { throw ConformanceFailure("the script has no user") }
            _ = try await store.commit(StoreTransaction(changes: [.removeUser(script.user)]))
            try await requireRefusal(
                .entityChanged(.user(script.user)), of: StoreTransaction(requires: [.unchanged(since: .putUser(user))]), by: store
            )
            _ = try await store.commit(
                StoreTransaction(requires: [.unchanged(since: .removeUser(script.user))], changes: [.putUser(user)]))
            try require(try await tenancy(of: store), is: before, "the tenancy")
        },
        StoreConformanceCheck("A removed guest access has no uses; a use that is returned afterwards has no effect") { store in
            var script = StoreScript(seed: 97)
            let association = script.fixture.assign(script.user, .tenant, .unit(script.unit))
            guard let access = script.fixture.guestAccess(for: script.user, to: [script.door], under: association) else {
                throw ConformanceFailure("the script has no guest access")
            }
            _ = try await store.commit(script.tenancy)
            _ = try await store.commit(StoreTransaction(counters: [.takeUse(of: access)]))
            for _ in 0..<2 { _ = try await store.commit(StoreTransaction(changes: [.removeGuestAccess(access)])) }
            try require(try await store.usesTaken(), is: [:], "the uses")
            _ = try await store.commit(StoreTransaction(counters: [.returnUse(of: access)]))
            try await requireRefusal(.parentUnknown, of: StoreTransaction(counters: [.takeUse(of: access)]), by: store)
            try require(try await store.usesTaken(), is: [:], "the uses afterwards")
        },
    ]

    /// A portfolio with one entity of each kind, all connected, and the changes that remove everything, children first.
    private struct Tree {
        let user: UserID
        let role: AssociationID
        let removals: [TenancyChange]
        /// The number of removals at the start that nothing refers to.
        let leaves: Int
    }

    private static func tree(in store: any GatewayStore) async throws -> Tree {
        var fixture = TenancyFixture(seed: 91)
        let portfolio = fixture.portfolio("Oak Street")
        let property = fixture.property("No. 5", in: portfolio)
        let unit = fixture.unit("2B", in: property)
        let door = fixture.device("Door", in: .unit(unit))
        let user = fixture.user("Ada")
        let role = fixture.assign(user, .tenant, .unit(unit))
        guard let access = fixture.guestAccess(for: user, to: [door], under: role) else {
            throw ConformanceFailure("the tree has no guest access")
        }
        _ = try await store.commit(StoreTransaction(changes: fixture.changes))
        return Tree(
            user: user, role: role,
            removals: [
                .removeGuestAccess(access), .removeAssociation(role), .removeDevice(door), .removeUnit(unit),
                .removeProperty(property), .removePortfolio(portfolio), .removeUser(user),
            ], leaves: 3)
    }
}
