internal import DoorwardDomain

/// What is known of a device and of no use to a decision: `DeviceNode` and this together are the `LockDevice`.
struct DeviceDetails: Sendable {
    private let name: String
    private let address: [String: JSONValue]
    private let metadata: [String: JSONValue]
    private let settings: LockSettings
    private let sealedCode: [UInt8]?
    private let createdAt: Timestamp
    private let updatedAt: Timestamp
    private let make: Node<DeviceMake>

    init(_ device: LockDevice, make: Node<DeviceMake>) {
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

/// What devices have in common that came out of one box.
struct DeviceMake: Hashable, Sendable {
    let adapter: String
    let manufacturer: String?
    let model: String?
    let firmwareVersion: String?

    init(_ device: LockDevice) {
        (adapter, manufacturer) = (device.adapter, device.manufacturer)
        (model, firmwareVersion) = (device.model, device.firmwareVersion)
    }
}

/// The values that were put last, so that neighbours with equal ones share their memory: devices of one make, the units of a house
/// with its front door, guests who may do the same. A value lives as long as something has it.
struct RecentValues<Value: Equatable & Sendable>: Sendable {
    private static var capacity: Int { 16 }

    private var values: [Value] = []

    /// The value itself, or an equal one that was put lately.
    mutating func shared(_ value: Value) -> Value {
        if let known = values.last(where: { $0 == value }) { return known }
        if values.count == Self.capacity { values.removeFirst() }
        values.append(value)
        return value
    }
}
