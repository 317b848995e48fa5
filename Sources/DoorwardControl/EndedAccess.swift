internal import DoorwardDomain
internal import DoorwardPolicy

// API keys and invitations that end because of another change.

extension TenancyDirectory {
    /// The user whose rights a change may reduce; to be called before the change is applied.
    func userLosingRights(by change: TenancyChange) -> UserID? {
        switch change {
        case .putAssociation(let association): self.association(association.id)?.userID
        case .removeAssociation(let id): association(id)?.userID
        case .putUser(let user):
            self.user(user.id).flatMap {
                $0.isEnabled && !user.isEnabled || $0.isSuperAdmin && !user.isSuperAdmin ? user.id : nil
            }
        case .removeAPIKey(let id): apiKey(id)?.userID
        default: nil
        }
    }
}

extension TenancyUnitOfWork {
    /// Ends the API keys of a user who is disabled, and the invitations whose creator has lost the right to create them.
    mutating func endUnfoundedAccess(of id: UserID) {
        if directory.user(id)?.isEnabled != true {
            for key in directory.apiKeys(of: id) { end(key) }
        }
        for invitation in directory.invitations(by: id) where !directory.isFounded(invitation, at: time) { end(invitation) }
    }

    /// Ends everything that a user could still act with or be admitted by, apart from roles and guest accesses: sessions, password
    /// link, recovery codes, API keys, the invitations that the user created, and those of the user's address. For a user who is
    /// deleted: a later user with the same address must not inherit anything.
    mutating func endCredentials(of user: User) {
        transaction.credentials += [
            .endSessions(of: user.id), .endReset(of: user.id), .endResets(madeBy: user.id),
            .setRecoveryCodes(of: user.id, digests: []),
        ]
        for key in directory.apiKeys(of: user.id) { end(key) }
        for invitation in directory.invitations(by: user.id) + directory.invitations(of: user.email) { end(invitation) }
    }

    /// Ends the API keys and invitations for an entity that is deleted. To be called for each entity that a cascade deletes, before
    /// the entity is removed, so that the records name the position of the entity.
    mutating func endKeysAndInvitations(on entity: AssociatedEntity) {
        for key in directory.apiKeys(on: entity) { end(key) }
        for invitation in directory.invitations(to: entity) { end(invitation) }
    }
}
