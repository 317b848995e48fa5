/// A lock as the gateway keeps it: where it hangs and how it is reached. What it reports by itself is its `DeviceStatus`.
package struct LockDevice: Hashable, Sendable {
    /// Given when the lock is attached, and kept wherever it moves; a lock that is detached and attached again has a new one.
    package let id: DeviceID
    /// What people call it; not unique.
    package var name: String
    /// The kind of adapter that speaks to it: `simulator`, `mqtt`.
    package var adapter: String
    /// The adapter's own way to find the lock; checked by the adapter.
    package var address: [String: JSONValue]
    /// As whoever attached it wrote it; `nil` when nobody said.
    package var manufacturer: String?
    /// The maker's name for it, from the same hand; `nil` when nobody said.
    package var model: String?
    /// As the lock tells it; `nil` when it does not.
    package var firmwareVersion: String?
    /// `nil` while the device is unassigned; then `propertyID` and `unitID` are too.
    package var portfolioID: PortfolioID?
    /// `nil` while the device is unassigned: then only super admins know of it.
    package var propertyID: PropertyID?
    /// `nil` for a device of the whole property, which units may share.
    package var unitID: UnitID?
    /// When false, nobody moves the lock through the gateway.
    package var isRemoteOperationEnabled: Bool
    /// Told by the adapter; an operation whose capability is missing is denied.
    package var capabilities: LockCapabilities
    /// As they were set last.
    package var settings: LockSettings
    /// The code that goes along with every command, encrypted for this device; `nil` where none is stored.
    package var sealedCode: [UInt8]?
    /// Whatever people want to keep beside the lock; the gateway does not look inside.
    package var metadata: [String: JSONValue]
    /// When it was attached.
    package let createdAt: Timestamp
    /// The last change of what people set; what the lock reports does not count.
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

/// What can be set in a lock itself.
package struct LockSettings: Hashable, Codable, Sendable {
    /// Seconds from an unlock until the lock locks itself; `nil` when it does not, or does not say.
    package var autoRelockSeconds: Int?

    package init(autoRelockSeconds: Int? = nil) { self.autoRelockSeconds = autoRelockSeconds }
}

/// What is known of a lock's condition at this moment.
package struct DeviceStatus: Hashable, Sendable {
    /// Where the bolt is, as far as `stateQuality` can be trusted.
    package var state: LockState
    /// Only `confirmed` says where the bolt is now.
    package var stateQuality: StateQuality
    /// When the lock reported `state`; `nil` before it ever has.
    package var stateAt: Timestamp?
    /// By a contact of its own: a door can stand open with the bolt out.
    package var doorState: DoorState
    /// 0 to 100.
    package var batteryLevel: Int?
    /// The lock's own word that it needs a battery; `nil` when it gives none.
    package var batteryLow: Bool?
    /// `nil` when nobody knows.
    package var isOnline: Bool?
    /// When anything was heard of the lock; `nil` before it ever was.
    package var lastSeen: Timestamp?
    /// Lower-case words such as `jammed`, `tamper`.
    package var faults: [String]

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
