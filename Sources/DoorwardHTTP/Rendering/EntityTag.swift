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
    func tag(of access: GuestAccess) -> EntityTag { EntityTag { guestAccess(access, isStoredPartOnly: true, into: &$0) } }
}

extension APIResponse {
    /// Returns the same response, with the `ETag` of the object in it.
    func tagged(_ tag: EntityTag) -> APIResponse { with(.eTag, tag.text) }
}

/// The header `If-Match` (RFC 9110, section 13.1.1).
enum IfMatch: Hashable, Sendable {
    /// `*`: any version.
    case any
    /// One of these tags, with their quotation marks. A weak tag (`W/"…"`) never matches.
    case tags([String])

    /// `nil` for a request without the header.
    init?(_ headers: RequestHeaders) throws(GatewayError) {
        let lines = headers[values: .ifMatch]
        guard !lines.isEmpty else { return nil }
        let parts = lines.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map { String($0).trimmed }
        if parts == ["*"] {
            self = .any
        } else if parts.allSatisfy(Self.isTag) {
            self = .tags(parts)
        } else {
            throw .invalid("If-Match", FieldProblemCode.malformed.rawValue)
        }
    }

    func holds(for tag: EntityTag) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains(tag.text)
        }
    }

    private static func isTag(_ text: String) -> Bool {
        let opaque = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
        guard opaque.utf8.count >= 2, opaque.hasPrefix("\""), opaque.hasSuffix("\"") else { return false }
        return String(opaque.dropFirst().dropLast()).isVisibleASCII && !opaque.dropFirst().dropLast().contains("\"")
    }
}

extension AuthenticatedRequest {
    /// The precondition that the request's `If-Match` sets for the object to change; `nil` for a request without `If-Match`.
    ///
    /// - Throws: `.invalid` for a malformed header.
    func condition<Entity>(
        _ tag: @escaping @Sendable (ProjectedRenderer, Entity) -> EntityTag
    ) throws(GatewayError) -> Precondition<Entity>? {
        guard let match = try IfMatch(metadata.headers) else { return nil }
        return { entity, tenancy in match.holds(for: tag(view(in: CurrentDirectory.Snapshot(tenancy)), entity)) }
    }
}
