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
            let ofMaker = end(of: rule, allowing: request, for: key.maker, in: directory)
            return min(key.key.expiresAt, ofMaker ?? key.key.expiresAt)
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
