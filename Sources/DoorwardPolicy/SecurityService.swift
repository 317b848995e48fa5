package import DoorwardDomain
internal import HashTreeCollections

/// Decides who may do what to which lock, and who may manage what. Pure: the same directory, instant and question give
/// the same answer, nothing is read or written elsewhere. Any doubt is a denial.
package enum SecurityService {
    /// Decides one operation on one lock.
    ///
    /// - Parameters:
    ///   - instant: when it is to happen, by the gateway's clock.
    ///   - override: whether the caller gave a reason to override a lockdown. An override with nothing to override is ignored.
    /// - Returns: `allowed` with the most specific rule that allows it, or `denied` with the one reason that is nearest to
    ///   being allowed and with whether the caller may know that the device exists.
    package static func decide(
        _ principal: Principal, _ operation: LockOperation, on device: DeviceID, at instant: Timestamp, override: Bool,
        in directory: TenancyDirectory
    ) -> Decision {
        let node = directory.resolve(device)
        switch principal {
        case .user(let id):
            return directory.withUser(id) { user in
                guard let user, user.isKnown else { return .denied(Denial(.userUnknown, hasReach: false)) }
                guard let node else { return denyUnknownDevice(to: user) }
                return decide(user, operation, on: node, at: instant, override: override, in: directory)
            }
        case .guestLink(let id):
            return decide(link: id, operation, on: node, at: instant, in: directory)
        }
    }

    /// The same for a user and a device that were resolved before, in the same version of the directory.
    package static func decide(
        _ user: UserNode, _ operation: LockOperation, on device: DeviceNode, at instant: Timestamp, override: Bool,
        in directory: TenancyDirectory
    ) -> Decision {
        guard user.isEnabled else {
            let reason: DenialReason = !user.isKnown ? .userUnknown : .userDisabled
            let question = Question(operation: operation, device: device, instant: instant)
            return .denied(Denial(reason, hasReach: user.isKnown && question.isReached(by: user, in: directory)))
        }
        var isReached = false
        let rule = Question.grantingRule(of: user, operation, on: device, at: instant, isReached: &isReached, in: directory)
        if let rule { return Question.decisionUnlessForbidden(rule, operation, on: device) }
        if !isReached && device.isAssigned { return .denied(Denial(.noAssociation, hasReach: false)) }
        return .denied(Question(operation: operation, device: device, instant: instant).denial(of: user, in: directory))
    }

    /// Decides for whoever holds the link of a guest access. A link whose named guest is disabled opens nothing.
    private static func decide(
        link id: GuestAccessID, _ operation: LockOperation, on device: DeviceNode?, at instant: Timestamp,
        in directory: TenancyDirectory
    ) -> Decision {
        guard let node = directory.guestAccesses[id] else { return .denied(Denial(.userUnknown, hasReach: false)) }
        let reaches =
            device.map { node.access.deviceIDs.contains($0.id) && node.givesReach(to: $0, at: instant, in: directory) } ?? false
        if let guest = node.access.guestUserID {
            guard let user = directory.user(guest) else { return .denied(Denial(.userUnknown, hasReach: reaches)) }
            guard user.isEnabled else { return .denied(Denial(.userDisabled, hasReach: reaches)) }
        }
        guard let device else { return .denied(Denial(.deviceUnknown, hasReach: false)) }
        guard device.isAssigned else { return .denied(Denial(.deviceUnassigned, hasReach: reaches)) }
        guard reaches else { return .denied(Denial(.noAssociation, hasReach: false)) }
        let question = Question(operation: operation, device: device, instant: instant)
        guard let failure = question.failure(of: node, in: directory) else {
            return Question.decisionUnlessForbidden(.guestAccess(id), operation, on: device)
        }
        return .denied(question.denial(failure))
    }

    private static func denyUnknownDevice(to user: UserNode) -> Decision {
        .denied(Denial(user.isEnabled ? .deviceUnknown : .userDisabled, hasReach: user.isSuperAdmin))
    }
}
