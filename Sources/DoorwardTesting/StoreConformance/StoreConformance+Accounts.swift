internal import DoorwardAdapterTesting
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

extension StoreConformance {
    static let accountChecks: [StoreConformanceCheck] = [
        StoreConformanceCheck("API keys and invitations are loaded as last written, and not after their removal") { store in
            var script = StoreScript(seed: 61)
            _ = try await store.commit(script.tenancy)
            let before = try await tenancy(of: store)
            let (key, role, account) = (script.key(), script.invitation([1]), script.invitation([2], .account(script.user)))
            let all: [TenancyChange] = [.putAPIKey(key), .putInvitation(role), .putInvitation(account)]
            _ = try await store.commit(StoreTransaction(changes: all))
            try require(try await tenancy(of: store), is: before.union(all), "the tenancy")
            let removal = StoreTransaction(changes: [
                .removeAPIKey(key.id), .removeInvitation(role.id), .removeInvitation(account.id),
            ])
            for _ in 0..<2 { _ = try await store.commit(removal) }
            try require(try await tenancy(of: store), is: before, "the tenancy after the removal")
        },
        StoreConformanceCheck("API keys and invitations without their user or entity are refused, and a second use of a digest") {
            store in
            var script = StoreScript(seed: 62)
            _ = try await store.commit(script.tenancy)
            let stranger: UserID = script.fixture.id()
            let refused: [TenancyChange] = [
                .putAPIKey(script.key(of: stranger)), .putAPIKey(script.key(on: .unit(script.portfolio.cast()))),
                .putInvitation(script.invitation([3], .account(stranger))),
                .putInvitation(script.invitation([3], .role(.owner, on: .portfolio(script.unit.cast())))),
                .putInvitation(script.invitation([3], by: stranger)),
            ]
            for change in refused {
                try await requireRefusal(.parentUnknown, of: StoreTransaction(changes: [change]), by: store)
            }
            _ = try await store.commit(StoreTransaction(changes: [.putInvitation(script.invitation([3]))]))
            try await requireRefusal(
                .duplicate, of: StoreTransaction(changes: [.putInvitation(script.invitation([3]))]), by: store)
        },
        StoreConformanceCheck("A guest access has one link, which a new one replaces and which goes with the access") { store in
            var script = StoreScript(seed: 65)
            let ids = [script.linkedAccess(), script.linkedAccess()]
            _ = try await store.commit(script.tenancy)
            let accesses = ids.compactMap { id in
                script.tenancy.changes.lazy.compactMap { change -> GuestAccess? in
                    if case .putGuestAccess(let access) = change, access.id == id { access } else { nil }
                }.first
            }
            guard accesses.count == 2 else { throw ConformanceFailure("the script has no guest accesses") }
            let (access, other) = (accesses[0], accesses[1])
            let before = try await tenancy(of: store)
            func link(_ access: GuestAccess, _ digest: [UInt8]) -> TenancyChange {
                .putGuestLink(GuestLink(accessID: access.id, userID: script.user, digest: digest, createdAt: access.createdAt))
            }
            func write(_ changes: TenancyChange...) async throws {
                _ = try await store.commit(StoreTransaction(changes: changes))
            }
            try await write(link(access, [1]))
            try await write(link(access, [2]), link(other, [1]))
            try require(try await tenancy(of: store), is: before.union([link(access, [2]), link(other, [1])]), "the links")
            try await requireRefusal(.duplicate, of: StoreTransaction(changes: [link(access, [1])]), by: store)
            let stranger = GuestLink(accessID: script.fixture.id(), userID: script.user, digest: [3], createdAt: access.createdAt)
            try await requireRefusal(.parentUnknown, of: StoreTransaction(changes: [.putGuestLink(stranger)]), by: store)
            for _ in 0..<2 { try await write(.removeGuestLink(of: other.id)) }
            try await write(.removeGuestAccess(access.id))
            try require(
                try await tenancy(of: store), is: before.subtracting([.putGuestAccess(access)]), "the tenancy after the removal")
        },
        StoreConformanceCheck("A purchase belongs to the first user who redeems it, also after that user is removed") { store in
            var script = StoreScript(seed: 66)
            let (first, second) = (script.fixture.user("Grace"), script.fixture.user("Ada"))
            _ = try await store.commit(script.tenancy)
            let at = Timestamp(milliseconds: 1_795_248_000_000)
            func redeem(_ digest: [UInt8], _ user: UserID) -> StoreTransaction {
                StoreTransaction(purchases: [RedeemedPurchase(digest: digest, userID: user, at: at)])
            }
            for _ in 0..<2 { _ = try await store.commit(redeem([1], first)) }
            try await requireRefusal(.purchaseRedeemed, of: redeem([1], second), by: store)
            var together = redeem([2], second)
            together.purchases.append(RedeemedPurchase(digest: [1], userID: second, at: at))
            try await requireRefusal(.purchaseRedeemed, of: together, by: store)
            // Nothing of the refused transaction was written.
            _ = try await store.commit(redeem([2], first))
            _ = try await store.commit(StoreTransaction(changes: [.removeUser(first)]))
            try await requireRefusal(.purchaseRedeemed, of: redeem([1], second), by: store)
            try await requireRefusal(.parentUnknown, of: redeem([3], first), by: store)
            _ = try await store.commit(redeem([3], second))
        },
        StoreConformanceCheck("A recovery code can be used once, by its user only, until the codes are replaced") { store in
            var script = StoreScript(seed: 63)
            let other = script.fixture.user("Grace")
            _ = try await store.commit(script.tenancy)
            func set(_ user: UserID, _ digests: [[UInt8]]) async throws {
                _ = try await store.commit(StoreTransaction(credentials: [.setRecoveryCodes(of: user, digests: digests)]))
            }
            func use(_ user: UserID, _ digest: [UInt8]) -> StoreTransaction {
                StoreTransaction(credentials: [
                    .setPassword(user, hash: "$scrypt$1"), .useRecoveryCode(of: user, digest: digest),
                ])
            }
            try await set(script.user, [[2], [1]])
            try await set(other, [[1]])
            try require(try await store.recoveryCodes(of: script.user), is: [[1], [2]], "the codes")
            try await requireRefusal(.recoveryCodeSpent(other), of: use(other, [2]), by: store)
            try require(try await store.passwordHash(of: other), is: nil, "the password")
            _ = try await store.commit(use(script.user, [1]))
            try await requireRefusal(.recoveryCodeSpent(script.user), of: use(script.user, [1]), by: store)
            try require(try await store.recoveryCodes(of: other), is: [[1]], "the other user's codes")
            try await set(script.user, [[3]])
            try require(try await store.recoveryCodes(of: script.user), is: [[3]], "the new codes")
            try await set(script.user, [])
            try require(try await store.recoveryCodes(of: script.user), is: [], "no codes")
            let stranger = StoreTransaction(credentials: [.setRecoveryCodes(of: script.fixture.id(), digests: [[4]])])
            try await requireRefusal(.parentUnknown, of: stranger, by: store)
        },
        StoreConformanceCheck("All sessions of a user except one can be ended at once") { store in
            var script = StoreScript(seed: 64)
            _ = try await store.commit(script.tenancy)
            let (kept, ended) = (script.session(), script.session())
            _ = try await store.commit(
                StoreTransaction(credentials: [
                    .beginSession(kept, refreshDigest: [1]), .beginSession(ended, refreshDigest: [2]),
                    .endSessions(of: script.user, except: kept.id),
                ]))
            try require(try await store.liveSessions(at: script.now), is: [kept], "the live sessions")
        },
    ]
}

extension StoreScript {
    fileprivate mutating func key(of other: UserID? = nil, on entity: AssociatedEntity? = nil) -> APIKey {
        APIKey(
            id: fixture.id(), name: "Robot", userID: other ?? user, parentID: fixture.id(), entity: entity ?? .unit(unit),
            role: .tenant, digest: [9], createdAt: now, expiresAt: now.advanced(by: .seconds(60)))
    }

    fileprivate mutating func linkedAccess() -> GuestAccessID? {
        fixture.guestAccess(
            for: nil, label: "Guest", to: [door], under: fixture.assign(user, .tenant, .unit(unit)))
    }

    fileprivate mutating func invitation(
        _ digest: [UInt8], _ offer: Invitation.Offer? = nil, by maker: UserID? = nil
    ) -> Invitation {
        Invitation(
            id: fixture.id(), email: "Grace@example.com", offer: offer ?? .role(.auditor, on: .property(property)),
            userID: maker ?? user, keyID: fixture.id(), digest: digest, createdAt: now, expiresAt: now.advanced(by: .seconds(60)))
    }
}
