/// The right of a guest to listed operations on listed devices, inside a window of time.
package struct GuestAccess: Hashable, Sendable {
    /// Rules and records name the grant by it, also for a guest who has nothing but the link.
    package let id: GuestAccessID
    /// When it counts: outside of it the guest sees names and moves nothing.
    package var window: GuestWindow
    /// From here on the guest may know of the devices. Decisions ask for it, so it is stored beside the window.
    package let createdAt: Timestamp
    /// `nil` for a guest who has nothing but a link.
    package var guestUserID: UserID?
    /// A name for the guest, or a note beside `guestUserID`.
    package var label: String?
    /// Where the devices hang; a guest access does not reach beyond one property.
    package let propertyID: PropertyID
    /// The unit whose guest it is; `nil` for a guest of the property.
    package var unitID: UnitID?
    /// The role of the association `grantedUnderAssociationID` when the access was granted. Under TENANT each device ends with the last
    /// of its carriers. Stored beside `unitID`, it takes no memory of its own: there may be a million of these.
    package let grantedUnderRole: Role
    /// The devices that it opens; one that moves away leaves the list, and with it what carried it.
    package var deviceIDs: [DeviceID] { didSet { simplifyCarriers() } }
    /// For each device the grantor's associations that carried it when the access was granted, ascending. `nil` where every
    /// device was carried by `grantedUnderAssociationID` and by no other.
    package private(set) var carriersByDevice: [DeviceID: [AssociationID]]?
    /// What was granted beside looking at the status, which every guest may.
    package var operations: [LockOperation]
    /// Who granted it. Their being disabled changes nothing.
    package let grantedByUserID: UserID
    /// The association whose right was passed on: of several that carried it together, the one that carried the most devices.
    package let grantedUnderAssociationID: AssociationID
    /// When it was ended before its time; `nil` when it was not. Set, it counts at every instant.
    package var revokedAt: Timestamp?

    /// - Parameter carriers: what carried each listed device; `nil`: all of them the association that it is granted under.
    package init(
        id: GuestAccessID, guestUserID: UserID?, label: String? = nil, propertyID: PropertyID, unitID: UnitID? = nil,
        deviceIDs: [DeviceID], operations: [LockOperation], window: GuestWindow, grantedByUserID: UserID,
        grantedUnderAssociationID: AssociationID, grantedUnderRole: Role,
        carriersByDevice carriers: [DeviceID: [AssociationID]]? = nil, revokedAt: Timestamp? = nil, createdAt: Timestamp
    ) {
        (self.id, self.guestUserID, self.label) = (id, guestUserID, label)
        (self.propertyID, self.unitID, self.deviceIDs) = (propertyID, unitID, deviceIDs)
        (self.operations, self.window) = (operations, window)
        (self.grantedByUserID, self.grantedUnderAssociationID) = (grantedByUserID, grantedUnderAssociationID)
        (self.grantedUnderRole, self.revokedAt, self.createdAt) = (grantedUnderRole, revokedAt, createdAt)
        carriersByDevice = carriers
        simplifyCarriers()
    }

    /// The associations that carried a listed device when the access was granted.
    package func carriers(of device: DeviceID) -> [AssociationID] {
        carriersByDevice.map { $0[device] ?? [] } ?? [grantedUnderAssociationID]
    }

    /// Every association that carried a device of the access, each once, ascending.
    package var carriers: [AssociationID] {
        carriersByDevice.map { Set($0.values.joined()).sorted() } ?? [grantedUnderAssociationID]
    }

    /// Normalizes the map: listed devices only, ascending, and `nil` where it contains no information.
    private mutating func simplifyCarriers() {
        guard let carriers = carriersByDevice else { return }
        let pairs = Set(deviceIDs).map { ($0, Set(carriers[$0] ?? []).sorted()) }
        let isUsual = pairs.allSatisfy { $0.1 == [grantedUnderAssociationID] }
        carriersByDevice = isUsual ? nil : Dictionary(uniqueKeysWithValues: pairs)
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
