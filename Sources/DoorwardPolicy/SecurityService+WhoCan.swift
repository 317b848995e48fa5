package import DoorwardDomain
internal import HashTreeCollections

/// A principal that may do an operation on a lock at an instant.
package struct PermittedPrincipal: Hashable, Sendable {
    /// A user, the link of a guest access that has no user, or an API key.
    package let principal: Principal
    /// The rule by which `decide` allows the operation: of several, the most specific one. For an API key, its creator's.
    package let rule: Rule
    /// When `rule` ends by the clock alone, or the API key expires; `nil` for a role, which has no end.
    package let until: Timestamp?
}

extension SecurityService {
    /// Returns everyone for whom `decide` allows an operation on a device without an override, in no order.
    ///
    /// The cost depends on the number of rules that reach the device, and not on the size of the directory: only the holders of
    /// those rules are decided on.
    package static func principals(
        permitted operation: LockOperation, on id: DeviceID, at time: DecisionTime, in directory: TenancyDirectory
    ) -> [PermittedPrincipal] {
        guard let device = directory.resolve(id) else { return [] }
        let request = AccessRequest(operation: operation, device: device, time: time)
        return directory.holders(of: operation, on: device).compactMap { principal in
            directory.withSubject(of: principal) { subject in
                let decision = decide(subject, operation, on: device, at: time, override: false, in: directory)
                guard let rule = decision.rule else { return nil }
                return PermittedPrincipal(
                    principal: principal, rule: rule, until: end(of: rule, allowing: request, for: subject, in: directory))
            }
        }
    }

    /// When a rule that allows a request ends by the clock; `nil` if it does not.
    private static func end(
        of rule: Rule, allowing request: AccessRequest, for subject: Subject, in directory: TenancyDirectory
    ) -> Timestamp? {
        if let key = subject.key {
            let ofCreator = end(of: rule, allowing: request, for: key.creator, in: directory)
            return min(key.key.expiresAt, ofCreator ?? key.key.expiresAt)
        }
        var end: Timestamp?
        forEachRule(reaching: request, for: subject, in: directory) { reaching, verdict in
            guard case .allowed(let until) = verdict, reaching.rule == rule else { return .next }
            end = until
            return .stop
        }
        return end
    }
}

extension TenancyDirectory {
    /// The principals with a rule that reaches a device and may allow an operation: a superset of those that may do it.
    fileprivate func holders(of operation: LockOperation, on device: DeviceNode) -> Set<Principal> {
        var found: Set<Principal> = []
        for entity in entities(reaching: device) {
            for user in holdersByEntity[entity] ?? SortedIDs() { found.insert(.user(user)) }
            for key in apiKeysByEntity[entity] ?? SortedIDs() { found.insert(.apiKey(key)) }
        }
        for access in guestAccessesByDevice[device.id] ?? SortedIDs() {
            guard let node = guestAccesses[access] else { continue }
            found.insert(node.access.guestUserID.map { .user($0) } ?? .guestLink(access))
        }
        if PermissionMatrix.superAdminOperations.contains(operation) {
            for user in superAdmins { found.insert(.user(user)) }
        }
        return found
    }

    /// The entities on which a role reaches a device, including the units that share it.
    private func entities(reaching device: DeviceNode) -> [AssociatedEntity] {
        let path = EntityPath(device)
        let above: [AssociatedEntity?] = [
            path.unit.map { .unit($0) }, path.property.map { .property($0) }, path.portfolio.map { .portfolio($0) },
        ]
        return above.compactMap(\.self) + sharingUnits(of: device).ids.map { .unit($0) }
    }
}

// Lists of the objects that a subject may read, in ascending order. A list contains exactly the objects for which `allows` gives
// the permission to read. The list of devices contains exactly those for which `decide` allows VIEW_STATUS. The cost depends on
// the subject's roles and visible objects, not on the size of the directory.
extension SecurityService {
    /// The portfolios that a subject may read: all of them for a super admin, none for a disabled or unknown user.
    package static func visiblePortfolioIDs(for subject: Subject, in directory: TenancyDirectory) -> [PortfolioID] {
        visible(to: subject, by: .portfolioRead, of: directory.portfolioIDs, as: ManagedObject.portfolio, in: directory) {
            if case .portfolio(let id) = $1, directory.portfolio(id) != nil { $0.insert(id) }
        }
    }

    /// The properties that a subject may read; a tenant may read the property of their unit.
    package static func visiblePropertyIDs(for subject: Subject, in directory: TenancyDirectory) -> [PropertyID] {
        visible(to: subject, by: .propertyRead, of: directory.propertyIDs, as: ManagedObject.property, in: directory) {
            switch $1 {
            case .portfolio(let id): $0.formUnion(directory.propertiesByPortfolio[id] ?? [])
            case .property(let id): if directory.property(id) != nil { $0.insert(id) }
            case .unit(let id): if let id = directory.unit(id)?.propertyID, directory.property(id) != nil { $0.insert(id) }
            }
        }
    }

    /// The units that a subject may read; a tenant may read only their own.
    package static func visibleUnitIDs(for subject: Subject, in directory: TenancyDirectory) -> [UnitID] {
        visible(to: subject, by: .unitRead, of: directory.unitIDs, as: ManagedObject.unit, in: directory) {
            switch $1 {
            case .portfolio(let id):
                for property in directory.propertiesByPortfolio[id] ?? [] {
                    $0.formUnion(directory.unitsByProperty[property] ?? [])
                }
            case .property(let id): $0.formUnion(directory.unitsByProperty[id] ?? [])
            case .unit(let id): if directory.unit(id) != nil { $0.insert(id) }
            }
        }
    }

    /// The objects of one type that a subject may read, ascending.
    ///
    /// - Parameters:
    ///   - all: the ids of all objects, which a super admin may read.
    ///   - collect: inserts the objects that a role on an entity lets its holder read.
    private static func visible<Entity>(
        to subject: Subject, by permission: ManagementPermission, of all: @autoclosure () -> [EntityID<Entity>],
        as object: (EntityID<Entity>) -> ManagedObject, in directory: TenancyDirectory,
        _ collect: (inout Set<EntityID<Entity>>, AssociatedEntity) -> Void
    ) -> [EntityID<Entity>] {
        guard subject.isEnabled else { return [] }
        if subject.isSuperAdmin { return all() }
        let roles = (subject.key?.role ?? subject).user?.roles.all ?? []
        let holders = PermissionMatrix.holders(of: permission).roles
        let seen = roles.filter { $0.isAssignable && holders.contains($0.role) }.map(\.entity).reduce(into: [], collect)
        guard let creator = subject.key?.creator else { return seen.sorted() }
        return seen.filter { allows(creator, permission, on: object($0), in: directory).isAllowed }.sorted()
    }

    /// The devices whose status a subject may see at a time.
    package static func visibleDeviceIDs(
        for subject: Subject, at time: DecisionTime, in directory: TenancyDirectory
    ) -> [DeviceID] {
        guard subject.isEnabled else { return [] }
        if let key = subject.key {
            return visibleDeviceIDs(for: key.role, at: time, in: directory).filter {
                decide(key.creator, .viewStatus, on: $0, at: time, override: false, in: directory).isAllowed
            }
        }
        if subject.isSuperAdmin { return directory.deviceIDs }
        return directory.deviceCandidates(for: subject).filter {
            decide(subject, .viewStatus, on: $0, at: time, override: false, in: directory).isAllowed
        }.sorted()
    }
}

extension TenancyDirectory {
    /// Returns a superset of the devices that the subject's rules reach; the rule for super admins
    /// is ignored. The caller makes a decision on each device to select the visible ones.
    fileprivate func deviceCandidates(for subject: Subject) -> Set<DeviceID> {
        var candidates = Set(subject.link?.access.deviceIDs ?? subject.user?.guestAccesses.entries.map(\.deviceID) ?? [])
        for entity in subject.roleEntities { candidates.formUnion(deviceCandidates(below: entity)) }
        return candidates
    }

    /// The devices of an entity and, for a unit, those that it lists as common areas.
    func deviceCandidates(below entity: AssociatedEntity) -> [DeviceID] {
        switch entity {
        case .portfolio(let id): (propertiesByPortfolio[id] ?? []).flatMap { Array(devicesByProperty[$0] ?? []) }
        case .property(let id): Array(devicesByProperty[id] ?? [])
        case .unit(let id): Array(devicesByUnit[id] ?? SortedIDs()) + (unit(id)?.commonAreaAccessIDs ?? [])
        }
    }
}
