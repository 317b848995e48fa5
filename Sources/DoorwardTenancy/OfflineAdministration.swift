package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy

/// Administration by the machine's operator directly in the store, while no gateway has it open. Access to the database file is
/// the only authorization: there is no sign-in, and the records name the gateway as the actor.
package struct OfflineAdministration: Sendable {
    private let storeGuard: StoreGuard
    private let clock: any GatewayClock
    private let random: RandomSource
    private let hasher: PasswordHasher

    /// - Parameter passwordCost: log2 of scrypt's N.
    package init(store: any GatewayStore, clock: any GatewayClock, random: RandomSource, passwordCost: Int) {
        storeGuard = StoreGuard(store: store)
        (self.clock, self.random) = (clock, random)
        hasher = PasswordHasher(cost: passwordCost, random: random)
    }

    /// Creates a super admin; durable on return.
    ///
    /// - Throws: `.invalid` if the password violates the rules, `.alreadyExists` if a user has this address.
    package func createSuperAdmin(
        email: String, firstName: String, lastName: String, password: Secret<String>
    ) async throws(GatewayError) -> User {
        try PasswordRules.check(password, field: "password")
        guard try await storeGuard.readTenancy().user(email: email) == nil else { throw .alreadyExists }
        let hash = try await hasher.hash(password)
        let now = clock.now()
        let user = User(
            id: random.id(at: now), email: email, firstName: firstName, lastName: lastName, isSuperAdmin: true,
            createdAt: now, updatedAt: now)
        try await storeGuard.write(
            StoreTransaction(
                changes: [.putUser(user)], credentials: [.setPassword(user.id, hash: hash)],
                records: [record(of: RecordTarget(user), after: user.auditFields, at: now)]))
        return user
    }

    /// Creates a one-time link with which a super admin sets a new password; durable on return. It invalidates any earlier link.
    ///
    /// - Throws: `.notFound` if no user has this address; `.conflict` with a sentence if the user is not a super admin or is
    ///   disabled.
    package func recover(email: String) async throws(GatewayError) -> PasswordReset.Offer {
        guard let user = try await storeGuard.readTenancy().user(email: email) else { throw .notFound }
        guard user.isSuperAdmin else {
            throw .conflict("This user is not a super admin: a super admin can create a link for them over the API.")
        }
        guard user.isEnabled else { throw .conflict("This super admin is disabled: another one can enable them over the API.") }
        // The gateway compares the end of the link with its latest trusted time, if its clock shows an earlier one.
        let mark = try await mappingStoreErrors(await storeGuard.tenancy.storedClock()?.highWaterMark)
        let now = max(clock.now(), mark ?? clock.now())
        let (reset, token) = (PasswordReset(of: user.id, createdBy: nil, at: now, random), OneTimeToken.new(random))
        try await storeGuard.write(
            StoreTransaction(
                credentials: [.offerReset(reset, digest: OneTimeToken.digest(of: token))],
                records: [record(of: RecordTarget(reset), after: reset.auditFields, at: now)]))
        return PasswordReset.Offer(user: user, token: token, expiresAt: reset.expiresAt)
    }

    /// The record of a creation.
    private func record(of target: RecordTarget, after: [String: RecordValue], at now: Timestamp) -> PendingRecord {
        PendingRecord(
            RecordBody(
                log: .gateway, id: random.id(at: now), at: now, kind: .adminChange, actor: .gateway, source: .cli,
                action: .create, target: target, details: ["before": .null, "after": .object(after)]))
    }
}
