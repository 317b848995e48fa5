internal import DoorwardDomain

/// The fields of a device that no decision needs. A `LockDevice` is made from a `DeviceNode` and these fields.
struct DeviceDetails: Sendable {
    private let name: String
    private let address: [String: JSONValue]
    private let metadata: [String: JSONValue]
    private let settings: LockSettings
    private let sealedCode: [UInt8]?
    private let createdAt: Timestamp
    private let updatedAt: Timestamp
    private let make: Box<DeviceModel>

    init(_ device: LockDevice, make: Box<DeviceModel>) {
        (name, address, metadata, settings) = (device.name, device.address, device.metadata, device.settings)
        (createdAt, updatedAt, self.make) = (device.createdAt, device.updatedAt, make)
        sealedCode = device.sealedCode
    }

    func device(_ node: DeviceNode) -> LockDevice {
        LockDevice(
            id: node.id, name: name, adapter: make.value.adapter, address: address, manufacturer: make.value.manufacturer,
            model: make.value.model, firmwareVersion: make.value.firmwareVersion, portfolioID: node.portfolioID,
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

/// Recently stored values, so that equal values share their memory: devices of one model, units with the same common areas, guest
/// accesses with the same operations. A value lives as long as something references it.
struct RecentValues<Value: Equatable & Sendable>: Sendable {
    private static var capacity: Int { 16 }

    private var values: [Value] = []

    /// The value itself, or an equal one that was stored recently.
    mutating func shared(_ value: Value) -> Value {
        if let known = values.last(where: { $0 == value }) { return known }
        if values.count == Self.capacity { values.removeFirst() }
        values.append(value)
        return value
    }
}
