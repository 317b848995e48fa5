internal import DoorwardDomain

/// An object and what lies above it, from which rights and reach come down to it.
struct Chain {
    let object: ManagedObject
    private(set) var device: DeviceNode?
    private(set) var unit: UnitID?
    private(set) var property: PropertyID?
    private(set) var portfolio: PortfolioID?

    /// `nil` when there is no such object.
    init?(_ object: ManagedObject, in directory: TenancyDirectory) {
        self.object = object
        switch object {
        case .gateway: break
        case .portfolio(let id):
            guard directory.portfolio(id) != nil else { return nil }
            portfolio = id
        case .property(let id):
            guard let found = directory.property(id) else { return nil }
            (property, portfolio) = (id, found.portfolioID)
        case .unit(let id):
            guard let found = directory.unit(id) else { return nil }
            (unit, property, portfolio) = (id, found.propertyID, found.portfolioID)
        case .device(let id):
            guard let found = directory.resolve(id) else { return nil }
            device = found
            (unit, property, portfolio) = (found.unitID, found.propertyID, found.portfolioID)
        }
    }

    /// What the user holds on the object and above it, most specific first; on one entity the higher role, then the smaller id.
    func associations(of user: UserNode, in directory: TenancyDirectory) -> [HeldRole] {
        var held = device.map { directory.sharedRoles(of: user, on: $0) } ?? []
        if let unit { held += user.roles.held(on: .unit(unit)) }
        if let property { held += user.roles.held(on: .property(property)) }
        if let portfolio { held += user.roles.held(on: .portfolio(portfolio)) }
        return held
    }

    /// For a property: what the user holds as a tenant of its units, by id.
    func tenancies(of user: UserNode, in directory: TenancyDirectory) -> [HeldRole] {
        guard case .property(let id) = object else { return [] }
        return user.roles.all.filter { held in
            guard case .unit(let unit) = held.entity, held.role == .tenant else { return false }
            return directory.unit(unit)?.propertyID == id
        }.sorted { $0.id < $1.id }
    }

    /// The first of the guest accesses by which the user may know of the device at an instant.
    func guestAccess(of user: UserNode, at instant: Timestamp?, in directory: TenancyDirectory) -> GuestAccessNode? {
        guard let device, let instant else { return nil }
        return user.guestAccesses.all(on: device.id).first { $0.givesReach(to: device, at: instant, in: directory) }
    }

    /// Whether the user may know that the object exists. That the gateway does is no secret.
    func isReached(by user: UserNode, at instant: Timestamp?, in directory: TenancyDirectory) -> Bool {
        user.isSuperAdmin || object == .gateway || !associations(of: user, in: directory).isEmpty
            || !tenancies(of: user, in: directory).isEmpty
            || guestAccess(of: user, at: instant, in: directory) != nil
    }
}
