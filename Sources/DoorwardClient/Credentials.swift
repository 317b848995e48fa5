/// What a client shows to a gateway to prove who calls. Prints without its secret.
package enum Credentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nobody: for signing in.
    case none
    /// An access token or an API key, used as it is.
    case bearer(String)
    /// A session that is kept in a file, and renewed when its access token has run out.
    case session(SessionFile)
    /// The same, but never renewed: for calls that nobody waits for to the end.
    case sessionUnrenewed(SessionFile)

    /// What kind they are, and not more.
    package var description: String {
        switch self {
        case .none: "nobody"
        case .bearer: "bearer ••••"
        case .session(let file), .sessionUnrenewed(let file): "session in \(file.path)"
        }
    }
    /// As `description`.
    package var debugDescription: String { description }
    /// As `description`, so that no dump shows more.
    package var customMirror: Mirror { Mirror(reflecting: description) }
}
