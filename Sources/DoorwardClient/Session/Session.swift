internal import FoundationEssentials

/// Who is signed in where, as it is kept between calls. Prints without its secrets.
package struct Session: Codable, Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The gateway that the secrets are for. They go nowhere else.
    package var server: String
    /// Whoever signed in; `nil` with an API key.
    package var email: String?
    /// What is sent as `Bearer`: an access token or an API key.
    package var token: String
    /// Seconds since 1970 at which the access token runs out by this machine's clock; `nil` with an API key.
    package var expiresAt: Int64?
    /// Good for one renewal; `nil` with an API key.
    package var refreshToken: String?

    /// A session of a machine, by an API key.
    package init(server: ServerAddress, apiKey: String) {
        (self.server, token) = (server.description, apiKey)
    }

    /// - Parameter lifetime: seconds from now that the access token is good for.
    package init(server: ServerAddress, email: String?, token: String, lifetime: Int, refreshToken: String) {
        (self.server, self.email, self.token) = (server.description, email, token)
        (expiresAt, self.refreshToken) = (Self.now + Int64(lifetime), refreshToken)
    }

    /// Whether the access token runs out so soon that it had better not be used.
    var isRunningOut: Bool { expiresAt.map { $0 - Self.now < 15 } ?? false }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// Who is signed in where.
    package var description: String { "\(email ?? "an API key") at \(server)" }
    /// As `description`.
    package var debugDescription: String { description }
    /// As `description`, so that no dump shows more.
    package var customMirror: Mirror { Mirror(reflecting: description) }
}
