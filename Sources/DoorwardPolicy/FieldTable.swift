/// Which field of an answer needs which level: data, used wherever an answer is projected.
package enum FieldTable {
    /// The kinds of object that are projected.
    package enum Kind: String, CaseIterable, Sendable {
        /// With its status, which is no entity of its own on the wire.
        case device = "LockDevice"
        /// Without its subscription, which is read by a permission of its own.
        case portfolio = "Portfolio"
        /// With its lockdown, of which levels below MANAGEMENT learn only whether there is one.
        case property = "Property"
        /// Of who lives there only the management learns; of its devices also the tenants.
        case unit = "Unit"
        /// A person. They themselves and super admins have the highest level on it, managers MANAGEMENT at the most.
        case user = "User"
        /// The guest sees all but the association that it was granted under.
        case guestAccess = "GuestAccess"
        /// Residents see of it what they see of its records; whoever gave it sees all.
        case command = "Command"
        /// Nothing for guests; how much of the actor a resident sees is decided where it is shown.
        case record = "AccessRecord"
    }

    /// The fields that each level adds to the one below it, by their names in JSON. A dot leads into an object: whoever
    /// sees `lockdown.active` alone gets a `lockdown` with that one field.
    package static func added(to kind: Kind, at level: FieldLevel) -> [String] { table[kind]?[level] ?? [] }

    /// All fields that a level sees.
    package static func fields(of kind: Kind, at level: FieldLevel) -> Set<String> {
        Set(FieldLevel.allCases.filter { $0 <= level }.flatMap { added(to: kind, at: $0) })
    }

    /// Whether a level sees a field. A field that the table does not know is seen by nobody.
    package static func sees(_ field: String, of kind: Kind, at level: FieldLevel) -> Bool {
        required[kind]?[field].map { $0 <= level } ?? false
    }

    /// The lowest level that sees each field, for whoever asks about many. A field that is not there is seen by nobody.
    package static func levels(of kind: Kind) -> [String: FieldLevel] { required[kind] ?? [:] }

    private static let table: [Kind: [FieldLevel: [String]]] = [
        .device: [
            .publicLevel: [
                "id", "name", "state", "stateQuality", "stateAt", "doorState", "isOnline", "capabilities", "propertyName",
                "unitName",
            ],
            .resident: [
                "batteryLevel", "batteryLow", "portfolioId", "propertyId", "unitId", "settings", "createdAt", "updatedAt",
            ],
            .operations: ["manufacturer", "model", "firmwareVersion", "lastSeen", "faults", "adapter"],
            .management: ["address", "metadata", "isRemoteOperationEnabled"],
        ],
        .portfolio: [
            .publicLevel: ["id", "name"],
            .management: ["administratorUserIds", "propertyIds", "createdAt", "updatedAt"],
        ],
        .property: [
            .publicLevel: ["id", "name", "defaultTimeZone", "address", "lockdown.active"],
            .resident: ["createdAt", "updatedAt", "portfolioId"],
            .operations: ["unitIds"],
            .management: ["managerUserIds", "lockdown"],
        ],
        .unit: [
            .publicLevel: ["id", "name", "propertyId"],
            .resident: ["portfolioId", "deviceIds", "commonAreaAccessIds", "createdAt", "updatedAt"],
            .management: ["tenantUserIds"],
        ],
        .user: [
            .publicLevel: ["id", "firstName"],
            .resident: ["lastName"],
            .management: ["email", "roleAssociations", "isEnabled"],
            .owner: [
                "isSuperAdmin", "guestAccesses", "defaultPortfolioId", "defaultPropertyId", "defaultUnitId", "hasCompliancePack",
                "createdAt", "updatedAt",
            ],
        ],
        .guestAccess: [
            .publicLevel: [
                "id", "guestUserId", "label", "propertyId", "unitId", "deviceIds", "operations", "validFrom", "validUntil",
                "resolution", "schedule", "maxUses", "usesLeft", "grantedByUserId", "revokedAt", "createdAt",
            ],
            .management: ["grantedUnderAssociationId"],
        ],
        .command: [
            .resident: ["id", "deviceId", "operation", "state", "requestedAt", "actor"],
            .management: [
                "source", "reason", "override", "rule", "sent", "changed", "outcomeDetail", "stateBefore", "stateAfter",
                "deadline",
                "dispatchedAt", "completedAt",
            ],
        ],
        .record: [
            .resident: ["id", "at", "kind", "operation", "decision", "outcome", "event", "method", "deviceId", "actor"],
            .management: [
                "logId", "seq", "reason", "rule", "actorKind", "actorId", "actorName", "actorUserId", "source", "clientAddress",
                "requestId", "deviceName", "unitId", "propertyId", "portfolioId", "commandId", "outcomeDetail", "stateBefore",
                "stateAfter", "latencyMs", "statedReason", "override", "action", "targetType", "targetId", "details",
            ],
        ],
    ]

    /// The table turned over: for each field the level that it needs.
    private static let required: [Kind: [String: FieldLevel]] = table.mapValues { levels in
        Dictionary(uniqueKeysWithValues: levels.flatMap { level, fields in fields.map { ($0, level) } })
    }
}
