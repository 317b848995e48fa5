/// The right of a guest to listed operations on listed devices, inside a window of time.
package struct GuestAccess: Hashable, Sendable {
    /// Rules and records name the grant by it, also for a guest who has nothing but the link.
    package let id: GuestAccessID
    /// `nil` for a guest who has nothing but a link.
    package var guestUserID: UserID?
    /// A name for the guest, or a note beside `guestUserID`.
    package var label: String?
    /// Where the devices hang; a guest access does not reach beyond one property.
    package let propertyID: PropertyID
    /// The unit whose guest it is; `nil` for a guest of the property.
    package var unitID: UnitID?
    /// The devices that it opens; one that moves away leaves the list.
    package var deviceIDs: [DeviceID]
    /// What was granted beside looking at the status, which every guest may.
    package var operations: [LockOperation]
    /// When it counts: outside of it the guest sees names and moves nothing.
    package var window: GuestWindow
    /// Who granted it. Their being disabled changes nothing.
    package let grantedByUserID: UserID
    /// The association whose right was passed on; a guest access granted under a TENANT association ends with it.
    package let grantedUnderAssociationID: AssociationID
    /// The role of that association when the access was granted.
    package let grantedUnderRole: Role
    /// When it was ended before its time; `nil` when it was not. Set, it counts at every instant.
    package var revokedAt: Timestamp?
    /// From here on the guest may know of the devices.
    package let createdAt: Timestamp

    package init(
        id: GuestAccessID, guestUserID: UserID?, label: String? = nil, propertyID: PropertyID, unitID: UnitID? = nil,
        deviceIDs: [DeviceID], operations: [LockOperation], window: GuestWindow, grantedByUserID: UserID,
        grantedUnderAssociationID: AssociationID, grantedUnderRole: Role, revokedAt: Timestamp? = nil, createdAt: Timestamp
    ) {
        (self.id, self.guestUserID, self.label) = (id, guestUserID, label)
        (self.propertyID, self.unitID, self.deviceIDs) = (propertyID, unitID, deviceIDs)
        (self.operations, self.window) = (operations, window)
        (self.grantedByUserID, self.grantedUnderAssociationID) = (grantedByUserID, grantedUnderAssociationID)
        (self.grantedUnderRole, self.revokedAt, self.createdAt) = (grantedUnderRole, revokedAt, createdAt)
    }

    /// When the access stopped or will stop counting: revoked, or the end of the window.
    package var endsAt: Timestamp { revokedAt.map { min($0, window.validUntil) } ?? window.validUntil }
}

/// The half-open span `[validFrom, validUntil)` in which a guest may enter: the start is in, the end is out.
package struct GuestWindow: Hashable, Sendable {
    /// The first instant that is in.
    package let validFrom: Timestamp
    /// Later than `validFrom`.
    package let validUntil: Timestamp

    /// Five years: the longest window that is granted.
    package static let longest = Duration.seconds(5 * 366 * 86_400)

    package init(validFrom: Timestamp, validUntil: Timestamp) {
        (self.validFrom, self.validUntil) = (validFrom, validUntil)
    }

    /// Whether `instant` is in: `validFrom` is, `validUntil` is not.
    package func contains(_ instant: Timestamp) -> Bool { validFrom <= instant && instant < validUntil }
}
