/// A key with which a program sends requests on behalf of the user who created it.
///
/// At every instant, its rights are those that its role on its entity and its creator have in common.
package struct APIKey: Hashable, Sendable {
    /// Part of the secret, so that a request's key is found without a search.
    package let id: APIKeyID
    /// Describes the program that uses the key; recorded as the actor's name.
    package let name: String
    /// The user who created it, or for whom another key created it.
    package let userID: UserID
    /// The key that created it; `nil` if the user created it. A key has no right that its parent lacks, and ends with it.
    package let parentID: APIKeyID?
    /// The entity that `role` applies to, with everything below it.
    package let entity: AssociatedEntity
    /// One of the entity type's `assignableRoles`.
    package let role: Role
    /// The SHA-256 digest of the secret, which is not stored.
    package let digest: [UInt8]
    /// When it was created.
    package let createdAt: Timestamp
    /// From this instant on, the key is rejected.
    package let expiresAt: Timestamp

    /// The maximum time from creation to expiry: a year, also a leap year.
    package static let maxLifetime = Duration.seconds(366 * 86_400)

    package init(
        id: APIKeyID, name: String, userID: UserID, parentID: APIKeyID? = nil, entity: AssociatedEntity, role: Role,
        digest: [UInt8], createdAt: Timestamp, expiresAt: Timestamp
    ) {
        (self.id, self.name, self.userID, self.parentID) = (id, name, userID, parentID)
        (self.entity, self.role, self.digest) = (entity, role, digest)
        (self.createdAt, self.expiresAt) = (createdAt, expiresAt)
    }

    /// The principal that created it, whose rights limit its own.
    package var maker: Principal { parentID.map { .apiKey($0) } ?? .user(userID) }
}
