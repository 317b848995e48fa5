package import DoorwardDomain
internal import DoorwardPolicy

/// A change of the tenancy as a value: who makes it, what the request names, and what it does. It is a pure function of a directory: the
/// writer commits its draft, and a dry run makes the same draft and shows its effects.
package struct Change<Value: Sendable>: Sendable {
    /// Drafts the change on a copy of the directory, with the caller's rights in that copy. If it throws, nothing is changed.
    package typealias Body = @Sendable (inout TenancyUnitOfWork) throws(GatewayError) -> Value

    let caller: Caller
    let reach: [Reach]
    let body: Body

    /// - Throws: the error for an id that does not exist, unless each entity that the request names is visible to the caller.
    func requireReach(in tenancy: TenancyDirectory, at time: DecisionTime) throws(GatewayError) {
        try tenancy.requireReach(of: caller, to: reach, at: time)
    }

    /// Returns the directory and the transaction that the change makes of `directory`, and its result.
    func draft(
        on directory: TenancyDirectory, at time: DecisionTime, random: RandomSource
    ) throws(GatewayError) -> (draft: TenancyUnitOfWork, value: Value) {
        var draft = TenancyUnitOfWork(directory: directory, caller: caller, time: time, random: random)
        let value = try body(&draft)
        return (draft, value)
    }
}

/// An entity that a request names. A request that names one that its caller may not see is answered as if there were no such id.
package enum Reach: Hashable, Sendable {
    /// A portfolio, property or unit.
    case entity(AssociatedEntity)
    /// A lock, which may be unassigned.
    case device(DeviceID)
    /// A user. People to whom the request gives a role or an access are not listed: the id of any existing user is accepted.
    case user(UserID)
    /// A guest access, which its manager and its guest may read.
    case guestAccess(GuestAccessID)
}

extension TenancyDirectory {
    /// - Throws: the error for an id that does not exist, unless each entity is visible to the caller.
    func requireReach(of caller: Caller, to named: [Reach], at time: DecisionTime) throws(GatewayError) {
        guard !named.isEmpty else { return }
        let subject = subject(of: caller.principal)
        for entity in named {
            switch entity {
            case .entity(let entity): try requireReach(of: subject, to: entity)
            case .device(let id): try requireReach(of: subject, to: id, at: time)
            case .user(let id): _ = try visibleUser(id, to: subject)
            case .guestAccess(let id): _ = try readable(id, to: subject)
            }
        }
    }
}
