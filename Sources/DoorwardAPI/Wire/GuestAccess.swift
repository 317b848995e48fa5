extension Wire {
    /// Somebody's access to some locks for some time.
    package struct GuestAccess: Decodable, Equatable, Sendable {
        package var id: String
        /// `nil` of a guest who is but a label.
        package var guestUserId: String?
        package var label: String?
        package var propertyId: String?
        package var unitId: String?
        package var deviceIds: [String]?
        /// Such as `LOCK` and `UNLOCK`.
        package var operations: [String]?
        /// The first instant that is in.
        package var validFrom: String?
        /// The first instant that is out again.
        package var validUntil: String?
        package var grantedByUserId: String?
        /// `nil` while it stands.
        package var revokedAt: String?
        package var createdAt: String?
    }

    /// `data` of an answer about one guest access.
    package struct GuestAccessAnswer: Decodable, Sendable {
        package var guestAccess: GuestAccess
    }

    /// `data` of a page of guest accesses.
    package struct GuestAccessPage: Decodable, Sendable {
        package var guestAccesses: [GuestAccess]
        package var pagination: Pagination
    }

    /// The body of `POST /guest-access`: a plain window, `[validFrom, validUntil)`.
    package struct NewGuestAccess: Encodable, Sendable {
        package var guestUserId: String?
        /// Who the guest is, for one without a user.
        package var label: String?
        package var deviceIds: [String]
        package var operations: [String]
        package var validFrom: String
        package var validUntil: String

        package init(
            guestUserId: String?, label: String?, deviceIds: [String], operations: [String], validFrom: String, validUntil: String
        ) {
            (self.guestUserId, self.label, self.deviceIds) = (guestUserId, label, deviceIds)
            (self.operations, self.validFrom, self.validUntil) = (operations, validFrom, validUntil)
        }
    }
}
