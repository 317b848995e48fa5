package import DoorwardDomain
package import DoorwardPolicy

/// The origin of a request, for records.
package struct RequestOrigin: Sendable {
    /// The kind of client.
    package let source: RecordSource
    /// The client's network address. A forwarded address is used only if trusted proxies have reported it. Personal data.
    package let clientAddress: String?
    /// The id of the request, also contained in its response.
    package let requestID: String?

    package init(source: RecordSource = .api, clientAddress: String? = nil, requestID: String? = nil) {
        (self.source, self.clientAddress, self.requestID) = (source, clientAddress, requestID)
    }
}

/// The principal that makes a request, and the origin of the request.
package struct Caller: Sendable {
    /// The caller's identity, without rights. DoorwardPolicy resolves it to a `Subject` in the
    /// directory snapshot that a decision uses.
    package let principal: Principal
    /// The session of a signed-in user; `nil` for an administrator on the gateway's own machine.
    package let sessionID: SessionID?
    /// The digest of the token of a guest link: the caller's commands are denied once the link is replaced or ended. `nil` for
    /// every other caller.
    package let linkDigest: [UInt8]?
    /// The origin of the request; every record that results from the request contains it.
    package let origin: RequestOrigin

    package init(
        principal: Principal, sessionID: SessionID? = nil, linkDigest: [UInt8]? = nil, origin: RequestOrigin = RequestOrigin()
    ) {
        (self.principal, self.sessionID, self.linkDigest, self.origin) = (principal, sessionID, linkDigest, origin)
    }

    /// Creates the caller for a request of a user.
    package init(userID: UserID, sessionID: SessionID? = nil, origin: RequestOrigin = RequestOrigin()) {
        self.init(principal: .user(userID), sessionID: sessionID, origin: origin)
    }

    /// The user, for records and for lists of the user's own objects; `nil` for a guest link. Not to be used for decisions,
    /// which take the `Subject`.
    package var userID: UserID? { principal.userID }

    /// Whether the caller's link has not been replaced or ended; true for a caller who uses no link.
    package func holdsLink(in tenancy: TenancyDirectory) -> Bool {
        linkDigest.map { tenancy.guestLink(digest: $0).map { .guestLink($0.accessID) } == principal } ?? true
    }
}

extension RecordActor {
    /// The caller as named in records.
    package init(of caller: Caller, in tenancy: TenancyDirectory) {
        self = Self(named: caller.principal, in: tenancy) ?? Self(of: caller.principal)
    }
}
