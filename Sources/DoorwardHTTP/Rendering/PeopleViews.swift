internal import DoorwardDomain
internal import DoorwardPolicy

// Users, what they hold, and guest accesses.
extension View {
    /// - Parameter associations: those to show; by default all that the subject may know of.
    func user(_ user: User, associations: [UserRoleAssociation]? = nil, into writer: inout JSONWriter) {
        writer.projected(.user, at: level(for: .user(user.id))) { writer in
            writer.field("id", user.id)
            writer.field("email", user.email)
            writer.field("firstName", user.firstName)
            writer.field("lastName", user.lastName)
            writer.field("isEnabled", user.isEnabled)
            writer.field("isSuperAdmin", user.isSuperAdmin)
            writer.field("roleAssociations", associations ?? knownAssociations(of: user.id))
            writer.field("guestAccesses") { writer in
                writer.array(tenancy.guestAccesses(of: user.id)) { guestAccess($1, into: &$0) }
            }
            writer.field("defaultPortfolioId", user.defaultPortfolioID)
            writer.field("defaultPropertyId", user.defaultPropertyID)
            writer.field("defaultUnitId", user.defaultUnitID)
            writer.field("hasCompliancePack", user.hasCompliancePack)
            writer.field("createdAt", user.createdAt)
            writer.field("updatedAt", user.updatedAt)
        }
    }

    /// A manager sees only the associations on entities that the manager may know of.
    private func knownAssociations(of user: UserID) -> [UserRoleAssociation] {
        let all = tenancy.associations(of: user)
        if subject.isUser(user) || subject.isSuperAdmin { return all }
        return all.filter { SecurityService.reaches(subject, $0.entity, in: tenancy) }
    }

    func guestAccess(_ access: GuestAccess, into writer: inout JSONWriter) {
        writer.projected(.guestAccess, at: level(for: .guestAccess(access.id))) { writer in
            writer.field("id", access.id)
            writer.field("guestUserId", access.guestUserID)
            writer.field("label", access.label)
            writer.field("propertyId", access.propertyID)
            writer.field("unitId", access.unitID)
            writer.field("deviceIds", access.deviceIDs)
            writer.field("operations", access.operations)
            writer.field("validFrom", access.window.validFrom)
            writer.field("validUntil", access.window.validUntil)
            writer.field("resolution", String?.none)
            writer.field("schedule", String?.none)
            writer.field("maxUses", Int?.none)
            writer.field("usesLeft", Int?.none)
            writer.field("grantedByUserId", access.grantedByUserID)
            writer.field("grantedUnderAssociationId", access.grantedUnderAssociationID)
            writer.field("revokedAt", access.revokedAt)
            writer.field("createdAt", access.createdAt)
        }
    }
}

extension UserRoleAssociation: JSONRenderable {
    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("id", id)
            writer.field("userId", userID)
            writer.field("associatedEntityType", entity.type)
            writer.field("associatedEntityId", entity.id)
            writer.field("roleWithinEntity", role)
            writer.field("createdAt", createdAt)
            writer.field("updatedAt", updatedAt)
        }
    }
}
