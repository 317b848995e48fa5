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

    @inline(__always)
    init(_ user: UserNode?, version: UInt64) {
        (link, key, self.version) = (nil, nil, version)
        guard let user, user.isKnown else {
            (self.user, status) = (nil, .unknown)
            return
        }
        (self.user, status) = (user, user.isEnabled ? .enabled : .disabled)
    }

    init(link: GuestAccessNode, status: Status, version: UInt64) {
        (user, self.link, key, self.status, self.version) = (nil, link, nil, status, version)
    }

    init(key: KeyScope, version: UInt64) {
        (user, link, self.key, status, self.version) = (nil, nil, key, key.maker.status, version)
    }

    /// A subject that holds the roles of `node` although there is no such user.
    init(roles node: UserNode, version: UInt64) {
        (user, link, key, status, self.version) = (node, nil, nil, .enabled, version)
    }

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

    /// The reader of lists: the user or the API key, each with a place of its own; `nil` for other principals.
    package var readerID: UserID? { key?.key.id.cast() ?? userID }

    /// Whether the subject holds no guest access and is no API key, so that what the subject sees does not depend on the time.
    package var seesByRolesAlone: Bool { link == nil && key == nil && user?.guestAccesses.ids.isEmpty != false }

    /// The entity of each role that the subject holds, in no order. For an API key these are the entities of its role and of its
    /// creator's roles; which rights it has there is decided as for any object.
    package var roleEntities: [AssociatedEntity] {
        key.map { $0.role.roleEntities + $0.maker.roleEntities } ?? user?.roles.all.map(\.entity) ?? []
    }

    /// The instant from which a subject who reads the history of a unit as its tenant may read it; `nil` if the subject is not a
    /// tenant of the unit. For an API key, the beginning of its creator's tenancy, or the creation of the key if the creator reads
    /// by another role.
    package func historyStart(in unit: UnitID) -> Timestamp? {
        guard let key else { return tenancyStart(in: unit) }
        return key.maker.historyStart(in: unit) ?? key.role.tenancyStart(in: unit)
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
            return body(Subject(link: link, status: status(ofGuestOf: link), version: version))
        case .apiKey(let id): return body(subject(ofKey: id))
        }
    }

    /// The status of a link's guest user; enabled if the link has none. A link whose guest is disabled gives no access.
    private func status(ofGuestOf link: GuestAccessNode) -> Subject.Status {
        guard let guest = link.access.guestUserID else { return .enabled }
        return Subject(users[guest]?.node, version: version).status
    }
}
