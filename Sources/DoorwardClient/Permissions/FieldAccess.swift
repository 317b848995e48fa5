internal import FoundationEssentials

extension Doorward {
    /// The level at which a reader sees an object. Each level includes the lower ones.
    public struct ViewLevel: OpenValue, Comparable {
        /// The text in the API.
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The level of a guest.
        public static let publicLevel = Self(rawValue: "PUBLIC")
        /// The level of a tenant.
        public static let resident = Self(rawValue: "RESIDENT")
        /// The level of maintenance, and of a super admin on locks, properties and units.
        public static let operations = Self(rawValue: "OPERATIONS")
        /// The level of a manager, an admin and an auditor.
        public static let management = Self(rawValue: "MANAGEMENT")
        /// The level of an owner.
        public static let owner = Self(rawValue: "OWNER")
        /// The level of a person who reads their own data: all fields.
        public static let own = Self(rawValue: "SELF")
        /// The values that this library knows.
        public static let known = [publicLevel, resident, operations, management, owner, own]

        /// The position of the level; a level that this library does not know counts as the lowest.
        private var rank: Int { Self.known.firstIndex(of: self) ?? 0 }

        /// Compares the order.
        public static func < (first: Self, second: Self) -> Bool { first.rank < second.rank }
    }

    /// The fields that each level sees. The gateway returns only what the reader may see; this table answers why a field is
    /// `nil`, and what others see.
    public enum FieldAccess {
        /// Whether the reader of an object sees a field of it, by its name in JSON. False for an unknown field, and for an object
        /// that states no level.
        public static func canViewField<Noun: LeveledNoun>(_ field: String, of object: Noun) -> Bool {
            object.viewLevel.map { sees(field, Noun.self, at: $0) } ?? false
        }

        /// Whether a level sees a field of a type.
        public static func sees<Noun: LeveledNoun>(_ field: String, _ type: Noun.Type, at level: ViewLevel) -> Bool {
            if field == "viewLevel" { return true }
            return required(Noun.levels)[field].map { $0 <= level } ?? false
        }

        /// The fields of a type that a level sees, by their names in JSON.
        public static func fields<Noun: LeveledNoun>(of type: Noun.Type, at level: ViewLevel) -> Set<String> {
            Set(required(Noun.levels).filter { $0.value <= level }.keys)
        }

        private static func required(_ levels: [(ViewLevel, String)]) -> [String: ViewLevel] {
            levels.reduce(into: [:]) { required, entry in
                for field in entry.1.split(separator: " ") { required[String(field)] = entry.0 }
            }
        }
    }
}

/// An object whose fields are visible by level.
public protocol LeveledNoun: Codable {
    /// The level at which the reader sees the object.
    var viewLevel: Doorward.ViewLevel? { get set }
    /// The fields that each level adds to those below it: names in JSON, separated by spaces.
    static var levels: [(Doorward.ViewLevel, String)] { get }
}

extension LeveledNoun {
    /// The object as a reader at this level sees it, for previews of what others see. It never has more fields than this object.
    ///
    /// - Throws: `DecodingError` if the type requires a field that the level does not see.
    public func projected(to level: Doorward.ViewLevel) throws -> Self {
        guard let viewLevel, level < viewLevel else { return self }
        let json = try JSONDecoder().decode([String: Doorward.JSONValue].self, from: JSONEncoder().encode(self))
        var visible = json.filter { Doorward.FieldAccess.sees($0.key, Self.self, at: level) }
        for (key, value) in json where visible[key] == nil {
            guard case .object(let members) = value else { continue }
            let seen = members.filter { Doorward.FieldAccess.sees("\(key).\($0.key)", Self.self, at: level) }
            if !seen.isEmpty { visible[key] = .object(seen) }
        }
        visible["viewLevel"] = .string(level.rawValue)
        return try JSONDecoder().decode(Self.self, from: JSONEncoder().encode(visible))
    }
}

extension Sequence where Element: LeveledNoun {
    /// The objects as a reader at this level sees them; objects that the level does not see are left out.
    public func projected(to level: Doorward.ViewLevel) -> [Element] { compactMap { try? $0.projected(to: level) } }
}

extension Doorward.LockDevice: LeveledNoun {
    public static let levels: [(Doorward.ViewLevel, String)] = [
        (.publicLevel, "id name state stateQuality stateAt doorState isOnline capabilities propertyName unitName"),
        (.resident, "batteryLevel batteryLow portfolioId propertyId unitId settings createdAt updatedAt"),
        (.operations, "manufacturer model firmwareVersion lastSeen faults adapter"),
        (.management, "address metadata isRemoteOperationEnabled"),
    ]
}

extension Doorward.Portfolio: LeveledNoun {
    public static let levels: [(Doorward.ViewLevel, String)] = [
        (.publicLevel, "id name"), (.management, "administratorUserIds propertyIds createdAt updatedAt"),
    ]
}

extension Doorward.Property: LeveledNoun {
    public static let levels: [(Doorward.ViewLevel, String)] = [
        (.publicLevel, "id name defaultTimeZone address lockdown.active"), (.resident, "createdAt updatedAt portfolioId"),
        (.operations, "unitIds"), (.management, "managerUserIds lockdown"),
    ]
}

extension Doorward.Unit: LeveledNoun {
    public static let levels: [(Doorward.ViewLevel, String)] = [
        (.publicLevel, "id name propertyId"), (.resident, "portfolioId deviceIds commonAreaAccessIds createdAt updatedAt"),
        (.management, "tenantUserIds"),
    ]
}
