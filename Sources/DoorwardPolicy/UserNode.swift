internal import DoorwardDomain

/// A user with all that they hold: what a decision needs of the person, in as few places in memory as can be.
final class UserNode: Sendable {
    let isEnabled: Bool
    let isSuperAdmin: Bool
    /// Whether there is a `user`; asked in every decision, where looking at `user` itself would copy it.
    let isKnown: Bool
    let roles: HeldRoles
    /// A bit for each device that a guest access may list: where it is clear, none does.
    let deviceFilter: DeviceFilter
    let guestAccesses: HeldGuestAccesses
    /// There also for an id of whom only roles or guest accesses are known; `user` is `nil` then.
    let id: UserID
    /// `nil` while the directory has heard of what somebody holds and not of them; they are unknown to every decision.
    let user: User?

    init(id: UserID, user: User? = nil, roles: [HeldRole] = [], guestAccesses: HeldGuestAccesses = HeldGuestAccesses()) {
        (self.id, self.user, self.guestAccesses) = (id, user, guestAccesses)
        self.roles = HeldRoles(roles)
        deviceFilter = guestAccesses.deviceFilter
        isKnown = user != nil
        isEnabled = user?.isEnabled ?? false
        isSuperAdmin = user?.isSuperAdmin ?? false
    }

    func replacing(user: User) -> UserNode { UserNode(id: id, user: user, roles: roles.all, guestAccesses: guestAccesses) }

    func replacing(roles: [HeldRole]) -> UserNode { UserNode(id: id, user: user, roles: roles, guestAccesses: guestAccesses) }

    func replacing(guestAccesses: HeldGuestAccesses) -> UserNode {
        UserNode(id: id, user: user, roles: roles.all, guestAccesses: guestAccesses)
    }
}

/// A user in the table of users: the id stands beside the node, so that finding somebody looks at nobody else's node.
struct UserEntry: TableEntry {
    let id: UserID
    let node: UserNode

    init(node: UserNode) { (id, self.node) = (node.id, node) }
}
