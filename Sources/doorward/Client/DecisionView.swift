import DoorwardAPI
import DoorwardDomain

/// Prints a decision as one sentence: the answer, the reason of a denial, and what would have to change.
struct DecisionView {
    let decision: Wire.Permission
    /// The name of the person; `nil` for the caller.
    let person: String?
    let lock: String

    /// For example `Gus may not unlock Cellar: outside the hours of the guest access; opens Mon 2026-11-23 09:00 (CET)`.
    func sentence(_ style: OutputStyle) -> String {
        let time = decision.assumes == nil ? "" : " at \(style.zonedInstant(decision.at))"
        let may = "\(person?.printable ?? "You") may\(decision.allowed ? "" : " not") \(Self.verb(decision.operation))"
        let details = decision.allowed ? [basis] : [reason, remedy(style)]
        let tail = details.compactMap(\.self).joined(separator: "; ")
        let assumption = decision.assumes == "current_rules" ? " (if the rights stay as they are now)" : ""
        return "\(may) \(lock.printable)\(time)\(tail.isEmpty ? "" : ": \(tail)")\(assumption)"
    }

    private var basis: String? { decision.rule.map(Self.basis) }

    private var reason: String? { decision.reason.map(DisplayText.reason) }

    /// What would have to change for the operation to be allowed.
    private func remedy(_ style: OutputStyle) -> String? {
        switch decision.reason {
        case "no_association": "needs a role or a guest access for this lock"
        case "role_insufficient": decision.missing?.role.map { "needs the role \(DisplayText.role($0)) or a higher one" }
        case "operation_not_granted": "needs a guest access that includes \(DisplayText.word(decision.operation))"
        case "guest_window_ended":
            "\(decision.closesAt.map { "ended \(style.zonedInstant($0)); " } ?? "")needs a new guest access"
        case "guest_window_not_started", "outside_schedule": decision.opensAt.map { "opens \(style.zonedInstant($0))" }
        case "guest_access_revoked", "grantor_lost_access", "guest_uses_exhausted": "needs a new guest access"
        case "feature_unavailable": decision.missing?.module.map { "needs \($0.printable) in the subscription" }
        case "capability_missing": decision.missing?.capability.map { "the lock has no \(DisplayText.word($0))" }
        case "remote_operation_disabled": "a manager of the property can turn it on"
        case "lockdown_active": "an owner or portfolio admin can still open with --override, and lifting the lockdown ends it"
        case "user_disabled": "a super admin can enable the account"
        case "device_unassigned": "a super admin can attach it to a property"
        case "clock_untrusted": "a super admin can confirm the clock"
        default: nil
        }
    }

    /// A rule in words: `as owner`, or `by a guest access`.
    static func basis(_ rule: Wire.Rule) -> String {
        switch (rule.kind, rule.role) {
        case ("GUEST_ACCESS", _): "by a guest access"
        case (_, let role?): "as \(DisplayText.role(role))"
        case (_, nil): "by a role"
        }
    }

    /// An operation as a verb that the name of a lock can follow.
    static func verb(_ operation: String) -> String {
        switch operation {
        case "VIEW_STATUS": "see the status of"
        case "CHANGE_SETTINGS": "change the settings of"
        case "VIEW_ACCESS_HISTORY": "read the access log of"
        case "GRANT_ACCESS": "grant access to"
        case "LOCKDOWN": "lock down the property of"
        default: DisplayText.word(operation)
        }
    }
}
