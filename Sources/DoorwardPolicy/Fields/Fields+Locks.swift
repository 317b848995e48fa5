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
        F("address", .management, audit: .changed(as: { .keys(of: $0.device.address) })) { $0.device.address },
        F("manufacturer", .operations, audit: .changed) { $0.device.texts[.manufacturer] ?? $0.status?.product.manufacturer },
        F("model", .operations, audit: .changed) { $0.device.texts[.model] ?? $0.status?.product.model },
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
                .init("autoRelockSeconds", $0.device.settings.autoRelockSeconds), .init("hasCode", $0.device.sealedCode != nil),
            ])
        },
        // Records contain only whether a code is stored, never the code. If a code is replaced, the
        // recorded values before and after the change are therefore equal.
        F(recorded: "hasCode", .changed(if: { $0.device.sealedCode != $1.device.sealedCode }), columns: ["sealed_code"]) {
            .bool($0.device.sealedCode != nil)
        },
        F("notes", .management) { $0.device.texts[.notes] },
        // Notes may name people, and super admins read the gateway's log: records contain only whether there are any.
        F(recorded: "hasNotes", .changed(if: { $0.device.texts[.notes] != $1.device.texts[.notes] })) {
            .bool($0.device.texts[.notes] != nil)
        },
        F("metadata", .management) { $0.device.metadata },
        // Metadata may contain personal data: records contain only the number of its keys.
        F(recorded: "metadataKeys", .changed(if: { $0.device.metadata != $1.device.metadata })) {
            $0.device.metadata.count.fieldValue
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

// The fields of commands and access records. Management sees all fields, and a command's actor sees
// all fields of the command. Residents see fewer fields.

/// A command in the form of responses.
package struct ShownCommand: Sendable {
    /// The command in its current state.
    package let command: Command
    /// The unit that the device was attached to when the command was accepted.
    package let unitID: UnitID?

    package init(_ command: Command, unit: UnitID?) { (self.command, unitID) = (command, unit) }

    private typealias F = Field<ShownCommand>

    /// Management and the actor see the actor as an object; other residents see a name or nothing.
    private static let actorSchema = JSONSchema.object([
        JSONSchema.Member("kind", ActorKind.schema), JSONSchema.Member("id", .nullable(.text)),
        JSONSchema.Member("name", .nullable(.text)),
    ])

    /// The fields, in the order of responses.
    package static let fields: [Field<ShownCommand>] = [
        F("id", .resident) { $0.command.id },
        F("deviceId", .resident) { $0.command.deviceID },
        F("operation", .resident) { $0.command.operation },
        F("state", .resident) { $0.command.state },
        F("actor", .resident, as: .oneOf([actorSchema, .text, .null])) { shown, reader, tenancy in
            let command = shown.command
            guard reader.level < .management else { return .actor(command.actor) }
            return reader.label(
                of: command.actor, under: command.rule, unit: shown.unitID, at: command.requestedAt, in: tenancy
            ).fieldValue
        },
        F("source", .management) { $0.command.source },
        F("reason", .management) { $0.command.reason },
        F("override", .management, as: .override) { .override($0.command.override) },
        F("rule", .management) { $0.command.rule },
        F("sent", .management) { $0.command.sent },
        F("changed", .management) { $0.command.changed },
        F("outcomeDetail", .management) { $0.command.outcomeDetail },
        F("stateBefore", .management) { $0.command.stateBefore },
        F("stateAfter", .management) { $0.command.stateAfter },
        F("requestedAt", .resident) { $0.command.requestedAt },
        F("deadline", .management) { $0.command.deadline },
        F("dispatchedAt", .management) { $0.command.dispatchedAt },
        F("completedAt", .management) { $0.command.completedAt },
        .viewLevel(.resident),
    ]
}

extension AccessRecord {
    private typealias F = Field<AccessRecord>

    /// The fields, in the order of responses.
    package static let fields: [Field<AccessRecord>] = head + actor + place + outcome + change

    private static let head: [Field<AccessRecord>] = [
        F("logId", .management) { $0.body.log.description },
        F("seq", .management) { $0.seq },
        F("id", .resident) { $0.body.id },
        F("at", .resident) { $0.body.at },
        F("kind", .resident) { $0.body.kind },
        F("operation", .resident) { $0.body.operation },
        F("decision", .resident) { $0.body.decision },
        F("reason", .management) { $0.body.reason },
        F("rule", .management) { $0.body.rule },
    ]

    private static let actor: [Field<AccessRecord>] = [
        // Management sees the separate fields of the actor instead.
        F("actor", .resident, as: .nullable(.text), canBeAbsent: true) { record, reader, tenancy in
            guard reader.level < .management else { return .absent }
            let body = record.body
            return reader.label(of: body.actor, under: body.rule, unit: body.unitID, at: body.at, in: tenancy).fieldValue
        },
        F("actorKind", .management) { $0.body.actor.kind },
        F("actorId", .management) { $0.body.actor.id },
        F("actorName", .management) { $0.body.actor.name },
        F("actorUserId", .management) { $0.body.actor.userID },
        F("source", .management) { $0.body.source },
        F("clientAddress", .management) { $0.body.clientAddress },
        F("requestId", .management) { $0.body.requestID },
    ]

    private static let place: [Field<AccessRecord>] = [
        F("deviceId", .resident) { $0.body.device?.deviceID },
        F("deviceName", .management) { $0.body.device?.deviceName },
        F("unitId", .management) { $0.body.unitID },
        F("propertyId", .management) { $0.body.propertyID },
        F("portfolioId", .management) { $0.body.portfolioID ?? $0.body.log.portfolioID },
    ]

    private static let outcome: [Field<AccessRecord>] = [
        F("commandId", .management) { $0.body.commandID },
        F("outcome", .resident) { $0.body.outcome },
        F("outcomeDetail", .management) { $0.body.outcomeDetail },
        F("stateBefore", .management) { $0.body.stateBefore },
        F("stateAfter", .management) { $0.body.stateAfter },
        F("latencyMs", .management) { $0.body.latencyMs },
        F("statedReason", .management) { $0.body.statedReason },
        F("override", .management, as: .override) { .override($0.body.override) },
        F("event", .resident) { $0.body.event },
        F("method", .resident) { $0.body.method },
    ]

    private static let change: [Field<AccessRecord>] = [
        F("action", .management) { $0.body.action },
        F("targetType", .management) { $0.body.target?.type },
        F("targetId", .management) { $0.body.target?.id },
        F("details", .management, as: .map(.any)) { .details($0.body.details) },
        .viewLevel(.resident),
    ]
}

extension FieldValue {
    fileprivate static func actor(_ actor: RecordActor) -> FieldValue {
        .object([Member("kind", actor.kind), Member("id", actor.id), Member("name", actor.name)])
    }

    fileprivate static func override(_ reason: String?) -> FieldValue {
        reason.map { .object([Member("reason", $0)]) } ?? .null
    }
}

extension JSONSchema {
    fileprivate static let override = nullable(.object([Member("reason", .text)]))
}

extension Rule: FieldConvertible {
    package static let schema = JSONSchema.object([
        JSONSchema.Member("kind", .words(["ASSOCIATION", "GUEST_ACCESS", "SUPER_ADMIN"])),
        JSONSchema.Member("id", .nullable(.text)), JSONSchema.Member("role", .nullable(Role.schema)),
    ])

    package var fieldValue: FieldValue {
        .object([.init("kind", kind), .init("id", id), .init("role", role)])
    }
}

extension FieldReader {
    /// Returns the actor of a command or event as a resident sees the actor: "you", the first name
    /// of a co-tenant or guest, or "staff". Returns `nil` for locks, the gateway and outsiders, and
    /// for a tenant or guest who acted before the subject's own tenancy began.
    ///
    /// - Parameters:
    ///   - rule: the rule of the decision; if `nil`, the user's current role on the unit is used.
    ///   - instant: when the command or event took place.
    package func label(
        of actor: RecordActor, under rule: Rule?, unit: UnitID?, at instant: Timestamp, in tenancy: TenancyDirectory
    ) -> String? {
        if subject.isActor(actor) { return "you" }
        let isNeighbour = unit.flatMap(subject.tenancyStart).map { $0 <= instant } ?? false
        guard let user = actor.userID else { return actor.kind == .guestLink && isNeighbour ? actor.name : nil }
        guard let role = rule?.role ?? unit.flatMap({ tenancy.residentRole(of: user, on: $0) }), role == .tenant || role == .guest
        else { return "staff" }
        guard isNeighbour else { return nil }
        return tenancy.user(user)?.firstName ?? "staff"
    }
}

extension TenancyDirectory {
    /// Returns `.tenant` or `.guest` if a user is a tenant or a guest of a unit; `nil` if the user is neither.
    fileprivate func residentRole(of user: UserID, on unit: UnitID) -> Role? {
        if associations(of: user).contains(where: { $0.role == .tenant && $0.entity == .unit(unit) }) { return .tenant }
        let isGuest = guestAccesses(of: user).contains { access in
            access.deviceIDs.contains { device($0)?.unitID == unit }
        }
        return isGuest ? .guest : nil
    }
}
