package import DoorwardDomain
internal import HashTreeCollections

/// A rule of a user's abilities in the form of CASL (https://casl.js.org/v6/en/api/casl-ability): the subjects' actions that are
/// permitted on objects that match the conditions or, for an inverted rule, are forbidden. The last rule that matches decides;
/// without one, an action is forbidden.
package struct AbilityRule: Hashable, Sendable {
    /// A condition on one field of an object, in the operators of MongoDB that CASL evaluates. All conditions of a rule must hold.
    package enum Condition: Hashable, Sendable {
        /// The field has this value.
        case equals(String, String)
        /// The field is a boolean with this value.
        case isFlag(String, Bool)
        /// The field has one of these values (`$in`).
        case isOneOf(String, [String])
        /// The field is a list that contains none of these values (`$nin`).
        case containsNone(String, [String])
    }

    /// The actions: lock operations, management permissions, or `read` for fields.
    package let actions: [String]
    /// The types of objects: `LockDevice Portfolio Property Unit Gateway`.
    package let subjects: [String]
    /// The conditions; empty if the rule applies to every object of these types.
    package let conditions: [Condition]
    /// The fields that the rule is limited to; empty if it is not limited to fields.
    package let fields: [String]
    /// Why an inverted rule forbids the actions; `nil` for a rule that permits them.
    package let reason: DenialReason?

    /// Whether the rule forbids the actions.
    package var isInverted: Bool { reason != nil }

    init(
        _ actions: [String], on subjects: [String], _ conditions: [Condition] = [], fields: [String] = [],
        reason: DenialReason? = nil
    ) {
        (self.actions, self.subjects, self.conditions, self.fields, self.reason) = (actions, subjects, conditions, fields, reason)
    }
}

extension SecurityService {
    /// A user's abilities at one time, as CASL rules: evaluated for an object with the fields that the user sees, they permit
    /// exactly the operations that `decide` allows without an override, the management permissions that `allows` gives, and for
    /// the action `read` the fields that `fieldLevel` gives. The permitting rules come first, then those that forbid.
    ///
    /// The number of rules depends on the user's roles and guest accesses, not on the number of devices: rules name the entity of a
    /// role. Devices are named one by one only where a reader does not see the field that a condition would need.
    package static func abilityRules(
        of subject: Subject, at time: DecisionTime, in directory: TenancyDirectory
    ) -> [AbilityRule] {
        guard subject.isEnabled, let user = subject.user else { return [] }
        var rules = subject.isSuperAdmin ? AbilityRule.ofSuperAdmin : []
        let roles = user.roles.all.filter(\.isAssignable).sorted { $0.id < $1.id }
        for role in roles { rules += AbilityRule.given(by: role, in: directory) }
        let guestDevices = directory.guestAbilities(of: user, at: time)
        rules += AbilityRule.given(byGuestAccessesTo: guestDevices)
        guard !roles.isEmpty || !guestDevices.isEmpty else { return rules }
        return rules + directory.forbiddingRules(for: subject, roles: roles, guestDevices: guestDevices.keys.sorted())
    }
}

extension AbilityRule {
    private static let device = "LockDevice"

    fileprivate static let ofSuperAdmin: [AbilityRule] = {
        func held(_ scope: ManagementHolders.SuperAdminScope) -> [ManagementPermission] {
            ManagementPermission.allCases.filter { PermissionMatrix.holders(of: $0).superAdmin == scope }
        }
        let bySubjects = Dictionary(grouping: held(.everywhere)) { PermissionMatrix.holders(of: $0).subjects() }
            .sorted { $0.key.joined() < $1.key.joined() }
        return [AbilityRule(PermissionMatrix.superAdminOperations.map(\.rawValue), on: [device])]
            + bySubjects.map { AbilityRule($0.value.map(\.rawValue), on: $0.key) }
            + [AbilityRule(held(.gatewayOnly).map(\.rawValue), on: ["Gateway"])]
            + [(device, FieldLevel.operations), ("Portfolio", .management), ("Property", .operations), ("Unit", .operations)]
            .flatMap { reading($0.0, [], at: $0.1) }
    }()

    /// The rules that a role gives on its entity and on everything below it.
    fileprivate static func given(by held: HeldRole, in directory: TenancyDirectory) -> [AbilityRule] {
        guard let column = MatrixColumn(of: held.role, on: held.type) else { return [] }
        let operations = LockOperation.allCases.filter { PermissionMatrix.holds($0, column) }.map(\.rawValue)
        var rules: [AbilityRule] = []
        for (subject, condition) in scopes(of: held.entity) {
            let permissions = permissions(of: held.role, on: subject)
            let actions = subject == device ? operations + permissions : permissions
            if !actions.isEmpty { rules.append(AbilityRule(actions, on: [subject], [condition])) }
            rules += reading(subject, [condition], at: FieldLevel(of: held.role))
        }
        if case .unit(let unit) = held.entity, held.role == .tenant { rules += ofTenant(unit, in: directory) }
        return rules
    }

    /// The objects below an entity, as a condition for each type.
    private static func scopes(of entity: AssociatedEntity) -> [(subject: String, condition: Condition)] {
        switch entity {
        case .portfolio(let id):
            [("Portfolio", .equals("id", "\(id)"))]
                + ["Property", "Unit", device].map { ($0, .equals("portfolioId", "\(id)")) }
        case .property(let id):
            [("Property", .equals("id", "\(id)"))] + ["Unit", device].map { ($0, .equals("propertyId", "\(id)")) }
        case .unit(let id): [("Unit", .equals("id", "\(id)")), (device, .equals("unitId", "\(id)"))]
        }
    }

    private static func permissions(of role: Role, on subject: String) -> [String] {
        ManagementPermission.allCases.filter {
            let holders = PermissionMatrix.holders(of: $0)
            return holders.subjects().contains(subject) && holders.roles.contains(role)
        }.map(\.rawValue)
    }

    private static func reading(_ subject: String, _ conditions: [Condition], at level: FieldLevel?) -> [AbilityRule] {
        guard let level, let kind = FieldTable.Kind(rawValue: subject) else { return [] }
        return [AbilityRule(["read"], on: [subject], conditions, fields: FieldTable.fields(of: kind, at: level).sorted())]
    }

    /// The objects that a tenant can see in addition to the unit: its property, and the common areas that the unit lists.
    private static func ofTenant(_ id: UnitID, in directory: TenancyDirectory) -> [AbilityRule] {
        guard let unit = directory.unit(id) else { return [] }
        let property = Condition.equals("id", "\(unit.propertyID)")
        let permissions = PermissionMatrix.tenantsHoldOnProperty.map(\.rawValue)
        var rules = [AbilityRule(permissions, on: ["Property"], [property])] + reading("Property", [property], at: .resident)
        let shared = unit.commonAreaAccessIDs.filter { directory.resolve($0)?.canBeShared(by: unit) == true }
        if !shared.isEmpty {
            let condition = Condition.isOneOf("id", shared.map(\.description))
            let operations = LockOperation.allCases.filter { PermissionMatrix.holds($0, .tenantCommonArea) }.map(\.rawValue)
            rules.append(AbilityRule(operations + Self.permissions(of: .tenant, on: device), on: [device], [condition]))
            rules += reading(device, [condition], at: .resident)
        }
        return rules
    }

    /// The rules of guest accesses, one for all devices with the same operations.
    fileprivate static func given(byGuestAccessesTo devices: [DeviceID: OperationSet]) -> [AbilityRule] {
        Dictionary(grouping: devices.keys.sorted(), by: { devices[$0]?.rawValue ?? 0 }).sorted { $0.key < $1.key }
            .flatMap { operations, devices -> [AbilityRule] in
                let condition = Condition.isOneOf("id", devices.map(\.description))
                let actions = LockOperation.allCases.filter(OperationSet(rawValue: operations).contains).map(\.rawValue)
                let canSee = OperationSet(rawValue: operations).contains(.viewStatus)
                return [AbilityRule(actions, on: [device], [condition])]
                    + (canSee ? reading(device, [condition], at: .publicLevel) : [])
            }
    }
}

extension TenancyDirectory {
    /// The operations that guest accesses allow on each device at an instant.
    fileprivate func guestAbilities(of user: UserNode, at time: DecisionTime) -> [DeviceID: OperationSet] {
        var allowed: [DeviceID: OperationSet] = [:]
        for entry in user.guestAccesses.entries {
            guard let device = resolve(entry.deviceID), entry.node.makesVisible(device, at: time, in: self) else { continue }
            for operation in LockOperation.allCases {
                let request = AccessRequest(operation: operation, device: device, time: time)
                if case .allowed = request.verdict(on: .guestAccess(entry.node), in: self) {
                    allowed[device.id, default: []].formUnion(OperationSet([operation]))
                }
            }
        }
        return allowed
    }

    /// The rules that forbid operations on locks, each with its reason. Of several that match, the last one decides; they are in the order
    /// of the reasons.
    fileprivate func forbiddingRules(for subject: Subject, roles: [HeldRole], guestDevices: [DeviceID]) -> [AbilityRule] {
        let (movements, openings) = (LockOperation.allCases.filter(\.isMovement), LockOperation.allCases.filter(\.isOpening))
        var rules = lockdownRules(for: subject, openings.map(\.rawValue), guestDevices: guestDevices)
        // Holders of roles below MANAGEMENT do not see whether remote operation is enabled.
        let unmanaged = roles.filter { (FieldLevel(of: $0.role) ?? .publicLevel) < .management }
        let devices = unmanaged.flatMap { deviceCandidates(below: $0.entity) } + guestDevices
        let disabled = Set(devices).filter { resolve($0)?.isRemoteOperationEnabled == false }.sorted()
        let remote =
            (unmanaged.count < roles.count ? [AbilityRule.Condition.isFlag("isRemoteOperationEnabled", false)] : [])
            + (disabled.isEmpty ? [] : [.isOneOf("id", disabled.map(\.description))])
        rules += remote.map {
            AbilityRule(movements.map(\.rawValue), on: ["LockDevice"], [$0], reason: .remoteOperationDisabled)
        }
        for operation in LockOperation.allCases {
            guard let name = operation.requiredCapability?.names.first else { continue }
            rules.append(
                AbilityRule(
                    [operation.rawValue], on: ["LockDevice"], [.containsNone("capabilities", [name])], reason: .capabilityMissing)
            )
        }
        return rules
    }

    private func lockdownRules(for subject: Subject, _ openings: [String], guestDevices: [DeviceID]) -> [AbilityRule] {
        let properties = lockedDownProperties.filter { SecurityService.reaches(subject, .property($0), in: self) }.sorted()
        let devices = guestDevices.filter { resolve($0)?.propertyID.map(lockedDownProperties.contains) ?? false }
        let conditions =
            (properties.isEmpty ? [] : [AbilityRule.Condition.isOneOf("propertyId", properties.map(\.description))])
            + (devices.isEmpty ? [] : [.isOneOf("id", devices.map(\.description))])
        return conditions.map { AbilityRule(openings, on: ["LockDevice"], [$0], reason: .lockdownActive) }
    }
}

extension SecurityService {
    /// The next instant after `time` at which the clock changes the user's abilities; `nil` if there is none.
    ///
    /// Most edges of guest accesses change an ability. If a hundred edges change nothing, for example because a role gives more than the
    /// access, the next edge is returned although it may change nothing.
    package static func nextAbilityChange(
        of subject: Subject, after time: DecisionTime, in directory: TenancyDirectory
    ) -> Timestamp? {
        guard subject.isEnabled, let user = subject.user else { return nil }
        let nodes = Dictionary(user.guestAccesses.entries.map { ($0.node.id, $0.node) }, uniquingKeysWith: { first, _ in first })
        let current = directory.guestAbilities(of: user, at: time)
        var edge = time.instant
        for _ in 0..<100 {
            guard let next = nodes.values.compactMap({ $0.nextEdge(after: edge, in: directory) }).min() else { return nil }
            edge = next
            if directory.guestAbilities(of: user, at: DecisionTime(edge, isTrusted: time.isTrusted)) != current { return edge }
        }
        return edge
    }
}
