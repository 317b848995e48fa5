internal import Crypto
internal import FoundationEssentials
internal import HTTPTypes

/// A page with one style sheet and at most one script in it, which the page's policy allows by their hashes and nothing else.
struct StaticPage: Sendable {
    private let body: [UInt8]
    /// The value of `Content-Security-Policy`.
    private let policy: String

    /// - Parameter script: `nil` for a page without a script.
    init(title: String, style: String, content: String, script: String? = nil) {
        body = Array(
            """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title) - Doorward</title>
            <style>\(style)</style>
            </head>
            <body>
            <main>
            <h1>\(title)</h1>
            \(content)
            </main>
            \(script.map { "<script>\($0)</script>" } ?? "")
            </body>
            </html>

            """.utf8)
        let scripts = script.map { " script-src '\(Self.hash($0))'; connect-src 'self';" } ?? ""
        policy = """
            default-src 'none';\(scripts) style-src '\(Self.hash(style))'; form-action 'none'; base-uri 'none'; \
            frame-ancestors 'none'
            """
    }

    /// The response with the page.
    var response: APIResponse {
        var answer = APIResponse(status: 200, body: body)
        answer.headers[.contentType] = "text/html; charset=utf-8"
        answer.headers[.contentSecurityPolicy] = policy
        answer.headers[.referrerPolicy] = "no-referrer"
        answer.headers[.robots] = "noindex"
        return answer
    }

    /// The hash of an inline element as a policy names it (Content Security Policy Level 3, section 2.3.1).
    private static func hash(_ text: String) -> String {
        "sha256-\(Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString())"
    }
}
