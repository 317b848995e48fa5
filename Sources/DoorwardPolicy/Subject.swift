package import DoorwardDomain
internal import HashTreeCollections

/// The rights of a principal in one snapshot of the directory. Every function of `SecurityService` decides for a subject.
///
/// A subject is valid only with the snapshot in which it was resolved: it does not reflect rights
/// that are revoked later. The dispatch gate therefore resolves the principal again.
package struct Subject: Sendable {
    enum Status: Sendable { case unknown, disabled, enabled }

    /// `nil` for a guest link, an API key and an unknown principal.
    let user: UserNode?
    /// The guest access of a guest link; `nil` for every other principal.
    let link: GuestAccessNode?
    /// The role and the creator of an API key; `nil` for every other principal.
    let key: KeyScope?
    /// The status of the principal. For a guest link with a guest user, the status of that user. For an API key, the status of
    /// its creator.
    let status: Status
    /// `TenancyDirectory.version` of the snapshot.
    let version: UInt64

    /// Whether the subject's requests can be allowed; false for a disabled user and for an unknown principal.
    package var isEnabled: Bool { status == .enabled }
    /// Whether the user is a super admin, even a disabled one.
    package var isSuperAdmin: Bool { user?.isSuperAdmin ?? false }
    /// The id of the subject's user, who may read records of their own actions; `nil` for a guest
    /// link, an API key and an unknown principal.
    package var userID: UserID? { user?.id }

    /// Whether `id` is the id of the subject's user. Always false for `nil`.
    package func isUser(_ id: UserID?) -> Bool { id != nil && id == user?.id }

    /// Whether the actor of a command is the subject: the user, also by one of the user's API keys, or exactly this API key or
    /// guest link.
    package func isActor(_ actor: RecordActor) -> Bool {
        if let link { return actor.kind == .guestLink && actor.id == link.id.description }
        return key.map { $0.isActor(actor) } ?? isUser(actor.userID)
    }

    /// The user under whom the subject's commands are recorded; for an API key, the user who created it.
    package var actorUserID: UserID? { key?.key.userID ?? userID }

    /// The reader of lists, for fair queueing: the user or the API key, each counted separately; `nil` for other principals.
    package var readerID: UserID? { key?.key.id.cast() ?? userID }

    /// Whether the subject holds no guest access and is no API key, so that what the subject sees does not depend on the time.
    package var seesByRolesAlone: Bool { link == nil && key == nil && user?.guestAccesses.ids.isEmpty != false }

    /// The entity of each role that the subject holds, in no order. For an API key these are the entities of its role and of its
    /// creator's roles; which rights it has there is decided as for any object.
    package var roleEntities: [AssociatedEntity] {
        key.map { $0.role.roleEntities + $0.creator.roleEntities } ?? user?.roles.all.map(\.entity) ?? []
    }

    /// The instant from which a subject who reads the history of a unit as its tenant may read it; `nil` if the subject is not a
    /// tenant of the unit. For an API key, the beginning of its creator's tenancy, or the creation of the key if the creator reads
    /// by another role.
    package func historyStart(in unit: UnitID) -> Timestamp? {
        guard let key else { return tenancyStart(in: unit) }
        return key.creator.historyStart(in: unit) ?? key.role.tenancyStart(in: unit)
    }

    /// The creation time of the subject's oldest tenant role on a unit; `nil` if the subject is not a tenant of the unit.
    package func tenancyStart(in unit: UnitID) -> Timestamp? {
        user?.roles.held(on: .unit(unit)).filter { $0.role == .tenant }.map(\.createdAt).min()
    }

    /// The reason for which every request of the subject is denied; `nil` if the subject is enabled.
    var denialReason: DenialReason? {
        switch status {
        case .unknown: .userUnknown
        case .disabled: .userDisabled
        case .enabled: nil
        }
    }
}

extension Subject {
    @inline(__always)
    init(_ user: UserNode?, version: UInt64) {
        (link, key, self.version) = (nil, nil, version)
        guard let user, user.isKnown else {
            (self.user, status) = (nil, .unknown)
            return
        }
        (self.user, status) = (user, user.isEnabled ? .enabled : .disabled)
    }
}

extension TenancyDirectory {
    /// Resolves a principal in this snapshot. For a principal that does not exist, returns a subject without rights.
    package func subject(of principal: Principal) -> Subject { withSubject(of: principal) { $0 } }

    /// Calls `body` with the resolved principal, without retaining the user node: a retain would write to memory that is usually
    /// not in the cache. The directory keeps the node alive during the call.
    @inline(__always)
    func withSubject<Result>(of principal: Principal, _ body: (Subject) -> Result) -> Result {
        switch principal {
        case .user(let id):
            guard let slot = users.slot(of: id) else { return body(Subject(nil, version: version)) }
            return Unmanaged.passUnretained(users[slot: slot].node)._withUnsafeGuaranteedRef {
                body(Subject($0, version: version))
            }
        case .guestLink(let id):
            guard let link = guestAccesses[id] else { return body(Subject(nil, version: version)) }
            return body(Subject(user: nil, link: link, key: nil, status: status(ofGuestOf: link), version: version))
        case .apiKey(let id): return body(subject(ofKey: id))
        }
    }

    /// The status of a link's guest user; enabled if the link has none. A link whose guest is disabled gives no access.
    private func status(ofGuestOf link: GuestAccessNode) -> Subject.Status {
        guard let guest = link.access.guestUserID else { return .enabled }
        return Subject(users[guest]?.node, version: version).status
    }
}

/// A permitted principal as a reader of the lock's access log sees it.
package struct NamedPrincipal: Hashable, Sendable {
    /// `USER`, `GUEST_LINK` or `API_KEY`.
    package let kind: ActorKind
    /// The id of the user, guest access or API key; `nil` if the reader does not see who it is.
    package let id: String?
    /// A full name, the label of a guest access, the name of an API key, or what a resident sees in the log instead: a first name,
    /// or "staff". `nil` if there is no name.
    package let name: String?
    /// The rule that allows the operation.
    package let rule: Rule
    /// Whether the reader sees the id of `rule`; a reader who does not see the principal's id does not see the rule's id either.
    package var showsRuleID: Bool { id != nil }
    /// When the right ends by the clock; `nil` if it does not.
    package let until: Timestamp?
}

extension SecurityService {
    /// Returns a principal that may do an operation on a device, with the name that the device's access log would show to a subject.
    ///
    /// Management sees everyone. A resident sees themselves, their co-tenants and the guests of their unit; of everyone else a
    /// resident sees what the log shows: the first name of a guest, and "staff" for roles above the unit.
    ///
    /// - Parameter subject: a subject that may view the device's access history.
    package static func named(
        _ permitted: PermittedPrincipal, on device: DeviceNode, for subject: Subject, at time: DecisionTime,
        in directory: TenancyDirectory
    ) -> NamedPrincipal {
        let actor = RecordActor(named: permitted.principal, in: directory) ?? RecordActor(of: permitted.principal)
        let place = FieldObject.event(unit: device.unitID, property: device.propertyID, portfolio: device.portfolioID, actor: nil)
        let level = fieldLevel(of: subject, for: place, at: time, in: directory) ?? .publicLevel
        let isKnown = level >= .management || knows(subject, permitted.principal, at: time, in: directory)
        let label = FieldReader(subject, level: level, at: time).label(
            of: actor, under: permitted.rule, unit: device.unitID, at: time.instant, in: directory)
        return NamedPrincipal(
            kind: actor.kind, id: isKnown ? actor.id : nil, name: isKnown ? actor.name : label, rule: permitted.rule,
            until: permitted.until)
    }

    /// Whether a resident sees who a principal is: the resident, a user with a role or guest access in the resident's unit, or a
    /// guest access of that unit.
    private static func knows(
        _ subject: Subject, _ principal: Principal, at time: DecisionTime, in directory: TenancyDirectory
    ) -> Bool {
        switch principal {
        case .user(let id):
            (fieldLevel(of: subject, for: .user(id), at: time, in: directory) ?? .publicLevel) >= .resident
        case .guestLink(let id):
            (fieldLevel(of: subject, for: .guestAccess(id), at: time, in: directory) ?? .publicLevel) >= .resident
        case .apiKey(let id): directory.apiKey(id).map { subject.isActor(RecordActor($0)) } ?? false
        }
    }
}

extension RecordActor {
    /// The principal with its name; `nil` for one that does not exist.
    package init?(named principal: Principal, in tenancy: TenancyDirectory) {
        switch principal {
        case .user(let id):
            guard let user = tenancy.user(id) else { return nil }
            self.init(user)
        case .apiKey(let id):
            guard let key = tenancy.apiKey(id) else { return nil }
            self.init(key)
        case .guestLink(let id):
            guard let access = tenancy.guestAccess(id) else { return nil }
            self.init(access, guest: access.guestUserID.flatMap { tenancy.user($0) })
        }
    }

    /// The principal's kind and id, without a name.
    package init(of principal: Principal) {
        switch principal {
        case .user(let id): self.init(kind: .user, id: id.description, userID: id)
        case .guestLink(let id): self.init(kind: .guestLink, id: id.description)
        case .apiKey(let id): self.init(kind: .apiKey, id: id.description)
        }
    }
}

/// The rights of an API key: those that its role and its creator have in common. Each access request is decided for the role and
/// for the creator, and is allowed only if both decisions allow it.
///
/// The creator can itself be a key, whose rights are limited in the same way. A class, as a subject contains it.
final class KeyScope: Sendable {
    let key: APIKey
    /// A subject that holds the key's role and nothing else.
    let role: Subject
    /// The user or key that created it, with all rights held now.
    let creator: Subject

    init(_ node: APIKeyNode, creator: Subject) {
        (key, self.creator) = (node.key, creator)
        // There is no such user.
        role = Subject(user: node.role, link: nil, key: nil, status: .enabled, version: creator.version)
    }

    func isActor(_ actor: RecordActor) -> Bool { actor.kind == .apiKey && actor.id == key.id.description }

    /// The decision for the key. An allowed decision names the creator's rule. A denial for lack of the key's role names no rule,
    /// since that role is not an association.
    func decide(_ decide: (Subject) -> Decision) -> Decision {
        let ofCreator = decide(creator)
        guard case .denied(var denial) = decide(role) else { return ofCreator }
        denial.hasReach = denial.hasReach && ofCreator.denial?.hasReach ?? true
        denial.rule = nil
        return .denied(denial)
    }
}

/// An API key as stored in the directory, with its role in the form in which decisions read roles.
final class APIKeyNode: Sendable {
    let key: APIKey
    /// Holds only the key's role. Its id never equals the id of a user.
    let role: UserNode

    /// The portfolio of the key's entity; `nil` for an entity that does not exist.
    let portfolioID: PortfolioID?

    init(_ key: APIKey, portfolioID: PortfolioID?) {
        (self.key, self.portfolioID) = (key, portfolioID)
        let association = UserRoleAssociation(
            id: key.id.cast(), userID: UserID(high: 0, low: 0), entity: key.entity, role: key.role, createdAt: key.createdAt,
            updatedAt: key.createdAt)
        role = UserNode(id: association.userID, roles: [HeldRole(association)])
    }
}

extension TenancyDirectory {
    /// Resolves a principal for a request at a time. An API key that has expired is an unknown principal.
    package func subject(of principal: Principal, at time: DecisionTime) -> Subject {
        let subject = subject(of: principal)
        return subject.key.map { $0.hasExpired(at: time) } == true ? Subject(nil, version: version) : subject
    }

    /// Unknown, so that every request is denied, for a key that was removed, whose creator or parent was removed, or whose entity
    /// does not exist any more.
    func subject(ofKey id: APIKeyID) -> Subject {
        guard let node = apiKeys[id], EntityPath(ManagedObject(node.key.entity), in: self) != nil else {
            return Subject(nil, version: version)
        }
        let creator = subject(of: node.key.creator)
        guard creator.status != .unknown else { return Subject(nil, version: version) }
        return Subject(user: nil, link: nil, key: KeyScope(node, creator: creator), status: creator.status, version: version)
    }
}

extension KeyScope {
    /// Whether the key, or a key that it was created with, has expired.
    func hasExpired(at time: DecisionTime) -> Bool {
        key.expiresAt <= time.expiryInstant || creator.key?.hasExpired(at: time) ?? false
    }
}
