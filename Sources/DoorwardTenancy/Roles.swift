package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy

/// The use cases of roles: assigning, removing and listing them.
package struct Roles: UseCases, Sendable {
    let kernel: Kernel

    package init(_ kernel: Kernel) { self.kernel = kernel }

    /// Assigns a role, which is effective when this returns. If the user already has it, returns the existing association.
    package func assign(
        _ caller: Caller, _ role: Role, to user: UserID, on entity: AssociatedEntity
    ) async throws(GatewayError) -> UserRoleAssociation {
        try await writer.change(
            caller, reach: [.entity(entity)],
            body: { (draft) throws(GatewayError) in
                try draft.require(.assigning(role, on: entity.type), on: ManagedObject(entity))
                return try draft.assign(role, to: user, on: entity)
            })
    }

    /// Removes every role of `user` on `entity`. Once this returns, no further command is sent under any of these roles.
    ///
    /// - Returns: the effects of a dry run, which changes nothing; otherwise `nil`.
    @discardableResult
    package func remove(
        _ caller: Caller, _ user: UserID, from entity: AssociatedEntity, isDryRun: Bool = false
    ) async throws(GatewayError) -> RemovalPreview? {
        try await writer.remove(
            caller, isDryRun: isDryRun,
            reach: [.entity(entity)],
            body: { (draft) throws(GatewayError) in try draft.removeRoles(of: user, on: entity) })
    }

    /// The users who hold a role on `entity`.
    package func people(
        on entity: AssociatedEntity, for caller: Caller, _ request: PageRequest<NameOrCreatedAt>
    ) throws(GatewayError) -> Page<RoleHolder> {
        let current = CallerSnapshot(directory, caller)
        try current.tenancy.requireReach(of: current.subject, to: entity)
        try current.tenancy.require(.peopleRead, of: current.subject, on: ManagedObject(entity))
        let byUser = Dictionary(grouping: current.tenancy.associations(on: entity), by: \.userID)
        let holders = byUser.keys.sorted().compactMap { id in
            current.tenancy.user(id).map { user in
                RoleHolder(user: user, associations: (byUser[id] ?? []).sorted { $0.id < $1.id })
            }
        }
        return request.page(of: holders, in: current.snapshot)
    }
}

/// A user who holds a role on an entity.
package struct RoleHolder: NamedItem {
    /// The user.
    package let user: User
    /// The user's associations with this entity only, sorted by id.
    package let associations: [UserRoleAssociation]

    /// The user's full name.
    package var sortName: String { user.sortName }
    /// When the user was created.
    package var createdAt: Timestamp { user.createdAt }
}

extension TenancyUnitOfWork {
    /// - Parameter invitation: the accepted invitation that assigns the role; recorded with its creator.
    /// - Throws: `.notFound` if the user does not exist.
    mutating func assign(
        _ role: Role, to userID: UserID, on entity: AssociatedEntity, under invitation: Invitation? = nil
    ) throws(GatewayError) -> UserRoleAssociation {
        guard directory.user(userID) != nil else { throw .notFound }
        if let standing = directory.associations(on: entity).first(where: { $0.userID == userID && $0.role == role }) {
            return standing
        }
        let association = UserRoleAssociation(
            id: newID(), userID: userID, entity: entity, role: role, createdAt: now, updatedAt: now)
        apply(.putAssociation(association))
        var after = UserRoleAssociation.fields.recorded(association)
        if let invitation {
            after["invitationId"] = .id(invitation.id)
            after["invitedByUserId"] = .id(invitation.userID)
        }
        appendRecord(.assign, RecordTarget(association), at: entity, after: after)
        return association
    }

    mutating func removeRoles(of userID: UserID, on entity: AssociatedEntity) throws(GatewayError) {
        try requireAnyAssignment(on: entity)
        let held = directory.associations(on: entity).filter { $0.userID == userID }
        for association in held {
            try require(.assigning(association.role, on: entity.type), on: ManagedObject(entity))
        }
        guard !held.isEmpty else { throw .notFound }
        for association in held { try remove(association) }
    }

    /// Requires the right to assign at least one role on the entity, so that other callers do not learn who holds a role.
    private func requireAnyAssignment(on entity: AssociatedEntity) throws(GatewayError) {
        let (roles, object) = (entity.type.assignableRoles.sorted { $0.rank > $1.rank }, ManagedObject(entity))
        let permissions = roles.map { ManagementPermission.assigning($0, on: entity.type) }
        if permissions.contains(where: { SecurityService.allows(subject, $0, on: object, in: directory).isAllowed }) { return }
        if let first = permissions.first { try require(first, on: object) }
        throw .outOfReach(of: subject)
    }

    /// Removes one role. The caller's right to do so was checked before.
    ///
    /// - Throws: `.conflict` for the last owner of a portfolio, unless the caller is a super admin.
    mutating func remove(_ association: UserRoleAssociation) throws(GatewayError) {
        let isLastOwner =
            association.role == .owner
            && directory.associations(on: association.entity).count { $0.role == .owner } == 1
        if isLastOwner, !subject.isSuperAdmin {
            throw .conflict("This is the portfolio's last owner: assign another owner first, or ask a super admin.")
        }
        end(association)
    }
}
