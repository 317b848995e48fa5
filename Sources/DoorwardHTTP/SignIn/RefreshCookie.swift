internal import DoorwardControl
internal import DoorwardDomain
internal import HTTPTypes

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
