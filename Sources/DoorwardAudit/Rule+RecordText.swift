import DoorwardDomain

extension Rule {
    /// `kind/id/role`, as records hold it. A rule without an id has nothing between the strokes.
    var recordText: String { "\(kind)/\(id ?? "")/\(role.rawValue)" }

    /// Reads what `recordText` gives. The caller compares the bytes.
    init?(recordText text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        switch parts[0] {
        case "ASSOCIATION":
            guard let id = AssociationID(parts[1]), let role = Role(rawValue: String(parts[2])) else { return nil }
            self = .association(id, role)
        case "GUEST_ACCESS":
            guard let id = GuestAccessID(parts[1]), parts[2] == "GUEST" else { return nil }
            self = .guestAccess(id)
        case "SUPER_ADMIN":
            guard parts[1].isEmpty, parts[2] == "SUPER_ADMIN" else { return nil }
            self = .superAdmin
        default: return nil
        }
    }
}
