internal import Crypto
internal import FoundationEssentials
internal import HTTPTypes

/// The pages behind password links and invitations, outside `/api/v1`.
///
/// The token of a link is in the URL's fragment, which is not sent to the gateway: every request for a page gets the same bytes. The
/// page's script reads the token, removes it from the address bar, and calls the API.
enum AccountPageRoutes {
    static let all: [Route] = [
        .open(.get, "/reset-password") { call in try respond(call, AccountPage.resetPassword) },
        .open(.get, "/invitation") { call in try respond(call, AccountPage.invitation) },
    ]

    private static func respond(_ call: OpenCall, _ page: AccountPage) throws -> APIResponse {
        try call.readNothing()
        var answer = APIResponse(status: 200, body: page.body)
        answer.headers[.contentType] = "text/html; charset=utf-8"
        answer.headers[.contentSecurityPolicy] = page.policy
        answer.headers[.referrerPolicy] = "no-referrer"
        answer.headers[.robots] = "noindex"
        return answer
    }
}

/// A page with one script and one style sheet in it, which the policy allows by their hashes and nothing else.
struct AccountPage: Sendable {
    let body: [UInt8]
    /// The value of `Content-Security-Policy`.
    let policy: String

    init(title: String, content: String, script: String) {
        let script = AccountPageSources.common + script
        body = Array(
            """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title) - Doorward</title>
            <style>\(AccountPageSources.style)</style>
            </head>
            <body>
            <main>
            <h1>\(title)</h1>
            <p id="message" role="status" aria-live="polite"></p>
            <noscript><p>This page needs JavaScript, as the link's token must not be sent in a URL.</p></noscript>
            \(content)
            </main>
            <script>\(script)</script>
            </body>
            </html>

            """.utf8)
        policy = """
            default-src 'none'; script-src '\(Self.hash(script))'; style-src '\(Self.hash(AccountPageSources.style))'; \
            connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'
            """
    }

    /// The hash of an inline element as a policy names it (Content Security Policy Level 3, section 2.3.1).
    private static func hash(_ text: String) -> String {
        "sha256-\(Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString())"
    }

    static let resetPassword = AccountPage(
        title: "Set a new password", content: AccountPageSources.resetForm, script: AccountPageSources.resetScript)
    static let invitation = AccountPage(
        title: "Accept the invitation", content: AccountPageSources.invitationForms,
        script: AccountPageSources.invitationScript)
}
