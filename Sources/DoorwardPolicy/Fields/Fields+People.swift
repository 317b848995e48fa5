package import DoorwardDomain

// The fields of users, role associations and guest accesses.

/// A user in the form of responses.
package struct ShownUser: Sendable {
    /// The stored user.
    package let user: User
    /// The associations to show; `nil` for all that are visible to the reader.
    package let associations: [UserRoleAssociation]?

    package init(_ user: User, associations: [UserRoleAssociation]? = nil) {
        (self.user, self.associations) = (user, associations)
    }

    private typealias F = Field<ShownUser>

    /// The fields, in the order of responses.
    package static let fields: [Field<ShownUser>] = [
        F("id", .publicLevel) { $0.user.id },
        F("email", .management, columns: ["email", "email_key"], audit: .personal(.creation) { $0.user.id }) {
            $0.user.email
        },
        F("firstName", .publicLevel, audit: .personal { $0.user.id }) { $0.user.firstName },
        F("lastName", .resident, audit: .personal { $0.user.id }) { $0.user.lastName },
        F("isEnabled", .management, audit: .changed) { $0.user.isEnabled },
        F("isSuperAdmin", .owner, audit: .created) { $0.user.isSuperAdmin },
        F("roleAssociations", .management, as: .array(.reference("RoleAssociation"))) { shown, reader, tenancy in
            let whole = FieldReader(reader.subject, level: .owner, at: reader.now)
            let associations = shown.associations ?? tenancy.associations(of: shown.user.id, knownTo: reader.subject)
            return .list(associations.map { UserRoleAssociation.fields.object($0, for: whole, in: tenancy) })
        },
        F("guestAccesses", .owner, as: .array(.reference("GuestAccess"))) { shown, reader, tenancy in
            .list(tenancy.guestAccesses(of: shown.user.id).map { $0.shown(to: reader.subject, at: reader.now, in: tenancy) })
        },
        F("defaultPortfolioId", .owner, audit: .changed) { $0.user.defaultPortfolioID },
        F("defaultPropertyId", .owner, audit: .changed) { $0.user.defaultPropertyID },
        F("defaultUnitId", .owner, audit: .changed) { $0.user.defaultUnitID },
        F("hasCompliancePack", .owner, audit: .changed) { $0.user.hasCompliancePack },
        F("createdAt", .owner) { $0.user.createdAt },
        F("updatedAt", .owner) { $0.user.updatedAt },
        F("viewLevel", .publicLevel, as: .words(FieldLevel.allCases.map(\.name) + ["SELF"])) { shown, reader, _ in
            .string(reader.subject.isUser(shown.user.id) ? "SELF" : reader.level.name)
        },
    ]
}

extension UserRoleAssociation {
    private typealias F = Field<UserRoleAssociation>

    /// The fields, in the order of responses. A reader who may see an association sees all of its fields.
    package static let fields: [Field<UserRoleAssociation>] = [
        F("id", .publicLevel) { $0.id },
        F("userId", .publicLevel, audit: .created) { $0.userID },
        F("associatedEntityType", .publicLevel, columns: ["entity_type"], audit: .created) { $0.entity.type },
        F("associatedEntityId", .publicLevel, columns: ["entity_id"], audit: .created) { $0.entity.id },
        F("roleWithinEntity", .publicLevel, columns: ["role"], audit: .created) { $0.role },
        F("createdAt", .publicLevel) { $0.createdAt },
        F("updatedAt", .publicLevel) { $0.updatedAt },
    ]
}

extension GuestAccess {
    private typealias F = Field<GuestAccess>

    /// The fields, in the order of responses.
    package static let fields: [Field<GuestAccess>] = [
        F("id", .publicLevel) { $0.id },
        F("guestUserId", .publicLevel, audit: .created) { $0.guestUserID },
        F("guest", .publicLevel, as: .nullable(.guest), part: ("email", .management)) { access, reader, tenancy in
            .guest(access.guestUserID.flatMap { tenancy.user($0) }, for: reader)
        },
        F("label", .publicLevel, audit: .personal { $0.guestUserID }) { $0.label },
        F("propertyId", .publicLevel) { $0.propertyID },
        F("unitId", .publicLevel) { $0.unitID },
        F("deviceIds", .publicLevel, audit: .always) { $0.deviceIDs },
        F("operations", .publicLevel, audit: .always) { $0.operations },
        F("validFrom", .publicLevel, audit: .always) { $0.window.validFrom },
        F("validUntil", .publicLevel, audit: .always) { $0.window.validUntil },
        F(
            "resolution", .publicLevel, as: WindowResolution.schema,
            columns: ["time_zone", "resolved_from", "resolved_until"],
            audit: .always(if: { $0.resolution != $1.resolution }, as: { $0.resolution.recorded })
        ) { access, _, tenancy in
            access.resolution.shown(in: tenancy.property(access.propertyID)?.defaultTimeZone)
        },
        F(
            "schedule", .publicLevel,
            audit: .always(if: { $0.schedule != $1.schedule }, as: { $0.schedule.map(\.recorded) ?? .null })
        ) { $0.schedule },
        F("maxUses", .publicLevel, audit: .always) { $0.maxUses },
        F("usesLeft", .publicLevel) { access, _, tenancy in tenancy.usesLeft(of: access) },
        F("grantedByUserId", .publicLevel) { $0.grantedByUserID },
        F(
            "grantedUnderAssociationId", .management, columns: ["granted_under_association_id", "granted_under_role"],
            audit: .created
        ) { $0.grantedUnderAssociationID },
        // Recorded only if the access depends on associations other than `grantedUnderAssociationId`.
        F(recorded: "carriedByAssociationIds", .created, columns: ["device_carriers"]) {
            $0.carriersByDevice == nil ? .absent : $0.carriers.fieldValue
        },
        // Recorded only if a tenant has widened the access.
        F(recorded: "widenedUnderAssociationIds", .changed, columns: ["widened_under"]) {
            $0.widenedUnder.isEmpty ? .absent : $0.widenedUnder.fieldValue
        },
        F("revokedAt", .publicLevel, audit: .changed) { $0.revokedAt },
        F("createdAt", .publicLevel) { $0.createdAt },
        .viewLevel(),
    ]

    /// The fields without `usesLeft`, which changes with each command under the access.
    package static let storedFields = fields.filter { $0.name != "usesLeft" }

    /// The fields of an access that is only drafted: without the id, which does not exist, and without the guest, whom the request
    /// names. A grant that shows to whom an address belongs is recorded; a dry run is not.
    package static let draftFields = fields.filter { !["id", "guestUserId", "guest"].contains($0.name) }

    /// Returns the fields of the access that are visible to a subject.
    fileprivate func shown(to subject: Subject, at now: DecisionTime, in tenancy: TenancyDirectory) -> FieldValue {
        let level = SecurityService.fieldLevel(of: subject, for: .guestAccess(id), at: now, in: tenancy)
        return Self.fields.object(self, for: FieldReader(subject, level: level ?? .publicLevel, at: now), in: tenancy)
    }
}

extension TenancyDirectory {
    /// The user without the default entities that were deleted or that the user no longer reaches. The stored user keeps them: a
    /// default counts again when the user reaches the entity again.
    package func withReachableDefaults(_ user: User) -> User {
        let subject = subject(of: .user(user.id))
        func reached<Entity>(_ id: EntityID<Entity>?, _ entity: (EntityID<Entity>) -> AssociatedEntity) -> EntityID<Entity>? {
            id.flatMap { SecurityService.reaches(subject, entity($0), in: self) ? $0 : nil }
        }
        var shown = user
        shown.defaultPortfolioID = reached(user.defaultPortfolioID) { .portfolio($0) }
        shown.defaultPropertyID = reached(user.defaultPropertyID) { .property($0) }
        shown.defaultUnitID = reached(user.defaultUnitID) { .unit($0) }
        return shown
    }

    /// The associations of a user that a subject may see. The user and super admins see all; other
    /// subjects see those on entities that they reach.
    fileprivate func associations(of user: UserID, knownTo subject: Subject) -> [UserRoleAssociation] {
        let all = associations(of: user)
        if subject.isUser(user) || subject.isSuperAdmin { return all }
        return all.filter { SecurityService.reaches(subject, $0.entity, in: self) }
    }
}

extension JSONSchema {
    /// The person who is the guest of a guest access.
    fileprivate static let guest = object([
        Member("id", UserID.schema), Member("name", .text, description: "The first and the last name."),
        Member("email", .text, isRequired: false, description: "From `MANAGEMENT` on, and for the guest."),
    ])
}

extension FieldValue {
    /// The guest, with the address from MANAGEMENT on and for the guest; `.null` without a person.
    fileprivate static func guest(_ user: User?, for reader: FieldReader) -> Self {
        guard let user else { return .null }
        let seesAddress = reader.level >= .management || reader.subject.isUser(user.id)
        return .object([
            .init("id", user.id), .init("name", user.fullName), .init("email", seesAddress ? .string(user.email) : .absent),
        ])
    }
}

// API keys and invitations. A reader who may see one sees all of its fields.

extension APIKey {
    private typealias F = Field<APIKey>

    /// The fields, in the order of responses. The secret is shown once, by the request that creates the key.
    package static let fields: [Field<APIKey>] = [
        F("id", .publicLevel) { $0.id },
        F("name", .publicLevel, audit: .created) { $0.name },
        F("entityType", .publicLevel, audit: .created) { $0.entity.type },
        F("entityId", .publicLevel, audit: .created) { $0.entity.id },
        F("role", .publicLevel, audit: .created) { $0.role },
        F("userId", .publicLevel, audit: .created) { $0.userID },
        F(recorded: "parentId", .created, columns: ["parent_id"]) { $0.parentID?.fieldValue ?? .absent },
        F(stored: "digest"),
        F("createdAt", .publicLevel) { $0.createdAt },
        F("expiresAt", .publicLevel, audit: .created) { $0.expiresAt },
    ]
}

/// An invitation as responses show it.
package struct ShownInvitation: Sendable {
    /// The stored invitation.
    package let invitation: Invitation
    /// The token and the URL of the page with it, which only the response to the creation contains; `nil` in others.
    package let link: (token: Secret<String>, url: Secret<String>)?

    package init(_ invitation: Invitation, link: (token: Secret<String>, url: Secret<String>)? = nil) {
        (self.invitation, self.link) = (invitation, link)
    }

    private typealias F = Field<ShownInvitation>

    /// The fields, in the order of responses. They are the same for every address, whether or not it belongs to a user.
    package static let fields: [Field<ShownInvitation>] = [
        F("id", .publicLevel) { $0.invitation.id },
        F("email", .publicLevel, audit: .personal(.creation)) { $0.invitation.email },
        F("role", .publicLevel, audit: .created) { $0.invitation.role },
        F("token", .publicLevel, columns: []) { $0.link?.token.reveal() },
        F("url", .publicLevel, columns: []) { $0.link?.url.reveal() },
        F("expiresAt", .publicLevel, audit: .created) { $0.invitation.expiresAt },
        F(recorded: "entityType", .created, columns: ["entity_type"]) { ($0.invitation.entity?.type).fieldValue },
        F(recorded: "entityId", .created, columns: ["entity_id"]) { ($0.invitation.entity?.id).fieldValue },
        F(recorded: "userId", .created, columns: ["account_id"]) { $0.invitation.accountID?.fieldValue ?? .absent },
        F(stored: "userId"), F(stored: "keyId"), F(stored: "digest"), F(stored: "createdAt"),
    ]
}
