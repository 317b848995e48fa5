package import DoorwardDomain
internal import DoorwardPolicy

/// The use cases of forgotten passwords: making a one-time link for somebody, and setting a password with one.
package struct PasswordResets: Sendable {
    let writer: TenancyWriter
    let hasher: PasswordHasher
    let signIn: SignIn

    package init(writer: TenancyWriter, hasher: PasswordHasher, signIn: SignIn) {
        (self.writer, self.hasher, self.signIn) = (writer, hasher, signIn)
    }

    /// Makes a link with which its holder sets a user's password, once. It takes the place of an earlier one.
    ///
    /// Whoever holds it can become that user, so a manager makes one only for people of whom they could take every role and
    /// every guest access away: who holds anything elsewhere, or a role as high, is left to the super admin.
    ///
    /// - Throws: `.denied` without reach for a person outside the caller's scope, and with reach for one who is not theirs
    ///   alone; `.notFound` to a super admin where there is none; `.conflict` for a disabled user.
    package func offer(_ caller: Caller, to id: UserID?) async throws(GatewayError) -> PasswordReset.Offer {
        let (random, token) = (writer.random, OneTimeToken.new(writer.random))
        return try await writer.change(
            caller, reach: { (tenancy) throws(GatewayError) in _ = try tenancy.visibleUser(id, to: caller) },
            body: { (draft) throws(GatewayError) in
                let user = try draft.directory.visibleUser(id, to: caller)
                try draft.directory.requireReset(of: user, by: caller, at: draft.now)
                guard user.isEnabled else { throw GatewayError.conflict("This user is disabled: enable them first.") }
                let reset = PasswordReset(of: user.id, at: draft.now, random)
                draft.transaction.credentials.append(.offerReset(reset, digest: OneTimeToken.digest(of: token)))
                draft.note(
                    .create, RecordTarget(reset), in: draft.directory.portfolios(where: user.id), after: reset.recorded)
                return PasswordReset.Offer(user: user, token: token, expiresAt: reset.expiresAt)
            }
        ).value
    }

    /// Sets a password with a token, and ends every session of its user.
    ///
    /// When this has returned, the old password and the sessions that began with it are good for nothing.
    ///
    /// - Throws: `.invalid` for a password that breaks the rules; `.unauthenticated`, one answer for a token that is unknown,
    ///   used, replaced or over and for a user who is disabled or gone; `.rateLimited`; `.unavailable`.
    package func use(
        _ token: Secret<String>, newPassword: Secret<String>, source: RecordSource, clientAddress: String?, requestID: String?
    ) async throws(GatewayError) {
        try PasswordRules.check(newPassword, field: "newPassword")
        try signIn.admit(clientAddress: clientAddress)
        let digest = OneTimeToken.digest(of: token)
        let origin = SignIn.Attempt(source: source, clientAddress: clientAddress, requestID: requestID)
        guard let user = try await holder(of: digest) else { throw try await signIn.fail(origin) }
        let hash = try await hasher.hash(newPassword)
        guard try await set(hash, of: user, with: digest, origin) else { throw try await signIn.fail(origin) }
        signIn.forgetFailures(email: user.email)
    }

    /// Whose password the token sets at this moment.
    private func holder(of digest: [UInt8]) async throws(GatewayError) -> User? {
        let reset = try await storing { () throws(StoreError) in try await writer.ledger.store.passwordReset(digest: digest) }
        guard let reset, writer.clock.now() < reset.expiresAt, let user = writer.directory.current.user(reset.userID),
            user.isEnabled
        else { return nil }
        return user
    }

    /// - Returns: false when the token was spent meanwhile, and nothing was written.
    private func set(
        _ hash: String, of user: User, with digest: [UInt8], _ origin: SignIn.Attempt
    ) async throws(GatewayError) -> Bool {
        let caller = Caller(
            userID: user.id, source: origin.source, clientAddress: origin.clientAddress, requestID: origin.requestID)
        var draft = TenancyDraft(
            directory: writer.directory.current, caller: caller, now: writer.clock.now(), random: writer.random)
        draft.transaction.credentials = [.useReset(digest: digest, at: draft.now), .setPassword(user.id, hash: hash)]
        draft.note(.update, RecordTarget(user), after: ["password": .string("set_by_link")])
        let ended = signIn.ends(of: signIn.sessions.ids(of: user.id), of: user, origin)
        draft.transaction.credentials += ended.credentials
        draft.transaction.records += ended.records
        do {
            guard try await writer.ledger.writeUnlessRefused(draft.transaction) else { return false }
        } catch {
            // Nobody knows whether the password is new: whoever may hold the old one is out in any case.
            signIn.sessions.endAll(of: user.id)
            throw error
        }
        // Sessions that began while the transaction was written, with the old password.
        let late = signIn.sessions.endAll(of: user.id).filter { id in !ended.ids.contains(id) }
        if !late.isEmpty { try await writer.ledger.write(signIn.ends(of: late, of: user, origin).transaction) }
        return true
    }
}

extension TenancyDirectory {
    /// - Throws: `.denied`, in one form that does not say what the person holds or where.
    fileprivate func requireReset(of user: User, by caller: Caller, at now: Timestamp) throws(GatewayError) {
        if self.user(caller.userID)?.isSuperAdmin == true { return }
        let roles = associations(of: user.id)
        let isTheirs =
            !user.isSuperAdmin && !roles.isEmpty
            && roles.allSatisfy { allows(caller, .assigning($0.role, on: $0.entity.type), on: $0.entity) }
            && guestAccesses(of: user.id).filter { $0.revokedAt == nil && now < $0.window.validUntil }
                .allSatisfy { allows(caller, .guestAccessRevoke, on: .property($0.propertyID)) }
        guard isTheirs else { throw .denied(Denial(.roleInsufficient, hasReach: true), operation: nil, deviceID: nil) }
    }

    private func allows(_ caller: Caller, _ permission: ManagementPermission, on entity: AssociatedEntity) -> Bool {
        SecurityService.allows(caller.userID, permission, on: ManagedObject(entity), in: self).isAllowed
    }
}
