public import DoorwardClient
public import Observation

/// A permission provider that answers as a test says. Without an answer, everything is *no*.
///
///     let permissions = MockPermissionProvider()
///     permissions.setPermission(.unlock, .device, allowed: true)
@MainActor @Observable public final class MockPermissionProvider: PermissionProvider {
    /// Settable, so that a test can show a screen in each status.
    public var status: PermissionStatus = .loaded(at: Doorward.Instant(milliseconds: 0))
    /// The portfolio that the person works in.
    public var selectedPortfolioID: String?
    private var allowed: [Key: Bool] = [:]
    private var availabilities: [Key: Availability] = [:]
    private var roles: [Doorward.Role: Set<String>] = [:]

    /// An action on one object, or on all objects of a type.
    private struct Key: Hashable {
        let action: Doorward.Action
        let type: Doorward.SubjectType
        var id: String?
    }

    public init() {}

    /// Sets the answer for all objects of a type.
    public func setPermission(_ action: Doorward.Action, _ type: Doorward.SubjectType, allowed isAllowed: Bool) {
        allowed[Key(action: action, type: type)] = isAllowed
    }

    /// Sets the answer for one object, which precedes that for its type.
    public func setPermission<Subject: PermissionSubject>(_ action: Doorward.Action, _ object: Subject, allowed isAllowed: Bool) {
        allowed[key(action, object)] = isAllowed
    }

    /// Sets what to do with an action on an object.
    public func setAvailability<Subject: PermissionSubject>(
        _ availability: Availability, of action: Doorward.Action, on object: Subject
    ) {
        availabilities[key(action, object)] = availability
    }

    /// Gives a role on an entity, or on an entity that is not named.
    public func setRole(_ role: Doorward.Role, on entityID: String = "") { roles[role, default: []].insert(entityID) }

    /// Takes a role from all entities.
    public func removeRole(_ role: Doorward.Role) { roles[role] = nil }

    /// Whether the action is permitted on the subject. False for `nil`.
    public func can<Subject: PermissionSubject>(_ action: Doorward.Action, _ subject: Subject?, field _: String?) -> Bool {
        guard let subject else { return false }
        return allowed[key(action, subject)] ?? can(action, any: subject.subjectType)
    }

    /// Whether the action is permitted on some objects of the type.
    public func can(_ action: Doorward.Action, any type: Doorward.SubjectType) -> Bool {
        allowed[Key(action: action, type: type)] ?? false
    }

    /// Whether to show the action, and whether to enable it.
    public func availability<Subject: PermissionSubject>(of action: Doorward.Action, on subject: Subject?) -> Availability {
        guard let subject else { return .hidden }
        return availabilities[key(action, subject)] ?? (can(action, subject) ? .available : .hidden)
    }

    /// Whether the person holds the role.
    public func hasRole(_ role: Doorward.Role, on entityID: String?) -> Bool {
        guard let entities = roles[role] else { return false }
        return entityID.map(entities.contains) ?? true
    }

    private func key(_ action: Doorward.Action, _ subject: some PermissionSubject) -> Key {
        var id = ""
        if case .string(let text)? = subject.subjectValue("id") { id = text }
        return Key(action: action, type: subject.subjectType, id: id)
    }
}

/// A subscription provider that answers as a test says. Without a subscription, everything is *no*.
@MainActor @Observable public final class MockSubscriptionProvider: SubscriptionProvider {
    /// The subscription that answers are taken from.
    public var subscription: Doorward.Subscription?

    public init(_ subscription: Doorward.Subscription? = nil) { self.subscription = subscription }
}
