extension Wire {
    /// The effects of a removal: what it would remove and end.
    package struct RemovalPreview: Decodable, Equatable, Sendable {
        /// An entity that would be removed.
        package struct Removed: Decodable, Equatable, Sendable {
            /// The type, such as `Unit`.
            package var type: String
            /// The id of the entity.
            package var id: String
            /// The name of the entity, or the full name of a user.
            package var name: String
        }

        /// A role, a guest access, a session, or the assignment of a lock that would end.
        package struct Ended: Decodable, Equatable, Sendable {
            /// `UserRoleAssociation GuestAccess Session LockDevice`.
            package var type: String
            /// The id of the role, guest access, session or lock.
            package var id: String
        }

        /// The entities that would be removed.
        package var removed: [Removed]
        /// The rights and assignments that would end.
        package var ended: [Ended]
    }

    /// `data` of the response to a `DELETE` with `?dryRun=true`.
    package struct RemovalPreviewAnswer: Decodable, Sendable {
        /// The effects.
        package var preview: RemovalPreview
    }
}
