import DoorwardDomain
import FoundationEssentials

/// The unverified claims of an access token: only the gateway can verify the token.
struct AccessTokenClaims: Equatable, Sendable {
    let expiresAt: Timestamp

    /// - Returns: `nil` for a text that is not a JSON Web Token (RFC 7519) with an expiry, such as an API key.
    init?(of token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1].utf8),
            let claims = try? JSONDecoder().decode(Claims.self, from: Data(payload)),
            // The years 1970 to 9999.
            (0...253_402_300_799).contains(claims.exp)
        else { return nil }
        expiresAt = Timestamp(milliseconds: claims.exp * 1000)
    }

    private struct Claims: Decodable { let exp: Int64 }
}
