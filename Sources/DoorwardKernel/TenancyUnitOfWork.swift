package import DoorwardDomain
package import DoorwardPolicy

/// A precondition for changing an entity, such as an entity tag; evaluated on the directory that the change applies to, after
/// the caller's right to make the change has been checked.
package typealias Precondition<Entity> = @Sendable (Entity, TenancyDirectory) -> Bool

/// An entity that can be changed under a precondition.
package protocol ConditionalEntity {
    /// The change that wrote the entity in its current state.
    var asWritten: TenancyChange { get }
}

extension Portfolio: ConditionalEntity { package var asWritten: TenancyChange { .putPortfolio(self) } }
extension Property: ConditionalEntity { package var asWritten: TenancyChange { .putProperty(self) } }
extension Unit: ConditionalEntity { package var asWritten: TenancyChange { .putUnit(self) } }
extension LockDevice: ConditionalEntity { package var asWritten: TenancyChange { .putDevice(self) } }
extension User: ConditionalEntity { package var asWritten: TenancyChange { .putUser(self) } }
extension GuestAccess: ConditionalEntity { package var asWritten: TenancyChange { .putGuestAccess(self) } }

/// A change of the tenancy under construction: the resulting directory, and the transaction to write.
package struct TenancyUnitOfWork {
    /// The directory with the changes made so far.
    package private(set) var directory: TenancyDirectory
    /// The caller's subject in `directory`, resolved again after each change.
    package private(set) var subject: Subject
    /// What will be written.
    package var transaction = StoreTransaction()
    /// Who makes the change.
    package let caller: Caller
    /// The time of the change; rights are checked at this time.
    package let time: DecisionTime
    private let random: RandomSource
    /// Users whose password resets the transaction already deletes.
    private var usersWithoutLink: Set<UserID> = []

    /// The wall clock's reading at the time of the change, with which created and changed entities are stamped.
    package var now: Timestamp { time.instant }

    /// Begins a change of `directory`.
    package init(directory: TenancyDirectory, caller: Caller, time: DecisionTime, random: RandomSource) {
        (self.directory, self.caller, self.time, self.random) = (directory, caller, time, random)
        subject = directory.subject(of: caller.principal, at: time)
    }

    /// Makes a change, and the changes that follow from it: everything that depended on a removed right ends in the same transaction.
    package mutating func apply(_ change: TenancyChange) {
        let loser = directory.userLosingRights(by: change)
        endPasswordLinks(endedBy: change)
        directory.apply(change)
        subject = directory.subject(of: caller.principal, at: time)
        transaction.changes.append(change)
        if let loser { endUnauthorizedCredentials(of: loser) }
        // The link of an access ends with the access.
        if case .putGuestAccess(let access) = change, access.revokedAt != nil, directory.guestLink(of: access.id) != nil {
            apply(.removeGuestLink(of: access.id))
        }
    }

    /// Deletes the password resets of users whose rights change, and those created by a user who loses the right to create
    /// them. To be called before `change` is applied.
    private mutating func endPasswordLinks(endedBy change: TenancyChange) {
        switch change {
        case .putAssociation(let association):
            if let replaced = directory.association(association.id) { endPasswordLink(of: replaced.userID) }
            endPasswordLink(of: association.userID)
        case .removeAssociation(let id):
            if let association = directory.association(id) { endPasswordLink(of: association.userID) }
        case .putGuestAccess(let access):
            if let guest = access.guestUserID, directory.guestAccess(access.id) != access { endPasswordLink(of: guest) }
        case .putUser(let user):
            guard let known = directory.user(user.id) else { return }
            guard known.isEnabled != user.isEnabled || known.isSuperAdmin != user.isSuperAdmin else { return }
            endPasswordLink(of: user.id)
            transaction.credentials.append(.endResets(createdBy: user.id))
        case .removeGuestAccess(let id):
            if let guest = directory.guestAccess(id)?.guestUserID { endPasswordLink(of: guest) }
        // The store deletes the password resets of a removed user, and those that the user has created.
        case .putPortfolio, .removePortfolio, .putProperty, .removeProperty, .putUnit, .removeUnit, .putDevice, .removeDevice,
            .removeUser, .putAPIKey, .removeAPIKey, .putInvitation, .removeInvitation, .putGuestLink,
            .removeGuestLink:
            return
        }
    }

    private mutating func endPasswordLink(of user: UserID) {
        if usersWithoutLink.insert(user).inserted { transaction.credentials.append(.endReset(of: user)) }
    }

    /// Checks the precondition, and makes the store check that the entity is still the same when the transaction takes effect.
    ///
    /// - Throws: `.preconditionFailed`.
    package mutating func require<Entity: ConditionalEntity>(
        _ condition: Precondition<Entity>?, of entity: Entity
    ) throws(GatewayError) {
        guard let condition else { return }
        guard condition(entity, directory) else { throw .preconditionFailed }
        transaction.requires.append(.unchanged(since: entity.asWritten))
    }

    /// - Throws: the errors of `TenancyDirectory.require`, for the caller and for the directory with the changes made so far.
    package func require(
        _ permission: ManagementPermission, on object: ManagedObject, at time: DecisionTime? = nil
    ) throws(GatewayError) {
        try directory.require(permission, of: subject, on: object, at: time)
    }

    /// A new id, which contains the time of the change.
    package func newID<Entity>(_: Entity.Type = Entity.self) -> EntityID<Entity> { random.id(at: now) }

    /// Records the change in the gateway's log and in the log of each portfolio in which it affects rights.
    ///
    /// - Parameters:
    ///   - entity: the entity that is changed, for the position in the records.
    ///   - portfolios: the portfolios in which rights are affected; `nil` for the portfolio of `entity`.
    package mutating func appendRecord(
        _ action: ChangeAction, _ target: RecordTarget, at entity: AssociatedEntity? = nil,
        in portfolios: Set<PortfolioID>? = nil,
        device: DeviceSnapshot? = nil,
        before: [String: RecordValue]? = nil, after: [String: RecordValue]? = nil
    ) {
        let path = entity.map { directory.path(of: $0) }
        let altered = portfolios ?? Set([path?.portfolioID].compactMap(\.self))
        let logs: [LogID] = [.gateway] + altered.sorted().map { .portfolio($0) }
        let view = ChangeView(device: device, path: path, before: before, after: after)
        for log in logs { appendRecord(action, target, as: view, to: log) }
    }

    /// Appends the record of a change to one log, with the content that its readers may see.
    package mutating func appendRecord(_ action: ChangeAction, _ target: RecordTarget, as view: ChangeView, to log: LogID) {
        let details: [String: RecordValue] = [
            "before": view.before.map { .object($0) } ?? .null, "after": view.after.map { .object($0) } ?? .null,
        ]
        transaction.records.append(
            PendingRecord(
                RecordBody(
                    log: log, id: newID(), at: now, kind: .adminChange, actor: RecordActor(of: caller, in: directory),
                    source: caller.origin.source, clientAddress: caller.origin.clientAddress, requestID: caller.origin.requestID,
                    device: view.device, path: view.path, action: action, target: target, details: details)))
    }
}

/// The content of a change record in one log. A portfolio's log names only entities of that portfolio: a change that concerns
/// several portfolios is recorded with a separate view for each.
package struct ChangeView {
    var device: DeviceSnapshot?
    var path: EntityPathIDs?
    var before: [String: RecordValue]?
    var after: [String: RecordValue]?

    /// - Parameters:
    ///   - path: the position of the changed entity.
    ///   - before: the recorded fields before the change; `nil` for a new entity.
    ///   - after: those after it; `nil` for a removed entity.
    package init(
        device: DeviceSnapshot? = nil, path: EntityPathIDs? = nil, before: [String: RecordValue]? = nil,
        after: [String: RecordValue]? = nil
    ) { (self.device, self.path, self.before, self.after) = (device, path, before, after) }
}

// MARK: - Rights

extension TenancyDirectory {
    /// - Throws: `.denied`, with only those details that the caller may see; `.notFound` if the
    ///   subject is a super admin and the object does not exist.
    package func require(
        _ permission: ManagementPermission, of subject: Subject, on object: ManagedObject, at time: DecisionTime? = nil
    ) throws(GatewayError) {
        guard let denial = SecurityService.allows(subject, permission, on: object, at: time, in: self).denial else { return }
        if !denial.hasReach { throw .outOfReach(of: subject) }
        throw .denied(denial, operation: nil, deviceID: nil)
    }

    /// - Throws: `.outOfReach`; `.notFound` if the subject is a super admin, from whom nothing is hidden.
    package func requireReach(of subject: Subject, to object: AssociatedEntity) throws(GatewayError) {
        guard SecurityService.reaches(subject, object, in: self) else { throw .outOfReach(of: subject) }
    }

    /// - Throws: `.outOfReach` unless the device is visible to the subject.
    package func requireReach(of subject: Subject, to deviceID: DeviceID, at time: DecisionTime) throws(GatewayError) {
        guard SecurityService.reaches(subject, device: deviceID, at: time, in: self) else { throw .outOfReach(of: subject) }
    }

    /// The ids of an entity and of the entities above it.
    package func path(of entity: AssociatedEntity) -> EntityPathIDs {
        switch entity {
        case .portfolio(let id): return EntityPathIDs(portfolioID: id)
        case .property(let id): return EntityPathIDs(propertyID: id, portfolioID: property(id)?.portfolioID)
        case .unit(let id):
            let unit = unit(id)
            return EntityPathIDs(unitID: id, propertyID: unit?.propertyID, portfolioID: unit?.portfolioID)
        }
    }

    /// The user; `nil` for no id or an unknown one.
    package func user(_ id: UserID?) -> User? { id.flatMap { user($0) } }
}

// MARK: - Entities in records

extension RecordTarget {
    /// A portfolio.
    package init(_ portfolio: Portfolio) { self.init(type: "Portfolio", id: portfolio.id.description) }
    /// A property.
    package init(_ property: Property) { self.init(type: "Property", id: property.id.description) }
    /// A unit.
    package init(_ unit: Unit) { self.init(type: "Unit", id: unit.id.description) }
    /// A user.
    package init(_ user: User) { self.init(type: "User", id: user.id.description) }
    /// A role.
    package init(_ association: UserRoleAssociation) { self.init(type: "UserRoleAssociation", id: association.id.description) }
    /// A device.
    package init(_ device: LockDevice) { self.init(type: "LockDevice", id: device.id.description) }
    /// A guest access.
    package init(_ access: GuestAccess) { self.init(type: "GuestAccess", id: access.id.description) }
    /// An API key.
    package init(_ key: APIKey) { self.init(type: "APIKey", id: key.id.description) }
    /// An invitation.
    package init(_ invitation: Invitation) { self.init(type: "Invitation", id: invitation.id.description) }
}

extension RecordValue {
    /// An id as text, or null.
    package static func id<Entity>(_ id: EntityID<Entity>?) -> RecordValue { id.map { .string($0.description) } ?? .null }
}
