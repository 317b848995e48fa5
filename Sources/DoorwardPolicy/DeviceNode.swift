package import DoorwardDomain

/// What a decision needs of a device, in 72 bytes without a reference: where it hangs, and what it can.
///
/// It belongs to the version of the directory that it came from; all else about the device lies there.
package struct DeviceNode: TableEntry {
    /// What the directory's table of devices finds the node by.
    package let id: DeviceID
    // Bare ids, as each optional would take 24 bytes. `flags` says which of them count.
    private let unit: UnitID
    private let property: PropertyID
    private let portfolio: PortfolioID
    let capabilities: LockCapabilities
    private var flags: Flags
    /// Where in the directory the units are that share it, once there have been any.
    private var sharing: UInt32 = 0

    private struct Flags: OptionSet {
        let rawValue: UInt8

        static let hasUnit = Self(rawValue: 1 << 0)
        static let hasProperty = Self(rawValue: 1 << 1)
        static let hasPortfolio = Self(rawValue: 1 << 2)
        static let isRemoteOperationEnabled = Self(rawValue: 1 << 3)
        static let isShared = Self(rawValue: 1 << 4)
        static let hasSharingSlot = Self(rawValue: 1 << 5)
    }

    /// A device as it was put, which no unit shares yet.
    init(_ device: LockDevice) {
        id = device.id
        unit = device.unitID ?? UnitID(high: 0, low: 0)
        property = device.propertyID ?? PropertyID(high: 0, low: 0)
        portfolio = device.portfolioID ?? PortfolioID(high: 0, low: 0)
        capabilities = device.capabilities
        flags = [
            device.unitID == nil ? [] : .hasUnit,
            device.propertyID == nil ? [] : .hasProperty,
            device.portfolioID == nil ? [] : .hasPortfolio,
            device.isRemoteOperationEnabled ? .isRemoteOperationEnabled : [],
        ]
    }

    var unitID: UnitID? { flags.contains(.hasUnit) ? unit : nil }
    var propertyID: PropertyID? { flags.contains(.hasProperty) ? property : nil }
    var portfolioID: PortfolioID? { flags.contains(.hasPortfolio) ? portfolio : nil }
    /// False for a device that hangs on no property: only super admins know of it.
    var isAssigned: Bool { flags.contains(.hasProperty) }
    var isRemoteOperationEnabled: Bool { flags.contains(.isRemoteOperationEnabled) }
    /// Whether there are units whose tenants share it.
    var isShared: Bool { flags.contains(.isShared) }
    var sharingSlot: Int? { flags.contains(.hasSharingSlot) ? Int(sharing) : nil }

    mutating func setSharing(slot: Int, isShared: Bool) {
        sharing = UInt32(slot)
        flags.insert(.hasSharingSlot)
        if isShared { flags.insert(.isShared) } else { flags.remove(.isShared) }
    }

    /// Whether tenants of `unit` may share this device if the unit lists it.
    func canBeShared(by unit: Unit) -> Bool { unitID == nil && propertyID == unit.propertyID }
}

/// A value that is kept once and pointed at from every version of the directory.
final class Node<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension Node: Equatable where Value: Equatable {
    static func == (a: Node, b: Node) -> Bool { a.value == b.value }
}
