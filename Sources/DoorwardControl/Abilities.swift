package import DoorwardDomain
package import DoorwardPolicy

/// What a user may do at one instant, for clients that show only what is permitted.
///
/// A client may hide a button by these rules. The gateway never relies on that: it decides on each request.
package struct Abilities: Sendable {
    /// The rules, in the form of CASL; the last one that matches decides.
    package let rules: [AbilityRule]
    /// When the passing of time next changes the rules; `nil` if it does not.
    package let nextChangeAt: Timestamp?
}

extension GatewayControl {
    /// The abilities of the caller at this instant.
    ///
    /// - Throws: `.outOfReach` for a caller that is no user: an API key has no access to the data of the user who created it.
    package func abilities(of caller: Caller) throws(GatewayError) -> Abilities {
        let (tenancy, subject) = directory.resolve(caller)
        guard subject.userID != nil else { throw .outOfReach }
        let now = clock.decisionTime()
        return Abilities(
            rules: SecurityService.abilityRules(of: subject, at: now, in: tenancy),
            nextChangeAt: SecurityService.nextAbilityChange(of: subject, after: now, in: tenancy))
    }
}
