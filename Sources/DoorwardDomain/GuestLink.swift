/// The link of a guest access: its holder may use the access without an account. An access has at most one link.
package struct GuestLink: Hashable, Sendable {
    /// The access that the link gives. The link ends with it.
    package let accessID: GuestAccessID
    /// The SHA-256 digest of the token, which is not stored.
    package let digest: [UInt8]
    /// When the link was created.
    package let createdAt: Timestamp

    package init(accessID: GuestAccessID, digest: [UInt8], createdAt: Timestamp) {
        (self.accessID, self.digest, self.createdAt) = (accessID, digest, createdAt)
    }
}
