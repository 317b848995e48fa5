/// The identity that a request was authenticated as.
package enum Principal: Hashable, Sendable {
    /// A signed-in user, with all roles and guest accesses of the user.
    case user(UserID)
    /// The holder of the link of a guest access, with the rights of that access and no others.
    case guestLink(GuestAccessID)
    /// The holder of an API key, with the rights that the key's role and its creator have in common.
    case apiKey(APIKeyID)

    /// The user; `nil` for a guest link and for an API key, which has no access to its creator's own data.
    package var userID: UserID? { if case .user(let id) = self { id } else { nil } }
}

/// The decision of `SecurityService` on a request: allowed by one rule, or denied for one reason.
package enum Decision: Hashable, Sendable {
    /// Allowed by this rule. `override` is true if the rule allows the operation only because of an override.
    case allowed(Rule, override: Bool)
    /// Denied. If the object is not visible to the caller, none of the denial's details may be disclosed.
    case denied(Denial)

    /// The rule that allows the request; `nil` if the request is denied, even if the denial names a rule.
    package var rule: Rule? { if case .allowed(let rule, _) = self { rule } else { nil } }

    /// The denial; `nil` if the request is allowed.
    package var denial: Denial? { if case .denied(let denial) = self { denial } else { nil } }

    /// Whether the request is allowed. Conditions that are not rights (offline, jammed, full queue) are not part of a decision.
    package var isAllowed: Bool { if case .allowed = self { true } else { false } }
}

/// The basis of a right: a role, a guest access, or the super-admin flag.
package enum Rule: Hashable, Sendable {
    /// A role on a portfolio, property or unit.
    case association(AssociationID, Role)
    /// A guest access, held by a user or through its link.
    case guestAccess(GuestAccessID)
    /// The user's super-admin flag.
    case superAdmin

    /// `ASSOCIATION`, `GUEST_ACCESS` or `SUPER_ADMIN`.
    package var kind: String {
        switch self {
        case .association: "ASSOCIATION"
        case .guestAccess: "GUEST_ACCESS"
        case .superAdmin: "SUPER_ADMIN"
        }
    }

    /// The id of the association or guest access; `nil` for a super admin, whose right is a flag of the user.
    package var id: String? {
        switch self {
        case .association(let id, _): id.description
        case .guestAccess(let id): id.description
        case .superAdmin: nil
        }
    }

    /// The role that the rule gives; `guest` for a guest access.
    package var role: Role {
        switch self {
        case .association(_, let role): role
        case .guestAccess: .guest
        case .superAdmin: .superAdmin
        }
    }
}

/// The reason for which a request is denied, with details for the response.
package struct Denial: Error, Hashable, Sendable {
    /// The reported reason. If several rules fail, it is the reason of the rule that came nearest to allowing the request.
    package var reason: DenialReason
    /// Whether the object is visible to the caller. If not, the response contains only the code `forbidden`.
    package var hasReach: Bool
    /// The rule that came nearest to allowing the request.
    package var rule: Rule?
    /// When the window of `rule` opens, if the request was too early.
    package var opensAt: Timestamp?
    /// When the window of `rule` closed, if the request was too late.
    package var closesAt: Timestamp?
    /// The role, operation, capability or module that the request lacks; `nil` if none of these would suffice.
    package var missing: Missing?

    package init(
        _ reason: DenialReason, hasReach: Bool, rule: Rule? = nil, opensAt: Timestamp? = nil, closesAt: Timestamp? = nil,
        missing: Missing? = nil
    ) {
        (self.reason, self.hasReach, self.rule) = (reason, hasReach, rule)
        (self.opensAt, self.closesAt, self.missing) = (opensAt, closesAt, missing)
    }

    /// A requirement that the request did not meet.
    package struct Missing: Hashable, Sendable {
        /// The lowest role that would suffice.
        package var role: Role?
        /// The operation that the guest access does not list.
        package var operation: LockOperation?
        /// The capability that the lock lacks, by its API name.
        package var capability: String?
        /// The module that the portfolio's subscription lacks, by its API name.
        package var module: String?

        package init(role: Role? = nil, operation: LockOperation? = nil, capability: String? = nil, module: String? = nil) {
            (self.role, self.operation, self.capability, self.module) = (role, operation, capability, module)
        }
    }
}

/// The reasons for a denial, ordered by how near the request came to being allowed, the farthest
/// first. Raw values are those of the API.
package enum DenialReason: String, CaseIterable, Codable, Sendable {
    /// The user does not exist, or the guest access of the link does not exist.
    case userUnknown = "user_unknown"
    /// The user is disabled.
    case userDisabled = "user_disabled"
    /// The device does not exist.
    case deviceUnknown = "device_unknown"
    /// The device is assigned to no property, so no role covers it.
    case deviceUnassigned = "device_unassigned"
    /// None of the caller's roles or guest accesses covers the device.
    case noAssociation = "no_association"
    /// The guest access was revoked before its window ended.
    case guestAccessRevoked = "guest_access_revoked"
    /// The tenant who granted the access is no longer a tenant.
    case grantorLostAccess = "grantor_lost_access"
    /// The role covers the device but does not include the operation.
    case roleInsufficient = "role_insufficient"
    /// The guest access does not list the operation, or no guest may have it.
    case operationNotGranted = "operation_not_granted"
    /// The request was made at or after the access's `validUntil`.
    case guestWindowEnded = "guest_window_ended"
    /// The maximum number of uses (`maxUses`) is used up or reserved.
    case guestUsesExhausted = "guest_uses_exhausted"
    /// The request was made before the access's `validFrom`.
    case guestWindowNotStarted = "guest_window_not_started"
    /// The request was made inside the window of the access, but outside its recurring hours.
    case outsideSchedule = "outside_schedule"
    /// The gateway's clock is not trusted enough to evaluate a window.
    case clockUntrusted = "clock_untrusted"
    /// The portfolio's subscription does not include the required module.
    case featureUnavailable = "feature_unavailable"
    /// The lock does not support the operation.
    case capabilityMissing = "capability_missing"
    /// Moving the lock through the gateway is disabled for everyone.
    case remoteOperationDisabled = "remote_operation_disabled"
    /// The property is in lockdown: its locks may be locked, but not unlocked or unlatched.
    case lockdownActive = "lockdown_active"
}

/// The time of a decision, read once from the gateway's clock: the instant, and whether the clock was trusted at that instant.
///
/// While the clock is untrusted, no guest window is known to be open, so guest accesses are denied. Roles do not depend on the time, and
/// are decided as usual.
package struct DecisionTime: Hashable, Sendable {
    /// The reading of the wall clock. Windows and schedules are compared with it.
    package let instant: Timestamp
    /// The instant with which the end of a credential or of visibility is compared: `instant`, or the latest time that the gateway
    /// knows to have passed if the wall clock shows an earlier one. When the clock was set back, a credential that has expired does not
    /// become valid again.
    package let expiryInstant: Timestamp
    /// Whether the wall clock was trusted.
    package let isTrusted: Bool

    /// - Parameter latest: the latest time that is known to have passed; `nil` if it is not later than `instant`.
    package init(_ instant: Timestamp, isTrusted: Bool, latest: Timestamp? = nil) {
        (self.instant, self.isTrusted) = (instant, isTrusted)
        expiryInstant = latest.map { max($0, instant) } ?? instant
    }

    /// The time of a decision by a trusted clock, or at the instant that a request to decide names.
    package static func trusted(_ instant: Timestamp) -> Self { Self(instant, isTrusted: true) }
}
