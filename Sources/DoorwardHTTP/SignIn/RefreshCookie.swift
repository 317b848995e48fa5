internal import DoorwardControl
internal import DoorwardDomain
internal import HTTPTypes

/// The cookie that contains the refresh token of the console, so that scripts of the page cannot read it.
///
/// A request can use it only with the header `X-Doorward-Client: console`, which a page of another site cannot send.
enum RefreshCookie {
    /// Browsers accept a cookie with this prefix only if it is `Secure`.
    static let name = "__Secure-doorward-refresh"
    private static let attributes = "HttpOnly; Secure; SameSite=Strict; Path=/api/v1/auth"

    /// The value of `Set-Cookie` for a session.
    static func setting(_ signedIn: SignedIn, at now: Timestamp) -> String {
        let seconds = max(0, signedIn.session.expiresAt.duration(since: now).wholeMilliseconds / 1000)
        return "\(name)=\(signedIn.refreshToken.reveal()); Max-Age=\(seconds); \(attributes)"
    }

    /// The value of `Set-Cookie` that removes the cookie.
    static let clearing = "\(name)=; Max-Age=0; \(attributes)"

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
}
