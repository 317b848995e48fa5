internal import DoorwardDomain

/// An object and the entities above it. A role on one of them reaches the object.
struct EntityPath {
    /// The device, if the object is a device.
    private(set) var device: DeviceNode?
    private(set) var unit: UnitID?
    private(set) var property: PropertyID?
    private(set) var portfolio: PortfolioID?

    init(unit: UnitID?, property: PropertyID?, portfolio: PortfolioID?) {
        (self.unit, self.property, self.portfolio) = (unit, property, portfolio)
    }

    @inline(__always)
    init(_ device: DeviceNode) {
        self.device = device
        (unit, property, portfolio) = (device.unitID, device.propertyID, device.portfolioID)
    }

    /// Creates the path of an object; `nil` if the object does not exist. The path of the gateway is empty.
    init?(_ object: ManagedObject, in directory: TenancyDirectory) {
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
}

extension TenancyDirectory {
    /// Whether a role on `entity` reaches `other`: the two are the same, or `entity` is above `other`.
    func covers(_ entity: AssociatedEntity, _ other: AssociatedEntity) -> Bool {
        guard let path = EntityPath(ManagedObject(other), in: self) else { return false }
        switch entity {
        case .portfolio(let id): return path.portfolio == id
        case .property(let id): return path.property == id
        case .unit(let id): return path.unit == id
        }
    }
}

/// A rule by which a subject reaches an object.
enum ReachingRule {
    /// A role on the object or above it, with its column of the permission matrix. There is no column if the role cannot be
    /// assigned on that type of entity, such as OWNER on a unit; such a role gives no right.
    case role(HeldRole, MatrixColumn?)
    /// A tenant's role on a unit. The object is the property that contains the unit.
    case tenancyBelow(HeldRole)
    case guestAccess(GuestAccessNode)
    case superAdmin

    var rule: Rule {
        switch self {
        case .role(let held, _), .tenancyBelow(let held): held.rule
        case .guestAccess(let node): .guestAccess(node.id)
        case .superAdmin: .superAdmin
        }
    }
}

/// Whether an iteration over rules continues.
enum IterationStep { case next, stop }

// The code below is the only code that determines which rules reach an object. Every decision,
// denial and list is computed with `forEachRule`.
extension SecurityService {
    /// Calls `body` with each rule by which a subject reaches an object, until `body` returns
    /// `.stop`. The rules of a disabled subject are included.
    ///
    /// The order of the rules is the order in which they are reported: tenancies below the object, roles on the unit or for a
    /// common area, roles on the property, roles on the portfolio, guest accesses, super admin. On one entity, the higher role
    /// comes first, then the smaller id. The roles on several units that share a common area have no defined order.
    ///
    /// - Parameter time: the time of the request; `nil` leaves out guest accesses, which reach a device for a limited time.
    @inline(__always)
    static func forEachRule(
        reaching path: EntityPath, for subject: Subject, at time: DecisionTime?, in directory: TenancyDirectory,
        _ body: (ReachingRule) -> IterationStep
    ) {
        assert(subject.version == directory.version, "the subject belongs to another snapshot")
        guard let user = subject.user else {
            if let link = subject.link, let device = path.device, let time, link.access.deviceIDs.contains(device.id),
                link.makesVisible(device, at: time, in: directory)
            {
                _ = body(.guestAccess(link))
            }
            return
        }
        if path.device == nil, path.unit == nil, let property = path.property {
            for held in tenancies(of: user, in: property, directory) where body(.tenancyBelow(held)) == .stop { return }
        }
        if forEachRole(of: user, reaching: path, in: directory, body) == .stop { return }
        if let device = path.device, let time, user.deviceFilter.mayContain(device.id) {
            let entries = user.guestAccesses.entries
            for index in user.guestAccesses.indices(on: device.id)
            where entries[index].node.makesVisible(device, at: time, in: directory) {
                if body(.guestAccess(entries[index].node)) == .stop { return }
            }
        }
        if user.isSuperAdmin { _ = body(.superAdmin) }
    }

    /// Calls `body` with each role on the path, until `body` returns `.stop`. This is the part of `forEachRule` for roles.
    @inline(__always)
    static func forEachRole(
        of user: UserNode, reaching path: EntityPath, in directory: TenancyDirectory, _ body: (ReachingRule) -> IterationStep
    ) -> IterationStep {
        if let id = path.unit, forEachRole(of: user, on: id.cast(), .unit, body) == .stop { return .stop }
        if let device = path.device, device.isShared {
            var step = IterationStep.next
            directory.forEachCommonAreaRole(of: user, on: device) { held in
                if step == .next { step = body(.role(held, held.role == .tenant ? .tenantCommonArea : nil)) }
            }
            if step == .stop { return .stop }
        }
        if let id = path.property, forEachRole(of: user, on: id.cast(), .property, body) == .stop { return .stop }
        if let id = path.portfolio { return forEachRole(of: user, on: id.cast(), .portfolio, body) }
        return .next
    }

    @inline(__always)
    private static func forEachRole(
        of user: UserNode, on id: EntityID<AssociatedEntity>, _ type: AssociatedEntityType,
        _ body: (ReachingRule) -> IterationStep
    ) -> IterationStep {
        for index in user.roles.indices(on: id, type) {
            let held = user.roles[index]
            if body(.role(held, MatrixColumn(of: held.role, on: type))) == .stop { return .stop }
        }
        return .next
    }

    /// The tenant roles of a user on the units of a property, sorted by id.
    private static func tenancies(of user: UserNode, in property: PropertyID, _ directory: TenancyDirectory) -> [HeldRole] {
        user.roles.all.filter { held in
            guard case .unit(let unit) = held.entity, held.role == .tenant else { return false }
            return directory.unit(unit)?.propertyID == property
        }.sorted { $0.id < $1.id }
    }

    /// Whether at least one rule reaches the object. Otherwise, responses must not reveal to the subject that the object exists.
    static func reaches(_ subject: Subject, _ path: EntityPath, at time: DecisionTime?, in directory: TenancyDirectory) -> Bool {
        if let key = subject.key {
            // An expired key reaches nothing, as in decisions.
            if let time, key.hasExpired(at: time) { return false }
            return reaches(key.role, path, at: time, in: directory) && reaches(key.creator, path, at: time, in: directory)
        }
        var isReached = false
        forEachRule(reaching: path, for: subject, at: time, in: directory) { _ in
            isReached = true
            return .stop
        }
        return isReached
    }
}
