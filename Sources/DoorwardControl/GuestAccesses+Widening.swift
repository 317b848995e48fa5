internal import DoorwardDomain
internal import DoorwardPolicy

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
    /// Requires what granting the access in its new form needs, and binds the access to the tenancies under which it is widened.
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
            // What others add to the access of a tenant ends with it.
            let carriers = access.deviceIDs.map { id in
                let added = isGrantors ? right.carriersByDevice?[id] ?? [] : [old.grantedUnderAssociationID]
                return (id, old.deviceIDs.contains(id) ? old.carriers(of: id) : added)
            }
            access.setDevices(access.deviceIDs, carriersByDevice: Dictionary(uniqueKeysWithValues: carriers))
        }
        guard isTenants, !isGrantors || !isCarried(old, by: right) else { return }
        access.widenedUnder += right.leastAssociations
    }

    /// Whether a principal could grant the access, for as long as the access then lasts. The maker of a link knows its secret, and would
    /// get what others add to its access. So a change of the access to a form that the maker could not grant, or could grant only under
    /// a tenancy with which the access does not end, ends the link.
    func mayGrant(_ access: GuestAccess, _ maker: Principal) -> Bool {
        let subject = directory.subject(of: maker, at: time)
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
