internal import FoundationEssentials

/// A signed-in session as it is stored between calls. The description contains no secrets.
package struct Session: Codable, Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The gateway that issued the tokens. The tokens are sent to no other gateway.
    package var server: String
    /// Email address of the user; `nil` with an API key.
    package var email: String?
    /// The bearer token: an access token or an API key.
    package var token: String
    /// Seconds since 1970 at which the access token expires by this machine's clock; `nil` with an API key.
    package var expiresAt: Int64?
    /// The refresh token, which is valid for one refresh; `nil` with an API key.
    package var refreshToken: String?
    /// The absolute path of a PEM file; only its certificates are trusted for this gateway. `nil` if the system's certificates
    /// are trusted.
    package var caFile: String?

    /// Makes a session that uses an API key.
    package init(server: ServerAddress, apiKey: String) {
        (self.server, token) = (server.description, apiKey)
    }

    /// - Parameter lifetime: seconds from now until the access token expires.
    package init(server: ServerAddress, email: String?, token: String, lifetime: Int, refreshToken: String) {
        (self.server, self.email, self.token) = (server.description, email, token)
        (expiresAt, self.refreshToken) = (Self.now + Int64(lifetime), refreshToken)
    }

    /// Whether the access token expires within 15 seconds, so that it should not be used.
    var expiresSoon: Bool { expiresAt.map { $0 - Self.now < 15 } ?? false }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// The user and the gateway.
    package var description: String { "\(email ?? "an API key") at \(server)" }
    /// Same as `description`.
    package var debugDescription: String { description }
    /// Mirrors `description`, so that a dump shows no secret.
    package var customMirror: Mirror { Mirror(reflecting: description) }
}
