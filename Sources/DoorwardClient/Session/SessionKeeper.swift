internal import DoorwardAPI
internal import NIOHTTP1

/// Hands out the access token of a session, and renews it.
///
/// A refresh token that is used twice ends the session, and several processes may share one file: so a renewal is made under
/// the file's lock, by whoever comes first, and the others take what it has brought.
struct SessionKeeper: Sendable {
    let file: SessionFile
    let channel: Channel

    /// The token in force.
    func token() async throws -> String {
        let session = try current()
        return session.isRunningOut ? try await token(after: session.token) : session.token
    }

    /// The token in force, without a renewal.
    ///
    /// - Throws: `ClientError.notSignedIn` also where it runs out.
    func standingToken() throws -> String {
        let session = try current()
        guard !session.isRunningOut else { throw ClientError.notSignedIn(server: session.server) }
        return session.token
    }

    /// The token that comes after one that is no longer taken. Whoever is cancelled meanwhile still waits for a renewal that has
    /// begun: the gateway has made the next refresh token then, and it has to be kept.
    ///
    /// - Throws: `ClientError.notSignedIn` where the session cannot be renewed.
    func token(after old: String) async throws -> String {
        try await file.locked {
            let session = try current()
            if session.token != old { return session.token }
            guard let refreshToken = session.refreshToken else { throw ClientError.notSignedIn(server: session.server) }
            try Task.checkCancellation()
            // A task of its own, which nobody cancels.
            return try await Task {
                let renewed = try await renewed(session, refreshToken)
                try file.write(renewed)
                return renewed.token
            }.value
        }
    }

    /// - Throws: `ClientError.notSignedIn` without a session at this gateway: a token is for nobody else's ears.
    private func current() throws -> Session {
        guard let session = try file.read(), session.server == channel.server.description else {
            throw ClientError.notSignedIn(server: channel.server.description)
        }
        return session
    }

    private func renewed(_ session: Session, _ refreshToken: String) async throws -> Session {
        var call = try Call.post("auth", "refresh", body: ["refreshToken": refreshToken])
        // It is good for one use, and the answer is kept nowhere.
        call.idempotencyKey = nil
        // Somebody who wants to leave waits for it.
        call.timeLimit = .seconds(10)
        do {
            let answer: Answer<Wire.SignedIn> = try await channel.send(call, token: nil).successful().answer(from: channel.server)
            return Session(
                server: channel.server, email: session.email, token: answer.content.token, lifetime: answer.content.expiresIn,
                refreshToken: answer.content.refreshToken)
        } catch ClientError.refused(let refusal) where refusal.status == 401 {
            throw ClientError.notSignedIn(server: session.server)
        }
    }
}
