internal import DoorwardAdapterTesting
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

extension StoreConformance {
    static let accountChecks: [StoreConformanceCheck] = [
        .init("API keys and invitations are loaded as last written, and not after their removal", seed: 61) { store, script in
            let before = try await tenancy(of: store)
            let (key, role, account) = (script.key(), script.invitation([1]), script.invitation([2], .account(script.user)))
            let all: [TenancyChange] = [.putAPIKey(key), .putInvitation(role), .putInvitation(account)]
            _ = try await store.commit(StoreTransaction(changes: all))
            try require(try await tenancy(of: store), is: before.union(all), "the tenancy")
            for _ in 0..<2 {
                try await store.write(.removeAPIKey(key.id), .removeInvitation(role.id), .removeInvitation(account.id))
            }
            try require(try await tenancy(of: store), is: before, "the tenancy after the removal")
        },
        .init("API keys and invitations without their user or entity are refused, and a second use of a digest", seed: 62) {
            store, script in
            let stranger: UserID = script.fixture.id()
            let refused: [TenancyChange] = [
                .putAPIKey(script.key(of: stranger)), .putAPIKey(script.key(on: .unit(script.portfolio.cast()))),
                .putInvitation(script.invitation([3], .account(stranger))),
                .putInvitation(script.invitation([3], .role(.owner, on: .portfolio(script.unit.cast())))),
                .putInvitation(script.invitation([3], by: stranger)),
            ]
            for change in refused {
                try await requireRefusal(.parentUnknown, of: change, by: store)
            }
            try await store.write(.putInvitation(script.invitation([3])))
            try await requireRefusal(.duplicate, of: .putInvitation(script.invitation([3])), by: store)
        },
        .init("A guest access has one link, which a new one replaces and which goes with the access", seed: 65) { store, script in
            let (access, other) = (try script.grant(), try script.grant())
            _ = try await store.commit(script.tenancy)
            let before = try await tenancy(of: store)
            func link(_ access: GuestAccess, _ digest: [UInt8]) -> TenancyChange {
                .putGuestLink(GuestLink(accessID: access.id, userID: script.user, digest: digest, createdAt: access.createdAt))
            }
            try await store.write(link(access, [1]))
            try await store.write(link(access, [2]), link(other, [1]))
            try require(try await tenancy(of: store), is: before.union([link(access, [2]), link(other, [1])]), "the links")
            try await requireRefusal(.duplicate, of: link(access, [1]), by: store)
            let stranger = GuestLink(accessID: script.fixture.id(), userID: script.user, digest: [3], createdAt: access.createdAt)
            try await requireRefusal(.parentUnknown, of: .putGuestLink(stranger), by: store)
            for _ in 0..<2 { try await store.write(.removeGuestLink(of: other.id)) }
            try await store.write(.removeGuestAccess(access.id))
            try require(
                try await tenancy(of: store), is: before.subtracting([.putGuestAccess(access)]), "the tenancy after the removal")
        },
        .init("A purchase belongs to the first user who redeems it, also after that user is removed", seed: 66) { store, script in
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
            try await store.write(.removeUser(first))
            try await requireRefusal(.purchaseRedeemed, of: redeem([1], second), by: store)
            try await requireRefusal(.parentUnknown, of: redeem([3], first), by: store)
            _ = try await store.commit(redeem([3], second))
        },
        .init("A recovery code can be used once, by its user only, until the codes are replaced", seed: 63) { store, script in
            let other = script.fixture.user("Grace")
            _ = try await store.commit(script.tenancy)
            func use(_ user: UserID, _ digest: [UInt8]) -> StoreTransaction {
                let changes = [CredentialChange.setPassword(user, hash: "$scrypt$1"), .useRecoveryCode(of: user, digest: digest)]
                return StoreTransaction(credentials: changes)
            }
            try await store.write(.setRecoveryCodes(of: script.user, digests: [[2], [1]]))
            try await store.write(.setRecoveryCodes(of: other, digests: [[1]]))
            try require(try await store.recoveryCodes(of: script.user), is: [[1], [2]], "the codes")
            try await requireRefusal(.recoveryCodeSpent(other), of: use(other, [2]), by: store)
            try require(try await store.passwordHash(of: other), is: nil, "the password")
            _ = try await store.commit(use(script.user, [1]))
            try await requireRefusal(.recoveryCodeSpent(script.user), of: use(script.user, [1]), by: store)
            try require(try await store.recoveryCodes(of: other), is: [[1]], "the other user's codes")
            try await store.write(.setRecoveryCodes(of: script.user, digests: [[3]]))
            try require(try await store.recoveryCodes(of: script.user), is: [[3]], "the new codes")
            try await store.write(.setRecoveryCodes(of: script.user, digests: []))
            try require(try await store.recoveryCodes(of: script.user), is: [], "no codes")
            let stranger: UserID = script.fixture.id()
            try await requireRefusal(.parentUnknown, of: .setRecoveryCodes(of: stranger, digests: [[4]]), by: store)
        },
        .init("All sessions of a user except one can be ended at once", seed: 64) { store, script in
            let (kept, ended) = (script.session(), script.session())
            try await store.write(
                .beginSession(kept, refreshDigest: [1]), .beginSession(ended, refreshDigest: [2]),
                .endSessions(of: script.user, except: kept.id))
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

    fileprivate mutating func invitation(
        _ digest: [UInt8], _ offer: Invitation.Offer? = nil, by creator: UserID? = nil
    ) -> Invitation {
        Invitation(
            id: fixture.id(), email: "Grace@example.com", offer: offer ?? .role(.auditor, on: .property(property)),
            userID: creator ?? user, keyID: fixture.id(), digest: digest, createdAt: now,
            expiresAt: now.advanced(by: .seconds(60)))
    }
}

extension StoreConformance {
    static let credentialChecks: [StoreConformanceCheck] = [
        .init("A password hash is stored and replaced for one user only", seed: 11) { store, script in
            let other = script.fixture.user("Grace")
            _ = try await store.commit(script.tenancy)
            for hash in ["$scrypt$1", "$scrypt$2"] {
                try await store.write(.setPassword(script.user, hash: hash))
                try require(try await store.passwordHash(of: script.user), is: hash, "the hash")
            }
            try require(try await store.passwordHash(of: other), is: nil, "the hash of a user without a password")
            let unknown: UserID = script.fixture.id()
            try await requireRefusal(.parentUnknown, of: .setPassword(unknown, hash: "$scrypt$3"), by: store)
        },
        .init("A password hash is renewed only if it is still the stored one", seed: 16) { store, script in
            let renewal = CredentialChange.renewPassword(script.user, from: "$scrypt$1", to: "$scrypt$2")
            try await store.write(renewal)
            try require(try await store.passwordHash(of: script.user), is: nil, "the hash of a user without a password")
            for (stored, renewed) in [("$scrypt$1", "$scrypt$2"), ("$scrypt$3", "$scrypt$3")] {
                try await store.write(.setPassword(script.user, hash: stored))
                try await store.write(renewal)
                try require(try await store.passwordHash(of: script.user), is: renewed, "the hash after the renewal")
            }
        },
        .init("A session is live until it ends or expires", seed: 12) { store, script in
            let (first, second) = (script.session(), script.session())
            let begin = StoreTransaction(credentials: [
                .beginSession(first, refreshDigest: [1]), .beginSession(second, refreshDigest: [2]),
            ])
            _ = try await store.commit(begin)
            try await requireRefusal(.duplicate, of: begin, by: store)
            try require(Set(try await store.liveSessions(at: script.now)), is: [first, second], "the live sessions")
            try await store.write(.endSession(first.id))
            try require(try await store.liveSessions(at: script.now), is: [second], "the live sessions after one has ended")
            try require(
                try await store.liveSessions(at: second.expiresAt), is: [], "the live sessions after the other has expired")
        },
        .init("All sessions of one user can be ended at once; a disabled user cannot start one", seed: 19) { store, script in
            let other = script.fixture.user("Grace")
            _ = try await store.commit(script.tenancy)
            let (session, others, late) = (script.session(), script.session(of: other), script.session())
            try await store.write(.beginSession(session, refreshDigest: [1]), .beginSession(others, refreshDigest: [2]))
            script.fixture.change(script.user) { $0.isEnabled = false }
            let disabling = script.fixture.changes.suffix(1)
            _ = try await store.commit(StoreTransaction(changes: Array(disabling), credentials: [.endSessions(of: script.user)]))
            try require(try await store.liveSessions(at: script.now), is: [others], "the live sessions of the other user")
            let begin = CredentialChange.beginSession(late, refreshDigest: [3])
            try await requireRefusal(.userDisabled(script.user), of: begin, by: store)
            script.fixture.change(script.user) { $0.isEnabled = true }
            _ = try await store.commit(script.tenancy)
            try require(try await store.liveSessions(at: script.now), is: [others], "the live sessions after enabling the user")
            try await store.write(begin)
        },
        .init("A refresh token can be exchanged only once", seed: 13) { store, script in
            var session = script.session()
            try await store.write(.beginSession(session, refreshDigest: [1]))
            session.expiresAt = session.expiresAt.advanced(by: .seconds(60))
            let rotation = rotation(of: session, from: [1], to: [2])
            try await store.write(rotation)
            let used = StoredRefreshToken(session: session, isUsed: true, isSessionEnded: false)
            let fresh = StoredRefreshToken(session: session, isUsed: false, isSessionEnded: false)
            try require(try await store.refreshToken(digest: [1]), is: used, "the old token")
            try require(try await store.refreshToken(digest: [2]), is: fresh, "the new token")
            try require(try await store.refreshToken(digest: [3]), is: nil, "an unknown token")
            try await requireRefusal(.refreshTokenSpent(session.id), of: rotation, by: store)
        },
        .init("Exchanging a token of an ended session, or of another session, is refused", seed: 14) { store, script in
            let (ended, live) = (script.session(), script.session())
            try await store.write(
                .beginSession(ended, refreshDigest: [1]), .beginSession(live, refreshDigest: [2]), .endSession(ended.id))
            try await requireRefusal(.refreshTokenSpent(ended.id), of: rotation(of: ended, from: [1], to: [3]), by: store)
            try await requireRefusal(.refreshTokenSpent(live.id), of: rotation(of: live, from: [1], to: [3]), by: store)
            let token = try await store.refreshToken(digest: [1])
            try require(token, is: StoredRefreshToken(session: ended, isUsed: false, isSessionEnded: true), "the token")
        },
    ]

    private static func rotation(of session: Session, from old: [UInt8], to new: [UInt8]) -> CredentialChange {
        .rotateRefresh(session.id, oldDigest: old, newDigest: new, expiresAt: session.expiresAt)
    }
}

extension StoreConformance {
    static let resetChecks: [StoreConformanceCheck] = [
        .init("A password reset is found by its token's digest, and can be used once", seed: 15) { store, script in
            let reset = script.reset(of: script.user)
            try await store.write(.offerReset(reset, digest: [1]))
            try require(try await store.passwordReset(digest: [1]), is: reset, "the reset")
            try require(try await store.passwordReset(digest: [2]), is: nil, "an unknown token")
            let use = CredentialChange.useReset(digest: [1], at: script.now)
            try await store.write(use)
            try require(try await store.passwordReset(digest: [1]), is: nil, "the used reset")
            try await requireRefusal(.resetTokenSpent, of: use, by: store)
        },
        .init("A new password reset replaces only the earlier reset of the same user", seed: 16) { store, script in
            let other = script.fixture.user("Grace")
            _ = try await store.commit(script.tenancy)
            let (first, second, others) = (script.reset(of: script.user), script.reset(of: script.user), script.reset(of: other))
            for (reset, digest) in [(first, 1), (others, 2), (second, 3)] as [(PasswordReset, UInt8)] {
                try await store.write(.offerReset(reset, digest: [digest]))
            }
            try require(try await store.passwordReset(digest: [1]), is: nil, "the replaced reset")
            try require(try await store.passwordReset(digest: [2]), is: others, "the other user's reset")
            try require(try await store.passwordReset(digest: [3]), is: second, "the new reset")
            try await requireRefusal(.resetTokenSpent, of: .useReset(digest: [1], at: script.now), by: store)
            let stranger: UserID = script.fixture.id()
            try await requireRefusal(.parentUnknown, of: .offerReset(script.reset(of: stranger), digest: [4]), by: store)
        },
        .init("An expired password reset is refused with its whole transaction", seed: 17) { store, script in
            let reset = script.reset(of: script.user)
            try await store.write(.offerReset(reset, digest: [1]))
            try await requireRefusal(
                .resetTokenSpent, of: .setPassword(script.user, hash: "$scrypt$1"), .useReset(digest: [1], at: reset.expiresAt),
                by: store)
            try require(try await store.passwordHash(of: script.user), is: nil, "the password")
            try await store.write(.useReset(digest: [1], at: reset.expiresAt.advanced(by: .milliseconds(-1))))
        },
        .init("Resets can be ended by their user or by their creator; other resets are kept", seed: 18) { store, script in
            let (creator, other) = (script.fixture.user("Grace"), script.fixture.user("Linus"))
            _ = try await store.commit(script.tenancy)
            let (first, second) = (script.reset(of: script.user, by: creator), script.reset(of: other, by: other))
            for end in [CredentialChange.endReset(of: script.user), .endResets(createdBy: creator)] {
                try await store.write(.offerReset(first, digest: [1]), .offerReset(second, digest: [2]))
                try await store.write(end)
                try require(try await store.passwordReset(digest: [1]), is: nil, "the ended reset")
                try require(try await store.passwordReset(digest: [2]), is: second, "the other reset")
            }
        },
    ]
}
