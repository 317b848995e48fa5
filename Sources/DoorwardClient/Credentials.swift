/// Credentials of a client. The description contains no secret.
package enum Credentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// No credentials: for signing in.
    case none
    /// An access token or an API key, used as given.
    case bearer(String)
    /// A session stored in a file; its access token is refreshed when it has expired.
    case session(SessionFile)
    /// Like `session`, but the access token is never refreshed: for short calls that may be abandoned.
    case sessionWithoutRefresh(SessionFile)

    /// The kind of the credentials, without any secret.
    package var description: String {
        switch self {
        case .none: "nobody"
        case .bearer: "bearer ••••"
        case .session(let file), .sessionWithoutRefresh(let file): "session in \(file.path)"
        }
    }
    /// Same as `description`.
    package var debugDescription: String { description }
    /// Mirrors `description`, so that a dump shows no secret.
    package var customMirror: Mirror { Mirror(reflecting: description) }
}
