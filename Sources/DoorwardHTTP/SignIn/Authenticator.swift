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
    func caller(_ metadata: RequestMetadata) async throws(GatewayError) -> Caller {
        let now = control.clock.credentialNow()
        guard let text = Self.bearer(metadata.headers[.authorization]) else { throw .unauthenticated }
        // An access token begins with the encoding of `{`, so it never begins like an API key.
        if text.hasPrefix("dw_") {
            guard let principal = control.apiKeys.principal(ofSecret: text) else { throw .unauthenticated }
            return Caller(principal: principal, origin: metadata.origin)
        }
        guard let token = await verified(text, at: now),
            let session = control.signIn.sessions.session(token.sessionID, at: now), session.userID == token.userID,
            control.directory.snapshot.directory.user(token.userID)?.isEnabled == true
        else { throw .unauthenticated }
        return Caller(userID: token.userID, sessionID: token.sessionID, origin: metadata.origin)
    }

    private func verified(_ text: String, at now: Timestamp) async -> VerifiedToken? {
        if let token = memory.token(text, at: now) { return token }
        guard let token = await tokens.verify(text, at: now) else { return nil }
        memory.remember(token, as: text)
        return token
    }

    /// The token of `Bearer …`; the scheme is compared without case.
    static func bearer(_ header: String?) -> String? {
        guard let header, header.utf8.count > 7, header.utf8.count <= AccessTokens.maxBytes + 7,
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

    /// The maximum number of tokens in each of the two generations. When the younger generation is full, the older one is dropped and the
    /// younger one takes its place.
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

/// The cookie that contains the refresh token of the console, so that scripts of the page cannot read it.
///
/// A request can use it only with the header `X-Doorward-Client: console`, which a page of another site cannot send.
///
/// A second cookie, the marker, is set and removed with it. Scripts can read the marker, so that the console asks for a new token only
/// if there is a session. The gateway never reads the marker, and it proves nothing.
enum RefreshCookie {
    /// Browsers accept a cookie with this prefix only if it is `Secure`.
    static let name = "__Secure-doorward-refresh"
    /// The name of the marker, whose value is `1`.
    static let markerName = "doorward_session"
    private static let attributes = "HttpOnly; Secure; SameSite=Strict; Path=/api/v1/auth"
    private static let markerAttributes = "Secure; SameSite=Strict; Path=/"

    /// The values of `Set-Cookie` for a session.
    static func setting(_ signedIn: SignedIn, at now: Timestamp) -> [String] {
        let seconds = max(0, signedIn.session.expiresAt.duration(since: now).wholeMilliseconds / 1000)
        return [
            "\(name)=\(signedIn.refreshToken.reveal()); Max-Age=\(seconds); \(attributes)",
            "\(markerName)=1; Max-Age=\(seconds); \(markerAttributes)",
        ]
    }

    /// The values of `Set-Cookie` that remove both cookies.
    static let clearing = ["\(name)=; Max-Age=0; \(attributes)", "\(markerName)=; Max-Age=0; \(markerAttributes)"]

    /// The refresh token in the cookies of a request; `nil` if there is none.
    static func token(in headers: RequestHeaders) -> Secret<String>? {
        for line in headers[values: .cookie] {
            for pair in line.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2, String(parts[0]).trimmed == name { return Secret(String(parts[1]).trimmed) }
            }
        }
        return nil
    }
}

extension RequestMetadata {
    /// Whether the request comes from the console, whose refresh token is in a cookie.
    var usesRefreshCookie: Bool { origin.source == .console }

    /// The refresh token in the cookie of a request of the console; `nil` if there is none.
    var refreshCookie: Secret<String>? { usesRefreshCookie ? RefreshCookie.token(in: headers) : nil }
}

extension APIResponse {
    /// The same response, which removes the cookies of the console.
    func clearingCookies(of request: RequestMetadata) -> APIResponse {
        guard request.usesRefreshCookie else { return self }
        var answer = self
        answer.headers[values: .setCookie] = RefreshCookie.clearing
        return answer
    }
}
