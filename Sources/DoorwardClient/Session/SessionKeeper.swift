internal import DoorwardAPI
internal import NIOHTTP1

/// Provides the access token of a session, and refreshes it.
///
/// Several processes may share one session file, and using a refresh token twice ends the session. So the first process refreshes
/// the token while holding the file lock, and the others use the new token.
struct SessionKeeper: Sendable {
    let file: SessionFile
    let channel: HTTPTransport

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
                let renewed = try await renewed(session, refreshToken)
                try file.write(renewed)
                return renewed.token
            }.value
        }
    }

    /// - Throws: `ClientError.notSignedIn` if no session of this gateway is stored. A token is never sent to another gateway.
    private func current() throws -> Session {
        guard let session = try file.read(), session.server == channel.server.description else {
            throw ClientError.notSignedIn(server: channel.server.description)
        }
        return session
    }

    private func renewed(_ session: Session, _ refreshToken: String) async throws -> Session {
        var call = try APIRequest.post("auth", "refresh", body: ["refreshToken": refreshToken])
        // A refresh token is valid once, and the gateway does not store the response.
        call.idempotencyKey = nil
        // A short limit, as a cancelled caller waits for the end of this request.
        call.timeLimit = .seconds(10)
        do {
            let answer: Response<Wire.SignedIn> = try await channel.send(call, token: nil).successful().answer(
                from: channel.server)
            var renewed = Session(
                server: channel.server, email: session.email, token: answer.content.token, lifetime: answer.content.expiresIn,
                refreshToken: answer.content.refreshToken)
            renewed.caFile = session.caFile
            return renewed
        } catch ClientError.refused(let refusal) where refusal.status == 401 {
            throw expired(session)
        }
    }

    private func expired(_ session: Session) -> ClientError {
        .sessionExpired(server: session.server, email: session.email, name: file.name)
    }
}
