extension Wire {
    /// The access of a guest to some locks for some time.
    package struct GuestAccess: Decodable, Equatable, Sendable {
        /// The id in `DELETE /guest-access/:id`.
        package var id: String
        /// The user who is the guest; `nil` for a guest who has only a label.
        package var guestUserId: String?
        /// A note about a user; for a guest without a user, the only description.
        package var label: String?
        /// The property that all its locks are attached to.
        package var propertyId: String?
        /// The unit that it was granted under, if there is one.
        package var unitId: String?
        /// The locks, without those that were moved or detached since.
        package var deviceIds: [String]?
        /// The operations, such as `LOCK` and `UNLOCK`.
        package var operations: [String]?
        /// The start of the window, inclusive.
        package var validFrom: String?
        /// The end of the window, exclusive.
        package var validUntil: String?
        /// Always `nil` so far.
        package var resolution: Value?
        /// Always `nil` so far.
        package var schedule: Value?
        /// The maximum number of uses; `nil` for no limit.
        package var maxUses: Int?
        /// The number of uses that are left.
        package var usesLeft: Int?
        /// The user who granted it.
        package var grantedByUserId: String?
        /// The role association under which it was granted.
        package var grantedUnderAssociationId: String?
        /// When the access was revoked; `nil` if it was not.
        package var revokedAt: String?
        /// When it was granted.
        package var createdAt: String?
    }

    /// `data` of a response about one guest access.
    package struct GuestAccessAnswer: Decodable, Sendable {
        /// The guest access as its reader may see it.
        package var guestAccess: GuestAccess
    }

    /// `data` of a page of guest accesses.
    package struct GuestAccessPage: Decodable, Sendable {
        /// The guest accesses in the requested order.
        package var guestAccesses: [GuestAccess]
        /// The position of the page in the whole list.
        package var pagination: Pagination
    }

    /// The body of `POST /guest-access`: a plain window, `[validFrom, validUntil)`.
    package struct NewGuestAccess: Encodable, Sendable {
        /// The id of the guest; `nil` if the guest is named by `guestEmail` or has only a label.
        package var guestUserId: String?
        /// The exact email address of the guest, instead of the id.
        package var guestEmail: String?
        /// The description of a guest without a user.
        package var label: String?
        /// The locks. The caller must hold the right to grant access to each of them.
        package var deviceIds: [String]
        /// Some of `LOCK UNLOCK UNLATCH VIEW_STATUS`; only operations that the caller holds.
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
