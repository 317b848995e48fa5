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

/// The makes that were put last, so that devices of one make share one. A make lives as long as a device has it.
struct RecentMakes: Sendable {
    private static var capacity: Int { 16 }

    private var nodes: [Node<DeviceMake>] = []

    mutating func node(_ make: DeviceMake) -> Node<DeviceMake> {
        if let known = nodes.last(where: { $0.value == make }) { return known }
        if nodes.count == Self.capacity { nodes.removeFirst() }
        let node = Node(make)
        nodes.append(node)
        return node
    }
}
