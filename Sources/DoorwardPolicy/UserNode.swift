internal import DoorwardDomain

/// A user with their roles and guest accesses: the data that a decision needs of them, in as few places in memory as possible.
final class UserNode: Sendable {
    let isEnabled: Bool
    let isSuperAdmin: Bool
    /// Whether there is a `user`. Every decision checks this, and reading `user` itself would copy it.
    let isKnown: Bool
    let roles: HeldRoles
    /// A filter for the devices that the user's guest accesses list. If it excludes a device, none of them lists the device.
    let deviceFilter: DeviceFilter
    let guestAccesses: HeldGuestAccesses
    /// Set also for an id that is known only from roles or guest accesses; then `user` is `nil`.
    let id: UserID
    /// `nil` while only roles or guest accesses of the id are known; every decision then treats the user as unknown.
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

/// A user in the table of users. The id is stored beside the node, so that a lookup reads no other user's node.
struct UserEntry: TableEntry {
    let id: UserID
    let node: UserNode

    init(node: UserNode) { (id, self.node) = (node.id, node) }
}
