internal import DoorwardDomain
internal import DoorwardKernel
internal import DoorwardPolicy

/// A portfolio, a property or a unit.
protocol Place: ConditionalEntity, Equatable, Sendable {
    static var fields: [Field<Self>] { get }
    var updatedAt: Timestamp { get set }
    /// The entity as roles name it.
    var entity: AssociatedEntity { get }
    /// The entity as records name it.
    var target: RecordTarget { get }

    static func find(_ id: EntityID<Self>, in tenancy: TenancyDirectory) -> Self?
}

extension Portfolio: Place {
    var entity: AssociatedEntity { .portfolio(id) }
    var target: RecordTarget { RecordTarget(self) }
    static func find(_ id: PortfolioID, in tenancy: TenancyDirectory) -> Portfolio? { tenancy.portfolio(id) }
}

extension Property: Place {
    var entity: AssociatedEntity { .property(id) }
    var target: RecordTarget { RecordTarget(self) }
    static func find(_ id: PropertyID, in tenancy: TenancyDirectory) -> Property? { tenancy.property(id) }
}

extension Unit: Place {
    var entity: AssociatedEntity { .unit(id) }
    var target: RecordTarget { RecordTarget(self) }
    static func find(_ id: UnitID, in tenancy: TenancyDirectory) -> Unit? { tenancy.unit(id) }
}

extension TenancyDirectory {
    /// - Throws: `.denied`, reduced to what the subject may see; `.notFound` for a super admin if the place does not exist.
    func place<Entity: Place>(
        _ id: EntityID<Entity>, to subject: Subject, with permission: ManagementPermission
    ) throws(GatewayError) -> Entity {
        guard let place = Entity.find(id, in: self) else { throw .outOfReach(of: subject) }
        try require(permission, of: subject, on: ManagedObject(place.entity))
        return place
    }

    /// An entity and all below it.
    func withAllBelow(_ entity: AssociatedEntity) -> [AssociatedEntity] {
        switch entity {
        case .portfolio(let id): [entity] + propertyIDs(of: id).flatMap { withAllBelow(.property($0)) }
        case .property(let id): [entity] + unitIDs(of: id).map { .unit($0) }
        case .unit: [entity]
        }
    }
}

extension TenancyUnitOfWork {
    /// - Throws: as the same function of the directory, for the caller.
    func place<Entity: Place>(
        _ id: EntityID<Entity>, with permission: ManagementPermission
    ) throws(GatewayError) -> Entity { try directory.place(id, to: subject, with: permission) }

    /// Adds a place and records it.
    mutating func add<Entity: Place>(_ place: Entity) {
        apply(place.asWritten)
        appendRecord(.create, place.target, at: place.entity, after: Entity.fields.recorded(place))
    }

    /// Replaces a place and records the fields that differ. Does nothing if none does.
    ///
    /// - Returns: the place with the time of the change.
    mutating func update<Entity: Place>(_ old: Entity, to new: Entity) -> Entity {
        guard new != old else { return old }
        var changed = new
        changed.updatedAt = now
        apply(changed.asWritten)
        let (before, after) = Entity.fields.recordedChanges(from: old, to: changed)
        appendRecord(.update, changed.target, at: changed.entity, before: before, after: after)
        return changed
    }

    /// Records that a place is removed.
    mutating func recordRemoval<Entity: Place>(of place: Entity) {
        appendRecord(.delete, place.target, at: place.entity, before: Entity.fields.recorded(place))
    }
}
