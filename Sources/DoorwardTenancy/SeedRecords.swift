package import DoorwardDomain
package import DoorwardKernel
package import DoorwardPolicy

/// The records of a complete tenancy that the host's operator writes into a new database, so that the origin of every right is
/// recorded. They name the gateway as the actor, like all records of offline administration.
package enum SeedRecords {
    /// The records of the changes, in the order of the changes. Each change has a record in the
    /// gateway's log and, if it belongs to a portfolio, another one in the portfolio's log.
    ///
    /// - Parameter changes: the changes, parents before children. Removals and guest accesses are not part of a new tenancy and
    ///   get no record.
    package static func records(
        of changes: [TenancyChange], at now: Timestamp, random: RandomSource
    ) -> [PendingRecord] {
        var directory = TenancyDirectory()
        return changes.flatMap { change -> [PendingRecord] in
            directory.apply(change)
            guard let part = Part(change) else { return [] }
            let path = part.entity.map { directory.path(of: $0) }
            let logs = [LogID.gateway] + [path?.portfolioID].compactMap { $0.map { .portfolio($0) } }
            return logs.map { log in
                PendingRecord(
                    RecordBody(
                        log: log, id: random.id(at: now), at: now, kind: .adminChange, actor: .gateway, source: .cli,
                        device: part.device, path: path, action: part.action, target: part.target,
                        details: ["before": .null, "after": .object(part.after)]))
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
                (target, entity) = (RecordTarget(portfolio), .portfolio(portfolio.id))
                after = Portfolio.fields.recorded(portfolio)
            case .putProperty(let property):
                (target, entity) = (RecordTarget(property), .property(property.id))
                after = Property.fields.recorded(property)
            case .putUnit(let unit):
                (target, entity) = (RecordTarget(unit), .unit(unit.id))
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
