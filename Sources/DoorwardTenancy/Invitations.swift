package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy

/// The use cases of invitations: inviting an email address to a role, reading, withdrawing and accepting invitations.
package struct Invitations: UseCases, Sendable {
    let kernel: Kernel
    let hasher: PasswordHasher
    let signIn: SignIn

    package init(_ kernel: Kernel, hasher: PasswordHasher, signIn: SignIn) {
        (self.kernel, self.hasher, self.signIn) = (kernel, hasher, signIn)
    }

    /// Invites an address to a role. The result is the same whether or not the address belongs to a user, and whether or not that
    /// user has the role. An earlier invitation of the address to the same role on the same entity ends.
    package func invite(
        _ caller: Caller, _ email: String, to role: Role, on entity: AssociatedEntity
    ) async throws(GatewayError) -> IssuedInvitation {
        let token = OneTimeToken.new(random)
        return try await writer.change(
            caller, reach: [.entity(entity)],
            body: { (draft) throws(GatewayError) in
                try draft.require(.assigning(role, on: entity.type), on: ManagedObject(entity))
                return IssuedInvitation(
                    invitation: try draft.invite(email, to: .role(role, on: entity), token: token), token: token)
            })
    }

    /// A valid invitation that the caller has created, or could create.
    ///
    /// - Throws: `.outOfReach` for any other; for a super admin `.notFound` if there is none, or `.denied`.
    package func invitation(_ id: InvitationID, for caller: Caller) throws(GatewayError) -> Invitation {
        let (tenancy, subject) = directory.resolve(caller)
        return try tenancy.manageableInvitation(id, by: subject, at: clock.decisionTime())
    }

    /// The valid invitations that the caller has created, or could create.
    package func list(for caller: Caller, _ request: PageRequest<NameOrCreatedAt>) -> Page<Invitation> {
        let current = CallerSnapshot(directory, caller)
        let pending = current.tenancy.invitations(inScopeOf: current.subject, at: clock.decisionTime())
        return request.page(of: pending, in: current.snapshot, named: \.email) { key, invitation in
            key == .name ? .name(invitation.email) : .number(invitation.createdAt.milliseconds)
        }
    }

    /// Ends an invitation: its token cannot be used any more.
    ///
    /// - Returns: the effects of a dry run, which changes nothing; otherwise `nil`.
    @discardableResult
    package func withdraw(
        _ caller: Caller, _ id: InvitationID, isDryRun: Bool = false
    ) async throws(GatewayError) -> RemovalPreview? {
        try await writer.remove(
            caller, isDryRun: isDryRun,
            body: { (draft) throws(GatewayError) in
                draft.end(try draft.directory.manageableInvitation(id, by: draft.subject, at: draft.time))
            })
    }

    /// Accepts an invitation once: creates the user if the address belongs to none, assigns the role, and signs the user in.
    ///
    /// Attempts with an invalid token are limited and recorded like failed sign-ins, but delay no sign-in; a malformed token is not an
    /// attempt.
    ///
    /// - Parameter caller: the signed-in caller of the request; `nil` if it has no sign-in.
    /// - Throws: `.unauthenticated` if the token is unknown, used, expired or ended; `.signInRequired` if the address belongs to
    ///   a user other than the caller; `.invalid` if the account lacks a field, or a signed-in user sends one.
    package func accept(
        _ token: Secret<String>, _ account: NewAccount, caller: Caller?, origin: RequestOrigin
    ) async throws(GatewayError) -> SignedIn {
        if let password = account.password { try PasswordRules.check(password, field: "password") }
        guard let token = OneTimeToken.wellFormed(token) else { throw .unauthenticated }
        try signIn.admitLink(clientAddress: origin.clientAddress)
        let (digest, tenancy) = (OneTimeToken.digest(of: token), directory.current)
        guard let invitation = tenancy.validInvitation(digest: digest, at: clock.decisionTime()) else {
            throw try await signIn.recordFailedAttempt(.link, origin)
        }
        let user = tenancy.user(email: invitation.email)
        let id = invitation.accountID ?? user?.id ?? random.id(at: clock.now())
        if invitation.accountID == nil, user != nil {
            guard caller?.principal == .user(id) else { throw .signInRequired }
            try account.requireEmpty()
            return try await accept(digest, by: id, account, hash: nil, origin)
        }
        let password = try invitation.accountID == nil ? account.requireComplete() : account.password
        guard let password else { throw .invalid("password", "required") }
        return try await accept(digest, by: id, account, hash: try await hasher.hash(password), origin)
    }

    /// Applies the acceptance and starts a session. The sessions' generation is read before, so that no session starts for a user
    /// whose sessions are ended meanwhile.
    ///
    /// - Parameter hash: the hash of the first password; `nil` for a signed-in user, who has one.
    private func accept(
        _ digest: [UInt8], by id: UserID, _ account: NewAccount, hash: String?, _ origin: RequestOrigin
    ) async throws(GatewayError) -> SignedIn {
        let generation = signIn.sessions.generation(of: id)
        let user: User
        do {
            user = try await writer.change(Caller(userID: id, origin: origin)) { (draft) throws(GatewayError) in
                try draft.accept(digest, by: id, account, hash: hash)
            }
        } catch .unauthenticated {
            throw try await signIn.recordFailedAttempt(.link, origin)
        }
        return try await signIn.start(for: user, generation, origin)
    }
}

/// The account data of a request that accepts an invitation; a field is `nil` if the request does not contain it.
package struct NewAccount: Sendable {
    /// The first name of the user to create.
    package let firstName: String?
    /// The last name of the user to create.
    package let lastName: String?
    /// The password, checked against the password rules.
    package let password: Secret<String>?

    package init(firstName: String? = nil, lastName: String? = nil, password: Secret<String>? = nil) {
        (self.firstName, self.lastName, self.password) = (firstName, lastName, password)
    }

    private var fields: [(name: String, isPresent: Bool)] {
        [("firstName", firstName != nil), ("lastName", lastName != nil), ("password", password != nil)]
    }

    /// - Throws: `.invalid` with the fields that are absent; a person need not have a last name.
    fileprivate func requireComplete() throws(GatewayError) -> Secret<String> {
        guard firstName != nil, let password else {
            throw .invalid(
                fields.filter { !$0.isPresent && $0.name != "lastName" }.map { FieldProblem(field: $0.name, problem: "required") }
            )
        }
        return password
    }

    /// - Throws: `.invalid` with the fields that are present.
    fileprivate func requireEmpty() throws(GatewayError) {
        let present = fields.filter(\.isPresent)
        if !present.isEmpty { throw .invalid(present.map { FieldProblem(field: $0.name, problem: "read_only") }) }
    }
}

/// An invitation that was just created, with the only copy of its token.
package struct IssuedInvitation: Sendable {
    /// The invitation as stored.
    package let invitation: Invitation
    /// The token for `POST /auth/accept-invitation`.
    package let token: Secret<String>

    /// The URL of the page on which the invitation is accepted, under the gateway's public URL `base`.
    package func url(under base: String?) -> Secret<String> { OneTimeToken.url(of: "invitation", token, under: base) }
}

extension TenancyDirectory {
    /// The invitation with a token of this digest, if it can be accepted now.
    func validInvitation(digest: [UInt8], at time: DecisionTime) -> Invitation? {
        invitation(digest: digest).flatMap { isValid($0, at: time) ? $0 : nil }
    }

    private func isValid(_ invitation: Invitation, at time: DecisionTime) -> Bool {
        time.expiryInstant < invitation.expiresAt && isStillAuthorized(invitation, at: time)
    }

    fileprivate func manageableInvitation(
        _ id: InvitationID, by subject: Subject, at time: DecisionTime
    ) throws(GatewayError) -> Invitation {
        guard let invitation = invitation(id), isValid(invitation, at: time) else { throw .outOfReach(of: subject) }
        if subject.isUser(invitation.userID) || mayManage(invitation, subject) { return invitation }
        guard subject.isSuperAdmin else { throw .outOfReach }
        throw .denied(Denial(.roleInsufficient, hasReach: true, rule: .superAdmin), operation: nil, deviceID: nil)
    }

    /// The invitations that `manageableInvitation` returns, sorted by id.
    fileprivate func invitations(inScopeOf subject: Subject, at time: DecisionTime) -> [Invitation] {
        let known: [Invitation] =
            if subject.isSuperAdmin { invitationIDs.compactMap { invitation($0) } } else {
                (subject.userID.map { invitations(by: $0) } ?? [])
                    + subject.roleEntities.flatMap { withAllBelow($0) }.flatMap { invitations(to: $0) }
            }
        return Set(known.map(\.id)).sorted().compactMap { try? manageableInvitation($0, by: subject, at: time) }
    }
}

extension TenancyUnitOfWork {
    /// Creates an invitation. Ends earlier ones of the address with the same offer, and removes expired ones of the address and
    /// of the creator.
    mutating func invite(_ email: String, to offer: Invitation.Offer, token: Secret<String>) throws(GatewayError) -> Invitation {
        let creator = try creator()
        for earlier in directory.invitations(of: email) where earlier.offer == offer { end(earlier) }
        for expired in directory.invitations(of: email) + directory.invitations(by: creator.userID)
        where expired.expiresAt <= time.expiryInstant && directory.invitation(expired.id) != nil {
            apply(.removeInvitation(expired.id))
        }
        let invitation = Invitation(
            id: newID(), email: email, offer: offer, userID: creator.userID, keyID: creator.keyID,
            digest: OneTimeToken.digest(of: token), createdAt: now,
            expiresAt: time.expiryInstant.advanced(by: Invitation.lifetime))
        apply(.putInvitation(invitation))
        appendRecord(.create, RecordTarget(invitation), at: invitation.entity, after: invitation.auditFields)
        return invitation
    }

    /// - Throws: `.unauthenticated` if the invitation has ended meanwhile; `.signInRequired` if a user with the address was
    ///   created meanwhile.
    fileprivate mutating func accept(
        _ digest: [UInt8], by id: UserID, _ account: NewAccount, hash: String?
    ) throws(GatewayError) -> User {
        guard let invitation = directory.validInvitation(digest: digest, at: time) else { throw .unauthenticated }
        let user: User
        if let hash, invitation.accountID == nil {
            guard directory.user(email: invitation.email) == nil else { throw .signInRequired }
            let new = NewUser(
                email: invitation.email, firstName: account.firstName ?? "", lastName: account.lastName ?? "", password: nil)
            user = try create(new, id: id, passwordHash: hash)
        } else {
            guard let known = directory.user(id), known.isEnabled else { throw .unauthenticated }
            user = try hash.map { (hash) throws(GatewayError) in try setFirstPassword(of: known, account, hash) } ?? known
        }
        apply(.removeInvitation(invitation.id))
        if let role = invitation.role, let entity = invitation.entity {
            _ = try assign(role, to: user.id, on: entity, under: invitation)
        }
        return user
    }

    private mutating func setFirstPassword(of known: User, _ account: NewAccount, _ hash: String) throws(GatewayError) -> User {
        let user = try update(known, UserChanges(firstName: account.firstName, lastName: account.lastName))
        transaction.credentials += [.setPassword(user.id, hash: hash), .endReset(of: user.id)]
        appendRecord(.update, RecordTarget(user), after: ["password": .string("set_by_invitation")])
        return user
    }
}
