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
