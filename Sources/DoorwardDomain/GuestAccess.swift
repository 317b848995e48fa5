/// A guest's right to listed operations on listed devices, within a time window.
package struct GuestAccess: Hashable, Sendable {
    /// The id by which rules and records refer to the guest access, also for a guest who has only a link.
    package let id: GuestAccessID
    /// The window in which the access is valid. Outside the window the guest can see names but not operate anything.
    package var window: GuestWindow
    /// When the access was granted. From this time on, the devices are visible to the guest.
    /// Decisions read this field, so it is stored beside the window.
    package let createdAt: Timestamp
    /// The guest; `nil` for a guest who has only a link.
    package var guestUserID: UserID?
    /// A name for the guest or, if `guestUserID` is set, a note.
    package var label: String?
    /// The property of the devices; a guest access never spans properties.
    package let propertyID: PropertyID
    /// The unit that the access was granted in; `nil` for a guest of the whole property.
    package var unitID: UnitID?
    /// The role of the association `grantedUnderAssociationID` when the access was granted. If the role is TENANT, access to a
    /// device ends when the last of the device's carriers (see `carriersByDevice`) is removed. The field is stored beside
    /// `unitID`, where it takes no additional memory: there may be a million guest accesses.
    package let grantedUnderRole: Role
    /// The devices that the access covers. A device that is moved away is removed from the list, together with its carriers.
    package var deviceIDs: [DeviceID] { didSet { simplifyCarriers() } }
    /// The carriers of each device, ascending: the grantor's associations that covered the device when the access was granted.
    /// `nil` if every device was covered by `grantedUnderAssociationID` alone.
    package private(set) var carriersByDevice: [DeviceID: [AssociationID]]?
    /// The granted operations. Every guest may also view the status.
    package var operations: [LockOperation]
    /// The grantor. The access stays valid if the grantor is disabled.
    package let grantedByUserID: UserID
    /// The grantor's association under which the access was granted. If several associations
    /// covered the devices, it is the one that covered the most devices.
    package let grantedUnderAssociationID: AssociationID
    /// When the access was revoked; `nil` if it was not. A revoked access is denied at every instant, even before this time.
    package var revokedAt: Timestamp?
    /// The restrictions, in a separate object: most accesses have none, and need only this reference.
    private var restrictions: SharedObject<Restrictions>?

    /// - Parameters:
    ///   - resolution: how the local times of the request became the window.
    ///   - carriers: the associations that covered each listed device; `nil` if `grantedUnderAssociationID` alone covered all
    ///     devices.
    ///   - widenedUnder: see `widenedUnder`.
    package init(
        id: GuestAccessID, guestUserID: UserID?, label: String? = nil, propertyID: PropertyID, unitID: UnitID? = nil,
        deviceIDs: [DeviceID], operations: [LockOperation], window: GuestWindow, resolution: WindowResolution = .asGiven,
        schedule: Schedule? = nil, maxUses: Int? = nil, grantedByUserID: UserID, grantedUnderAssociationID: AssociationID,
        grantedUnderRole: Role, carriersByDevice carriers: [DeviceID: [AssociationID]]? = nil,
        widenedUnder: [AssociationID] = [], revokedAt: Timestamp? = nil, createdAt: Timestamp
    ) {
        (self.id, self.guestUserID, self.label) = (id, guestUserID, label)
        (self.propertyID, self.unitID, self.deviceIDs) = (propertyID, unitID, deviceIDs)
        (self.operations, self.window) = (operations, window)
        (self.grantedByUserID, self.grantedUnderAssociationID) = (grantedByUserID, grantedUnderAssociationID)
        (self.grantedUnderRole, self.revokedAt, self.createdAt) = (grantedUnderRole, revokedAt, createdAt)
        restrict {
            $0 = Restrictions(
                schedule: schedule, maxUses: maxUses, resolution: resolution, widenedUnder: Set(widenedUnder).sorted())
        }
        carriersByDevice = carriers
        simplifyCarriers()
    }

    /// The recurring hours that narrow the window; `nil` if the access is valid in the whole window.
    package var schedule: Schedule? {
        get { restrictions?.value.schedule }
        set { restrict { $0.schedule = newValue } }
    }

    /// How many commands that open a lock the access permits in total; `nil` for any number. The uses that are taken are counted
    /// separately.
    package var maxUses: Int? {
        get { restrictions?.value.maxUses }
        set { restrict { $0.maxUses = newValue } }
    }

    /// How the local times of the requests that set the window became instants.
    package var resolution: WindowResolution {
        get { restrictions?.value.resolution ?? .asGiven }
        set { restrict { $0.resolution = newValue } }
    }

    /// The tenants' associations under which the access was widened after it was granted, ascending. The access ends when the first of them
    /// is removed, regardless of its carriers.
    package var widenedUnder: [AssociationID] {
        get { restrictions?.value.widenedUnder ?? [] }
        set { restrict { $0.widenedUnder = Set(newValue).sorted() } }
    }

    /// Changes the restrictions; an access without any stores no object.
    private mutating func restrict(_ change: (inout Restrictions) -> Void) {
        var changed = restrictions?.value ?? Restrictions()
        change(&changed)
        restrictions = changed == Restrictions() ? nil : SharedObject(changed)
    }

    /// Whether the access to a device depends on tenancies, so that it may end before its window does.
    package var dependsOnTenancies: Bool { grantedUnderRole == .tenant || !widenedUnder.isEmpty }

    /// Whether the tenancies that the access to a listed device depends on still exist.
    package func isHeld(on device: DeviceID, exists: (AssociationID) -> Bool) -> Bool {
        guard widenedUnder.allSatisfy(exists) else { return false }
        guard grantedUnderRole == .tenant else { return true }
        guard let carriers = carriersByDevice else { return exists(grantedUnderAssociationID) }
        return (carriers[device] ?? []).contains(where: exists)
    }

    /// Replaces the devices together with the associations that cover them, as for `init`.
    package mutating func setDevices(_ devices: [DeviceID], carriersByDevice carriers: [DeviceID: [AssociationID]]?) {
        carriersByDevice = nil
        deviceIDs = devices
        carriersByDevice = carriers
        simplifyCarriers()
    }

    /// The associations that covered a listed device when the access was granted.
    package func carriers(of device: DeviceID) -> [AssociationID] {
        carriersByDevice.map { $0[device] ?? [] } ?? [grantedUnderAssociationID]
    }

    /// All associations that covered a device of the access, without duplicates, ascending.
    package var carriers: [AssociationID] {
        carriersByDevice.map { Set($0.values.joined()).sorted() } ?? [grantedUnderAssociationID]
    }

    /// Normalizes the map: keeps the listed devices only, sorts the ids, and sets the map to `nil`
    /// if `grantedUnderAssociationID` is the only carrier of every device.
    private mutating func simplifyCarriers() {
        guard let carriers = carriersByDevice else { return }
        let pairs = Set(deviceIDs).map { ($0, Set(carriers[$0] ?? []).sorted()) }
        let isUsual = pairs.allSatisfy { $0.1 == [grantedUnderAssociationID] }
        carriersByDevice = isUsual ? nil : Dictionary(uniqueKeysWithValues: pairs)
    }

    /// When the access stopped or will stop being valid: its revocation or the end of the window, whichever is earlier.
    package var endsAt: Timestamp { revokedAt.map { min($0, window.validUntil) } ?? window.validUntil }
}

/// The half-open interval `[validFrom, validUntil)` in which a guest access is valid.
package struct GuestWindow: Hashable, Sendable {
    /// The first instant of the window.
    package let validFrom: Timestamp
    /// The first instant after the window; later than `validFrom`.
    package let validUntil: Timestamp

    /// The length of the longest window that can be granted, in calendar years.
    private static let maxYears = 5

    package init(validFrom: Timestamp, validUntil: Timestamp) {
        (self.validFrom, self.validUntil) = (validFrom, validUntil)
    }

    /// The end of the longest window that begins like this one: the same time of the same day five years later, on the clock of a
    /// zone. For 29 February it is 28 February.
    package func latestEnd(on rules: TimeZoneRules) -> Timestamp {
        let local = rules.local(at: validFrom)
        let (date, year) = (local.date, local.date.year + Self.maxYears)
        let end = CivilDate(year: year, month: date.month, day: date.day) ?? CivilDate(year: year, month: 2, day: 28) ?? date
        let later = LocalDateTime(milliseconds: local.milliseconds + (end.daysSinceEpoch - date.daysSinceEpoch) * 86_400_000)
        return max(rules.resolve(later, fold: .first).instant, rules.resolve(later, fold: .second).instant)
    }

    /// Whether `instant` is in the window. `validFrom` is in the window, `validUntil` is not.
    package func contains(_ instant: Timestamp) -> Bool { validFrom <= instant && instant < validUntil }
}

/// How the local times of a request became the instants of a window.
package struct WindowResolution: Hashable, Sendable {
    /// The IANA zone that the request named; `nil` if it named none, so that the zone of the property is shown.
    package var timeZone: String?
    /// How the start was found.
    package var validFrom: ClockChange
    /// How the end was found.
    package var validUntil: ClockChange

    package init(timeZone: String? = nil, validFrom: ClockChange = .none, validUntil: ClockChange = .none) {
        (self.timeZone, self.validFrom, self.validUntil) = (timeZone, validFrom, validUntil)
    }

    /// The request gave both as instants, and named no zone.
    package static let asGiven = WindowResolution()
}

extension GuestAccess {
    /// Restrictions of an access in addition to its window, and dependencies in addition to its grant.
    private struct Restrictions: Hashable {
        var schedule: Schedule?
        var maxUses: Int?
        var resolution = WindowResolution.asGiven
        var widenedUnder: [AssociationID] = []
    }
}

/// The link of a guest access: its holder may use the access without an account. An access has at most one link.
package struct GuestLink: Hashable, Sendable {
    /// The access that the link gives. The link ends with it.
    package let accessID: GuestAccessID
    /// The user who created it, or on whose behalf an API key did.
    package let userID: UserID
    /// The API key that created it; `nil` if the user did.
    package let keyID: APIKeyID?
    /// The SHA-256 digest of the token, which is not stored.
    package let digest: [UInt8]
    /// When the link was created.
    package let createdAt: Timestamp

    package init(accessID: GuestAccessID, userID: UserID, keyID: APIKeyID? = nil, digest: [UInt8], createdAt: Timestamp) {
        (self.accessID, self.userID, self.keyID) = (accessID, userID, keyID)
        (self.digest, self.createdAt) = (digest, createdAt)
    }

    /// The principal that created the link, and so knows its secret.
    package var creator: Principal { keyID.map { .apiKey($0) } ?? .user(userID) }
}
