internal import DoorwardAdapterTesting
internal import DoorwardAudit
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

extension StoreConformance {
    static let removalChecks: [StoreConformanceCheck] = [
        .init("An entity that another one refers to cannot be removed, and its whole transaction is refused") { store in
            let removals = try await tree(in: store)
            let before = try await tenancy(of: store)
            for removal in removals.dropFirst(3) {
                try await requireRefusal(.stillReferenced(removal.entity), of: removals[1], removal, by: store)
                try require(try await tenancy(of: store), is: before, "the tenancy after a refusal")
            }
        },
        .init("Entities are removed with those that refer to them, in one transaction, children first") { store in
            let removals = try await tree(in: store)
            for number in ["first", "second"] {
                _ = try await store.commit(StoreTransaction(changes: removals))
                let left = try await tenancy(of: store)
                try require(left, is: Set(removals.suffix(1)), "the tombstone of the user after the \(number) removal")
            }
        },
        .init("A role alone prevents the removal of the entity that it is held on, and of its user") { store in
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
                try await requireRefusal(.stillReferenced(removal.entity), of: removal, by: store)
                try await requireRefusal(.stillReferenced(.user(user)), of: .removeUser(user), by: store)
                try await store.write(.removeAssociation(role), removal)
            }
            try await store.write(.removeUser(user))
            try require(try await tenancy(of: store), is: [.removeUser(user)], "the tenancy")
        },
        .init("A removed user leaves no password, session, refresh token or password reset", seed: 93) { store, script in
            let (victim, session) = (script.user, script.session())
            let other = script.fixture.user("Grace", email: "grace@example.com")
            _ = try await store.commit(script.tenancy)
            try await store.write(
                .setPassword(victim, hash: "$scrypt$1"), .beginSession(session, refreshDigest: [1]),
                .offerReset(script.reset(of: victim, by: other), digest: [2]),
                .offerReset(script.reset(of: other, by: victim), digest: [3]))
            try await store.write(.removeUser(victim))
            try require(try await store.passwordHash(of: victim), is: nil, "the password")
            try require(try await store.liveSessions(at: script.now), is: [], "the sessions")
            try require(try await store.refreshToken(digest: [1])?.session, is: nil, "the refresh token")
            try require(try await store.passwordReset(digest: [2])?.id, is: nil, "the reset of the user")
            try require(try await store.passwordReset(digest: [3])?.id, is: nil, "the reset that the user has created")
            try await requireRefusal(.userDisabled(victim), of: .beginSession(session, refreshDigest: [4]), by: store)
        },
        .init("The address of a removed user can be given to another one, and their records stay readable", seed: 94) {
            store, script in
            let address = script.fixture.user(script.user)?.email ?? ""
            let written = try await store.commit(script.begin(script.command(on: script.door)))
            try await store.write(.removeUser(script.user))
            let scope = RecordScope.portfolioLog(script.portfolio)
            let record = try await store.records(RecordQuery(scopes: [scope], limit: 5)).first
            try require(record?.position, is: written.first, "the record")
            try require(record?.body.actor, is: script.actor, "its actor, with the name")
            var other = TenancyFixture(seed: 95)
            let namesake = other.user("Ada", email: address.uppercased())
            _ = try await store.commit(StoreTransaction(changes: other.changes))
            let users = try await tenancy(of: store).filter { if case .user = $0.entity { true } else { false } }
            try require(users, is: Set(other.changes + [.removeUser(script.user)]), "the users")
            try require(users.map(\.entity).contains(.user(namesake)), is: true, "the other user")
        },
        .init("Writing a removed user again replaces the tombstone", seed: 96) { store, script in
            let before = try await tenancy(of: store)
            guard let user = script.fixture.user(script.user) else { throw ConformanceFailure("the script has no user") }
            try await store.write(.removeUser(script.user))
            try await requireRefusal(
                .entityChanged(.user(script.user)), of: StoreTransaction(requires: [.unchanged(since: .putUser(user))]), by: store
            )
            _ = try await store.commit(
                StoreTransaction(requires: [.unchanged(since: .removeUser(script.user))], changes: [.putUser(user)]))
            try require(try await tenancy(of: store), is: before, "the tenancy")
        },
        .init("A removed guest access has no uses; a use that is returned afterwards has no effect", seed: 97) { store, script in
            let access = try script.grant().id
            _ = try await store.commit(script.tenancy)
            try await store.write(.takeUse(of: access))
            for _ in 0..<2 { try await store.write(.removeGuestAccess(access)) }
            try require(try await store.usesTaken(), is: [:], "the uses")
            try await store.write(.returnUse(of: access))
            try await requireRefusal(.parentUnknown, of: .takeUse(of: access), by: store)
            try require(try await store.usesTaken(), is: [:], "the uses afterwards")
        },
    ]

    /// Writes a portfolio with one entity of each kind, all connected.
    ///
    /// - Returns: the changes that remove everything, children first; nothing refers to the entities of the first three.
    private static func tree(in store: any GatewayStore) async throws -> [TenancyChange] {
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
        return [
            .removeGuestAccess(access), .removeAssociation(role), .removeDevice(door), .removeUnit(unit),
            .removeProperty(property), .removePortfolio(portfolio), .removeUser(user),
        ]
    }
}

extension StoreConformance {
    /// Requirements of removals of the oldest records of a log.
    static let truncationChecks: [StoreConformanceCheck] = [
        .init("A truncation removes the oldest records of one log, which keeps its size and its tree", seed: 91) {
            store, script in
            var bodies = script.events(20)
            let other = script.event(on: script.otherDoor)
            try await store.write(bodies + [other])
            let (frontier, leaf) = (
                try await store.frontier(of: script.log), try await store.node(level: 0, index: 3, of: script.log)
            )
            let last = script.event(on: script.door)
            bodies.append(last)
            // The record of a truncation is in the same transaction.
            let places = try await store.commit(
                StoreTransaction(records: [PendingRecord(last)], truncations: [LogTruncation(log: script.log, firstSeq: 7)]))
            try require(places.map(\.seq), is: [20], "the number of the next record")
            try await requireCut(store, script, at: 7, of: bodies)
            try require(try await store.node(level: 0, index: 3, of: script.log), is: leaf, "the leaf of a removed record")
            try require(try await store.node(level: 4, index: 0, of: script.log) != nil, is: true, "a node over removed records")
            try require(try await store.frontier(of: script.log)?.size, is: (frontier?.size ?? 0) + 1, "the size of the tree")
            try require(try await store.record(other.id)?.body.id, is: other.id, "a record of another log")
            // A truncation before the first record that is left changes nothing.
            _ = try await store.commit(StoreTransaction(truncations: [LogTruncation(log: script.log, firstSeq: 2)]))
            try await requireCut(store, script, at: 7, of: bodies)
            _ = try await store.commit(StoreTransaction(truncations: [LogTruncation(log: script.log, firstSeq: 21)]))
            try await requireCut(store, script, at: 21, of: bodies)
            let next = script.event(on: script.door)
            try require(try await store.write([next]).first?.seq, is: 21, "the number after all records were removed")
            try await requireCut(store, script, at: 21, of: bodies + [next])
        },
        .init("A command ends with the record of its intent, and the intent of an open command is not removed", seed: 92) {
            store, script in
            let (ended, open) = (script.command(on: script.door), script.command(on: script.gate))
            _ = try await store.commit(script.begin(ended))
            _ = try await store.commit(script.end(script.confirmed(ended)))
            _ = try await store.commit(script.begin(open))
            try await requireRefusal(
                .inconsistent("a truncation of the intent of an open command"),
                of: StoreTransaction(truncations: [LogTruncation(log: script.log, firstSeq: 3)]), by: store)
            try await requireRefusal(
                .inconsistent("a truncation beyond the end of a log"),
                of: StoreTransaction(truncations: [LogTruncation(log: script.log, firstSeq: 4)]), by: store)
            try require(try await store.command(ended.id) != nil, is: true, "the command before the truncation")
            _ = try await store.commit(StoreTransaction(truncations: [LogTruncation(log: script.log, firstSeq: 2)]))
            try require(try await store.command(ended.id), is: nil, "the command of a removed intent")
            let query = CommandQuery(scopes: [.portfolioLog(script.portfolio)], limit: 10)
            let found = try await store.commands(query)
            try require(found.commands.map(\.command.id), is: [open.id], "the listed commands")
            try require(found.total, is: 1, "their number")
            try require(try await store.openCommands().map(\.command.id), is: [open.id], "the open commands")
        },
        .init("A refused transaction removes nothing, and an erasure reaches the records that are left", seed: 93) {
            store, script in
            let bodies = (0..<4).map { _ in script.event(on: script.door, by: script.actor) }
            try await store.write(bodies)
            let truncation = LogTruncation(log: script.log, firstSeq: 2)
            let refused = StoreTransaction(requires: [.unmet], truncations: [truncation])
            try await requireRefusal(.unmet, of: refused, by: store)
            try await requireCut(store, script, at: 0, of: bodies)
            _ = try await store.commit(StoreTransaction(forgets: [.user(script.user)], truncations: [truncation]))
            try await requireCut(store, script, at: 2, of: bodies)
            try require(try await store.record(bodies[3].id)?.body.actor.name, is: nil, "the name in a record that is left")
            try require(try await store.logs(withValuesOf: script.user), is: [], "the logs with values of the person")
            try require(try await store.finishErasures(), is: true, "the end of the erasure")
        },
    ]

    /// Requires that exactly the records from `first` on are found, in every way.
    private static func requireCut(
        _ store: any GatewayStore, _ script: StoreScript, at first: Int, of bodies: [RecordBody]
    ) async throws {
        let kept = bodies.dropFirst(first)
        let range = try await store.range(of: script.log, from: 0, limit: 100)
        try require(range?.firstSeq, is: UInt64(first), "the first record")
        try require(range?.size, is: UInt64(bodies.count), "the size of the log")
        try require(range?.entries.map(\.seq) ?? [], is: kept.indices.map { UInt64($0) }, "the records of the range")
        for order in [RecordQuery.Order.oldestFirst, .newestFirst] {
            let query = RecordQuery(scopes: [.portfolioLog(script.portfolio)], order: order, limit: 100)
            let found = try await store.page(query).records.map(\.body.id)
            try require(found, is: order == .oldestFirst ? kept.map(\.id) : kept.reversed().map(\.id), "the page")
        }
        let whole = RecordFilter(deviceID: script.door)
        let filtered = RecordQuery(scopes: [.portfolioLog(script.portfolio)], filter: whole, order: .oldestFirst, limit: 100)
        try require(try await store.page(filtered).records.map(\.body.id), is: kept.map(\.id), "the page of a lock")
        let records = try await store.sealedRecords([0..<UInt64(bodies.count)], of: script.log, for: ListReader(), upTo: .max)
        try require(records.map(\.seq), is: kept.indices.map { UInt64($0) }, "the records of an export")
        for (index, body) in bodies.enumerated() {
            try require(try await store.record(body.id) != nil, is: index >= first, "record \(index)")
        }
    }
}
