package import DoorwardDomain

/// Selects devices; `nil` means any. A device is selected only by fields that are visible to the caller, so that a filter reveals
/// no more than the list does.
package struct DeviceFilter: Equatable, Sendable {
    /// Devices of this property.
    package var property: PropertyID?
    /// Devices of this unit.
    package var unit: UnitID?
    /// Devices with this last known state.
    package var state: LockState?
    /// Devices known to be online, or known to be offline.
    package var isOnline: Bool?
    /// Devices whose battery level is below this value, in percent; devices with an unknown level are not selected.
    package var batteryBelow: Int?
    /// Devices of this kind of adapter.
    package var adapter: String?

    package init() {}

    /// Whether every device is selected.
    package var isEmpty: Bool { self == DeviceFilter() }

    /// Whether a device is selected.
    ///
    /// - Parameter sees: whether the caller sees a field of the device.
    package func passes(_ device: LockDevice, status: @autoclosure () -> DeviceStatus, sees: (String) -> Bool) -> Bool {
        if let property, device.propertyID != property || !sees("propertyId") { return false }
        if let unit, device.unitID != unit || !sees("unitId") { return false }
        if let adapter, device.adapter != adapter || !sees("adapter") { return false }
        guard state != nil || isOnline != nil || batteryBelow != nil else { return true }
        let status = status()
        if let state, status.state != state || !sees("state") { return false }
        if let isOnline, status.isOnline != isOnline || !sees("isOnline") { return false }
        guard let batteryBelow else { return true }
        return status.batteryLevel.map { $0 < batteryBelow } == true && sees("batteryLevel")
    }
}

/// Selects guest accesses; `nil` means any.
package struct GuestAccessFilter: Equatable, Sendable {
    /// Accesses that list this device.
    package var device: DeviceID?
    /// Accesses granted in this unit.
    package var unit: UnitID?
    /// Accesses of this property.
    package var property: PropertyID?
    /// Whether the access is active: neither revoked nor past the end of its window. An access
    /// whose window has not begun yet is active.
    package var isActive: Bool?
    /// Whether the access has a link that works. For a caller who may not manage the access, it has none.
    package var hasLink: Bool?

    package init() {}

    /// Whether every access is selected.
    package var isEmpty: Bool { self == GuestAccessFilter() }

    /// Whether a guest access is selected.
    ///
    /// - Parameter isLinked: whether the access has a link that the caller may know of.
    package func passes(_ access: GuestAccess, at now: Timestamp, isLinked: () -> Bool) -> Bool {
        if let device, !access.deviceIDs.contains(device) { return false }
        if let unit, access.unitID != unit { return false }
        if let property, access.propertyID != property { return false }
        if let isActive, isActive != (now < access.endsAt) { return false }
        return hasLink.map { $0 == isLinked() } ?? true
    }
}

/// Restricts a list to the entities of one parent.
package enum ParentFilter<Parent>: Sendable {
    /// No restriction.
    case any
    /// The parent in a query parameter: entities whose parent is not visible to the caller are not listed.
    case query(EntityID<Parent>)
    /// The parent in the path: the caller must be able to read it.
    case path(EntityID<Parent>)

    /// The parent; `nil` without a restriction.
    package var id: EntityID<Parent>? {
        switch self {
        case .any: nil
        case .query(let id), .path(let id): id
        }
    }

    /// Whether the entities of a parent are listed.
    package func passes(_ parent: EntityID<Parent>, seesParent: () -> Bool) -> Bool {
        switch self {
        case .any: true
        case .query(let id): id == parent && seesParent()
        case .path(let id): id == parent
        }
    }
}

/// A subscription with its usage.
package struct ShownSubscription: Sendable {
    /// The portfolio with the subscription, for its entity tag.
    package let portfolio: Portfolio
    /// The number of objects that count towards each limit, whether or not the limit applies.
    package let usage: [SubscriptionLimit: Int]
}
