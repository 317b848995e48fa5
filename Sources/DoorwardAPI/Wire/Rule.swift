extension Wire {
    /// The rule on which a decision is based.
    package struct Rule: Decodable, Equatable, Sendable {
        /// `ASSOCIATION`, `GUEST_ACCESS` or `SUPER_ADMIN`.
        package var kind: String
        /// The id of the association or guest access; `nil` for a super admin.
        package var id: String?
        /// The role that the rule gives, such as `TENANT`.
        package var role: String?
    }
}
