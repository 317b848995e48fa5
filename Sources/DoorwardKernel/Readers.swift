package import DoorwardDomain
package import DoorwardPolicy

// What a subject may read of people, guest accesses and subscriptions. The lists of the API and the live stream select by the same
// functions.
extension TenancyDirectory {
    /// A user who is visible to the subject; see `Users.user`.
    package func visibleUser(_ id: UserID, to subject: Subject) throws(GatewayError) -> User {
        guard let user = user(id) else { throw .outOfReach(of: subject) }
        if subject.isUser(id) || subject.isSuperAdmin { return user }
        let entities = associations(of: id).map(\.entity) + guestAccesses(of: id).map(\.place)
        guard entities.contains(where: { readsPeople(subject, on: $0) }) else { throw .outOfReach }
        return user
    }

    /// Whether the subject may list the users of an entity.
    package func readsPeople(_ subject: Subject, on entity: AssociatedEntity) -> Bool {
        SecurityService.allows(subject, .peopleRead, on: ManagedObject(entity), in: self).isAllowed
    }

    /// The portfolios in which a user holds a role or a guest access.
    package func portfolios(where user: UserID) -> Set<PortfolioID> {
        let roles = associations(of: user).map(\.entity)
        let accesses = guestAccesses(of: user).map { AssociatedEntity.property($0.propertyID) }
        return Set((roles + accesses).compactMap { path(of: $0).portfolioID })
    }

    /// The subscription of a portfolio, with its usage.
    package func subscription(of portfolio: Portfolio, at now: Timestamp) -> ShownSubscription {
        let counts = SubscriptionLimit.allCases.map { ($0, usage(of: $0, in: portfolio.id, at: now)) }
        return ShownSubscription(portfolio: portfolio, usage: Dictionary(uniqueKeysWithValues: counts))
    }

    /// - Throws: `.outOfReach`; if the subject is a super admin, `.denied` if the access exists and `.notFound` otherwise.
    package func readable(_ id: GuestAccessID, to subject: Subject) throws(GatewayError) -> GuestAccess {
        guard let access = guestAccess(id) else { throw .outOfReach(of: subject) }
        if mayRead(access, subject) { return access }
        guard subject.isSuperAdmin else { throw .outOfReach }
        throw .denied(Denial(.roleInsufficient, hasReach: true, rule: .superAdmin), operation: nil, deviceID: nil)
    }

    /// Sorted by id.
    package func readableGuestAccesses(by subject: Subject) -> [GuestAccess] {
        var found: [GuestAccessID: GuestAccess] = [:]
        for access in subject.userID.map({ guestAccesses(of: $0) }) ?? [] { found[access.id] = access }
        for property in SecurityService.visiblePropertyIDs(for: subject, in: self) {
            for access in guestAccesses(in: property) where mayRead(access, subject) { found[access.id] = access }
        }
        return found.values.sorted { $0.id < $1.id }
    }

    /// Whether the access is one of `readableGuestAccesses`.
    package func lists(_ access: GuestAccess, to subject: Subject) -> Bool {
        if subject.isUser(access.guestUserID) { return true }
        return mayRead(access, subject)
            && SecurityService.allows(subject, .propertyRead, on: .property(access.propertyID), in: self).isAllowed
    }

    /// Whether the subject is the guest, is the grantor, or may manage guest accesses of the access's property or unit.
    fileprivate func mayRead(_ access: GuestAccess, _ subject: Subject) -> Bool {
        if subject.isUser(access.guestUserID) || subject.isUser(access.grantedByUserID) { return true }
        return mayManage(access, subject)
    }

    private func mayManage(_ access: GuestAccess, _ subject: Subject) -> Bool {
        func mayRevoke(on entity: AssociatedEntity) -> Bool {
            SecurityService.allows(subject, .guestAccessRevoke, on: ManagedObject(entity), in: self).isAllowed
        }
        if mayRevoke(on: .property(access.propertyID)) { return true }
        guard let unit = access.unitID, mayRevoke(on: .unit(unit)) else { return false }
        // A user with a right only on a unit is a tenant. A tenant does not see accesses that ended before the tenancy began, or that ended
        // with a former tenant's tenancy.
        return subject.historyStart(in: unit).map { $0 < access.endsAt } ?? false
            && access.deviceIDs.contains { access.isHeld(on: $0) { association($0) != nil } }
    }

    /// Requires the right to revoke the access. The grantor has this right while one of the associations that covered the devices
    /// exists; other users have it if they may manage the access.
    package func requireManagement(of access: GuestAccess, by subject: Subject) throws(GatewayError) {
        if manages(access, subject) { return }
        // The access is visible to the subject at this point, so the denial reveals nothing.
        throw .denied(Denial(.roleInsufficient, hasReach: true), operation: nil, deviceID: nil)
    }

    private func manages(_ access: GuestAccess, _ subject: Subject) -> Bool {
        if subject.isUser(access.grantedByUserID), access.carriers.contains(where: { association($0) != nil }) { return true }
        return mayManage(access, subject)
    }

    /// Whether the access has not ended and has a link; only subjects who may end the link may know this.
    package func hasLink(_ access: GuestAccess, shownTo subject: Subject, at now: Timestamp) -> Bool {
        now < access.endsAt && guestLink(of: access.id) != nil && manages(access, subject)
    }
}

extension GuestAccess {
    /// The unit in which the access was granted, or else the property.
    package var place: AssociatedEntity { unitID.map { .unit($0) } ?? .property(propertyID) }
}
