internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes

/// Finds out who calls. Whatever is wrong with a token, the answer is the same.
struct Authenticator: Sendable {
    let control: GatewayControl
    let tokens: AccessTokens
    let memory = TokenMemory()

    /// - Returns: a caller whose session stands and who is enabled, at this moment.
    func caller(_ facts: RequestFacts) async throws(GatewayError) -> Caller {
        let now = control.clock.now()
        guard let text = Self.bearer(facts.headers[.authorization]), let token = await verified(text, at: now),
            let session = control.signIn.sessions.session(token.sessionID, at: now), session.userID == token.userID,
            control.directory.current.user(token.userID)?.isEnabled == true
        else { throw .unauthenticated }
        return Caller(
            userID: token.userID, sessionID: token.sessionID, source: facts.source, clientAddress: facts.clientAddress,
            requestID: facts.requestID)
    }

    private func verified(_ text: String, at now: Timestamp) async -> VerifiedToken? {
        if let token = memory.token(text, at: now) { return token }
        guard let token = await tokens.verify(text, at: now) else { return nil }
        memory.remember(token, as: text)
        return token
    }

    /// The token of `Bearer …`; the scheme's name in any case.
    private static func bearer(_ header: String?) -> String? {
        guard let header, header.utf8.count > 7, header.utf8.count <= AccessTokens.longest + 7,
            header.prefix(7).lowercased() == "bearer "
        else { return nil }
        return String(header.dropFirst(7))
    }
}
