internal import DoorwardAdapterTesting
internal import DoorwardControl
internal import DoorwardDomain

extension StoreConformance {
    static let resetChecks: [StoreConformanceCheck] = [
        StoreConformanceCheck("A password reset is found by its token's digest, and can be used once") { store in
            var script = StoreScript(seed: 15)
            _ = try await store.commit(script.tenancy)
            let reset = reset(of: script.user, &script)
            _ = try await store.commit(StoreTransaction(credentials: [.offerReset(reset, digest: [1])]))
            try require(try await store.passwordReset(digest: [1]), is: reset, "the reset")
            try require(try await store.passwordReset(digest: [2]), is: nil, "an unknown token")
            let use = StoreTransaction(credentials: [.useReset(digest: [1], at: script.now)])
            _ = try await store.commit(use)
            try require(try await store.passwordReset(digest: [1]), is: nil, "the used reset")
            try await requireRefusal(.resetTokenSpent, of: use, by: store)
        },
        StoreConformanceCheck("A new password reset replaces only the earlier reset of the same user") { store in
            var script = StoreScript(seed: 16)
            let other = script.fixture.user("Grace")
            _ = try await store.commit(script.tenancy)
            let (first, second, others) = (
                reset(of: script.user, &script), reset(of: script.user, &script), reset(of: other, &script)
            )
            for (reset, digest) in [(first, 1), (others, 2), (second, 3)] as [(PasswordReset, UInt8)] {
                _ = try await store.commit(StoreTransaction(credentials: [.offerReset(reset, digest: [digest])]))
            }
            try require(try await store.passwordReset(digest: [1]), is: nil, "the replaced reset")
            try require(try await store.passwordReset(digest: [2]), is: others, "the other user's reset")
            try require(try await store.passwordReset(digest: [3]), is: second, "the new reset")
            try await requireRefusal(
                .resetTokenSpent, of: StoreTransaction(credentials: [.useReset(digest: [1], at: script.now)]), by: store)
            let unknown = reset(of: script.fixture.id(), &script)
            try await requireRefusal(
                .parentUnknown, of: StoreTransaction(credentials: [.offerReset(unknown, digest: [4])]), by: store)
        },
        StoreConformanceCheck("An expired password reset is refused with its whole transaction") { store in
            var script = StoreScript(seed: 17)
            _ = try await store.commit(script.tenancy)
            let reset = reset(of: script.user, &script)
            _ = try await store.commit(StoreTransaction(credentials: [.offerReset(reset, digest: [1])]))
            let late = StoreTransaction(credentials: [
                .setPassword(script.user, hash: "$scrypt$1"), .useReset(digest: [1], at: reset.expiresAt),
            ])
            try await requireRefusal(.resetTokenSpent, of: late, by: store)
            try require(try await store.passwordHash(of: script.user), is: nil, "the password")
            _ = try await store.commit(
                StoreTransaction(credentials: [
                    .useReset(digest: [1], at: reset.expiresAt.advanced(by: .milliseconds(-1)))
                ]))
        },
        StoreConformanceCheck("Resets can be ended by their user or by their creator; other resets are kept") { store in
            var script = StoreScript(seed: 18)
            let (maker, other) = (script.fixture.user("Grace"), script.fixture.user("Linus"))
            _ = try await store.commit(script.tenancy)
            let (first, second) = (reset(of: script.user, by: maker, &script), reset(of: other, by: other, &script))
            func offerBoth() async throws {
                _ = try await store.commit(
                    StoreTransaction(credentials: [.offerReset(first, digest: [1]), .offerReset(second, digest: [2])]))
            }
            for end in [CredentialChange.endReset(of: script.user), .endResets(madeBy: maker)] {
                try await offerBoth()
                _ = try await store.commit(StoreTransaction(credentials: [end]))
                try require(try await store.passwordReset(digest: [1]), is: nil, "the ended reset")
                try require(try await store.passwordReset(digest: [2]), is: second, "the other reset")
            }
        },
    ]

    private static func reset(of user: UserID, by maker: UserID? = nil, _ script: inout StoreScript) -> PasswordReset {
        PasswordReset(
            id: script.fixture.id(), userID: user, madeBy: maker, createdAt: script.now,
            expiresAt: script.now.advanced(by: .seconds(60)))
    }
}
