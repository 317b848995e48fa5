extension Wire {
    /// A guest's right to operations on locks, within a time window.
    package struct GuestAccess: ListItem, Equatable, Sendable {
        /// The key of a list of these in a response.
        package static let listKey = "guestAccesses"

        /// The id in `DELETE /guest-access/:id`.
        package var id: String
        /// The user who is the guest; `nil` for a guest who has only a label.
        package var guestUserId: String?
        /// A note about the guest. For a guest without a user, it is the only description.
        package var label: String?
        /// The property of all locks of the access.
        package var propertyId: String?
        /// The unit under which the access was granted, if there is one.
        package var unitId: String?
        /// The locks of the access. A lock that was moved or detached is no longer in the list.
        package var deviceIds: [String]?
        /// The operations, such as `LOCK` and `UNLOCK`.
        package var operations: [String]?
        /// The start of the window, inclusive.
        package var validFrom: String?
        /// The end of the window, exclusive.
        package var validUntil: String?
        /// Reserved: always `nil` so far.
        package var resolution: Value?
        /// The recurring hours of the access; `nil` if there is none.
        package var schedule: Value?
        /// The maximum number of uses; `nil` if there is none.
        package var maxUses: Int?
        /// The number of remaining uses; `nil` if there is none.
        package var usesLeft: Int?
        /// The user who granted the access.
        package var grantedByUserId: String?
        /// The role association under which the access was granted.
        package var grantedUnderAssociationId: String?
        /// When the access was revoked; `nil` if it was not.
        package var revokedAt: String?
        /// When the access was granted.
        package var createdAt: String?
        /// The level at which the reader sees it: `PUBLIC RESIDENT OPERATIONS MANAGEMENT OWNER`.
        package var viewLevel: String?
    }

    /// `data` of a response about one guest access.
    package struct GuestAccessAnswer: Decodable, Sendable {
        /// The guest access, with the fields that are visible to the reader.
        package var guestAccess: GuestAccess
    }

    /// The body of `POST /guest-access`. The access has a single window, `[validFrom, validUntil)`.
    package struct NewGuestAccess: Encodable, Sendable {
        /// The id of the guest; `nil` if the guest is named by `guestEmail` or has only a label.
        package var guestUserId: String?
        /// The complete email address of the guest, as an alternative to `guestUserId`.
        package var guestEmail: String?
        /// The description of a guest without a user.
        package var label: String?
        /// The locks. The caller must hold GRANT_ACCESS on each of them.
        package var deviceIds: [String]
        /// The operations to grant, of `LOCK UNLOCK UNLATCH VIEW_STATUS`. The caller must hold each of them.
        package var operations: [String]
        /// The start of the window in RFC 3339, inclusive.
        package var validFrom: String
        /// The end of the window in RFC 3339, exclusive.
        package var validUntil: String

        package init(
            guestUserId: String?, guestEmail: String? = nil, label: String?, deviceIds: [String], operations: [String],
            validFrom: String, validUntil: String
        ) {
            (self.guestUserId, self.guestEmail) = (guestUserId, guestEmail)
            (self.label, self.deviceIds) = (label, deviceIds)
            (self.operations, self.validFrom, self.validUntil) = (operations, validFrom, validUntil)
        }
    }
}
