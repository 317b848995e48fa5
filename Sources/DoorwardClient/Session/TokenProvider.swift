internal import NIOHTTP1

/// Provides the access token of a session, and refreshes it.
///
/// Several processes may share one session file, and using a refresh token twice ends the session. So the first process refreshes
/// the token while holding the file lock, and the others use the new token.
struct TokenProvider: Sendable {
    let file: SessionFile
    let transport: HTTPTransport

    /// The current token, refreshed if it is about to expire.
    func token() async throws -> String {
        let session = try current()
        return session.expiresSoon ? try await token(after: session.token) : session.token
    }

    /// The current token, without a refresh.
    ///
    /// - Throws: `ClientError.notSignedIn` also if the token is about to expire.
    func currentToken() throws -> String {
        let session = try current()
        guard !session.expiresSoon else { throw ClientError.notSignedIn(server: session.server) }
        return session.token
    }

    /// Refreshes the token, unless `old` has already been replaced. A refresh that has begun is completed even if the caller is
    /// cancelled: the gateway has issued the next refresh token by then, which must be stored.
    ///
    /// - Throws: `ClientError.sessionExpired` if the session cannot be refreshed.
    func token(after old: String) async throws -> String {
        try await file.locked {
            let session = try current()
            if session.token != old { return session.token }
            guard let refreshToken = session.refreshToken else { throw expired(session) }
            try Task.checkCancellation()
            // An unstructured task, which the caller's cancellation does not reach.
            return try await Task {
                let refreshed = try await refreshed(session, refreshToken)
                try file.write(refreshed)
                return refreshed.token
            }.value
        }
    }

    /// - Throws: `ClientError.notSignedIn` if no session of this gateway is stored. A token is never sent to another gateway.
    private func current() throws -> Session {
        guard let session = try file.read(), session.server == transport.server.description else {
            throw ClientError.notSignedIn(server: transport.server.description)
        }
        return session
    }

    private func refreshed(_ session: Session, _ refreshToken: String) async throws -> Session {
        // Without an idempotency key: a refresh token is valid once, and the gateway does not store the response.
        var request = try APIRequest(.POST, ["auth", "refresh"], body: ["refreshToken": refreshToken])
        // A short limit, as a cancelled caller waits for the end of this request.
        request.timeLimit = .seconds(10)
        do {
            let response: Response<Doorward.SignedIn> = try await transport.send(request, token: nil).successful().decoded()
            let signedIn = response.content
            var refreshed = Session(
                server: transport.server, email: session.email, token: signedIn.token, lifetime: signedIn.expiresIn,
                refreshToken: signedIn.refreshToken)
            refreshed.caFile = session.caFile
            return refreshed
        } catch ClientError.refused(let error) where error.status == 401 {
            throw expired(session)
        }
    }

    private func expired(_ session: Session) -> ClientError {
        .sessionExpired(server: session.server, email: session.email, name: file.name)
    }
}
