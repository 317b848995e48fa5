internal import Crypto
internal import DoorwardControl
package import DoorwardDomain
internal import FoundationEssentials
internal import JWTKit

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
        let token = try await keys.sign(
            claims, kid: JWKIdentifier(string: keyID), header: ["typ": .string(Self.type)])
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

    /// The 32 bytes of the public key.
    package var publicRepresentation: [UInt8] { Array(signing.publicKey.rawRepresentation) }

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
