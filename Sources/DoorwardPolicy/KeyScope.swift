package import DoorwardDomain
internal import HashTreeCollections

/// The rights of an API key: those that its role and its creator have in common. Each access request is decided for the role and
/// for the creator, and is allowed only if both decisions allow it.
///
/// The creator can itself be a key, whose rights are limited in the same way. A class, as a subject contains it.
final class KeyScope: Sendable {
    let key: APIKey
    /// A subject that holds the key's role and nothing else.
    let role: Subject
    /// The user or key that created it, with all rights held now.
    let maker: Subject

    init(_ node: APIKeyNode, maker: Subject) {
        (key, self.maker) = (node.key, maker)
        role = Subject(roles: node.role, version: maker.version)
    }

    func isActor(_ actor: RecordActor) -> Bool { actor.kind == .apiKey && actor.id == key.id.description }

    /// The decision for the key. An allowed decision names the creator's rule. A denial for lack of the key's role names no rule,
    /// since that role is not an association.
    func decide(_ decide: (Subject) -> Decision) -> Decision {
        let ofMaker = decide(maker)
        guard case .denied(var denial) = decide(role) else { return ofMaker }
        denial.hasReach = denial.hasReach && ofMaker.denial?.hasReach ?? true
        denial.rule = nil
        return .denied(denial)
    }
}

/// An API key as stored in the directory, with its role in the form in which decisions read roles.
final class APIKeyNode: Sendable {
    let key: APIKey
    /// Holds only the key's role. Its id is the id of no user.
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
        let maker = subject(of: node.key.maker)
        guard maker.status != .unknown else { return Subject(nil, version: version) }
        return Subject(key: KeyScope(node, maker: maker), version: version)
    }
}

extension KeyScope {
    /// Whether the key, or a key that it was created with, has expired.
    func hasExpired(at time: DecisionTime) -> Bool {
        key.expiresAt <= time.expiryInstant || maker.key?.hasExpired(at: time) ?? false
    }
}
