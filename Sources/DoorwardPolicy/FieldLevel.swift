package import DoorwardDomain

/// A level of visibility, which determines the fields of an object that a subject may see. Each level includes the lower ones.
package enum FieldLevel: Int, CaseIterable, Comparable, Sendable {
    /// The level of a guest: the fields needed to use a door.
    case publicLevel
    /// The level of a tenant: the fields that concern residents.
    case resident
    /// The level of maintenance, and of a super admin on properties, units and devices: the fields needed to keep locks working.
    case operations
    /// The level of a manager, an admin and an auditor: all fields except those that are private to one person.
    case management
    /// The level of an owner, and of each user for the user's own data: all fields.
    case owner

    /// `PUBLIC < RESIDENT < OPERATIONS < MANAGEMENT < OWNER`.
    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// The name of the level, `PUBLIC` to `OWNER`.
    package var name: String {
        switch self {
        case .publicLevel: "PUBLIC"
        case .resident: "RESIDENT"
        case .operations: "OPERATIONS"
        case .management: "MANAGEMENT"
        case .owner: "OWNER"
        }
    }

    /// The level that a role gives on the objects that it reaches; `nil` for a super admin, whose level depends on the object.
    package init?(of role: Role) {
        switch role {
        case .superAdmin: return nil
        case .owner: self = .owner
        case .portfolioAdmin, .propertyManager, .auditor: self = .management
        case .maintenance: self = .operations
        case .tenant: self = .resident
        case .guest: self = .publicLevel
        }
    }
}

/// An object whose fields are visible by level.
package enum FieldObject: Hashable, Sendable {
    /// A portfolio, visible by a role on it. A role below it gives no level.
    case portfolio(PortfolioID)
    /// A property, visible by a role on it or its portfolio, and to the tenants of its units.
    case property(PropertyID)
    /// A unit, visible by a role on it or above it. A guest access gives no level.
    case unit(UnitID)
    /// A device, visible to every subject that reaches it, including guests and the tenants of a unit that shares it.
    case device(DeviceID)
    /// A user. The reader's level for the user is the reader's highest level on the entities on
    /// which the user holds a role or guest access. The user and super admins see all fields.
    case user(UserID)
    /// A guest access, visible to its guest, to its grantor, and by roles on its unit or property.
    case guestAccess(GuestAccessID)
    /// A record or command: visible by a role on the unit, property or portfolio of its device, and to its actor.
    case event(unit: UnitID?, property: PropertyID?, portfolio: PortfolioID?, actor: RecordActor?)
}

/// The level that each field of a response requires, derived from the field tables: for filters, sorting and the documentation.
package enum FieldTable {
    /// The kinds of object whose fields are projected by level.
    package enum Kind: String, CaseIterable, Sendable {
        /// A device with its status.
        case device = "LockDevice"
        /// A portfolio without its subscription: reading the subscription requires a separate permission.
        case portfolio = "Portfolio"
        /// A property with its lockdown. Levels below MANAGEMENT see only whether the lockdown is active.
        case property = "Property"
        /// A unit. Only management sees its tenants; tenants also see its devices.
        case unit = "Unit"
        /// A user. The user and super admins have the highest level; other readers have at most MANAGEMENT.
        case user = "User"
        /// A guest access. The guest sees all fields except the association under which it was granted.
        case guestAccess = "GuestAccess"
        /// A command. Residents see few fields; management and the command's actor see all fields.
        case command = "Command"
        /// A record of an access log. Guests see no field. `FieldReader.label` determines how residents see the actor.
        case record = "AccessRecord"
    }

    /// The fields that each level adds to the one below it, by their names in JSON. A dot separates a member from its object: a
    /// level that sees only `lockdown.active` gets a `lockdown` object with this one member.
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

/// A type whose values a field can have. Its form in JSON and the schema of that form are defined here, once for each type.
package protocol FieldConvertible: JSONRenderable, SendableMetatype {
    /// The schema of all values of this type.
    static var schema: JSONSchema { get }
    /// The value in JSON.
    var fieldValue: FieldValue { get }
    /// A list of values in JSON.
    static func list(_ values: [Self]) -> FieldValue
}

extension FieldConvertible {
    /// A list of the values, each in its own form.
    package static func list(_ values: [Self]) -> FieldValue { .list(values.map(\.fieldValue)) }
}

extension Optional: FieldConvertible where Wrapped: FieldConvertible {
    package static var schema: JSONSchema { .nullable(Wrapped.schema) }
    package var fieldValue: FieldValue { self?.fieldValue ?? .null }
}

extension Array: FieldConvertible where Element: FieldConvertible {
    package static var schema: JSONSchema { .array(Element.schema) }
    package var fieldValue: FieldValue { Element.list(self) }
}

extension Bool: FieldConvertible {
    package static var schema: JSONSchema { .boolean }
    package var fieldValue: FieldValue { .bool(self) }
}

extension String: FieldConvertible {
    package static var schema: JSONSchema { .text }
    package var fieldValue: FieldValue { .string(self) }
    package static func list(_ values: [String]) -> FieldValue { .strings(values) }
}

extension FixedWidthInteger where Self: FieldConvertible {
    /// An integer of any size.
    package static var schema: JSONSchema { .integer() }
    /// The integer; one beyond 64 bits becomes the nearest that fits.
    package var fieldValue: FieldValue { .integer(Int64(clamping: self)) }
}

extension Int: FieldConvertible {}
extension Int64: FieldConvertible {}
extension UInt64: FieldConvertible {}

extension Timestamp: FieldConvertible {
    package static var schema: JSONSchema { .instant }
    package var fieldValue: FieldValue { .instant(self) }
}

extension EntityID: FieldConvertible {
    package static var schema: JSONSchema { .id }
    package var fieldValue: FieldValue { .identifier(cast()) }
}

/// An object that an adapter or a user defines.
extension Dictionary: FieldConvertible, JSONRenderable where Key == String, Value == JSONValue {
    package static var schema: JSONSchema { .map(.any) }
    package var fieldValue: FieldValue { .free(self) }
}

// MARK: - Enumerations

extension FieldConvertible where Self: RawRepresentable<String> & CaseIterable {
    /// One of the raw values.
    package static var schema: JSONSchema { .words(allCases.map(\.rawValue)) }
    /// The raw value.
    package var fieldValue: FieldValue { .string(rawValue) }
    /// The raw values.
    package static func list(_ values: [Self]) -> FieldValue { .strings(values.map(\.rawValue)) }
}

extension ActorKind: FieldConvertible {}
extension AssociatedEntityType: FieldConvertible {}
extension ChangeAction: FieldConvertible {}
extension CommandState: FieldConvertible {}
extension DenialReason: FieldConvertible {}
extension DoorState: FieldConvertible {}
extension EventMethod: FieldConvertible {}
extension LockOperation: FieldConvertible {}
extension LockState: FieldConvertible {}
extension RecordDecision: FieldConvertible {}
extension RecordEvent: FieldConvertible {}
extension RecordKind: FieldConvertible {}
extension RecordSource: FieldConvertible {}
extension Role: FieldConvertible {}
extension StateQuality: FieldConvertible {}
