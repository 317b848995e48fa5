internal import FoundationEssentials

/// Where the answers of a `PermissionProvider` come from.
public enum PermissionStatus: Equatable, Sendable {
    /// Nothing has been loaded yet. Every check is false.
    case loading
    /// The gateway sends each change at once, since this instant.
    case live(since: Doorward.Instant)
    /// Read at this instant, without later changes. After five minutes the rules are read again, or dropped.
    case loaded(at: Doorward.Instant)
    /// The rules could not be renewed in time and were dropped. Every check is false.
    case expired(at: Doorward.Instant)
    /// The gateway refused to give the rules, with this error code. Every check is false.
    case refused(code: String)
    /// The person has signed out. Every check is false.
    case signedOut
}

/// What a screen should do with an action.
public enum Availability: Hashable, Sendable {
    /// The person may do it now.
    case available
    /// The person has the right, but not now: show the action disabled, with this reason and, if it is known, the time at which it
    /// opens.
    case unavailable(reason: Doorward.DenialReason, opensAt: Doorward.Instant?)
    /// The person does not have the right: do not show the action.
    case hidden
}

/// Answers what the signed-in person may do. View models receive one, so that they do not depend on the service behind it.
///
/// Every answer is local and immediate. Implementations are `@Observable`: a view that has read an answer is updated when it
/// changes. Whatever is not known is *no*. The gateway never relies on these answers; it decides on each request.
@MainActor public protocol PermissionProvider: AnyObject {
    /// Where the answers come from.
    var status: PermissionStatus { get }
    /// The portfolio that the person works in; `nil` if none is selected.
    var selectedPortfolioID: String? { get }
    /// Whether the person may do this to an object or, with a field, to this field of it. False for `nil`.
    func can<Subject: PermissionSubject>(_ action: Doorward.Action, _ subject: Subject?, field: String?) -> Bool
    /// Whether the person may do this to some objects of a type.
    func can(_ action: Doorward.Action, any type: Doorward.SubjectType) -> Bool
    /// Whether to show an action on an object, and whether to enable it.
    func availability<Subject: PermissionSubject>(of action: Doorward.Action, on subject: Subject?) -> Availability
    /// Whether the person holds a role on an entity or, without one, on any entity.
    func hasRole(_ role: Doorward.Role, on entityID: String?) -> Bool
}

extension PermissionProvider {
    /// Whether the person may do this to an object. False for `nil`.
    public func can<Subject: PermissionSubject>(_ action: Doorward.Action, _ subject: Subject?) -> Bool {
        can(action, subject, field: nil)
    }

    /// Whether the person may do this to some objects of any type.
    public func hasPermission(_ action: Doorward.Action) -> Bool {
        Doorward.SubjectType.known.contains { can(action, any: $0) }
    }
    /// Whether the person has all of these permissions; false for none.
    public func hasPermissions(_ actions: [Doorward.Action]) -> Bool {
        !actions.isEmpty && actions.allSatisfy { hasPermission($0) }
    }
    /// Whether the person has at least one of these permissions.
    public func hasAnyPermission(_ actions: [Doorward.Action]) -> Bool { actions.contains { hasPermission($0) } }
    /// Those of the permissions that the person has.
    public func permissions(among actions: [Doorward.Action]) -> Set<Doorward.Action> {
        Set(actions.filter { hasPermission($0) })
    }

    /// Whether the person holds a role on any entity.
    public func hasRole(_ role: Doorward.Role) -> Bool { hasRole(role, on: nil) }
    /// Whether the person holds at least one of these roles.
    public func hasAnyRole(_ roles: [Doorward.Role]) -> Bool { roles.contains { hasRole($0, on: nil) } }
    /// Whether the person is an owner of the selected portfolio.
    public var isPortfolioOwner: Bool { selectedPortfolioID.map { hasRole(.owner, on: $0) } ?? false }

    // MARK: - Named checks

    /// Whether the person may extend the bolt of a lock.
    public func canLock(_ device: Doorward.LockDevice?) -> Bool { can(.lock, device) }
    /// Whether the person may withdraw the bolt of a lock.
    public func canUnlock(_ device: Doorward.LockDevice?) -> Bool { can(.unlock, device) }
    /// Whether the person may withdraw the latch of a lock.
    public func canUnlatch(_ device: Doorward.LockDevice?) -> Bool { can(.unlatch, device) }
    /// Whether the person may change an object.
    public func canUpdate<Subject: PermissionSubject>(_ subject: Subject?) -> Bool { can(.update, subject) }
    /// Whether the person may delete an object; a lock is detached.
    public func canDelete<Subject: PermissionSubject>(_ subject: Subject?) -> Bool { can(.delete, subject) }
    /// Whether the person may assign and remove roles on a portfolio, property or unit.
    public func canManagePeople<Subject: PermissionSubject>(in subject: Subject?) -> Bool {
        guard let subject else { return false }
        let actions: [Doorward.Action] =
            switch subject.subjectType {
            case .portfolio: [.portfolioAdminsAssign, .portfolioAuditorsAssign]
            case .property: [.propertyManagersAssign, .propertyStaffAssign]
            case .unit: [.unitTenantsAssign]
            default: []
            }
        return actions.contains { can($0, subject) }
    }
    /// Whether the person may change an object and assign roles on it.
    public func canManage<Subject: PermissionSubject>(_ subject: Subject?) -> Bool {
        canUpdate(subject) && canManagePeople(in: subject)
    }

    /// Whether the person sees a field of an object: by the level that the gateway states, without a request.
    public func canViewField<Noun: LeveledNoun>(_ field: String, of object: Noun?) -> Bool {
        object.map { Doorward.FieldAccess.canViewField(field, of: $0) } ?? false
    }
    /// Whether to offer editing an object: its owner and holders of the permission may edit it.
    public func canEdit<Noun: LeveledNoun & PermissionSubject>(_ object: Noun?) -> Bool {
        guard let object, status.hasRules else { return false }
        return object.viewLevel == .owner || object.viewLevel == .own || canUpdate(object)
    }
}

extension PermissionStatus {
    /// Whether rules are known.
    public var hasRules: Bool {
        switch self {
        case .live, .loaded: true
        case .loading, .expired, .refused, .signedOut: false
        }
    }
}

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
