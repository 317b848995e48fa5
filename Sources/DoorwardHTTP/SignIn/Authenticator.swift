internal import Crypto
internal import DoorwardControl
package import DoorwardDomain
internal import DoorwardPolicy
internal import FoundationEssentials
internal import HTTPTypes
internal import JWTKit
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

/// Issues and verifies access tokens: JWTs signed with Ed25519 that refer to a session, and contain no rights.
struct AccessTokens: Sendable {
    /// The maximum length of a token that is examined, in bytes.
    static let maxBytes = 4096
    private static let type = "at+jwt"
    private static let audience = "doorward"

    private let keys = JWTKeyCollection()
    private let keyID: String
    private let issuer: String
    private let lifetime: Duration
    private let signingKey: EdDSA.PrivateKey
    private let random: RandomSource

    init(key: TokenKey, issuer: String, lifetime: Duration, random: RandomSource) async {
        (self.keyID, self.issuer, self.lifetime, self.random) = (key.keyID, issuer, lifetime, random)
        signingKey = EdDSA.PrivateKey(backing: key.signing)
        await keys.add(eddsa: signingKey, kid: JWKIdentifier(string: keyID))
    }

    /// Issues a token for a session, and returns it with its lifetime in seconds.
    func issue(for session: Session, at now: Timestamp) async throws -> (token: String, expiresIn: Int) {
        let seconds = Int(lifetime.wholeMilliseconds / 1000)
        let issued = Int(now.milliseconds / 1000)
        let claims = AccessTokenClaims(
            iss: issuer, aud: Self.audience, sub: session.userID.description, sid: session.id.description, iat: issued,
            exp: issued + seconds, jti: random.hexadecimal(byteCount: 16))
        let token = try await keys.sign(claims, kid: JWKIdentifier(string: keyID), header: ["typ": .string(Self.type)])
        return (token, seconds)
    }

    /// Verifies a token with all its claims. Does not check whether its session is live; `Authenticator` checks that at each
    /// request.
    ///
    /// - Returns: `nil` unless this gateway issued the token and the token has not expired.
    func verify(_ token: String, at now: Timestamp) async -> VerifiedToken? {
        guard token.utf8.count <= Self.maxBytes, hasOwnHeader(token),
            let claims = try? await keys.verify(token, as: AccessTokenClaims.self),
            claims.iss == issuer, claims.aud == Self.audience,
            let user = UserID(claims.sub), let session = SessionID(claims.sid), claims.iat <= claims.exp
        else { return nil }
        let verified = VerifiedToken(
            userID: user, sessionID: session, expiresAt: Timestamp(milliseconds: Int64(clamping: claims.exp) * 1000))
        return now < verified.expiresAt ? verified : nil
    }

    /// Whether the header is exactly the header that `issue` writes: with the same algorithm and key, and without an embedded key
    /// or a `crit` member. For an unknown `kid`, the library would use its default key. All three parts must also be encoded as
    /// `issue` encodes them: the library would also accept padding, and a last character that decodes to the same bytes.
    private func hasOwnHeader(_ token: String) -> Bool {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, parts.dropFirst().allSatisfy({ Base64URL.decode($0) != nil }),
            let bytes = Base64URL.decode(parts[0]),
            case .object(let header)? = try? JSONValue.parse(bytes)
        else { return false }
        return header == ["alg": .string("EdDSA"), "typ": .string(Self.type), "kid": .string(keyID)]
    }
}

/// The claims of an access token (names of RFC 7519 and RFC 9068). `exp` is checked against the gateway's own clock.
private struct AccessTokenClaims: JWTPayload {
    let iss: String
    let aud: String
    let sub: String
    /// The session's id.
    let sid: String
    let iat: Int
    let exp: Int
    let jti: String

    func verify(using algorithm: some JWTAlgorithm) {}
}

/// A verified token.
struct VerifiedToken: Sendable {
    let userID: UserID
    let sessionID: SessionID
    let expiresAt: Timestamp
}

/// The gateway's Ed25519 key for access tokens (RFC 8037); further keys are derived from it.
package struct TokenKey: Sendable {
    let signing: Curve25519.Signing.PrivateKey

    /// Generates a new key.
    ///
    /// - Throws: never, as any 32 bytes are a key (RFC 8032, section 5.1.5).
    package init(random: RandomSource) throws { try self.init(rawRepresentation: Secret(random.bytes(32))) }

    /// Restores a stored key.
    ///
    /// - Throws: if `rawRepresentation` is not 32 bytes.
    package init(rawRepresentation: Secret<[UInt8]>) throws {
        signing = try Curve25519.Signing.PrivateKey(rawRepresentation: rawRepresentation.reveal())
    }

    /// The 32 bytes of the private key, to be stored in a file of mode 0600.
    package var rawRepresentation: Secret<[UInt8]> { Secret(Array(signing.rawRepresentation)) }

    /// `kid` of the tokens: the first 8 bytes of SHA-256 of the public key, in hexadecimal.
    var keyID: String { Array(SHA256.hash(data: signing.publicKey.rawRepresentation).prefix(8)).hexadecimal }

    /// Derives a key of 32 bytes for a purpose outside this module; see `derivedKey`.
    package func derivedBytes(for purpose: String) -> Secret<[UInt8]> {
        Secret(derivedKey(for: purpose).withUnsafeBytes { Array($0) })
    }

    /// Derives a key for another purpose (HKDF-SHA-256, RFC 5869), with `purpose` as the info.
    func derivedKey(for purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: signing.rawRepresentation), info: Array(purpose.utf8), outputByteCount: 32)
    }
}
