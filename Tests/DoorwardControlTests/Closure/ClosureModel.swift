import DoorwardDomain
import DoorwardPolicy

/// What a coalition may reach at most: what its members hold, and what people outside it gave them. Written from the contract
/// alone ("Widening is granting"), with sets and loops, and without the engine of decisions.
struct ClosureModel {
    let members: Set<UserID>
    /// The roles that members hold and that nobody of the coalition assigned.
    private var roles: [AssociationID: UserRoleAssociation] = [:]
    /// The doors that a member could ever give away for good: those that a manager's role or a higher one covered.
    private var lasting: Set<DeviceID> = []
    /// The guest accesses that outsiders gave the coalition, as an outsider wrote them last.
    private var given: [GuestAccessID: GuestAccess] = [:]
    /// Every guest access after the last step.
    private var known: [GuestAccessID: GuestAccess] = [:]
    /// Every role of members after the last step.
    private var knownRoles: Set<AssociationID> = []
    /// The links that the coalition has, by the guest access, with the digest of the token.
    private(set) var links: [GuestAccessID: [UInt8]] = [:]
    /// Those of them that members made. A link gives only what its creator could give, so nothing that outsiders add to its access.
    private var ownLinks: Set<GuestAccessID> = []
    /// The links of these that outsiders have just handed over.
    private var handed: Set<GuestAccessID> = []
    /// The API keys that members made.
    var keys: Set<APIKeyID> = []

    init(members: Set<UserID>, in world: ClosureWorld) {
        self.members = members
        learn(from: world, isOutsiders: true)
    }

    /// - Parameter isOutsiders: whether somebody outside the coalition made the link and handed it over.
    mutating func getLink(of access: GuestAccessID, digest: [UInt8], isOutsiders: Bool) {
        links[access] = digest
        if isOutsiders {
            handed.insert(access)
            ownLinks.remove(access)
        } else {
            ownLinks.insert(access)
        }
    }

    /// To be called after each step.
    ///
    /// - Parameter isOutsiders: whether the step was taken by somebody outside the coalition, or on their invitation.
    mutating func learn(from world: ClosureWorld, isOutsiders: Bool) {
        let tenancy = world.tenancy
        let held = members.flatMap { tenancy.associations(of: $0) }
        if isOutsiders { for role in held where !knownRoles.contains(role.id) { roles[role.id] = role } }
        knownRoles = Set(held.map(\.id))
        roles = roles.filter { knownRoles.contains($0.key) }
        for role in roles.values where [.owner, .portfolioAdmin, .propertyManager].contains(role.role) {
            for device in world.devices where covers(role, device, in: tenancy) { lasting.insert(device) }
        }
        let accesses = Dictionary(uniqueKeysWithValues: world.accesses.map { ($0.id, $0) })
        for (id, digest) in links where tenancy.guestLink(of: id)?.digest != digest {
            links[id] = nil
            handed.remove(id)
            ownLinks.remove(id)
        }
        for (id, access) in accesses {
            let isTheirs = access.guestUserID.map(members.contains) ?? false || links[id] != nil && !ownLinks.contains(id)
            if !isTheirs || access.revokedAt != nil {
                given[id] = nil
            } else if isOutsiders, handed.remove(id) != nil {
                given[id] = access
            } else if isOutsiders, let former = known[id] {
                // What an outsider adds to an access of the coalition, whoever granted it, they give. What they take is gone.
                let adds = !Self.isNarrower(access, than: former)
                if former != access, adds || given[id] != nil { given[id] = access }
            } else if isOutsiders {
                given[id] = access
            }
        }
        known = accesses
    }

    private static func isNarrower(_ access: GuestAccess, than former: GuestAccess) -> Bool {
        former.window.validFrom <= access.window.validFrom && access.window.validUntil <= former.window.validUntil
            && access.deviceIDs.allSatisfy(former.deviceIDs.contains) && access.operations.allSatisfy(former.operations.contains)
            && (former.schedule == nil || former.schedule == access.schedule)
            && former.maxUses.map { most in access.maxUses.map { $0 <= most } ?? false } ?? true
    }

    /// Whether a role covers a door, with the right to move it.
    private func covers(_ role: UserRoleAssociation, _ id: DeviceID, in tenancy: TenancyDirectory) -> Bool {
        guard role.role != .auditor, let device = tenancy.device(id) else { return false }
        switch role.entity {
        case .portfolio(let portfolio): return device.portfolioID == portfolio
        case .property(let property): return device.propertyID == property
        case .unit(let unit):
            return device.unitID == unit || tenancy.unit(unit)?.commonAreaAccessIDs.contains(id) == true
        }
    }

    /// Whether the coalition may open or lock a door at an instant at most, and how often: `nil` for never.
    func ceiling(_ device: DeviceID, _ operation: LockOperation, at instant: Timestamp, in tenancy: TenancyDirectory) -> Uses? {
        if lasting.contains(device) { return .unlimited }
        if roles.values.contains(where: { covers($0, device, in: tenancy) }) { return .unlimited }
        return given.values.filter {
            $0.deviceIDs.contains(device) && $0.operations.contains(operation) && $0.window.contains(instant)
                && Self.isWithinHours($0.schedule, instant)
        }.map { $0.maxUses.map(Uses.atMost) ?? .unlimited }.max()
    }

    /// The hours of the test are whole hours of every day in UTC.
    private static func isWithinHours(_ schedule: Schedule?, _ instant: Timestamp) -> Bool {
        guard let schedule else { return true }
        let hour = Int(instant.milliseconds / 3_600_000 % 24)
        return schedule.periods.contains { $0.hours.from.seconds / 3600 <= hour && hour < $0.hours.until.seconds / 3600 }
    }

    /// How often a door may be opened.
    enum Uses: Comparable {
        case atMost(Int)
        case unlimited
    }

    // MARK: - What the coalition can do

    /// The guest accesses that members hold, or have a link of.
    var usable: [GuestAccess] {
        known.values.filter { links[$0.id] != nil || $0.guestUserID.map(members.contains) ?? false }.sorted { $0.id < $1.id }
    }

    /// The first thing that the coalition can do and may not; `nil` if there is none.
    ///
    /// - Parameter instants: the instants to look at.
    func excess(in world: ClosureWorld, at instants: [Timestamp]) -> String? {
        let tenancy = world.tenancy
        let principals =
            members.map { Principal.user($0) } + keys.map { .apiKey($0) } + usable.map { .guestLink($0.id) }
        for principal in principals {
            let subject = tenancy.subject(of: principal)
            for device in world.devices {
                for operation in [LockOperation.lock, .unlock, .unlatch] {
                    for instant in instants {
                        let time = DecisionTime(instant, isTrusted: true)
                        let decision = SecurityService.decide(
                            subject, operation, on: device, at: time, override: false, in: tenancy)
                        guard decision.isAllowed else { continue }
                        let most = ceiling(device, operation, at: instant, in: tenancy)
                        if most.map({ (uses(of: principal) ?? $0) > $0 }) ?? true {
                            return "\(principal) may \(operation) \(device) at \(instant), at most \(String(describing: most))"
                        }
                    }
                }
            }
        }
        return nil
    }

    /// How often a guest access may be used; `nil` for a principal whose uses are not counted here.
    private func uses(of principal: Principal) -> Uses? {
        guard case .guestLink(let id) = principal, let access = known[id] else { return nil }
        return access.maxUses.map(Uses.atMost) ?? .unlimited
    }
}
