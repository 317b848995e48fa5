/// Who asks to do something to a lock.
package enum Principal: Hashable, Sendable {
    case user(UserID)
    case guestLink(GuestAccessID)
}

/// The answer of `SecurityService`: allowed by one rule, or denied for one reason.
package enum Decision: Hashable, Sendable {
    /// `override` is true when the rule held only because an override was given where one is needed.
    case allowed(Rule, override: Bool)
    case denied(Denial)

    package var rule: Rule? {
        switch self {
        case .allowed(let rule, _): rule
        case .denied: nil
        }
    }

    package var denial: Denial? {
        switch self {
        case .allowed: nil
        case .denied(let denial): denial
        }
    }

    package var isAllowed: Bool {
        if case .allowed = self { true } else { false }
    }
}

/// What a right rests on.
package enum Rule: Hashable, Sendable {
    case association(AssociationID, Role)
    case guestAccess(GuestAccessID)
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
    package var reason: DenialReason
    /// Whether the caller may know that the object exists. Without reach nothing of this leaves the gateway but `forbidden`.
    package var hasReach: Bool
    /// The rule that came nearest to allowing it.
    package var rule: Rule?
    /// When the window of `rule` opens, if that is why.
    package var opensAt: Timestamp?
    /// When the window of `rule` closed, if that is why.
    package var closesAt: Timestamp?
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
        package var role: Role?
        package var operation: LockOperation?
        package var capability: String?
        package var module: String?

        package init(role: Role? = nil, operation: LockOperation? = nil, capability: String? = nil, module: String? = nil) {
            (self.role, self.operation, self.capability, self.module) = (role, operation, capability, module)
        }
    }
}

/// The reasons of a denial. Raw values are the wire's; the order of the cases is from farthest to nearest.
package enum DenialReason: String, CaseIterable, Codable, Sendable {
    case userUnknown = "user_unknown"
    case userDisabled = "user_disabled"
    case deviceUnknown = "device_unknown"
    case deviceUnassigned = "device_unassigned"
    case noAssociation = "no_association"
    case guestAccessRevoked = "guest_access_revoked"
    case grantorLostAccess = "grantor_lost_access"
    case roleInsufficient = "role_insufficient"
    case operationNotGranted = "operation_not_granted"
    case guestWindowEnded = "guest_window_ended"
    case guestUsesExhausted = "guest_uses_exhausted"
    case guestWindowNotStarted = "guest_window_not_started"
    case outsideSchedule = "outside_schedule"
    case clockUntrusted = "clock_untrusted"
    case featureUnavailable = "feature_unavailable"
    case capabilityMissing = "capability_missing"
    case remoteOperationDisabled = "remote_operation_disabled"
    case lockdownActive = "lockdown_active"
}
