internal import DoorwardAdapterTesting
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

extension StoreConformance {
    static let preconditionChecks: [StoreConformanceCheck] = [
        .init("The `unchanged` precondition of an entity compares its content", seed: 61) { store, script in
            let guest = try script.grant().id
            _ = try await store.commit(script.tenancy)
            for written in script.fixture.changes {
                try await requireHolds(.unchanged(since: written), in: store)
                try await requireUnmet(.entityChanged(written.entity), requires: .unchanged(since: written.altered), by: store)
                try await store.write(written.altered)
                try await requireUnmet(.entityChanged(written.entity), requires: .unchanged(since: written), by: store)
                try await requireHolds(.unchanged(since: written.altered), in: store)
                _ = try await store.commit(StoreTransaction(requires: [.unchanged(since: written.altered)], changes: [written]))
                try await requireHolds(.unchanged(since: written), in: store)
            }
            try require(try await tenancy(of: store), is: Set(script.fixture.changes), "the tenancy")
            try require(try await store.usesTaken(), is: [:], "the uses of \(guest)")
        },
        .init("The `unchanged` precondition of a removed entity holds until it is written again", seed: 62) { store, script in
            let association = script.fixture.assign(script.user, .tenant, .unit(script.unit))
            _ = try await store.commit(script.tenancy)
            for removal in [TenancyChange.removeDevice(script.door), .removeAssociation(association)] {
                guard let written = script.fixture.changes.last(where: { $0.entity == removal.entity }) else {
                    throw ConformanceFailure("nothing to remove")
                }
                try await requireUnmet(.entityChanged(removal.entity), requires: .unchanged(since: removal), by: store)
                try await store.write(removal)
                try await requireHolds(.unchanged(since: removal), in: store)
                try await requireUnmet(.entityChanged(removal.entity), requires: .unchanged(since: written), by: store)
                _ = try await store.commit(StoreTransaction(requires: [.unchanged(since: removal)], changes: [written]))
                try await requireUnmet(.entityChanged(removal.entity), requires: .unchanged(since: removal), by: store)
            }
            let unknown = TenancyChange.removeDevice(script.fixture.id())
            try await requireHolds(.unchanged(since: unknown), in: store)
        },
        .init("Uses of a guest access can be taken up to the maximum, and again after their return", seed: 63) { store, script in
            let (guest, other) = (try script.grant().id, try script.grant().id)
            _ = try await store.commit(script.tenancy)
            let use = StoreTransaction(requires: [.usesLeft(of: guest, max: 2)], counters: [.takeUse(of: guest)])
            for _ in 0..<2 { _ = try await store.commit(use) }
            try await requireRefusal(.usesExhausted(guest), of: use, by: store)
            try await requireHolds(.usesLeft(of: guest, max: 3), in: store)
            try await requireHolds(.usesLeft(of: other, max: 1), in: store)
            try await requireUnmet(.usesExhausted(other), requires: .usesLeft(of: other, max: 0), by: store)
            try require(try await store.usesTaken(), is: [guest: 2], "the uses taken")
            try await store.write(.returnUse(of: guest))
            _ = try await store.commit(use)
            for _ in 0..<2 { try await store.write(.returnUse(of: guest)) }
            try require(try await store.usesTaken(), is: [:], "the uses after all were returned")
            for access in [guest, other] {
                let rule = StoreRefusal.inconsistent("a use was returned that had not been taken")
                try await requireRefusal(rule, of: .returnUse(of: access), by: store)
            }
            let unknown: GuestAccessID = script.fixture.id()
            try await requireRefusal(.parentUnknown, of: .takeUse(of: unknown), by: store)
        },
        .init("Changing a guest access keeps the number of its uses", seed: 64) { store, script in
            let guest = try script.grant().id
            _ = try await store.commit(script.tenancy)
            try await store.write(.takeUse(of: guest))
            script.fixture.revoke(guest, at: script.now)
            _ = try await store.commit(script.tenancy)
            try require(try await store.usesTaken(), is: [guest: 1], "the uses")
        },
        .init("A transaction whose precondition does not hold changes nothing", seed: 66) { store, script in
            let guest = try script.grant().id
            _ = try await store.commit(script.tenancy)
            let before = try await tenancy(of: store)
            let command = script.command(on: script.door)
            // Only the last of several preconditions fails.
            var transaction = script.begin(command)
            transaction.requires = [.usesLeft(of: guest, max: 1), .unchanged(since: .removeDevice(script.door))]
            let entry = IdempotencyEntry(
                key: IdempotencyKey(principal: "USER", key: "k"), fingerprint: [1], result: .command(command.id),
                createdAt: script.now)
            (transaction.changes, transaction.idempotency) = ([.removeDevice(script.gate)], [entry])
            (transaction.counters, transaction.clock) = ([.takeUse(of: guest)], [.raiseMark(script.now)])
            transaction.credentials = [.beginSession(script.session(), refreshDigest: [1])]
            try await requireRefusal(.entityChanged(.device(script.door)), of: transaction, by: store)
            try require(try await tenancy(of: store), is: before, "the tenancy")
            try require(try await store.usesTaken(), is: [:], "the uses")
            try require(try await store.storedClock(), is: nil, "the clock")
            try require(try await store.command(command.id)?.command, is: nil, "the command")
            try require(try await store.record(transaction.records[0].body.id), is: nil, "the record")
            try require(try await store.liveSessions(at: script.now), is: [], "the sessions")
            try require(try await store.idempotentAnswer(entry.key, notOlderThan: script.now), is: nil, "the answer")
            // Without the failing precondition, everything is written.
            transaction.requires.removeLast()
            _ = try await store.commit(transaction)
            try require(try await store.usesTaken(), is: [guest: 1], "the uses")
            try require(try await store.command(command.id)?.command, is: command, "the command")
        },
        .init("Preconditions are checked before the changes of their own transaction", seed: 67) { store, script in
            let guest = try script.grant().id
            _ = try await store.commit(script.tenancy)
            _ = try await store.commit(
                StoreTransaction(
                    requires: [.usesLeft(of: guest, max: 1)], changes: [.removeDevice(script.door)],
                    counters: [.takeUse(of: guest)]))
            let late = StoreTransaction(
                requires: [.unchanged(since: .removeDevice(script.gate))], changes: [.removeDevice(script.gate)])
            try await requireRefusal(.entityChanged(.device(script.gate)), of: late, by: store)
        },
        .init("Of concurrent transactions only as many succeed as there are uses left", seed: 68) { store, script in
            let guest = try script.grant().id
            _ = try await store.commit(script.tenancy)
            let transactions = (0..<24).map { _ in
                var transaction = script.begin(script.command(on: script.door))
                (transaction.requires, transaction.counters) = ([.usesLeft(of: guest, max: 5)], [.takeUse(of: guest)])
                return transaction
            }
            let answers = await withTaskGroup(of: StoreError?.self) { group in
                for transaction in transactions {
                    group.addTask { await failure(of: transaction, in: store) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            try require(answers.count { $0 == nil }, is: 5, "the number of accepted transactions")
            try require(answers.count { $0 == .refused(.usesExhausted(guest)) }, is: 19, "the number of refused transactions")
            try require(try await store.usesTaken(), is: [guest: 5], "the uses")
            try require(try await store.openCommands().count, is: 5, "the number of commands")
            let scope = RecordScope.portfolioLog(script.portfolio)
            try require(try await store.records(RecordQuery(scopes: [scope], limit: 50)).count, is: 5, "the number of records")
        },
    ]

    private static func requireHolds(_ precondition: StorePrecondition, in store: any GatewayStore) async throws {
        let failure = await failure(of: StoreTransaction(requires: [precondition]), in: store)
        try require(failure, is: nil, "the failure of \(precondition)")
    }

    private static func requireUnmet(
        _ rule: StoreRefusal, requires precondition: StorePrecondition, by store: any GatewayStore
    ) async throws {
        try await requireRefusal(rule, of: StoreTransaction(requires: [precondition]), by: store)
    }
}

extension TenancyChange {
    /// Returns the same change with other content of the entity; a removal, and an entity that no fixture writes, is returned unchanged.
    fileprivate var altered: TenancyChange {
        switch self {
        case .putPortfolio(var portfolio):
            portfolio.name += "!"
            return .putPortfolio(portfolio)
        case .putProperty(var property):
            property.address = property.address == nil ? PostalAddress() : nil
            return .putProperty(property)
        case .putUnit(var unit):
            unit.commonAreaAccessIDs.append(DeviceID(high: 9, low: 9))
            return .putUnit(unit)
        case .putDevice(var device):
            device.metadata["room"] = .string("b")
            return .putDevice(device)
        case .putUser(var user):
            user.defaultUnitID = user.defaultUnitID == nil ? UnitID(high: 9, low: 9) : nil
            return .putUser(user)
        case .putAssociation(let association):
            return .putAssociation(
                UserRoleAssociation(
                    id: association.id, userID: association.userID, entity: association.entity, role: association.role,
                    createdAt: association.createdAt, updatedAt: association.updatedAt.advanced(by: .milliseconds(1))))
        case .putGuestAccess(var access):
            access.revokedAt = access.revokedAt == nil ? access.createdAt : nil
            return .putGuestAccess(access)
        // No entity of these checks.
        case .putAPIKey, .putInvitation, .putGuestLink, .removePortfolio, .removeProperty, .removeUnit, .removeDevice,
            .removeUser,
            .removeAssociation, .removeGuestAccess, .removeAPIKey, .removeInvitation, .removeGuestLink:
            return self
        }
    }
}
