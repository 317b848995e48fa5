extension Wire {
    /// What a decision rests on.
    package struct Rule: Decodable, Equatable, Sendable {
        /// `ASSOCIATION`, `GUEST_ACCESS` or `SUPER_ADMIN`.
        package var kind: String
        /// The association or guest access; `nil` of a super admin.
        package var id: String?
        /// The role that the rule gives, such as `TENANT`.
        package var role: String?
    }
}
