import DoorwardDomain

extension Rule {
    /// `kind/id/role`, as encoded in records. For a rule without an id, the text between the slashes is empty.
    var recordText: String { "\(kind)/\(id ?? "")/\(role.rawValue)" }

    /// Parses exactly the texts that `recordText` produces.
    init?(recordText bytes: some RandomAccessCollection<UInt8>) {
        if bytes.elementsEqual("SUPER_ADMIN//SUPER_ADMIN".utf8) {
            self = .superAdmin
            return
        }
        let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 3, let role = Role(rawValue: String(decoding: parts[2], as: UTF8.self)),
            role.rawValue.utf8.elementsEqual(parts[2])
        else { return nil }
        if parts[0].elementsEqual("ASSOCIATION".utf8), let id = AssociationID(text: parts[1]) {
            self = .association(id, role)
        } else if parts[0].elementsEqual("GUEST_ACCESS".utf8), let id = GuestAccessID(text: parts[1]), role == .guest {
            self = .guestAccess(id)
        } else {
            return nil
        }
    }
}
