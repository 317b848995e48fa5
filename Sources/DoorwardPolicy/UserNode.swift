package import DoorwardDomain

/// A user with all that they hold: what a decision needs of the person, in as few places in memory as can be.
package final class UserNode: Sendable {
    let roles: HeldRoles
    let guestAccesses: HeldGuestAccesses
    let isEnabled: Bool
    let isSuperAdmin: Bool
    package let id: UserID
    /// `nil` while the directory has heard of what somebody holds and not of them; they are unknown to every decision.
    package let user: User?

    init(id: UserID, user: User? = nil, roles: HeldRoles = HeldRoles(), guestAccesses: HeldGuestAccesses = HeldGuestAccesses()) {
        (self.id, self.user, self.roles, self.guestAccesses) = (id, user, roles, guestAccesses)
        isEnabled = user?.isEnabled ?? false
        isSuperAdmin = user?.isSuperAdmin ?? false
    }

    func replacing(user: User) -> UserNode { UserNode(id: id, user: user, roles: roles, guestAccesses: guestAccesses) }

    func replacing(roles: HeldRoles) -> UserNode { UserNode(id: id, user: user, roles: roles, guestAccesses: guestAccesses) }

    func replacing(guestAccesses: HeldGuestAccesses) -> UserNode {
        UserNode(id: id, user: user, roles: roles, guestAccesses: guestAccesses)
    }
}
