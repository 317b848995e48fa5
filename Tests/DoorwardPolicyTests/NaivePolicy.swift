import DoorwardDomain

/// A second implementation of `decide`, written only from the specification. It searches plain arrays and uses nothing of the
/// policy module, so an error stays undetected only if both implementations have it.
struct NaivePolicy {
    let world: PlainWorld
    /// Whether the gateway's clock is trusted.
    var isTrusted = true
    /// The latest time that is known to have passed; `nil` for the time of the request.
    var latest: Timestamp?
    /// The guest access of which the command has reserved a use.
    var reserved: GuestAccessID?
    /// The guest accesses of which the store has refused a use.
    var refused: [GuestAccessID] = []

    /// The matrix of lock operations, as in the specification.
    static let matrix: [LockOperation: String] = [
        //                 OWNER ADMIN MANAGER MAINTENANCE AUDITOR TENANT-own TENANT-common GUEST
        .lock: "            y     y     y       y           n       y          y             granted",
        .unlock: "          y     y     y       y           n       y          y             granted",
        .unlatch: "         y     y     y       y           n       y          y             granted",
        .viewStatus: "      y     y     y       y           y       y          y             window",
        .changeSettings: "  y     y     y       n           n       n          n             n",
        .viewAccessHistory: "y    y     y       n           y       y          n             n",
        .grantAccess: "     y     y     y       n           n       y          y             n",
        .lockdown: "        y     y     y       n           n       n          n             n",
    ]

    static let columnsOfRoles: [Role] = [
        .owner, .portfolioAdmin, .propertyManager, .maintenance, .auditor, .tenant, .tenant, .guest,
    ]

    static func cell(_ operation: LockOperation, _ column: Int) -> String {
        String(matrix[operation, default: ""].split(separator: " ")[column])
    }

    /// A rule that applies to the device, with the result of its checks.
    struct Candidate {
        var rule: Rule
        /// 0 unit, 1 property, 2 portfolio, 3 guest, 4 super admin.
        var specificity: Int
        var role: Role
        /// `nil` if the rule allows.
        var failed: DenialReason?
        var opensAt: Timestamp?
        var closesAt: Timestamp?
        /// The id as text; `g` for the super admin, which sorts after all ids.
        var id: String
    }

    static let ladder: [[DenialReason]] = [
        [.guestAccessRevoked], [.grantorLostAccess], [.roleInsufficient, .operationNotGranted], [.guestWindowEnded],
        [.guestUsesExhausted], [.guestWindowNotStarted], [.outsideSchedule], [.clockUntrusted], [.featureUnavailable],
    ]

    func decide(_ principal: Principal, _ operation: LockOperation, _ deviceID: DeviceID, _ at: Timestamp, override: Bool = false)
        -> Decision
    {
        let device = world.devices.first { $0.id == deviceID }
        var candidates: [Candidate] = []
        var user: User?
        switch principal {
        case .user(let id):
            user = world.users.first { $0.id == id }
            if user == nil { return deny(.userUnknown, false) }
            if let device, let user { candidates = rules(of: user, operation, device, at) }
        case .guestLink(let id):
            guard let access = world.guestAccesses.first(where: { $0.id == id }) else { return deny(.userUnknown, false) }
            if let device, reach(access, device, at) { candidates = [guestRule(access, device, operation, at)] }
            if let guest = access.guestUserID {
                user = world.users.first { $0.id == guest }
                if user == nil { return deny(.userUnknown, !candidates.isEmpty) }
            }
        case .apiKey(let id): return decide(key: id, operation, deviceID, at, override: override)
        }
        let isSuperAdmin = if case .user = principal { user?.isSuperAdmin == true } else { false }
        let hasReach = !candidates.isEmpty || isSuperAdmin
        if user?.isEnabled == false { return deny(.userDisabled, hasReach) }
        guard let device else { return deny(.deviceUnknown, isSuperAdmin) }
        if device.propertyID == nil && !isSuperAdmin { return deny(.deviceUnassigned, hasReach) }
        if device.propertyID == nil { candidates = candidates.filter { $0.rule == .superAdmin } }
        if candidates.isEmpty { return deny(.noAssociation, false) }
        return verdict(candidates, operation, device, override)
    }

    private func verdict(
        _ candidates: [Candidate], _ operation: LockOperation, _ device: LockDevice, _ override: Bool
    ) -> Decision {
        let allowing = candidates.filter { $0.failed == nil }.min {
            ($0.specificity, order($0.role), $0.id) < ($1.specificity, order($1.role), $1.id)
        }
        if let allowing {
            let moves = [.lock, .unlock, .unlatch].contains(operation)
            if moves, !device.capabilities.names.contains(operation.rawValue) {
                return .denied(
                    Denial(
                        .capabilityMissing, hasReach: true, rule: allowing.rule, missing: .init(capability: operation.rawValue)))
            }
            if moves && !device.isRemoteOperationEnabled {
                return .denied(Denial(.remoteOperationDisabled, hasReach: true, rule: allowing.rule))
            }
            let property = world.properties.first { $0.id == device.propertyID }
            if property?.lockdown != nil, operation == .unlock || operation == .unlatch {
                let chiefs = candidates.filter { $0.failed == nil && [.owner, .portfolioAdmin].contains($0.role) }
                let chief = chiefs.min { (order($0.role), $0.id) < (order($1.role), $1.id) }
                if override, let chief { return .allowed(chief.rule, override: true) }
                return .denied(Denial(.lockdownActive, hasReach: true, rule: allowing.rule))
            }
            return .allowed(allowing.rule, override: false)
        }
        let nearest = candidates.min { a, b in
            let never = Timestamp(milliseconds: .max)
            return (-passed(a), a.opensAt ?? never, a.id) < (-passed(b), b.opensAt ?? never, b.id)
        }
        guard let nearest, let reason = nearest.failed else { return deny(.noAssociation, false) }
        var missing: Denial.Missing?
        if reason == .operationNotGranted { missing = .init(operation: operation) }
        if reason == .roleInsufficient { missing = .init(role: lowestRole(operation, device)) }
        if reason == .featureUnavailable { missing = .init(module: "guestAccess") }
        return .denied(
            Denial(
                reason, hasReach: true, rule: nearest.rule, opensAt: nearest.opensAt, closesAt: nearest.closesAt, missing: missing
            ))
    }

    private func passed(_ candidate: Candidate) -> Int {
        Self.ladder.firstIndex { steps in candidate.failed.map(steps.contains) ?? false } ?? -1
    }

    private func lowestRole(_ operation: LockOperation, _ device: LockDevice) -> Role? {
        if Self.cell(operation, device.unitID == nil ? 6 : 5) == "y" { return .tenant }
        return (0..<5).last { Self.cell(operation, $0) == "y" }.map { Self.columnsOfRoles[$0] }
    }

    private func order(_ role: Role) -> Int {
        ["SUPER_ADMIN", "OWNER", "PORTFOLIO_ADMIN", "PROPERTY_MANAGER", "MAINTENANCE", "AUDITOR", "TENANT", "GUEST"]
            .firstIndex(of: role.rawValue) ?? 99
    }

    // MARK: - Rules that apply to a device

    private func rules(of user: User, _ operation: LockOperation, _ device: LockDevice, _ at: Timestamp) -> [Candidate] {
        var found: [Candidate] = []
        for association in world.associations where association.userID == user.id {
            guard let reach = reach(association, device) else { continue }
            let column = Self.column(of: association.role, on: association.entity.type, isCommonArea: reach.isCommonArea)
            let allows = column.map { Self.cell(operation, $0) == "y" } ?? false
            found.append(
                Candidate(
                    rule: .association(association.id, association.role), specificity: reach.specificity, role: association.role,
                    failed: allows ? nil : .roleInsufficient, id: association.id.description))
        }
        for access in world.guestAccesses where access.guestUserID == user.id && reach(access, device, at) {
            found.append(guestRule(access, device, operation, at))
        }
        if user.isSuperAdmin {
            found.append(
                Candidate(
                    rule: .superAdmin, specificity: 4, role: .superAdmin,
                    failed: operation == .viewStatus ? nil : .roleInsufficient,
                    id: "g"))
        }
        return found
    }

    func reach(_ association: UserRoleAssociation, _ device: LockDevice) -> (specificity: Int, isCommonArea: Bool)? {
        switch association.entity {
        case .portfolio(let id): return device.portfolioID == id ? (2, false) : nil
        case .property(let id): return device.propertyID == id ? (1, false) : nil
        case .unit(let id):
            if device.unitID == id { return (0, false) }
            guard device.unitID == nil, let unit = world.units.first(where: { $0.id == id }) else { return nil }
            return unit.propertyID == device.propertyID && unit.commonAreaAccessIDs.contains(device.id) ? (0, true) : nil
        }
    }

    /// Returns the matrix column of a role; `nil` if the role cannot be held on that type of entity.
    static func column(of role: Role, on type: AssociatedEntityType, isCommonArea: Bool) -> Int? {
        let held: [AssociatedEntityType: [Role]] = [
            .portfolio: [.owner, .portfolioAdmin, .auditor], .property: [.propertyManager, .maintenance, .auditor],
            .unit: [.tenant],
        ]
        guard held[type, default: []].contains(role) else { return nil }
        return role == .tenant && isCommonArea ? 6 : columnsOfRoles.firstIndex(of: role)
    }

    private func reach(_ access: GuestAccess, _ device: LockDevice, _ at: Timestamp) -> Bool {
        // With an untrusted clock, an access that exists has been created, whatever the clock shows.
        guard access.deviceIDs.contains(device.id), !isTrusted || access.createdAt <= at else { return false }
        let home = world.properties.first { $0.id == access.propertyID }?.portfolioID
        if let portfolio = device.portfolioID, portfolio != home { return false }
        let end = min(access.revokedAt ?? access.window.validUntil, access.window.validUntil)
        return max(at, latest ?? at).milliseconds < end.milliseconds + 30 * 24 * 60 * 60 * 1000
    }

    private func guestRule(
        _ access: GuestAccess, _ device: LockDevice, _ operation: LockOperation, _ at: Timestamp
    ) -> Candidate {
        var candidate = Candidate(rule: .guestAccess(access.id), specificity: 3, role: .guest, id: access.id.description)
        let cell = Self.cell(operation, 7)
        let carriers = access.carriersByDevice.map { $0[device.id] ?? [] } ?? [access.grantedUnderAssociationID]
        let isGrantorGone = !world.associations.contains { carriers.contains($0.id) }
        let isWidenerGone = access.widenedUnder.contains { id in !world.associations.contains { $0.id == id } }
        if access.revokedAt != nil {
            candidate.failed = .guestAccessRevoked
        } else if access.grantedUnderRole == .tenant && isGrantorGone || isWidenerGone {
            candidate.failed = .grantorLostAccess
        } else if cell == "n" || (cell == "granted" && !access.operations.contains(operation)) {
            candidate.failed = .operationNotGranted
        } else if at >= access.window.validUntil {
            (candidate.failed, candidate.closesAt) = (.guestWindowEnded, access.window.validUntil)
        } else if isUsedUp(access, operation) {
            candidate.failed = .guestUsesExhausted
        } else if at < access.window.validFrom {
            (candidate.failed, candidate.opensAt) = (.guestWindowNotStarted, access.window.validFrom)
        } else if let outside = outsideSchedule(access, at) {
            candidate.failed = .outsideSchedule
            (candidate.opensAt, candidate.closesAt) = outside
        } else if !isTrusted {
            candidate.failed = .clockUntrusted
        } else if world.portfolios.contains(where: {
            $0.id == device.portfolioID && !$0.subscription.modules.contains(.guestAccess)
        }) {
            candidate.failed = .featureUnavailable
        }
        return candidate
    }

    /// Whether an opening operation has no use left: the other commands have taken as many as the access permits.
    private func isUsedUp(_ access: GuestAccess, _ operation: LockOperation) -> Bool {
        guard let permitted = access.maxUses, operation == .unlock || operation == .unlatch else { return false }
        let ofOthers = world.usesTaken[access.id, default: 0] - (reserved == access.id ? 1 : 0)
        return ofOthers >= permitted || refused.contains(access.id)
    }

    /// Returns the next opening and its end, both within the window, if the instant is outside the schedule; otherwise `nil`.
    private func outsideSchedule(_ access: GuestAccess, _ at: Timestamp) -> (Timestamp?, Timestamp?)? {
        guard let schedule = access.schedule else { return nil }
        let name = schedule.timeZone ?? world.properties.first { $0.id == access.propertyID }?.defaultTimeZone
        guard let zone = name.flatMap(TimeZoneDatabase.system.rules) else { return (nil, nil) }
        let minutes = access.window.validFrom.milliseconds / 60_000..<access.window.validUntil.milliseconds / 60_000 + 1
        let naive = NaiveSchedule(schedule, minutes: minutes) { zone.offset(at: $0) }
        if naive.contains(at.milliseconds) { return nil }
        let end = access.window.validUntil
        let opening = (at.milliseconds / 60_000 + 1..<minutes.upperBound).first {
            naive.contains($0 * 60_000) && $0 * 60_000 < end.milliseconds
        }
        guard let opening else { return (nil, nil) }
        let closing = (opening..<minutes.upperBound).first { !naive.contains($0 * 60_000) && $0 * 60_000 < end.milliseconds }
        return (Timestamp(milliseconds: opening * 60_000), closing.map { Timestamp(milliseconds: $0 * 60_000) } ?? end)
    }

    func deny(_ reason: DenialReason, _ hasReach: Bool) -> Decision { .denied(Denial(reason, hasReach: hasReach)) }
}
