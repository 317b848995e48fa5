internal import DoorwardDomain

/// The level that each field of a response requires, derived from the field tables: for filters, sorting and the documentation.
package enum FieldTable {
    /// The kinds of object whose fields are projected by level.
    package enum Kind: String, CaseIterable, Sendable {
        /// Includes the device's status, which is not a separate entity in the API.
        case device = "LockDevice"
        /// Without the subscription: reading it requires its own permission.
        case portfolio = "Portfolio"
        /// Includes the lockdown, of which levels below MANAGEMENT see only whether it is active.
        case property = "Property"
        /// Its residents are visible to the management only, its devices also to the tenants.
        case unit = "Unit"
        /// A person. The person and super admins have the highest level on it, managers at most MANAGEMENT.
        case user = "User"
        /// The guest sees all fields but the association that it was granted under.
        case guestAccess = "GuestAccess"
        /// Residents see the same fields of a command as of its records; the command's actor sees all fields.
        case command = "Command"
        /// Not visible to guests; how much of the actor a resident sees is decided when it is rendered.
        case record = "AccessRecord"
    }

    /// The fields that each level adds to the one below it, by their names in JSON. A dot separates a member from its object: a level
    /// that sees `lockdown.active` alone gets a `lockdown` with that one member.
    package static func added(to kind: Kind, at level: FieldLevel) -> [String] { table[kind]?[level] ?? [] }

    /// All fields that a level sees.
    package static func fields(of kind: Kind, at level: FieldLevel) -> Set<String> {
        Set(FieldLevel.allCases.filter { $0 <= level }.flatMap { added(to: kind, at: $0) })
    }

    /// Whether a level sees a field; false for an unknown field.
    package static func sees(_ field: String, of kind: Kind, at level: FieldLevel) -> Bool {
        required[kind]?[field].map { $0 <= level } ?? false
    }

    private static let table: [Kind: [FieldLevel: [String]]] = [
        .device: byLevel(ShownDevice.fields), .portfolio: byLevel(Portfolio.fields), .property: byLevel(Property.fields),
        .unit: byLevel(Unit.fields), .user: byLevel(ShownUser.fields), .guestAccess: byLevel(GuestAccess.fields),
        .command: byLevel(ShownCommand.fields), .record: byLevel(AccessRecord.fields),
    ]

    private static func byLevel<Entity>(_ fields: [Field<Entity>]) -> [FieldLevel: [String]] {
        fields.reduce(into: [:]) { table, field in
            if let level = field.level { table[level, default: []].append(field.name) }
            if let part = field.visiblePart { table[part.level, default: []].append(part.name) }
        }
    }

    /// The inverted table: the level that each field requires.
    private static let required: [Kind: [String: FieldLevel]] = table.mapValues { levels in
        Dictionary(uniqueKeysWithValues: levels.flatMap { level, fields in fields.map { ($0, level) } })
    }
}
