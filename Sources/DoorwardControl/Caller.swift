package import DoorwardDomain

/// Where a request came from, for records.
package struct RequestOrigin: Sendable {
    /// The kind of client.
    package let source: RecordSource
    /// The network address of the client, as far as the proxies in between are trusted. Personal.
    package let clientAddress: String?
    /// The id of the request, which its response bears too.
    package let requestID: String?

    package init(source: RecordSource = .api, clientAddress: String? = nil, requestID: String? = nil) {
        (self.source, self.clientAddress, self.requestID) = (source, clientAddress, requestID)
    }
}

/// The principal that makes a request, and where the request came from.
package struct Caller: Sendable {
    /// Its rights are not kept here: Policy resolves it to a `Subject` in the snapshot of the directory that it decides on.
    package let principal: Principal
    /// The session of a signed-in user; `nil` for an administrator on the gateway's own machine.
    package let sessionID: SessionID?
    /// Recorded with all that the request leads to.
    package let origin: RequestOrigin

    package init(principal: Principal, sessionID: SessionID? = nil, origin: RequestOrigin = RequestOrigin()) {
        (self.principal, self.sessionID, self.origin) = (principal, sessionID, origin)
    }

    /// A request of a user.
    package init(userID: UserID, sessionID: SessionID? = nil, origin: RequestOrigin = RequestOrigin()) {
        self.init(principal: .user(userID), sessionID: sessionID, origin: origin)
    }

    /// The user, for records and for the lists of the user's own objects; `nil` for a guest link. It decides nothing: decisions
    /// take the `Subject`.
    package var userID: UserID? { principal.userID }
}
