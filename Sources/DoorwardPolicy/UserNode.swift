internal import DoorwardDomain

/// A user's data for decisions: the user, their roles and their guest accesses, in as few blocks of memory as possible.
final class UserNode: Sendable {
    let isEnabled: Bool
    let isSuperAdmin: Bool
    /// Whether `user` is not `nil`. Every decision tests this flag, because reading `user` would copy the whole user.
    let isKnown: Bool
    let roles: HeldRoles
    /// A filter for the devices of the user's guest accesses. If the filter excludes a device, no guest access lists the device.
    let deviceFilter: DeviceFilter
    let guestAccesses: HeldGuestAccesses
    /// The user's id. Roles and guest accesses can refer to an id before the user is stored; `user` is then `nil`.
    let id: UserID
    /// The stored user; `nil` while only roles or guest accesses refer to the id. Decisions then treat the user as unknown.
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

    /// The roles and guest accesses of the id alone.
    var withoutUser: UserNode { UserNode(id: id, roles: roles.all, guestAccesses: guestAccesses) }

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
