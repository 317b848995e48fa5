package import DoorwardDomain
internal import HashTreeCollections

// API keys, invitations and guest links of the directory, ascending by id.
extension TenancyDirectory {
    /// The API key with this id; `nil` if there is none. Whether it can still be used is checked by `subject(of:at:)`.
    package func apiKey(_ id: APIKeyID) -> APIKey? { apiKeys[id]?.key }

    /// All API keys, including expired ones.
    package var apiKeyIDs: [APIKeyID] { apiKeys.keys.sorted() }

    /// The API keys that a user has created, also those created with one of the user's keys.
    package func apiKeys(of user: UserID) -> [APIKey] { apiKeysByUser[user]?.compactMap(apiKey) ?? [] }

    /// The API keys whose role is held on an entity itself, not above or below it.
    package func apiKeys(on entity: AssociatedEntity) -> [APIKey] { apiKeysByEntity[entity]?.compactMap(apiKey) ?? [] }

    /// The portfolio to which an entity belongs; `nil` if the entity does not exist.
    package func portfolioID(of entity: AssociatedEntity) -> PortfolioID? {
        EntityPath(ManagedObject(entity), in: self)?.portfolio
    }

    /// The portfolios in which a subject holds a role, or a guest access that has not ended; for an API key, that of its role.
    package func portfolioIDs(of subject: Subject, at now: Timestamp) -> Set<PortfolioID> {
        let roles = subject.key.map(\.role.roleEntities) ?? subject.roleEntities
        let accesses = (subject.user?.guestAccesses.ids ?? []).compactMap(guestAccess)
            .filter { $0.revokedAt == nil && $0.endsAt > now }
        let devices = accesses.flatMap(\.deviceIDs).compactMap { device($0)?.portfolioID }
        return Set(roles.compactMap(portfolioID) + devices)
    }

    /// The API keys whose role is held on a portfolio, one of its properties or one of its units.
    package func apiKeys(in portfolio: PortfolioID) -> [APIKey] { apiKeysByPortfolio[portfolio]?.compactMap(apiKey) ?? [] }

    /// The invitation with this id, even if it has expired; `nil` if there is none.
    package func invitation(_ id: InvitationID) -> Invitation? { invitations[id]?.value }

    /// All invitations, including expired ones.
    package var invitationIDs: [InvitationID] { invitations.keys.sorted() }

    /// The invitation whose token has this digest, even if it has expired.
    package func invitation(digest: [UInt8]) -> Invitation? { invitationsByDigest[digest].flatMap(invitation) }

    /// The invitations that a user has created, also those created with one of the user's API keys.
    package func invitations(by user: UserID) -> [Invitation] { invitationsByMaker[user]?.sorted().compactMap(invitation) ?? [] }

    /// The invitations of an email address, compared without case.
    package func invitations(of email: String) -> [Invitation] {
        invitationsByEmail[Self.emailKey(email)]?.compactMap(invitation) ?? []
    }

    /// The invitations to roles on an entity itself, not above or below it.
    package func invitations(to entity: AssociatedEntity) -> [Invitation] {
        invitationsByEntity[entity]?.compactMap(invitation) ?? []
    }

    /// The link of a guest access; `nil` if it has none. Whether the access is still valid is not checked here.
    package func guestLink(of access: GuestAccessID) -> GuestLink? { guestLinks[access] }

    /// The link whose token has this digest; `nil` for one that was replaced or ended.
    package func guestLink(digest: [UInt8]) -> GuestLink? { guestLinksByDigest[digest].flatMap { guestLinks[$0] } }
}

extension TenancyDirectory {
    mutating func put(_ key: APIKey) {
        removeAPIKey(key.id)
        let portfolio = portfolioID(of: key.entity)
        apiKeys[key.id] = APIKeyNode(key, portfolioID: portfolio)
        apiKeysByUser[key.userID, default: SortedIDs()].insert(key.id)
        apiKeysByEntity[key.entity, default: SortedIDs()].insert(key.id)
        if let portfolio { apiKeysByPortfolio[portfolio, default: SortedIDs()].insert(key.id) }
    }

    mutating func removeAPIKey(_ id: APIKeyID) {
        guard let node = apiKeys.removeValue(forKey: id) else { return }
        apiKeysByUser[node.key.userID]?.remove(id)
        apiKeysByEntity[node.key.entity]?.remove(id)
        if let portfolio = node.portfolioID { apiKeysByPortfolio[portfolio]?.remove(id) }
    }

    mutating func put(_ invitation: Invitation) {
        removeInvitation(invitation.id)
        invitations[invitation.id] = Box(invitation)
        invitationsByDigest[invitation.digest] = invitation.id
        invitationsByMaker[invitation.userID, default: []].insert(invitation.id)
        invitationsByEmail[Self.emailKey(invitation.email), default: SortedIDs()].insert(invitation.id)
        if let entity = invitation.entity { invitationsByEntity[entity, default: SortedIDs()].insert(invitation.id) }
    }

    mutating func removeInvitation(_ id: InvitationID) {
        guard let invitation = invitations.removeValue(forKey: id)?.value else { return }
        if invitationsByDigest[invitation.digest] == id { invitationsByDigest[invitation.digest] = nil }
        invitationsByMaker[invitation.userID]?.remove(id)
        invitationsByEmail[Self.emailKey(invitation.email)]?.remove(id)
        if let entity = invitation.entity { invitationsByEntity[entity]?.remove(id) }
    }

    mutating func put(_ link: GuestLink) {
        removeGuestLink(of: link.accessID)
        guestLinks[link.accessID] = link
        guestLinksByDigest[link.digest] = link.accessID
    }

    mutating func removeGuestLink(of access: GuestAccessID) {
        guard let link = guestLinks.removeValue(forKey: access) else { return }
        if guestLinksByDigest[link.digest] == access { guestLinksByDigest[link.digest] = nil }
    }
}
