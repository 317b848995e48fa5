package import DoorwardDomain

/// The fields of a device that decisions need: its ids, capabilities and flags. A node has 72 bytes and contains no references.
///
/// A node is valid only with its own version of the directory, which also contains the device's other fields.
package struct DeviceNode: TableEntry {
    /// The id, which is the key of the node in the directory's table.
    package let id: DeviceID
    // These ids are not optional, because an optional id takes 24 bytes. `flags` indicates which of them are set.
    private let unit: UnitID
    private let property: PropertyID
    private let portfolio: PortfolioID
    let capabilities: LockCapabilities
    private var flags: Flags
    /// The index in `TenancyDirectory.sharing` of the units that share the device; valid if `hasSharingSlot` is set.
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

    /// Creates the node of a device that no unit shares yet.
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
    /// False for a device without a property, which only super admins can see.
    var isAssigned: Bool { flags.contains(.hasProperty) }
    var isRemoteOperationEnabled: Bool { flags.contains(.isRemoteOperationEnabled) }
    /// Whether the tenants of at least one unit share the device.
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

/// A reference to a value that several versions of the directory share.
final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension Box: Equatable where Value: Equatable {
    static func == (a: Box, b: Box) -> Bool { a.value == b.value }
}

/// The fields of a device that decisions do not need. A `LockDevice` is assembled from a `DeviceNode` and these fields.
struct DeviceDetails: Sendable {
    private let name: String
    private let address: [String: JSONValue]
    private let metadata: [String: JSONValue]
    private let settings: LockSettings
    private let sealedCode: [UInt8]?
    private let createdAt: Timestamp
    private let updatedAt: Timestamp
    private let model: Box<DeviceModel>

    init(_ device: LockDevice, model: Box<DeviceModel>) {
        (name, address, metadata, settings) = (device.name, device.address, device.metadata, device.settings)
        (createdAt, updatedAt, self.model) = (device.createdAt, device.updatedAt, model)
        sealedCode = device.sealedCode
    }

    func device(_ node: DeviceNode) -> LockDevice {
        LockDevice(
            id: node.id, name: name, adapter: model.value.adapter, address: address, manufacturer: model.value.manufacturer,
            model: model.value.model, firmwareVersion: model.value.firmwareVersion, portfolioID: node.portfolioID,
            propertyID: node.propertyID, unitID: node.unitID, isRemoteOperationEnabled: node.isRemoteOperationEnabled,
            capabilities: node.capabilities, settings: settings, sealedCode: sealedCode, metadata: metadata,
            createdAt: createdAt, updatedAt: updatedAt)
    }
}

/// The fields that devices of the same model share.
struct DeviceModel: Hashable, Sendable {
    let adapter: String
    let manufacturer: String?
    let model: String?
    let firmwareVersion: String?

    init(_ device: LockDevice) {
        (adapter, manufacturer) = (device.adapter, device.manufacturer)
        (model, firmwareVersion) = (device.model, device.firmwareVersion)
    }
}

/// The values that were stored last. A new value that equals one of them is replaced by it, so that
/// equal device models, lists of common areas and lists of operations share memory.
struct RecentValues<Value: Equatable & Sendable>: Sendable {
    private static var capacity: Int { 16 }

    private var values: [Value] = []

    /// Returns an equal value that was stored recently. If there is none, stores and returns `value`.
    mutating func shared(_ value: Value) -> Value { shared(where: { $0 == value }, orElse: value) }

    /// The same, if creating the value takes longer than comparing.
    mutating func shared(where isEqual: (Value) -> Bool, orElse value: @autoclosure () -> Value) -> Value {
        if let known = values.last(where: isEqual) { return known }
        if values.count == Self.capacity { values.removeFirst() }
        let value = value()
        values.append(value)
        return value
    }
}
