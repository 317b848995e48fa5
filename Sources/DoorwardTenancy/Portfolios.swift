package import DoorwardAdapterKit
package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy

/// The use cases of portfolios, properties and units: creating, reading, changing and deleting them.
package struct Portfolios: UseCases, Sendable {
    let kernel: Kernel
    /// Returns the owner of the transport of a device's address; `nil` if there is no such transport now.
    let transportOwner: @Sendable (LockDevice) -> TransportOwner?

    package init(_ kernel: Kernel, transportOwner: @escaping @Sendable (LockDevice) -> TransportOwner?) {
        (self.kernel, self.transportOwner) = (kernel, transportOwner)
    }

    /// Creates a portfolio with `owners`, which may be empty.
    package func create(
        _ caller: Caller, name: String, owners: [UserID], repeatable: IdempotentCall?
    ) async throws(GatewayError) -> Answered<Portfolio> {
        try await writer.create(caller, repeatable: repeatable) { (draft) throws(GatewayError) in
            try draft.createPortfolio(name, owners: owners)
        }
    }

    /// A place that the caller may read; tenants may read the property of their unit.
    ///
    /// - Throws: `.denied`; `.notFound` if the caller is a super admin and the place does not exist.
    package func place<Entity: Place>(_ id: EntityID<Entity>, for caller: Caller) throws(GatewayError) -> Entity {
        let (tenancy, subject) = directory.resolve(caller)
        return try tenancy.place(id, to: subject, with: Entity.rights.read)
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
            reach: [.entity(.portfolio(portfolioID))],
            body: { (draft) throws(GatewayError) in try draft.createProperty(new, in: portfolioID) })
    }

    /// The properties that the caller may read.
    ///
    /// - Throws: the errors of `place` for a parent in the path.
    package func properties(
        for caller: Caller, under parent: ParentFilter<Portfolio>, _ request: PageRequest<NameOrCreatedAt>
    ) throws(GatewayError) -> Page<Property> {
        let current = CallerSnapshot(directory, caller)
        if case .path(let id) = parent { _ = try current.tenancy.place(id, to: current.subject, with: .portfolioRead) }
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
            reach: [.entity(.property(propertyID))] + new.devices.map { .device($0) },
            body: { (draft) throws(GatewayError) in try draft.createUnit(new, in: propertyID) })
    }

    /// The units that the caller may read.
    ///
    /// - Throws: the errors of `place` for a parent in the path.
    package func units(
        for caller: Caller, under parent: ParentFilter<Property>, _ request: PageRequest<NameOrCreatedAt>
    ) throws(GatewayError) -> Page<Unit> {
        let current = CallerSnapshot(directory, caller)
        if case .path(let id) = parent { _ = try current.tenancy.place(id, to: current.subject, with: .propertyRead) }
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

extension TenancyUnitOfWork {
    mutating func createPortfolio(_ name: String, owners: [UserID]) throws(GatewayError) -> Portfolio {
        try require(.portfolioCreate, on: .gateway)
        let portfolio = Portfolio(id: newID(), name: name, createdAt: now, updatedAt: now)
        add(portfolio)
        for owner in owners { _ = try assign(.owner, to: owner, on: .portfolio(portfolio.id)) }
        return portfolio
    }

    mutating func createProperty(_ new: NewProperty, in portfolioID: PortfolioID) throws(GatewayError) -> Property {
        try require(.propertyCreate, on: .portfolio(portfolioID))
        let property = Property(
            id: newID(), name: new.name, portfolioID: portfolioID, address: new.address, defaultTimeZone: new.defaultTimeZone,
            createdAt: now, updatedAt: now)
        add(property)
        for manager in new.managers { _ = try assign(.propertyManager, to: manager, on: .property(property.id)) }
        try requireWithin(.maxProperties, of: portfolioID)
        return property
    }

    mutating func createUnit(_ new: NewUnit, in propertyID: PropertyID) throws(GatewayError) -> Unit {
        let property: Property = try place(propertyID, with: .unitCreate)
        let unit = Unit(
            id: newID(), name: new.name, propertyID: propertyID, portfolioID: property.portfolioID, createdAt: now,
            updatedAt: now)
        add(unit)
        for tenant in new.tenants { _ = try assign(.tenant, to: tenant, on: .unit(unit.id)) }
        for device in new.devices { try assign(device, to: unit, field: "deviceIds") }
        try requireWithin(.maxUnits, of: property.portfolioID)
        return unit
    }
}

// The subscription and the retention of a portfolio. Both are stored with the portfolio.
extension Portfolios {
    /// The subscription of a portfolio, and how much of its limits is used.
    ///
    /// - Throws: `.denied`; for a super admin `.notFound` if the portfolio does not exist.
    package func subscription(of id: PortfolioID, for caller: Caller) throws(GatewayError) -> ShownSubscription {
        let (tenancy, subject) = directory.resolve(caller)
        return tenancy.subscription(of: try tenancy.place(id, to: subject, with: .subscriptionRead), at: clock.now())
    }

    /// Changes the subscription of a portfolio. When this returns, the new modules and limits apply to every decision.
    ///
    /// - Throws: `.preconditionFailed` if `condition` is not met.
    package func changeSubscription(
        _ caller: Caller, of id: PortfolioID, _ changes: SubscriptionChanges, onlyIf condition: Precondition<Portfolio>? = nil
    ) async throws(GatewayError) -> ShownSubscription {
        try await change(caller, id, with: .subscriptionChange, onlyIf: condition) { portfolio in
            portfolio.subscription = changes.applied(to: portfolio.subscription)
        } result: { tenancy, portfolio, now in
            tenancy.subscription(of: portfolio, at: now)
        }
    }

    /// How long the access log of a portfolio is kept.
    ///
    /// - Throws: the errors of `subscription`.
    package func retention(of id: PortfolioID, for caller: Caller) throws(GatewayError) -> Retention {
        let (tenancy, subject) = directory.resolve(caller)
        return (try tenancy.place(id, to: subject, with: .subscriptionRead) as Portfolio).retention
    }

    /// Changes how long the access log of a portfolio is kept; see `LogRetention`. When this returns, a legal hold is in force:
    /// no record is removed any more.
    ///
    /// - Throws: `.preconditionFailed` if `condition` is not met.
    package func changeRetention(
        _ caller: Caller, of id: PortfolioID, days: Patch<Int>, legalHold: Bool?, onlyIf condition: Precondition<Portfolio>? = nil
    ) async throws(GatewayError) -> Retention {
        try await change(caller, id, with: .retentionChange, onlyIf: condition) { portfolio in
            portfolio.retention.days = days.applied(to: portfolio.retention.days)
            portfolio.retention.legalHold = legalHold ?? portfolio.retention.legalHold
        } result: { _, portfolio, _ in
            portfolio.retention
        }
    }

    /// Requires that a portfolio of the caller includes bulk operations, whichever it is; a caller without a portfolio has none to
    /// require it of, and a super admin acts for the gateway. To be called after all other checks of the call.
    ///
    /// The requests of a bulk do not check it each: a check before the rights of a request would show which ids exist.
    ///
    /// - Throws: `.featureUnavailable`.
    package func requireBulkOperations(for caller: Caller) throws(GatewayError) {
        let (tenancy, subject) = directory.resolve(caller)
        let portfolios = tenancy.portfolioIDs(of: subject, at: clock.now()).compactMap { tenancy.portfolio($0) }
        guard !subject.isSuperAdmin, !portfolios.isEmpty else { return }
        guard portfolios.contains(where: { $0.subscription.modules.contains(.bulkOperations) }) else {
            throw .featureUnavailable(.bulkOperations)
        }
    }

    private func change<Value: Sendable>(
        _ caller: Caller, _ id: PortfolioID, with permission: ManagementPermission, onlyIf condition: Precondition<Portfolio>?,
        _ body: @escaping @Sendable (inout Portfolio) -> Void,
        result: @escaping @Sendable (TenancyDirectory, Portfolio, Timestamp) -> Value
    ) async throws(GatewayError) -> Value {
        try await writer.change(
            caller,
            reach: [.entity(.portfolio(id))],
            body: { (draft) throws(GatewayError) in
                let portfolio = try draft.place(id, with: permission)
                try draft.require(condition, of: portfolio)
                var changed = portfolio
                body(&changed)
                changed = draft.update(portfolio, to: changed)
                return result(draft.directory, changed, draft.now)
            })
    }
}

/// The changes of a subscription.
package struct SubscriptionChanges: Sendable {
    /// The tier to choose; `nil` keeps it. Choosing a shipped tier replaces all modules and limits by those of the tier; choosing
    /// another name changes only the name.
    package var tier: String?
    /// The modules to switch on or off; they take precedence over those of the tier.
    package var modules: [SubscriptionModule: Bool] = [:]
    /// The limits to change, `.cleared` for no limit; they take precedence over those of the tier.
    package var limits: [SubscriptionLimit: Patch<Int>] = [:]

    package init() {}

    fileprivate func applied(to subscription: Subscription) -> Subscription {
        var changed = Subscription.tiers.first { $0.tier == tier } ?? subscription
        changed.tier = tier ?? subscription.tier
        for (module, isOn) in modules {
            if isOn { changed.modules.insert(module) } else { changed.modules.remove(module) }
        }
        for (limit, value) in limits { changed.limits[limit] = value.applied(to: changed.limits[limit]) }
        return changed
    }
}

extension TenancyUnitOfWork {
    /// Requires that the subscription of a portfolio includes a module. To be called last, after all other checks.
    ///
    /// - Throws: `.featureUnavailable`; also if the portfolio does not exist.
    func require(_ module: SubscriptionModule, in portfolio: PortfolioID) throws(GatewayError) {
        guard directory.portfolio(portfolio)?.subscription.modules.contains(module) == true
        else { throw .featureUnavailable(module) }
    }

    /// Requires that a portfolio is within a limit. To be called last, after an object that counts towards it was added.
    ///
    /// - Throws: `.limitReached`, with the count without the added object.
    func requireWithin(_ limit: SubscriptionLimit, of portfolio: PortfolioID) throws(GatewayError) {
        guard let max = directory.portfolio(portfolio)?.subscription.limits[limit] else { return }
        let count = directory.usage(of: limit, in: portfolio, at: now)
        if count > max { throw .limitReached(limit, max: max, count: count - 1) }
    }
}
