/// The link of a guest access: its holder may use the access without an account. An access has at most one link.
package struct GuestLink: Hashable, Sendable {
    /// The access that the link gives. The link ends with it.
    package let accessID: GuestAccessID
    /// The user who created it, or on whose behalf an API key did.
    package let userID: UserID
    /// The API key that created it; `nil` if the user did.
    package let keyID: APIKeyID?
    /// The SHA-256 digest of the token, which is not stored.
    package let digest: [UInt8]
    /// When the link was created.
    package let createdAt: Timestamp

    package init(accessID: GuestAccessID, userID: UserID, keyID: APIKeyID? = nil, digest: [UInt8], createdAt: Timestamp) {
        (self.accessID, self.userID, self.keyID) = (accessID, userID, keyID)
        (self.digest, self.createdAt) = (digest, createdAt)
    }

    /// The principal that created it, and knows it.
    package var maker: Principal { keyID.map { .apiKey($0) } ?? .user(userID) }
}
