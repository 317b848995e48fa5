internal import DoorwardDomain

/// Which field of an answer needs which level, taken from the tables of fields: for filters, sorting and the documentation.
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

    /// The table turned over: for each field the level that it needs.
    private static let required: [Kind: [String: FieldLevel]] = table.mapValues { levels in
        Dictionary(uniqueKeysWithValues: levels.flatMap { level, fields in fields.map { ($0, level) } })
    }
}
