package import DoorwardDomain
package import DoorwardKernel
package import DoorwardPolicy

/// A portfolio, a property or a unit.
package protocol Place: ConditionalEntity, Equatable, Sendable {
    /// The fields of responses and records.
    static var fields: [Field<Self>] { get }
    /// Who may do what to a place of this type.
    static var rights: PlaceRights { get }
    /// The id of this place.
    var id: EntityID<Self> { get }
    /// When the place's own fields were last changed.
    var updatedAt: Timestamp { get set }
    /// The entity as records name it.
    var target: RecordTarget { get }
    /// The entity as roles name it.
    static func entity(_ id: EntityID<Self>) -> AssociatedEntity
    /// The place with this id; `nil` if there is none. Visibility is not checked here.
    static func find(_ id: EntityID<Self>, in tenancy: TenancyDirectory) -> Self?
}

/// The rights to places of one type, and the people whom a place lists.
package struct PlaceRights: Sendable {
    let read: ManagementPermission
    let change: ManagementPermission
    let delete: ManagementPermission
    /// The roles of the listed people.
    let staff: Set<Role>
    /// The role that people get who are added to the list.
    let added: Role
}

extension Place {
    var entity: AssociatedEntity { Self.entity(id) }
}

extension Portfolio: Place {
    package static let rights = PlaceRights(
        read: .portfolioRead, change: .portfolioRename, delete: .portfolioDelete, staff: [.owner, .portfolioAdmin],
        added: .portfolioAdmin)
    package var target: RecordTarget { RecordTarget(self) }
    package static func entity(_ id: PortfolioID) -> AssociatedEntity { .portfolio(id) }
    package static func find(_ id: PortfolioID, in tenancy: TenancyDirectory) -> Portfolio? { tenancy.portfolio(id) }
}

extension Property: Place {
    package static let rights = PlaceRights(
        read: .propertyRead, change: .propertyChange, delete: .propertyDelete, staff: [.propertyManager],
        added: .propertyManager)
    package var target: RecordTarget { RecordTarget(self) }
    package static func entity(_ id: PropertyID) -> AssociatedEntity { .property(id) }
    package static func find(_ id: PropertyID, in tenancy: TenancyDirectory) -> Property? { tenancy.property(id) }
}

extension Unit: Place {
    package static let rights = PlaceRights(
        read: .unitRead, change: .unitChange, delete: .unitDelete, staff: [.tenant], added: .tenant)
    package var target: RecordTarget { RecordTarget(self) }
    package static func entity(_ id: UnitID) -> AssociatedEntity { .unit(id) }
    package static func find(_ id: UnitID, in tenancy: TenancyDirectory) -> Unit? { tenancy.unit(id) }
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
}
