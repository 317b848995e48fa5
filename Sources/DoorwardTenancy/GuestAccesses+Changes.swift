package import DoorwardDomain
package import DoorwardKernel
internal import DoorwardPolicy

/// The changes of a guest access; `nil` leaves a field unchanged.
package struct GuestAccessChanges: Sendable {
    /// The name of the guest, or a note. A guest without a user needs one.
    package var label = Patch<String>.unchanged
    /// The start of the window.
    package var validFrom: ResolvedLocalTime?
    /// The end of the window. An end in the past ends the access now.
    package var validUntil: ResolvedLocalTime?
    /// The zone to show with the window; `.cleared` for the property's.
    package var timeZone = Patch<String>.unchanged
    /// The recurring hours; `.cleared` for the whole window.
    package var schedule = Patch<Schedule>.unchanged
    /// The number of commands that open a lock, including those that were sent already; `.cleared` for any number.
    package var maxUses = Patch<Int>.unchanged
    /// All operations that the guest then has.
    package var operations: [LockOperation]?
    /// All devices that the access then covers.
    package var deviceIDs: [DeviceID]?

    package init() {}

    /// - Throws: `.invalid` with all errors that can be found without the tenancy.
    fileprivate func check() throws(GatewayError) {
        var problems = [deviceIDs?.problem, operations?.problem].compactMap(\.self)
        if let from = validFrom, let until = validUntil {
            let problem = GuestWindow(validFrom: from.instant, validUntil: until.instant).problem(
                in: "validUntil", zone: timeZone.newValue)
            if let problem { problems.append(problem) }
        }
        if !problems.isEmpty { throw .invalid(problems) }
    }

    fileprivate func reach(of id: GuestAccessID) -> [Reach] {
        [.guestAccess(id)] + (deviceIDs ?? []).map { .device($0) }
    }
}

extension GuestAccesses {
    /// Changes the fields that the request names. A caller who widens the access must hold GRANT_ACCESS and every operation on
    /// every device, as for a new access in the new form (see `TenancyUnitOfWork.widen`).
    ///
    /// Once this returns, no command is sent under a right that the change has taken away: an end that has passed ends the access
    /// at once.
    ///
    /// - Throws: `.preconditionFailed` if `condition` is not met; `.conflict` for a revoked access; `.featureUnavailable` for a new
    ///   schedule; the errors of `grant` for an access that had ended.
    package func change(
        _ caller: Caller, _ id: GuestAccessID, _ changes: GuestAccessChanges, onlyIf condition: Precondition<GuestAccess>? = nil
    ) async throws(GatewayError) -> (access: GuestAccess, endedLink: Bool) {
        try changes.check()
        return try await writer.change(
            caller, reach: changes.reach(of: id),
            body: { (draft) throws(GatewayError) in try draft.change(id, changes, onlyIf: condition) })
    }

    /// The access as `change` would leave it now; nothing is changed.
    ///
    /// - Throws: the errors of `change`.
    package func dryRun(
        _ caller: Caller, changing id: GuestAccessID, _ changes: GuestAccessChanges,
        onlyIf condition: Precondition<GuestAccess>? = nil
    ) throws(GatewayError) -> Drafted<(access: GuestAccess, endedLink: Bool)> {
        try changes.check()
        return try writer.dryRun(
            caller, reach: changes.reach(of: id),
            body: { (draft) throws(GatewayError) in try draft.change(id, changes, onlyIf: condition) })
    }
}

extension TenancyUnitOfWork {
    fileprivate mutating func change(
        _ id: GuestAccessID, _ changes: GuestAccessChanges, onlyIf condition: Precondition<GuestAccess>?
    ) throws(GatewayError) -> (access: GuestAccess, endedLink: Bool) {
        guard let access = directory.guestAccess(id) else { throw .outOfReach(of: subject) }
        try directory.requireManagement(of: access, by: subject)
        var changed = access
        changed.label = changes.label.applied(to: access.label)
        if changed.label == nil, access.guestUserID == nil { throw .invalid("label", "required") }
        try changeWindow(of: &changed, changes)
        changed.schedule = changes.schedule.applied(to: access.schedule)
        changed.maxUses = changes.maxUses.applied(to: access.maxUses)
        try changeScope(of: &changed, changes)
        let isWider = directory.isWider(changed, than: access)
        if isWider { try widen(&changed, from: access) }
        try require(condition, of: access)
        if access.revokedAt != nil { throw .conflict("The guest access has been revoked. Grant a new one.") }
        guard changed != access else { return (access, false) }
        apply(.putGuestAccess(changed))
        var (before, after) = GuestAccess.fields.recordedChanges(from: access, to: changed)
        let endsLink = isWider && directory.guestLink(of: id).map { !mayGrant(changed, $0.creator) } ?? false
        if endsLink {
            apply(.removeGuestLink(of: id))
            after["link"] = .string("ended")
        }
        appendRecord(.update, RecordTarget(changed), at: changed.place, before: before, after: after)
        try requireSubscription(for: changed, insteadOf: access)
        return (changed, endsLink)
    }

    private func changeWindow(of access: inout GuestAccess, _ changes: GuestAccessChanges) throws(GatewayError) {
        access.resolution.timeZone = changes.timeZone.applied(to: access.resolution.timeZone)
        let old = access.window
        let asked = GuestWindow(
            validFrom: changes.validFrom?.instant ?? old.validFrom, validUntil: changes.validUntil?.instant ?? old.validUntil)
        if asked != old,
            let problem = asked.problem(
                in: changes.validUntil == nil ? "validFrom" : "validUntil", zone: access.resolution.timeZone)
        {
            throw .invalid([problem])
        }
        if let from = changes.validFrom { access.resolution.validFrom = from.change }
        guard let until = changes.validUntil else {
            access.window = asked
            return
        }
        // An access was valid until now, so an end that has passed ends it now. One that had ended keeps its end.
        let end = max(asked.validUntil, min(old.validUntil, now))
        access.window = GuestWindow(validFrom: asked.validFrom, validUntil: end)
        access.resolution.validUntil =
            end == asked.validUntil ? until.change : end == old.validUntil ? access.resolution.validUntil : .none
    }

    /// Changes the operations and the devices.
    private func changeScope(of access: inout GuestAccess, _ changes: GuestAccessChanges) throws(GatewayError) {
        access.operations = changes.operations?.ordered ?? access.operations
        guard let ids = changes.deviceIDs?.unique, ids != access.deviceIDs else { return }
        let added = ids.filter { !access.deviceIDs.contains($0) }.compactMap { directory.device($0) }
        guard added.allSatisfy({ $0.propertyID == access.propertyID }) else { throw .invalid("deviceIds", "not_in_property") }
        try requireOpen(added, in: access.unitID)
        // `widen` decides what the access to added devices depends on.
        access.setDevices(ids, carriersByDevice: access.carriersByDevice)
    }

    /// Requires the modules and the limit that the changed access needs. To be called last.
    private func requireSubscription(for changed: GuestAccess, insteadOf old: GuestAccess) throws(GatewayError) {
        guard let portfolio = directory.property(changed.propertyID)?.portfolioID else { return }
        let isRevived = now >= old.endsAt && now < changed.endsAt
        if isRevived { try require(.guestAccess, in: portfolio) }
        if changed.schedule != nil, changed.schedule != old.schedule { try require(.recurringSchedules, in: portfolio) }
        if isRevived { try requireWithin(.maxActiveGuestAccess, of: portfolio) }
    }
}

// Widening a guest access is granting it (decision 0121): a change that admits anything that the access did not admit before, and
// a new link, need the right to grant the access in its new form.

extension TenancyDirectory {
    /// The number of intervals of two schedules that are compared. A change with more of them counts as wider.
    private static let comparedIntervals = 4_000

    /// Whether `changed` admits an instant, a use, an operation or a device that `access` does not admit, or lacks a bound that
    /// `access` has. In doubt it does.
    func isWider(_ changed: GuestAccess, than access: GuestAccess) -> Bool {
        if !Set(changed.deviceIDs).isSubset(of: access.deviceIDs) { return true }
        if !Set(changed.operations).isSubset(of: access.operations) { return true }
        if let old = access.maxUses, changed.maxUses.map({ $0 > old }) ?? true { return true }
        let (old, new) = (access.window, changed.window)
        if new.validFrom < old.validFrom || new.validUntil > old.validUntil { return true }
        return changed.schedule != access.schedule && hasWiderHours(changed, than: access)
    }

    /// Whether the hours of `changed` contain an instant of its window that the hours of `access` do not contain.
    private func hasWiderHours(_ changed: GuestAccess, than access: GuestAccess) -> Bool {
        guard let before = access.schedule else { return false }
        // Zones that agree today may differ after a change of their rules, or of the property's zone.
        guard let after = changed.schedule, after.timeZone == before.timeZone else { return true }
        var former = access
        former.window = changed.window
        let (start, count) = (changed.window.validFrom, Self.comparedIntervals)
        let new = intervals(of: changed, endingAfter: start, count: count)
        var old = intervals(of: former, endingAfter: start, count: count)[...]
        if new.count == count || old.count == count { return true }
        return !new.allSatisfy { interval in
            while let first = old.first, first.upperBound <= interval.lowerBound { old.removeFirst() }
            return old.first.map { $0.lowerBound <= interval.lowerBound && interval.upperBound <= $0.upperBound } ?? false
        }
    }
}

extension TenancyUnitOfWork {
    /// Requires the rights to grant the access in its new form, and binds the access to the tenancies under which it is widened.
    ///
    /// - Parameters:
    ///   - access: the access in its new form, with the former carriers of its former devices.
    ///   - old: the access before; equal to `access` if only its link is new.
    func widen(_ access: inout GuestAccess, from old: GuestAccess) throws(GatewayError) {
        guard !access.deviceIDs.isEmpty else { throw .conflict("This guest access covers no lock any more. Grant a new one.") }
        let right = try grantedRight(to: access.operations, on: access.deviceIDs.compactMap { directory.device($0) })
        let isTenants = right.association.role == .tenant
        let isGrantors = isTenants && right.association.userID == old.grantedByUserID
        if old.grantedUnderRole == .tenant {
            // Devices and operations that others add to a tenant's access end together with that access.
            let carriers = access.deviceIDs.map { id in
                let added = isGrantors ? right.carriersByDevice?[id] ?? [] : [old.grantedUnderAssociationID]
                return (id, old.deviceIDs.contains(id) ? old.carriers(of: id) : added)
            }
            access.setDevices(access.deviceIDs, carriersByDevice: Dictionary(uniqueKeysWithValues: carriers))
        }
        guard isTenants, !isGrantors || !isCarried(old, by: right) else { return }
        access.widenedUnder += right.leastAssociations
    }

    /// Whether a principal could grant the access, for as long as the access then lasts. The creator of a link knows its secret, and would
    /// gain what others add to the access. A change therefore ends the link if its creator could not grant the changed access, or could
    /// grant it only under a tenancy with which the access does not end.
    func mayGrant(_ access: GuestAccess, _ creator: Principal) -> Bool {
        let subject = directory.subject(of: creator, at: time)
        return access.deviceIDs.allSatisfy { device in
            let bound = access.widenedUnder + (access.grantedUnderRole == .tenant ? access.carriers(of: device) : [])
            return SecurityService.carriers(of: [.grantAccess] + access.operations, by: subject, on: device, in: directory)
                .contains { $0.role != .tenant || bound.contains($0.id) }
        }
    }

    /// Whether the access depends on nothing but the associations of the right, on each of its devices that the right covers.
    private func isCarried(_ access: GuestAccess, by right: GrantedRight) -> Bool {
        guard access.grantedUnderRole == .tenant, let covering = right.carriersByDevice else { return false }
        return access.deviceIDs.allSatisfy { id in
            guard let known = covering[id] else { return true }
            return access.carriers(of: id).filter { directory.association($0) != nil }.allSatisfy(known.contains)
        }
    }
}

extension GrantedRight {
    /// Associations that together cover all devices: `association`, and one for each device that it does not cover.
    fileprivate var leastAssociations: [AssociationID] {
        let others = carriersByDevice?.values.compactMap { $0.contains(association.id) ? nil : $0.min() } ?? []
        return Set([association.id] + others).sorted()
    }
}
