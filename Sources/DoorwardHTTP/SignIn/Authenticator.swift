internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes
internal import Synchronization

/// Identifies the caller of a request. Every defect of a token gives the same error.
struct Authenticator: Sendable {
    let control: GatewayControl
    let tokens: AccessTokens
    let memory = VerifiedTokenCache()

    /// - Returns: the caller, whose session is live and whose user is enabled at this moment, or whose API key is valid.
    func caller(_ facts: RequestMetadata) async throws(GatewayError) -> Caller {
        let now = control.clock.credentialNow()
        guard let text = Self.bearer(facts.headers[.authorization]) else { throw .unauthenticated }
        // An access token begins with the encoding of `{`, and so never as an API key does.
        if text.hasPrefix("dw_") {
            guard let principal = control.apiKeys.principal(ofSecret: text) else { throw .unauthenticated }
            return Caller(principal: principal, origin: facts.origin)
        }
        guard let token = await verified(text, at: now),
            let session = control.signIn.sessions.session(token.sessionID, at: now), session.userID == token.userID,
            control.directory.snapshot.directory.user(token.userID)?.isEnabled == true
        else { throw .unauthenticated }
        return Caller(userID: token.userID, sessionID: token.sessionID, origin: facts.origin)
    }

    private func verified(_ text: String, at now: Timestamp) async -> VerifiedToken? {
        if let token = memory.token(text, at: now) { return token }
        guard let token = await tokens.verify(text, at: now) else { return nil }
        memory.remember(token, as: text)
        return token
    }

    /// The token of `Bearer …`; the scheme is compared without case.
    static func bearer(_ header: String?) -> String? {
        guard let header, header.utf8.count > 7, header.utf8.count <= AccessTokens.longest + 7,
            header.utf8.prefix(7).elementsEqual("bearer ".utf8, by: { $0 == $1 || $0 | 0x20 == $1 && (0x41...0x5A).contains($0) })
        else { return nil }
        // Removing seven ASCII characters leaves valid UTF-8.
        return String(header.utf8.dropFirst(7))
    }
}

/// Caches verified tokens, so that the signature of each is verified only once. Only the verification is cached: expiry and session
/// are checked every time.
final class VerifiedTokenCache: Sendable {
    private struct Generations {
        var young: [String: VerifiedToken] = [:]
        var old: [String: VerifiedToken] = [:]
    }

    /// The maximum number of tokens in each of the two generations. When the young one is full, the old one is dropped and the
    /// young one becomes the old one.
    private let capacity: Int
    private let generations = Mutex(Generations())

    init(capacity: Int = 8192) { self.capacity = capacity }

    func token(_ text: String, at now: Timestamp) -> VerifiedToken? {
        let found = generations.withLock { $0.young[text] ?? $0.old[text] }
        return found.flatMap { now < $0.expiresAt ? $0 : nil }
    }

    func remember(_ token: VerifiedToken, as text: String) {
        generations.withLock { generations in
            if generations.young.count >= capacity {
                generations.old = generations.young
                generations.young = [:]
            }
            generations.young[text] = token
        }
    }

    /// The number of cached tokens.
    var count: Int { generations.withLock { $0.young.count + $0.old.count } }
}
