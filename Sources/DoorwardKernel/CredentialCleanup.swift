package import DoorwardDomain
package import DoorwardPolicy

// API keys and invitations that end because of another change.

extension TenancyDirectory {
    /// Whether the invitation's creator still has the right to create it.
    package func isStillAuthorized(_ invitation: Invitation, at time: DecisionTime) -> Bool {
        mayManage(invitation, subject(of: invitation.creator, at: time))
    }

    /// Whether the subject could create the invitation now.
    package func mayManage(_ invitation: Invitation, _ subject: Subject) -> Bool {
        switch invitation.offer {
        case .role(let role, let entity):
            let permission = ManagementPermission.assigning(role, on: entity.type)
            return SecurityService.allows(subject, permission, on: ManagedObject(entity), in: self).isAllowed
        case .account(let id):
            return user(id) != nil && SecurityService.allows(subject, .usersCreate, on: .gateway, in: self).isAllowed
        }
    }

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
    mutating func endUnauthorizedCredentials(of id: UserID) {
        if directory.user(id)?.isEnabled != true {
            for key in directory.apiKeys(of: id) { end(key) }
        }
        for invitation in directory.invitations(by: id) where !directory.isStillAuthorized(invitation, at: time) {
            end(invitation)
        }
    }

    /// Ends all credentials and invitations of a user, apart from roles and guest accesses: sessions, password
    /// link, recovery codes, API keys, the invitations that the user created, and those of the user's address. For a user who is
    /// deleted: a later user with the same address must not inherit anything.
    package mutating func endCredentials(of user: User) {
        transaction.credentials += [
            .endSessions(of: user.id), .endReset(of: user.id), .endResets(createdBy: user.id),
            .setRecoveryCodes(of: user.id, digests: []),
        ]
        for key in directory.apiKeys(of: user.id) { end(key) }
        for invitation in directory.invitations(by: user.id) + directory.invitations(of: user.email) { end(invitation) }
    }

    /// Ends the API keys and invitations for an entity that is deleted. To be called for each entity that a cascade deletes, before
    /// the entity is removed, so that the records name the position of the entity.
    package mutating func endKeysAndInvitations(on entity: AssociatedEntity) {
        for key in directory.apiKeys(on: entity) { end(key) }
        for invitation in directory.invitations(to: entity) { end(invitation) }
    }

    /// Removes a key and the keys that were created with it.
    package mutating func end(_ key: APIKey) {
        guard directory.apiKey(key.id) != nil else { return }
        apply(.removeAPIKey(key.id))
        appendRecord(.delete, RecordTarget(key), at: key.entity, before: APIKey.fields.recorded(key))
        for child in directory.apiKeys(of: key.userID) where child.parentID == key.id { end(child) }
    }

    /// Removes an invitation that was not accepted, and records its end.
    package mutating func end(_ invitation: Invitation) {
        guard directory.invitation(invitation.id) != nil else { return }
        apply(.removeInvitation(invitation.id))
        appendRecord(.delete, RecordTarget(invitation), at: invitation.entity, before: invitation.auditFields)
    }
}

extension Invitation {
    /// The fields recorded when the invitation is created or ends.
    package var auditFields: [String: RecordValue] { ShownInvitation.fields.recorded(ShownInvitation(self)) }
}
