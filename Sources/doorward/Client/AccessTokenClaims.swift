import DoorwardDomain
import FoundationEssentials

/// What an access token says of itself, unverified: only the gateway can tell whether it is genuine.
struct AccessTokenClaims: Equatable, Sendable {
    let expiresAt: Timestamp

    /// - Returns: `nil` for what is no JSON Web Token (RFC 7519) with an expiry, such as an API key.
    init?(of token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let payload = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - payload.count % 4) % 4)
        guard let data = Data(base64Encoded: payload + padding), let claims = try? JSONDecoder().decode(Claims.self, from: data),
            // What a calendar can show.
            (0...253_402_300_799).contains(claims.exp)
        else { return nil }
        expiresAt = Timestamp(milliseconds: claims.exp * 1000)
    }

    private struct Claims: Decodable { let exp: Int64 }
}
