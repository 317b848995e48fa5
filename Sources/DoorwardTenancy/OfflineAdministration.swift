package import DoorwardDomain
package import DoorwardKernel
package import DoorwardPolicy

/// Administration by the machine's operator directly in the store, while no gateway has it open. Access to the database file is
/// the only authorization: there is no sign-in, and the records name the gateway as the actor.
package struct OfflineAdministration: Sendable {
    private let storeGuard: StoreGuard
    private let clock: any GatewayClock
    private let random: RandomSource
    private let hasher: PasswordHasher

    /// - Parameter passwordCost: log2 of scrypt's N.
    package init(store: any GatewayStore, clock: any GatewayClock, random: RandomSource, passwordCost: Int) {
        storeGuard = StoreGuard(store: store)
        (self.clock, self.random) = (clock, random)
        hasher = PasswordHasher(cost: passwordCost, random: random)
    }

    /// Creates a super admin; durable on return.
    ///
    /// - Throws: `.invalid` if the password violates the rules, `.alreadyExists` if a user has this address.
    package func createSuperAdmin(
        email: String, firstName: String, lastName: String, password: Secret<String>
    ) async throws(GatewayError) -> User {
        try PasswordRules.check(password, field: "password")
        guard try await storeGuard.readTenancy().user(email: email) == nil else { throw .alreadyExists }
        let hash = try await hasher.hash(password)
        let now = clock.now()
        let user = User(
            id: random.id(at: now), email: email, firstName: firstName, lastName: lastName, isSuperAdmin: true,
            createdAt: now, updatedAt: now)
        try await storeGuard.write(
            StoreTransaction(
                changes: [.putUser(user)], credentials: [.setPassword(user.id, hash: hash)],
                records: [PendingRecord(ofOperatorAt: now, random, RecordTarget(user), after: user.auditFields)]))
        return user
    }

    /// Creates a one-time link with which a super admin sets a new password; durable on return. It invalidates any earlier link.
    ///
    /// - Throws: `.notFound` if no user has this address; `.conflict` with a sentence if the user is not a super admin or is
    ///   disabled.
    package func recover(email: String) async throws(GatewayError) -> PasswordReset.Offer {
        guard let user = try await storeGuard.readTenancy().user(email: email) else { throw .notFound }
        guard user.isSuperAdmin else {
            throw .conflict("This user is not a super admin: a super admin can create a link for them over the API.")
        }
        guard user.isEnabled else { throw .conflict("This super admin is disabled: another one can enable them over the API.") }
        // The gateway compares the end of the link with its latest trusted time, if its clock shows an earlier one.
        let mark = try await mappingStoreErrors(await storeGuard.tenancy.storedClock()?.highWaterMark)
        let now = max(clock.now(), mark ?? clock.now())
        let (reset, token) = (PasswordReset(of: user.id, createdBy: nil, at: now, random), OneTimeToken.new(random))
        try await storeGuard.write(
            StoreTransaction(
                credentials: [.offerReset(reset, digest: OneTimeToken.digest(of: token))],
                records: [PendingRecord(ofOperatorAt: now, random, RecordTarget(reset), after: reset.auditFields)]))
        return PasswordReset.Offer(user: user, token: token, expiresAt: reset.expiresAt)
    }
}

/// The records of a complete tenancy that the host's operator writes into a new database, so that the origin of every right is
/// recorded. They name the gateway as the actor, like all records of offline administration.
package enum SeedRecords {
    /// The records of the changes, in the order of the changes. Each change has a record in the
    /// gateway's log and, if it belongs to a portfolio, another one in the portfolio's log.
    ///
    /// - Parameter changes: the changes, parents before children. Removals and guest accesses are not part of a new tenancy and
    ///   get no record.
    package static func records(of changes: [TenancyChange], at now: Timestamp, random: RandomSource) -> [PendingRecord] {
        var directory = TenancyDirectory()
        return changes.flatMap { change -> [PendingRecord] in
            directory.apply(change)
            guard let part = Part(change) else { return [] }
            let path = part.entity.map { directory.path(of: $0) }
            let logs = [LogID.gateway] + [path?.portfolioID].compactMap { $0.map { .portfolio($0) } }
            return logs.map { log in
                PendingRecord(
                    ofOperatorAt: now, random, action: part.action, part.target, after: part.after, in: log,
                    device: part.device, path: path)
            }
        }
    }

    /// The content of one record. It is the same as in the record of the use case that creates such an entity.
    private struct Part {
        var action = ChangeAction.create
        let target: RecordTarget
        var entity: AssociatedEntity?
        var device: DeviceSnapshot?
        let after: [String: RecordValue]

        init?(_ change: TenancyChange) {
            switch change {
            case .putUser(let user): (target, after) = (RecordTarget(user), user.auditFields)
            case .putPortfolio(let portfolio):
                (target, entity, after) = (portfolio.target, portfolio.entity, Portfolio.fields.recorded(portfolio))
            case .putProperty(let property):
                (target, entity, after) = (property.target, property.entity, Property.fields.recorded(property))
            case .putUnit(let unit):
                (target, entity) = (unit.target, unit.entity)
                after = Unit.fields.recorded("name", "commonAreaAccessIds", of: unit)
            case .putDevice(let device):
                (target, after, self.device) = (RecordTarget(device), device.auditFields, DeviceSnapshot(device))
                entity = device.propertyID.map { .property($0) }
            case .putAssociation(let association):
                (action, target, entity) = (.assign, RecordTarget(association), association.entity)
                after = UserRoleAssociation.fields.recorded(association)
            case .removePortfolio, .removeProperty, .removeUnit, .removeDevice, .removeUser, .removeAssociation, .putGuestAccess,
                .removeGuestAccess, .putAPIKey, .removeAPIKey, .putInvitation, .removeInvitation, .putGuestLink,
                .removeGuestLink:
                return nil
            }
        }
    }
}

extension PendingRecord {
    /// The record of a change by the operator of the host, who has no account.
    fileprivate init(
        ofOperatorAt now: Timestamp, _ random: RandomSource, action: ChangeAction = .create, _ target: RecordTarget,
        after: [String: RecordValue], in log: LogID = .gateway, device: DeviceSnapshot? = nil, path: EntityPathIDs? = nil
    ) {
        self.init(
            RecordBody(
                log: log, id: random.id(at: now), at: now, kind: .adminChange, actor: .gateway, source: .cli, device: device,
                path: path, action: action, target: target, details: ["before": .null, "after": .object(after)]))
    }
}
