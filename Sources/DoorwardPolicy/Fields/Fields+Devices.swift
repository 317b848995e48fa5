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
        F("id", .publicLevel) { $0.device.id },
        F("name", .publicLevel, audit: .personal()) { $0.device.name },
        F("adapter", .operations, audit: .created) { $0.device.adapter },
        // An address may contain a code: records contain only its keys.
        F("address", .management, audit: .changed { .keys(of: $0.device.address) }) { $0.device.address },
        F("manufacturer", .operations, audit: .changed) { $0.device.manufacturer ?? $0.status?.product.manufacturer },
        F("model", .operations, audit: .changed) { $0.device.model ?? $0.status?.product.model },
        F("firmwareVersion", .operations) { $0.status?.product.firmwareVersion ?? $0.device.firmwareVersion },
        F("portfolioId", .resident) { $0.device.portfolioID },
        F("propertyId", .resident, audit: .created) { $0.device.propertyID },
        F("propertyName", .publicLevel) { shown, _, tenancy in
            shown.device.propertyID.flatMap { tenancy.property($0)?.name }
        },
        F("unitId", .resident, audit: .created) { $0.device.unitID },
        F("unitName", .publicLevel) { shown, _, tenancy in shown.device.unitID.flatMap { tenancy.unit($0)?.name } },
        F("isRemoteOperationEnabled", .management, audit: .changed) { $0.device.isRemoteOperationEnabled },
    ]

    /// The fields that the lock reports. They are not stored. Responses contain them as part of the device, and in `status`.
    package static let statusFields: [Field<ShownDevice>] = [
        .status("isOnline", .publicLevel) { $0.isOnline },
        .status("lastSeen", .operations) { $0.lastSeen },
        .status("state", .publicLevel) { $0.state },
        .status("stateQuality", .publicLevel) { $0.stateQuality },
        .status("stateAt", .publicLevel) { $0.stateAt },
        .status("doorState", .publicLevel) { $0.doorState },
        .status("batteryLevel", .resident) { $0.batteryLevel },
        .status("batteryLow", .resident) { $0.batteryLow },
        .status("faults", .operations) { $0.faults },
    ]

    private static let settingsSchema = JSONSchema.object([
        JSONSchema.Member("autoRelockSeconds", .nullable(.integer())), JSONSchema.Member("hasCode", .boolean),
    ])

    private static let keptBehindStatus: [Field<ShownDevice>] = [
        F("capabilities", .publicLevel) { $0.device.capabilities.names },
        F("settings", .resident, as: settingsSchema, columns: ["auto_relock_seconds"]) {
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
        F("notes", .management) { $0.device.notes },
        // Notes may name people, and super admins read the gateway's log: records contain only whether there are any.
        F(recorded: "hasNotes", .changed { $0.device.notes != $1.device.notes }) { .bool($0.device.notes != nil) },
        F("metadata", .management) { $0.device.metadata },
        // Metadata may contain personal data: records contain only the number of its keys.
        F(recorded: "metadataKeys", .changed { $0.device.metadata != $1.device.metadata }) {
            .number($0.device.metadata.count)
        },
        F("createdAt", .resident) { $0.device.createdAt },
        F("updatedAt", .resident) { $0.device.updatedAt },
        .viewLevel(),
    ]
}

extension Field<ShownDevice> {
    /// Creates a field that the lock reports; it is left out of a device without a status.
    @inline(__always)
    fileprivate static func status<Value: FieldConvertible>(
        _ name: String, _ level: FieldLevel, _ read: @escaping @Sendable (DeviceStatus) -> Value
    ) -> Field {
        Field(name, level, as: Value.schema, canBeAbsent: true, columns: []) { shown in
            shown.status.map { read($0).fieldValue } ?? .absent
        }
    }
}

extension RecordValue {
    fileprivate static func keys(of object: [String: JSONValue]) -> RecordValue {
        .array(object.keys.sorted().map { .string($0) })
    }
}
