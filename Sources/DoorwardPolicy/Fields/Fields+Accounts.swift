package import DoorwardDomain

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
        F(recorded: "parentId", .created, columns: ["parent_id"]) { $0.parentID == nil ? .absent : .id($0.parentID) },
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
        F(recorded: "entityType", .created, columns: ["entity_type"]) { .word($0.invitation.entity?.type) },
        F(recorded: "entityId", .created, columns: ["entity_id"]) { .id($0.invitation.entity?.id) },
        F(recorded: "userId", .created, columns: ["account_id"]) {
            $0.invitation.accountID == nil ? .absent : .id($0.invitation.accountID)
        },
        F(stored: "userId"), F(stored: "keyId"), F(stored: "digest"), F(stored: "createdAt"),
    ]
}
