package import DoorwardDomain

/// A lock in the form of responses: the stored device and its reported status.
package struct ShownDevice: Sendable {
    /// The stored device.
    package let device: LockDevice
    /// The reported status; `nil` leaves out the fields of the status.
    package let status: DeviceStatus?

    package init(_ device: LockDevice, status: DeviceStatus? = nil) { (self.device, self.status) = (device, status) }

    private typealias F = Field<ShownDevice>

    /// All fields, in the order of responses.
    package static let fields: [Field<ShownDevice>] = kept + statusFields + keptBehindStatus

    private static let kept: [Field<ShownDevice>] = [
        F("id", .publicLevel) { .id($0.device.id) },
        F("name", .publicLevel, audit: .personal()) { .text($0.device.name) },
        F("adapter", .operations, audit: .created) { .text($0.device.adapter) },
        // An address may contain a code: records contain only its keys.
        F("address", .management, audit: .changed { .keys(of: $0.device.address) }) { .free($0.device.address) },
        F("manufacturer", .operations, audit: .changed) { .text($0.device.manufacturer) },
        F("model", .operations, audit: .changed) { .text($0.device.model) },
        F("firmwareVersion", .operations) { .text($0.device.firmwareVersion) },
        F("portfolioId", .resident) { .id($0.device.portfolioID) },
        F("propertyId", .resident, audit: .created) { .id($0.device.propertyID) },
        F("propertyName", .publicLevel) { shown, _, tenancy in
            .text(shown.device.propertyID.flatMap { tenancy.property($0)?.name })
        },
        F("unitId", .resident, audit: .created) { .id($0.device.unitID) },
        F("unitName", .publicLevel) { shown, _, tenancy in .text(shown.device.unitID.flatMap { tenancy.unit($0)?.name }) },
        F("isRemoteOperationEnabled", .management, audit: .changed) { .bool($0.device.isRemoteOperationEnabled) },
    ]

    /// The fields that the lock reports. They are not stored. Responses contain them as part of the device, and in `status`.
    package static let statusFields: [Field<ShownDevice>] = [
        F("isOnline", .publicLevel, columns: []) { $0.status.map { .flag($0.isOnline) } ?? .absent },
        F("lastSeen", .operations, columns: []) { $0.status.map { .time($0.lastSeen) } ?? .absent },
        F("state", .publicLevel, columns: []) { $0.status.map { .word($0.state) } ?? .absent },
        F("stateQuality", .publicLevel, columns: []) { $0.status.map { .word($0.stateQuality) } ?? .absent },
        F("stateAt", .publicLevel, columns: []) { $0.status.map { .time($0.stateAt) } ?? .absent },
        F("doorState", .publicLevel, columns: []) { $0.status.map { .word($0.doorState) } ?? .absent },
        F("batteryLevel", .resident, columns: []) { $0.status.map { .number($0.batteryLevel) } ?? .absent },
        F("batteryLow", .resident, columns: []) { $0.status.map { .flag($0.batteryLow) } ?? .absent },
        F("faults", .operations, columns: []) { $0.status.map { .strings($0.faults) } ?? .absent },
    ]

    private static let keptBehindStatus: [Field<ShownDevice>] = [
        F("capabilities", .publicLevel) { .strings($0.device.capabilities.names) },
        F("settings", .resident, columns: ["auto_relock_seconds"]) {
            .object([
                FieldValue.Member("autoRelockSeconds", .number($0.device.settings.autoRelockSeconds)),
                FieldValue.Member("hasCode", .bool($0.device.sealedCode != nil)),
            ])
        },
        // Records contain only whether a code is stored, never the code. If a code is replaced, the
        // recorded values before and after the change are therefore equal.
        F(recorded: "hasCode", .changed { $0.device.sealedCode != $1.device.sealedCode }, columns: ["sealed_code"]) {
            .bool($0.device.sealedCode != nil)
        },
        F("metadata", .management) { .free($0.device.metadata) },
        // Metadata may contain personal data: records contain only the number of its keys.
        F(recorded: "metadataKeys", .changed { $0.device.metadata != $1.device.metadata }) {
            .number($0.device.metadata.count)
        },
        F("createdAt", .resident) { .time($0.device.createdAt) },
        F("updatedAt", .resident) { .time($0.device.updatedAt) },
        .viewLevel(),
    ]
}

extension RecordValue {
    fileprivate static func keys(of object: [String: JSONValue]) -> RecordValue {
        .array(object.keys.sorted().map { .string($0) })
    }
}
