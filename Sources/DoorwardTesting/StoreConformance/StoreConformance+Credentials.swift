internal import DoorwardAdapterTesting
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

extension StoreConformance {
    static let credentialChecks: [StoreConformanceCheck] = [
        StoreConformanceCheck("A password hash is stored and replaced for one user only") { store in
            var script = StoreScript(seed: 11)
            let other = script.fixture.user("Grace")
            _ = try await store.commit(script.tenancy)
            for hash in ["$scrypt$1", "$scrypt$2"] {
                _ = try await store.commit(StoreTransaction(credentials: [.setPassword(script.user, hash: hash)]))
                try require(try await store.passwordHash(of: script.user), is: hash, "the hash")
            }
            try require(try await store.passwordHash(of: other), is: nil, "the hash of a user without a password")
            let unknown: UserID = script.fixture.id()
            let transaction = StoreTransaction(credentials: [.setPassword(unknown, hash: "$scrypt$3")])
            try await requireRefusal(.parentUnknown, of: transaction, by: store)
        },
        StoreConformanceCheck("A password hash is renewed only if it is still the stored one") { store in
            var script = StoreScript(seed: 16)
            _ = try await store.commit(script.tenancy)
            let renewal = StoreTransaction(credentials: [.renewPassword(script.user, from: "$scrypt$1", to: "$scrypt$2")])
            _ = try await store.commit(renewal)
            try require(try await store.passwordHash(of: script.user), is: nil, "the hash of a user without a password")
            for (stored, renewed) in [("$scrypt$1", "$scrypt$2"), ("$scrypt$3", "$scrypt$3")] {
                _ = try await store.commit(StoreTransaction(credentials: [.setPassword(script.user, hash: stored)]))
                _ = try await store.commit(renewal)
                try require(try await store.passwordHash(of: script.user), is: renewed, "the hash after the renewal")
            }
        },
        StoreConformanceCheck("A session is live until it ends or expires") { store in
            var script = StoreScript(seed: 12)
            _ = try await store.commit(script.tenancy)
            let (first, second) = (script.session(), script.session())
            let begin = StoreTransaction(credentials: [
                .beginSession(first, refreshDigest: [1]), .beginSession(second, refreshDigest: [2]),
            ])
            _ = try await store.commit(begin)
            try await requireRefusal(.duplicate, of: begin, by: store)
            try require(Set(try await store.liveSessions(at: script.now)), is: [first, second], "the live sessions")
            _ = try await store.commit(StoreTransaction(credentials: [.endSession(first.id)]))
            try require(try await store.liveSessions(at: script.now), is: [second], "the live sessions after one has ended")
            try require(
                try await store.liveSessions(at: second.expiresAt), is: [], "the live sessions after the other has expired")
        },
        StoreConformanceCheck("All sessions of one user can be ended at once; a disabled user cannot start one") { store in
            var script = StoreScript(seed: 19)
            let other = script.fixture.user("Grace")
            _ = try await store.commit(script.tenancy)
            var others = script.session()
            others = Session(id: others.id, userID: other, createdAt: others.createdAt, expiresAt: others.expiresAt)
            let (session, late) = (script.session(), script.session())
            _ = try await store.commit(
                StoreTransaction(credentials: [
                    .beginSession(session, refreshDigest: [1]), .beginSession(others, refreshDigest: [2]),
                ]))
            var user: User?
            for case .putUser(let found) in try await tenancy(of: store) where found.id == script.user { user = found }
            guard var user else { throw ConformanceFailure("the user is missing") }
            user.isEnabled = false
            _ = try await store.commit(
                StoreTransaction(changes: [.putUser(user)], credentials: [.endSessions(of: script.user)]))
            try require(try await store.liveSessions(at: script.now), is: [others], "the live sessions of the other user")
            let begin = StoreTransaction(credentials: [.beginSession(late, refreshDigest: [3])])
            try await requireRefusal(.userDisabled(script.user), of: begin, by: store)
            user.isEnabled = true
            _ = try await store.commit(StoreTransaction(changes: [.putUser(user)]))
            try require(try await store.liveSessions(at: script.now), is: [others], "the live sessions after enabling the user")
            _ = try await store.commit(begin)
        },
        StoreConformanceCheck("A refresh token can be exchanged only once") { store in
            var script = StoreScript(seed: 13)
            var session = script.session()
            _ = try await store.commit(script.tenancy)
            _ = try await store.commit(StoreTransaction(credentials: [.beginSession(session, refreshDigest: [1])]))
            session.expiresAt = session.expiresAt.advanced(by: .seconds(60))
            let rotation = rotation(of: session, from: [1], to: [2])
            _ = try await store.commit(rotation)
            let used = StoredRefreshToken(session: session, isUsed: true, isSessionEnded: false)
            let fresh = StoredRefreshToken(session: session, isUsed: false, isSessionEnded: false)
            try require(try await store.refreshToken(digest: [1]), is: used, "the old token")
            try require(try await store.refreshToken(digest: [2]), is: fresh, "the new token")
            try require(try await store.refreshToken(digest: [3]), is: nil, "an unknown token")
            try await requireRefusal(.refreshTokenSpent(session.id), of: rotation, by: store)
        },
        StoreConformanceCheck("Exchanging a token of an ended session, or of another session, is refused") { store in
            var script = StoreScript(seed: 14)
            let (ended, live) = (script.session(), script.session())
            _ = try await store.commit(script.tenancy)
            _ = try await store.commit(
                StoreTransaction(credentials: [
                    .beginSession(ended, refreshDigest: [1]), .beginSession(live, refreshDigest: [2]), .endSession(ended.id),
                ]))
            try await requireRefusal(.refreshTokenSpent(ended.id), of: rotation(of: ended, from: [1], to: [3]), by: store)
            try await requireRefusal(.refreshTokenSpent(live.id), of: rotation(of: live, from: [1], to: [3]), by: store)
            let token = try await store.refreshToken(digest: [1])
            try require(token, is: StoredRefreshToken(session: ended, isUsed: false, isSessionEnded: true), "the token")
        },
    ]

    private static func rotation(of session: Session, from old: [UInt8], to new: [UInt8]) -> StoreTransaction {
        StoreTransaction(credentials: [
            .rotateRefresh(session.id, oldDigest: old, newDigest: new, expiresAt: session.expiresAt)
        ])
    }
}
