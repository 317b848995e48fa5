extension Wire {
    /// Somebody's access to some locks for some time.
    package struct GuestAccess: Decodable, Equatable, Sendable {
        /// What `DELETE /guest-access/:id` ends it by.
        package var id: String
        /// `nil` of a guest who is but a label.
        package var guestUserId: String?
        /// A note beside a user; else all that is known of the guest.
        package var label: String?
        /// The property that all its locks hang on.
        package var propertyId: String?
        /// The unit that it was granted under, if there is one.
        package var unitId: String?
        /// Locks that have gone elsewhere since are not among them.
        package var deviceIds: [String]?
        /// Such as `LOCK` and `UNLOCK`.
        package var operations: [String]?
        /// The first instant that is in.
        package var validFrom: String?
        /// The first instant that is out again.
        package var validUntil: String?
        /// `nil` of every access so far.
        package var resolution: Value?
        /// `nil` of every access so far.
        package var schedule: Value?
        /// How often it may be used; `nil`: without a limit.
        package var maxUses: Int?
        /// How often it may still be used.
        package var usesLeft: Int?
        /// Whoever gave it.
        package var grantedByUserId: String?
        /// The role under which it was given.
        package var grantedUnderAssociationId: String?
        /// `nil` while it stands.
        package var revokedAt: String?
        /// When it was given.
        package var createdAt: String?
    }

    /// `data` of an answer about one guest access.
    package struct GuestAccessAnswer: Decodable, Sendable {
        /// As its reader may see it.
        package var guestAccess: GuestAccess
    }

    /// `data` of a page of guest accesses.
    package struct GuestAccessPage: Decodable, Sendable {
        /// In the order that was asked for.
        package var guestAccesses: [GuestAccess]
        /// Where in the whole list the page lies.
        package var pagination: Pagination
    }

    /// The body of `POST /guest-access`: a plain window, `[validFrom, validUntil)`.
    package struct NewGuestAccess: Encodable, Sendable {
        /// The guest by id; `nil` for one who is given by address or label.
        package var guestUserId: String?
        /// The guest by their exact email address, instead of by id.
        package var guestEmail: String?
        /// Who the guest is, for one without a user.
        package var label: String?
        /// The caller must hold the right to let others in on each of them.
        package var deviceIds: [String]
        /// `LOCK UNLOCK UNLATCH VIEW_STATUS`, none that the caller has not.
        package var operations: [String]
        /// RFC 3339; the instant itself is in.
        package var validFrom: String
        /// RFC 3339; the instant itself is out.
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
