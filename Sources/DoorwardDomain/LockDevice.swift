/// A lock as configured in the gateway, with its position in the hierarchy and its address. The
/// state that the lock reports is in its `DeviceStatus`.
public struct LockDevice: Hashable, Sendable {
    /// The id, assigned when the lock is attached. A lock that is moved keeps its id; a lock that
    /// is deleted and attached again gets a new id.
    package let id: DeviceID
    /// The display name; not unique.
    package var name: String
    /// The kind of adapter that communicates with the lock: `simulator` or `mqtt`.
    package var adapter: String
    /// The adapter-specific address of the lock, validated by the adapter.
    package var address: [String: JSONValue]
    /// The manufacturer, as entered by the user who attached the lock; `nil` if not given.
    package var manufacturer: String?
    /// The manufacturer's model name, as entered by the user; `nil` if not given.
    package var model: String?
    /// The firmware version that was stored with the lock; `nil` if none was. What the lock reports is in its status.
    package var firmwareVersion: String?
    /// The portfolio; `nil` while the device is unassigned. `propertyID` and `unitID` are then `nil` too.
    package var portfolioID: PortfolioID?
    /// The property; `nil` while the device is unassigned. Only super admins can then see the device.
    package var propertyID: PropertyID?
    /// The unit; `nil` for a device of the property itself, which can be a common area of units.
    package var unitID: UnitID?
    /// Whether the lock can be moved through the gateway. If false, every command for the lock is denied.
    package var isRemoteOperationEnabled: Bool
    /// The capabilities that the adapter reports; an operation whose capability is missing is denied.
    package var capabilities: LockCapabilities
    /// The settings of the lock, as it last confirmed them.
    package var settings: LockSettings
    /// The code sent with every command, encrypted for this device; `nil` if none is stored.
    package var sealedCode: [UInt8]?
    /// Data that users store with the lock; the gateway does not interpret it.
    package var metadata: [String: JSONValue]
    /// When the lock was attached.
    package let createdAt: Timestamp
    /// When a user last changed the device. Reports of the lock do not change this time.
    package var updatedAt: Timestamp

    package init(
        id: DeviceID, name: String, adapter: String, address: [String: JSONValue] = [:], manufacturer: String? = nil,
        model: String? = nil, firmwareVersion: String? = nil, portfolioID: PortfolioID? = nil, propertyID: PropertyID? = nil,
        unitID: UnitID? = nil, isRemoteOperationEnabled: Bool = true, capabilities: LockCapabilities,
        settings: LockSettings = LockSettings(), sealedCode: [UInt8]? = nil, metadata: [String: JSONValue] = [:],
        createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.name, self.adapter, self.address) = (id, name, adapter, address)
        (self.manufacturer, self.model, self.firmwareVersion) = (manufacturer, model, firmwareVersion)
        (self.portfolioID, self.propertyID, self.unitID) = (portfolioID, propertyID, unitID)
        (self.isRemoteOperationEnabled, self.capabilities, self.settings) = (isRemoteOperationEnabled, capabilities, settings)
        (self.sealedCode, self.metadata) = (sealedCode, metadata)
        (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
    }
}

/// Settings of the lock itself.
public struct LockSettings: Hashable, Codable, Sendable {
    /// Seconds from an unlock until the lock locks itself; 0 if it does not lock itself, `nil` if the time is not known.
    public var autoRelockSeconds: Int?

    public init(autoRelockSeconds: Int? = nil) { self.autoRelockSeconds = autoRelockSeconds }
}

/// The currently known state of a lock.
package struct DeviceStatus: Hashable, Sendable {
    /// The bolt state, only as reliable as `stateQuality`.
    package var state: LockState
    /// The quality of `state`. The state is current only if its quality is `confirmed`.
    package var stateQuality: StateQuality
    /// When the lock reported `state`; `nil` if it never has.
    package var stateAt: Timestamp?
    /// The state of the door contact, independent of the bolt: a door can be open with the bolt extended.
    package var doorState: DoorState
    /// The battery level, 0 to 100.
    package var batteryLevel: Int?
    /// Whether the lock reports a low battery; `nil` if it does not report this.
    package var batteryLow: Bool?
    /// Whether the lock is reachable; `nil` if unknown.
    package var isOnline: Bool?
    /// When the last message of the lock was received; `nil` if no message was received yet.
    package var lastSeen: Timestamp?
    /// The reported faults as codes in camel case, such as `jammed` or `notFullyLocked`.
    package var faults: [String]
    /// What the lock or its bridge reports about its make; every part is `nil` if it is not reported.
    package var product = LockProduct()

    package init(
        state: LockState = .unknown, stateQuality: StateQuality = .stale, stateAt: Timestamp? = nil,
        doorState: DoorState = .unknown,
        batteryLevel: Int? = nil, batteryLow: Bool? = nil, isOnline: Bool? = nil, lastSeen: Timestamp? = nil,
        faults: [String] = []
    ) {
        (self.state, self.stateQuality, self.stateAt, self.doorState) = (state, stateQuality, stateAt, doorState)
        (self.batteryLevel, self.batteryLow) = (batteryLevel, batteryLow)
        (self.isOnline, self.lastSeen, self.faults) = (isOnline, lastSeen, faults)
    }
}

/// What a lock is: who made it, and which firmware it runs. Each part is `nil` if it is not known.
public struct LockProduct: Hashable, Sendable {
    /// The name of the manufacturer.
    public var manufacturer: String?
    /// The manufacturer's name of the model.
    public var model: String?
    /// The version of the firmware.
    public var firmwareVersion: String?

    /// Creates the description of a lock.
    public init(manufacturer: String? = nil, model: String? = nil, firmwareVersion: String? = nil) {
        (self.manufacturer, self.model, self.firmwareVersion) = (manufacturer, model, firmwareVersion)
    }

    /// The same description with one line of at most 120 characters for each part, whatever text came from outside.
    package var bounded: LockProduct {
        func line(_ text: String?) -> String? { text?.singleLine(maxLength: 120) }
        return LockProduct(manufacturer: line(manufacturer), model: line(model), firmwareVersion: line(firmwareVersion))
    }
}
