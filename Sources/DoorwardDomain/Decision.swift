/// The identity that a request was authenticated as.
package enum Principal: Hashable, Sendable {
    /// A signed-in user, with all that the user holds.
    case user(UserID)
    /// The holder of the link of a guest access, with the rights of that access and no others.
    case guestLink(GuestAccessID)

    /// `nil` for a guest link.
    package var userID: UserID? {
        switch self {
        case .user(let id): id
        case .guestLink: nil
        }
    }
}

/// The answer of `SecurityService`: allowed by one rule, or denied for one reason.
package enum Decision: Hashable, Sendable {
    /// `override` is true when the rule held only because an override was given where one is needed.
    case allowed(Rule, override: Bool)
    /// With what may be said about it: to a caller without reach that is nothing.
    case denied(Denial)

    /// The rule that allowed it; `nil` when it is denied, also where the denial names a rule.
    package var rule: Rule? {
        switch self {
        case .allowed(let rule, _): rule
        case .denied: nil
        }
    }

    /// `nil` when it is allowed.
    package var denial: Denial? {
        switch self {
        case .allowed: nil
        case .denied(let denial): denial
        }
    }

    /// Whether the right holds; what lies beyond rights (offline, jammed, a full queue) is not in a decision.
    package var isAllowed: Bool {
        if case .allowed = self { true } else { false }
    }
}

/// What a right rests on.
package enum Rule: Hashable, Sendable {
    /// A role on a portfolio, property or unit.
    case association(AssociationID, Role)
    /// A guest access, held by a user or through its link.
    case guestAccess(GuestAccessID)
    /// The flag of a user.
    case superAdmin

    /// `ASSOCIATION`, `GUEST_ACCESS` or `SUPER_ADMIN`.
    package var kind: String {
        switch self {
        case .association: "ASSOCIATION"
        case .guestAccess: "GUEST_ACCESS"
        case .superAdmin: "SUPER_ADMIN"
        }
    }

    /// `nil` for the super admin, who holds a flag and no association.
    package var id: String? {
        switch self {
        case .association(let id, _): id.description
        case .guestAccess(let id): id.description
        case .superAdmin: nil
        }
    }

    /// `guest` for a guest access, which is no association.
    package var role: Role {
        switch self {
        case .association(_, let role): role
        case .guestAccess: .guest
        case .superAdmin: .superAdmin
        }
    }
}

/// Why something is refused, with what helps a person to do something about it.
package struct Denial: Error, Hashable, Sendable {
    /// Only one, although several may hold: the one nearest to being allowed.
    package var reason: DenialReason
    /// Whether the caller may know that the object exists. Without reach nothing of this leaves the gateway but `forbidden`.
    package var hasReach: Bool
    /// The rule that came nearest to allowing it.
    package var rule: Rule?
    /// When the window of `rule` opens, if that is why.
    package var opensAt: Timestamp?
    /// When the window of `rule` closed, if that is why.
    package var closesAt: Timestamp?
    /// `nil` where nothing could be named that would help.
    package var missing: Missing?

    package init(
        _ reason: DenialReason, hasReach: Bool, rule: Rule? = nil, opensAt: Timestamp? = nil, closesAt: Timestamp? = nil,
        missing: Missing? = nil
    ) {
        (self.reason, self.hasReach, self.rule) = (reason, hasReach, rule)
        (self.opensAt, self.closesAt, self.missing) = (opensAt, closesAt, missing)
    }

    /// What would have been needed.
    package struct Missing: Hashable, Sendable {
        /// The lowest role that would do.
        package var role: Role?
        /// The operation that the guest access does not list.
        package var operation: LockOperation?
        /// The capability that the lock lacks, by its name on the wire.
        package var capability: String?
        /// The module that the portfolio's subscription lacks, by its name on the wire.
        package var module: String?

        package init(role: Role? = nil, operation: LockOperation? = nil, capability: String? = nil, module: String? = nil) {
            (self.role, self.operation, self.capability, self.module) = (role, operation, capability, module)
        }
    }
}

/// The reasons of a denial. Raw values are the wire's; the order of the cases is from farthest to nearest.
package enum DenialReason: String, CaseIterable, Codable, Sendable {
    /// There is no such user, or no such guest access behind the link.
    case userUnknown = "user_unknown"
    /// The user may do nothing at all for now.
    case userDisabled = "user_disabled"
    /// There is no such device.
    case deviceUnknown = "device_unknown"
    /// The device hangs on no property, so that nobody's role reaches it.
    case deviceUnassigned = "device_unassigned"
    /// Nothing that the caller holds reaches the device.
    case noAssociation = "no_association"
    /// The guest access was ended before its time.
    case guestAccessRevoked = "guest_access_revoked"
    /// The tenant who granted it is one no longer.
    case grantorLostAccess = "grantor_lost_access"
    /// The role reaches the device and does not hold the operation.
    case roleInsufficient = "role_insufficient"
    /// The guest access does not list the operation, or no guest can have it.
    case operationNotGranted = "operation_not_granted"
    /// At or after `validUntil`.
    case guestWindowEnded = "guest_window_ended"
    /// All of `maxUses` are used up or reserved.
    case guestUsesExhausted = "guest_uses_exhausted"
    /// Before `validFrom`.
    case guestWindowNotStarted = "guest_window_not_started"
    /// Inside the window, and not in one of the recurring hours.
    case outsideSchedule = "outside_schedule"
    /// The gateway does not know the time well enough to judge a window.
    case clockUntrusted = "clock_untrusted"
    /// The portfolio's subscription does not include it.
    case featureUnavailable = "feature_unavailable"
    /// The lock cannot do it.
    case capabilityMissing = "capability_missing"
    /// The lock shall not be moved through the gateway, by nobody.
    case remoteOperationDisabled = "remote_operation_disabled"
    /// The property is locked down: doors may be locked, not opened.
    case lockdownActive = "lockdown_active"
}
