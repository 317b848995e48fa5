internal import DoorwardAudit
package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy

/// The use cases of users: creating, reading and changing them.
package struct Users: UseCases, Sendable {
    let kernel: Kernel
    let hasher: PasswordHasher
    let sessions: Sessions

    package init(_ kernel: Kernel, hasher: PasswordHasher, sessions: Sessions) {
        (self.kernel, self.hasher, self.sessions) = (kernel, hasher, sessions)
    }

    /// Creates a user who can sign in with `password`, or, without a password, who cannot sign in yet.
    package func create(
        _ caller: Caller, _ new: NewUser, repeatable: IdempotentCall?
    ) async throws(GatewayError) -> Answered<User> {
        guard let password = new.password else { throw .invalid("password", "required") }
        try PasswordRules.check(password, field: "password")
        return try await writer.create(
            caller, repeatable: repeatable,
            prepare: { () throws(GatewayError) in
                // Hash the password only for callers who may create users, and not for repeats, as hashing is expensive.
                let (tenancy, subject) = directory.resolve(caller)
                try tenancy.require(.usersCreate, of: subject, on: .gateway)
                return try await hasher.hash(password, for: caller.userID)
            },
            body: { (draft, hash) throws(GatewayError) in
                try draft.require(.usersCreate, on: .gateway)
                return try draft.create(new, passwordHash: hash)
            })
    }

    /// Creates a user without a password, with an invitation to set the first one. The user cannot sign in before.
    ///
    /// - Returns: the user, and the invitation with its token; `nil` for a repeat, as tokens are not stored.
    package func createInvited(
        _ caller: Caller, _ new: NewUser, repeatable: IdempotentCall?
    ) async throws(GatewayError) -> (user: Answered<User>, invitation: IssuedInvitation?) {
        let token = OneTimeToken.new(random)
        var issued: IssuedInvitation?
        let user = try await writer.create(
            caller, repeatable: repeatable,
            body: { (draft) throws(GatewayError) in
                try draft.require(.usersCreate, on: .gateway)
                let user = try draft.create(new, passwordHash: nil)
                _ = try draft.invite(user.email, to: .account(user.id), token: token)
                return user
            },
            afterwards: { user, _ in issued = invitation(of: user).map { IssuedInvitation(invitation: $0, token: token) } })
        return (user, issued)
    }

    /// The invitation with which a user can still set the first password; `nil` if there is none.
    package func invitation(of user: User) -> Invitation? {
        directory.current.invitations(of: user.email).first { $0.accountID == user.id }
    }

    /// Changes the fields that the request names. Only a super admin may enable and disable users; the other fields
    /// may also be changed by the user themselves.
    ///
    /// Once this function has disabled a user, none of the user's commands is sent any more, and the user's sessions are invalid.
    ///
    /// - Throws: `.preconditionFailed` if `condition` is not met.
    package func update(
        _ caller: Caller, _ id: UserID, _ changes: UserChanges, onlyIf condition: Precondition<User>? = nil
    ) async throws(GatewayError) -> User {
        do {
            let user = try await change(caller, id, changes, onlyIf: condition)
            // The store rejects sessions that began while the transaction was written; end them in memory too.
            if !user.isEnabled { sessions.endAll(of: user.id) }
            return user
        } catch .unavailable {
            // It is unknown whether the user is disabled in the store. End the sessions: a user who is still enabled has to sign
            // in again.
            if changes.isEnabled == false, mayDisable(caller) {
                sessions.endAll(of: id)
            }
            throw .unavailable
        }
    }

    func mayDisable(_ caller: Caller) -> Bool {
        let (tenancy, subject) = directory.resolve(caller)
        return SecurityService.allows(subject, .usersDisable, on: .gateway, in: tenancy).isAllowed
    }

    private func change(
        _ caller: Caller, _ id: UserID, _ changes: UserChanges, onlyIf condition: Precondition<User>?
    ) async throws(GatewayError) -> User {
        try await writer.change(
            caller,
            reach: [.user(id)] + changes.namedEntities.map { .entity($0) },
            body: { (draft) throws(GatewayError) in
                let user = try draft.directory.visibleUser(id, to: draft.subject)
                if !draft.subject.isUser(user.id) || changes.isEnabled != nil {
                    try draft.require(.usersDisable, on: .gateway)
                }
                try draft.require(condition, of: user)
                if changes.isEnabled == false {
                    draft.transaction.credentials.append(.endSessions(of: user.id))
                }
                return try draft.update(user, changes)
            }
        )
    }

    /// Returns a user who is visible to the caller. Visible users are the caller, and the users with a role or a guest access on an
    /// entity whose users the caller may list; to a super admin, all users are visible.
    ///
    /// - Throws: `.outOfReach`; `.notFound` if the caller is a super admin and the user does not exist.
    package func user(_ id: UserID, for caller: Caller) throws(GatewayError) -> User {
        let (tenancy, subject) = directory.resolve(caller)
        return try tenancy.visibleUser(id, to: subject)
    }

    /// All users, for a super admin; otherwise the users with a role or a guest access on or below an entity whose users the caller
    /// may list.
    ///
    /// - Throws: `.denied` for a caller who may not list the users of any entity.
    package func list(for caller: Caller, _ request: PageRequest<NameOrCreatedAt>) throws(GatewayError) -> Page<User> {
        let current = CallerSnapshot(directory, caller)
        try current.tenancy.requirePeople(inScopeOf: current.subject)
        return request.page(
            .users, in: current, of: caller.principal, visible: { current.tenancy.readableUserIDs(by: current.subject) },
            item: { current.tenancy.user($0) })
    }
}

/// The data of a user to create.
package struct NewUser: Sendable {
    /// The email address to sign in with; unique ignoring case.
    package var email: String
    /// The first name, visible to users who share a unit with this user.
    package var firstName: String
    /// The last name, hidden from guests.
    package var lastName: String
    /// The password, of which only the hash is stored; `nil` for a user who sets it by an invitation.
    package var password: Secret<String>?
    /// Whether the user is a super admin, who administers the gateway. This grants no right to move a lock.
    package var isSuperAdmin: Bool

    package init(email: String, firstName: String, lastName: String, password: Secret<String>?, isSuperAdmin: Bool = false) {
        (self.email, self.firstName, self.lastName) = (email, firstName, lastName)
        (self.password, self.isSuperAdmin) = (password, isSuperAdmin)
    }
}

/// The changes of a user; `nil` leaves a field unchanged.
package struct UserChanges: Sendable {
    /// The new first name.
    package var firstName: String?
    /// The new last name.
    package var lastName: String?
    /// `false` ends every session of the user and suspends every right until it is set to `true`.
    package var isEnabled: Bool?
    /// The portfolio that their client opens first.
    package var defaultPortfolioID = Patch<PortfolioID>.unchanged
    /// The property that their client opens first.
    package var defaultPropertyID = Patch<PropertyID>.unchanged
    /// The unit that their client opens first.
    package var defaultUnitID = Patch<UnitID>.unchanged

    package init(firstName: String? = nil, lastName: String? = nil, isEnabled: Bool? = nil) {
        (self.firstName, self.lastName, self.isEnabled) = (firstName, lastName, isEnabled)
    }

    /// The entities that the changes set as defaults.
    fileprivate var namedEntities: [AssociatedEntity] {
        [
            defaultPortfolioID.newValue.map { .portfolio($0) }, defaultPropertyID.newValue.map { .property($0) },
            defaultUnitID.newValue.map { .unit($0) },
        ].compactMap(\.self)
    }
}

extension TenancyDirectory {
    /// - Throws: `.denied` for a subject who may not list the users of any entity.
    fileprivate func requirePeople(inScopeOf subject: Subject) throws(GatewayError) {
        if subject.isSuperAdmin || subject.roleEntities.contains(where: { readsPeople(subject, on: $0) }) { return }
        throw .denied(Denial(.roleInsufficient, hasReach: true), operation: nil, deviceID: nil)
    }

    /// Sorted by id.
    fileprivate func readableUserIDs(by subject: Subject) -> [UserID] {
        subject.isSuperAdmin ? userIDs : peopleInScope(of: subject).filter { user($0) != nil }.sorted()
    }

    /// The users who hold a role or a guest access on or below an entity whose users the subject may list.
    fileprivate func peopleInScope(of subject: Subject) -> Set<UserID> {
        let entities = subject.roleEntities.filter { readsPeople(subject, on: $0) }.flatMap { withAllBelow($0) }
        return entities.reduce(into: []) { people, entity in
            people.formUnion(associations(on: entity).map(\.userID))
            if case .property(let id) = entity { people.formUnion(guestAccesses(in: id).compactMap(\.guestUserID)) }
        }
    }
}

extension TenancyUnitOfWork {
    /// - Parameter id: the user's id; `nil` for a new one.
    mutating func create(_ new: NewUser, id: UserID? = nil, passwordHash: String?) throws(GatewayError) -> User {
        guard directory.user(email: new.email) == nil else { throw .alreadyExists }
        let user = User(
            id: id ?? newID(), email: new.email, firstName: new.firstName, lastName: new.lastName, isSuperAdmin: new.isSuperAdmin,
            createdAt: now, updatedAt: now)
        apply(.putUser(user))
        if let passwordHash { transaction.credentials.append(.setPassword(user.id, hash: passwordHash)) }
        appendRecord(.create, RecordTarget(user), after: user.auditFields)
        return user
    }

    mutating func update(_ user: User, _ changes: UserChanges) throws(GatewayError) -> User {
        var changed = user
        changed.firstName = changes.firstName ?? user.firstName
        changed.lastName = changes.lastName ?? user.lastName
        changed.isEnabled = changes.isEnabled ?? user.isEnabled
        changed.defaultPortfolioID = changes.defaultPortfolioID.applied(to: user.defaultPortfolioID)
        changed.defaultPropertyID = changes.defaultPropertyID.applied(to: user.defaultPropertyID)
        changed.defaultUnitID = changes.defaultUnitID.applied(to: user.defaultUnitID)
        guard changed != user else { return user }
        changed.updatedAt = now
        if user.isEnabled, !changed.isEnabled, user.isSuperAdmin, directory.otherEnabledSuperAdminCount(than: user.id) == 0 {
            throw .conflict("This is the last super admin: create another one first.")
        }
        apply(.putUser(changed))
        guard user.isEnabled != changed.isEnabled else {
            recordUpdate(from: user, to: changed, sharing: "isEnabled", with: [])
            return changed
        }
        recordUpdate(
            changed.isEnabled ? .enable : .disable, from: user, to: changed, sharing: "isEnabled",
            with: directory.portfolios(where: user.id))
        return changed
    }

    /// - Parameters:
    ///   - field: the only field that the portfolios' logs contain. The others are personal, such as preferred portfolios.
    ///   - portfolios: the portfolios that the change of this field concerns.
    mutating func recordUpdate(
        _ action: ChangeAction = .update, from user: User, to changed: User, sharing field: String,
        with portfolios: Set<PortfolioID>
    ) {
        let (old, new, fields) = (ShownUser(user), ShownUser(changed), ShownUser.fields)
        let (before, after) = fields.recordedChanges(from: old, to: new)
        appendRecord(action, RecordTarget(changed), before: before, after: after)
        let shared = ChangeView(before: fields.recorded(field, of: old), after: fields.recorded(field, of: new))
        for portfolio in portfolios.sorted() {
            appendRecord(action, RecordTarget(changed), as: shared, to: .portfolio(portfolio))
        }
    }
}

extension User {
    /// The fields recorded when a user is created.
    var auditFields: [String: RecordValue] { ShownUser.fields.recorded(ShownUser(self)) }
}

extension Users {
    /// Deletes a user. Once this returns, none of their commands is sent any more and their sessions are invalid. Records keep
    /// the id, and a user who gets the same email address later is another one.
    ///
    /// - Throws: `.denied` for callers who are not super admins; `.conflict` for the last super admin; `.preconditionFailed` if
    ///   `condition` is not met.
    /// - Returns: the effects of a dry run, which changes nothing; otherwise `nil`.
    @discardableResult
    package func delete(
        _ caller: Caller, _ id: UserID, isDryRun: Bool = false, onlyIf condition: Precondition<User>? = nil
    ) async throws(GatewayError) -> RemovalPreview? {
        do {
            var preview = try await writer.remove(
                caller, isDryRun: isDryRun,
                reach: [.user(id)],
                body: { (draft) throws(GatewayError) in try draft.remove(id, onlyIf: condition) },
                afterwards: { sessions.endAll(of: id) })
            preview?.ended += sessions.ids(of: id).map { RecordTarget(type: "Session", id: $0.description) }
            return preview
        } catch .unavailable {
            // It is unknown whether the user is deleted in the store. End the sessions: a user who still exists has to sign in
            // again.
            if !isDryRun, mayDisable(caller) { sessions.endAll(of: id) }
            throw .unavailable
        }
    }
}
