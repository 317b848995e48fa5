internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes

extension ProjectedRenderer {
    /// The tag of the stored lock, without its reported status: a change of the status does not make a reader's version outdated.
    func tag(of device: LockDevice) -> EntityTag { EntityTag { self.device(device, status: nil, into: &$0) } }

    func tag(of user: User) -> EntityTag { EntityTag { self.user(user, into: &$0) } }

    /// The tag of the stored access, without the uses that are left: a use does not make a reader's version outdated.
    func tag(of access: GuestAccess) -> EntityTag { EntityTag { guestAccess(access, GuestAccess.storedFields, into: &$0) } }
}

extension APIResponse {
    /// Returns the same response, with the `ETag` of the object in it.
    func tagged(_ tag: EntityTag) -> APIResponse { with(.eTag, tag.text) }
}

extension AuthenticatedRequest {
    /// The precondition that the request's `If-Match` (RFC 9110, section 13.1.1) sets for the object to change; `nil` for a request
    /// without `If-Match`. The header names tags, of which a weak one (`W/"…"`) never matches, or is `*` for any version.
    ///
    /// - Throws: `.invalid` for a malformed header.
    func condition<Entity>(
        _ tag: @escaping @Sendable (ProjectedRenderer, Entity) -> EntityTag
    ) throws(GatewayError) -> Precondition<Entity>? {
        let lines = metadata.headers[values: .ifMatch]
        guard !lines.isEmpty else { return nil }
        let tags = lines.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map { String($0).trimmed }
        if tags == ["*"] { return { _, _ in true } }
        guard tags.allSatisfy(\.isEntityTag) else { throw .invalid("If-Match", FieldProblemCode.malformed.rawValue) }
        return { entity, tenancy in tags.contains(tag(view(in: CurrentDirectory.Snapshot(tenancy)), entity).text) }
    }
}

extension String {
    /// Whether the text is an entity tag, weak or strong, with its quotation marks.
    fileprivate var isEntityTag: Bool {
        let opaque = hasPrefix("W/") ? dropFirst(2) : self[...]
        guard opaque.utf8.count >= 2, opaque.hasPrefix("\""), opaque.hasSuffix("\"") else { return false }
        return String(opaque.dropFirst().dropLast()).isVisibleASCII && !opaque.dropFirst().dropLast().contains("\"")
    }
}
