internal import DoorwardAdapterKit
package import DoorwardDomain
internal import DoorwardPolicy

/// The use cases of portfolios, properties and units: creating, reading, changing and deleting them.
package struct Portfolios: Sendable {
    let directory: CurrentDirectory
    let writer: TenancyWriter
    let clock: TrustedClock
    /// Returns the owner of the transport of a device's address; `nil` if there is no such transport now.
    let transportOwner: @Sendable (LockDevice) -> TransportOwner?

    /// Creates a portfolio with `owners`, which may be empty.
    package func create(
        _ caller: Caller, name: String, owners: [UserID], repeatable: IdempotentCall?
    ) async throws(GatewayError) -> Answered<Portfolio> {
        try await writer.create(caller, repeatable: repeatable) { (draft) throws(GatewayError) in
            try draft.require(.portfolioCreate, on: .gateway)
            let portfolio = Portfolio(id: draft.newID(), name: name, createdAt: draft.now, updatedAt: draft.now)
            draft.apply(.putPortfolio(portfolio))
            draft.note(
                .create, RecordTarget(portfolio), at: .portfolio(portfolio.id), after: Portfolio.fields.recorded(portfolio))
            for owner in owners { _ = try draft.assign(.owner, to: owner, on: .portfolio(portfolio.id)) }
            return portfolio
        }
    }

    /// A portfolio that the caller may read.
    ///
    /// - Throws: `.denied`; `.notFound` if the caller is a super admin and the portfolio does not exist.
    package func portfolio(_ id: PortfolioID, for caller: Caller) throws(GatewayError) -> Portfolio {
        let (tenancy, subject) = directory.resolve(caller)
        return try tenancy.readable(id, to: subject)
    }

    /// The portfolios that the caller may read.
    package func list(for caller: Caller, _ request: PageRequest<NameOrCreatedAt>) -> Page<Portfolio> {
        let current = CallerSnapshot(directory, caller)
        return request.page(
            .portfolios, in: current, of: caller.principal,
            visible: { SecurityService.visiblePortfolioIDs(for: current.subject, in: current.tenancy) },
            item: { current.tenancy.portfolio($0) })
    }

    // MARK: - Properties

    /// Creates a property with its managers.
    ///
    /// - Throws: `.denied`, `.notFound` for a user who does not exist, `.limitReached`, `.idempotencyMismatch`, `.unavailable`.
    package func createProperty(
        _ caller: Caller, in portfolioID: PortfolioID, _ new: NewProperty, repeatable: IdempotentCall?
    ) async throws(GatewayError) -> Answered<Property> {
        try await writer.create(
            caller, repeatable: repeatable,
            reach: { (tenancy, subject) throws(GatewayError) in
                try tenancy.requireReach(of: subject, to: .portfolio(portfolioID))
            },
            body: { (draft) throws(GatewayError) in
                try draft.require(.propertyCreate, on: .portfolio(portfolioID))
                let property = Property(
                    id: draft.newID(), name: new.name, portfolioID: portfolioID, address: new.address,
                    defaultTimeZone: new.defaultTimeZone, createdAt: draft.now, updatedAt: draft.now)
                draft.apply(.putProperty(property))
                draft.note(
                    .create, RecordTarget(property), at: .property(property.id), after: Property.fields.recorded(property))
                for manager in new.managers { _ = try draft.assign(.propertyManager, to: manager, on: .property(property.id)) }
                try draft.requireWithin(.maxProperties, of: portfolioID)
                return property
            })
    }

    /// A property that the caller may read; tenants may read the property of their unit.
    ///
    /// - Throws: `.denied`; `.notFound` if the caller is a super admin and the property does not exist.
    package func property(_ id: PropertyID, for caller: Caller) throws(GatewayError) -> Property {
        let (tenancy, subject) = directory.resolve(caller)
        return try tenancy.readable(id, to: subject)
    }

    /// The properties that the caller may read.
    ///
    /// - Throws: the errors of `portfolio` for a parent in the path.
    package func properties(
        for caller: Caller, under parent: ParentFilter<Portfolio>, _ request: PageRequest<NameOrCreatedAt>
    ) throws(GatewayError) -> Page<Property> {
        let current = CallerSnapshot(directory, caller)
        if case .path(let id) = parent { _ = try current.tenancy.readable(id, to: current.subject) }
        let now = clock.decisionTime()
        return request.page(
            .properties(parent.id), in: current, of: caller.principal,
            visible: {
                SecurityService.visiblePropertyIDs(for: current.subject, in: current.tenancy).filter { id in
                    guard let property = current.tenancy.property(id) else { return false }
                    return parent.passes(property.portfolioID) {
                        let level = SecurityService.fieldLevel(
                            of: current.subject, for: .property(property.id), at: now, in: current.tenancy)
                        return FieldTable.sees("portfolioId", of: .property, at: level ?? .publicLevel)
                    }
                }
            }, item: { current.tenancy.property($0) })
    }

    // MARK: - Units

    /// Creates a unit with its tenants, and assigns devices of the property to it.
    ///
    /// - Throws: `.denied`, `.notFound` for a user who does not exist, `.invalid` for a device of another property,
    ///   `.limitReached`.
    package func createUnit(
        _ caller: Caller, in propertyID: PropertyID, _ new: NewUnit, repeatable: IdempotentCall?
    ) async throws(GatewayError) -> Answered<Unit> {
        try await writer.create(
            caller, repeatable: repeatable,
            reach: { (tenancy, subject) throws(GatewayError) in
                try tenancy.requireReach(of: subject, to: .property(propertyID))
                for device in new.devices { try tenancy.requireReach(of: subject, to: device, at: clock.decisionTime()) }
            },
            body: { (draft) throws(GatewayError) in
                guard let property = draft.directory.property(propertyID) else { throw GatewayError.outOfReach }
                try draft.require(.unitCreate, on: .property(propertyID))
                let unit = Unit(
                    id: draft.newID(), name: new.name, propertyID: propertyID, portfolioID: property.portfolioID,
                    createdAt: draft.now, updatedAt: draft.now)
                draft.apply(.putUnit(unit))
                draft.note(.create, RecordTarget(unit), at: .unit(unit.id), after: Unit.fields.recorded(unit))
                for tenant in new.tenants { _ = try draft.assign(.tenant, to: tenant, on: .unit(unit.id)) }
                for device in new.devices { try draft.place(device, on: unit, field: "deviceIds") }
                try draft.requireWithin(.maxUnits, of: property.portfolioID)
                return unit
            })
    }

    /// A unit that the caller may read.
    ///
    /// - Throws: `.denied`; `.notFound` if the caller is a super admin and the unit does not exist.
    package func unit(_ id: UnitID, for caller: Caller) throws(GatewayError) -> Unit {
        let (tenancy, subject) = directory.resolve(caller)
        return try tenancy.readable(id, to: subject)
    }

    /// The units that the caller may read.
    ///
    /// - Throws: the errors of `property` for a parent in the path.
    package func units(
        for caller: Caller, under parent: ParentFilter<Property>, _ request: PageRequest<NameOrCreatedAt>
    ) throws(GatewayError) -> Page<Unit> {
        let current = CallerSnapshot(directory, caller)
        if case .path(let id) = parent { _ = try current.tenancy.readable(id, to: current.subject) }
        return request.page(
            .units(parent.id), in: current, of: caller.principal,
            visible: {
                SecurityService.visibleUnitIDs(for: current.subject, in: current.tenancy).filter { id in
                    // The property of a unit is visible to everyone who may read the unit.
                    current.tenancy.unit(id).map { unit in parent.passes(unit.propertyID) { true } } ?? false
                }
            }, item: { current.tenancy.unit($0) })
    }
}

/// Restricts a list to the entities of one parent.
package enum ParentFilter<Parent>: Sendable {
    /// No restriction.
    case any
    /// The parent in a query parameter: entities whose parent is not visible to the caller are not listed.
    case query(EntityID<Parent>)
    /// The parent in the path: the caller must be able to read it.
    case path(EntityID<Parent>)

    fileprivate var id: EntityID<Parent>? {
        switch self {
        case .any: nil
        case .query(let id), .path(let id): id
        }
    }

    func passes(_ parent: EntityID<Parent>, seesParent: () -> Bool) -> Bool {
        switch self {
        case .any: true
        case .query(let id): id == parent && seesParent()
        case .path(let id): id == parent
        }
    }
}

extension TenancyDirectory {
    fileprivate func readable(_ id: PortfolioID, to subject: Subject) throws(GatewayError) -> Portfolio {
        guard let portfolio = portfolio(id) else { throw .outOfReach(of: subject) }
        try require(.portfolioRead, of: subject, on: .portfolio(id))
        return portfolio
    }

    fileprivate func readable(_ id: PropertyID, to subject: Subject) throws(GatewayError) -> Property {
        guard let property = property(id) else { throw .outOfReach(of: subject) }
        try require(.propertyRead, of: subject, on: .property(id))
        return property
    }

    func readable(_ id: UnitID, to subject: Subject) throws(GatewayError) -> Unit {
        guard let unit = unit(id) else { throw .outOfReach(of: subject) }
        try require(.unitRead, of: subject, on: .unit(id))
        return unit
    }
}

/// The data of a property to create.
package struct NewProperty: Sendable {
    /// 1 to 200 characters, trimmed; need not be unique.
    package var name: String
    /// The postal address; `nil` if not given.
    package var address: PostalAddress?
    /// A validated IANA time zone name.
    package var defaultTimeZone: String?
    /// The users who become PROPERTY_MANAGER.
    package var managers: [UserID]

    package init(name: String, address: PostalAddress?, defaultTimeZone: String?, managers: [UserID]) {
        (self.name, self.address, self.defaultTimeZone, self.managers) = (name, address, defaultTimeZone, managers)
    }
}

/// The data of a unit to create.
package struct NewUnit: Sendable {
    /// 1 to 200 characters, trimmed; need not be unique.
    package var name: String
    /// The users who become TENANT.
    package var tenants: [UserID]
    /// The devices of the same property to assign to the unit.
    package var devices: [DeviceID]

    package init(name: String, tenants: [UserID], devices: [DeviceID]) {
        (self.name, self.tenants, self.devices) = (name, tenants, devices)
    }
}
