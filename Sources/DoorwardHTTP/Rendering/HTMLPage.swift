internal import Crypto
internal import DoorwardDomain
internal import FoundationEssentials
internal import HTTPTypes
internal import Mustache

/// The frame of a page for people: its head, and the only files that a browser may load for it, its style sheet and its script.
struct HTMLPage: Sendable {
    /// A style sheet or a script.
    enum Part: Sendable {
        /// Text in the page, which the policy names by its hash (Content Security Policy Level 3, section 2.3.1).
        case text(String)
        /// A file of the gateway.
        case file(PageFile)

        /// The part as a policy names it.
        fileprivate var source: String {
            switch self {
            case .text(let text): "'sha256-\(Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString())'"
            case .file: "'self'"
            }
        }
    }

    private let style: Part
    private let script: Part?
    /// The value of `Content-Security-Policy` as the document itself can have it.
    let policy: String

    /// - Parameter sendsForms: whether the page's forms are sent to the gateway without a script.
    init(style: Part, script: Part? = nil, sendsForms: Bool = false) {
        (self.style, self.script) = (style, script)
        policy =
            "default-src 'none';" + (script.map { " script-src \($0.source);" } ?? "") + " style-src \(style.source);"
            + (script == nil ? "" : " connect-src 'self';") + " form-action \(sendsForms ? "'self'" : "'none'"); base-uri 'none'"
    }

    /// The document up to the content of `main`.
    ///
    /// - Parameter head: further elements of the head.
    func beginning(_ title: String, head: String = "") -> String {
        let style =
            switch style {
            case .text(let text): "<style>\(text)</style>"
            case .file(let file): "<link rel=\"stylesheet\" href=\"\(file.path)\">"
            }
        let script = if case .file(let file)? = script { "<script type=\"module\" src=\"\(file.path)\"></script>" } else { "" }
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">\(head)
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title.escapedInHTML)</title>
            \(style)\(script)
            </head>
            <body>
            <main>

            """
    }

    /// The document after the content of `main`.
    var end: String {
        let script = if case .text(let text)? = script { "<script>\(text)</script>\n" } else { "" }
        return "\n</main>\n\(script)</body>\n</html>\n"
    }

    /// The response with a document.
    func response(_ status: Int, _ title: String, head: String = "", _ content: String) -> APIResponse {
        let document = beginning(title, head: head) + content + end
        return APIResponse(status: status, body: Array(document.utf8), type: "text/html; charset=utf-8").asPage(policy)
    }

    /// The response with a page whose title is its heading.
    func response(headed title: String, _ content: String) -> APIResponse {
        response(200, "\(title) - Doorward", "<h1>\(title.escapedInHTML)</h1>\n\(content)")
    }
}

/// The template of a page, parsed once. It escapes every value in two braces.
struct PageTemplate: Sendable {
    /// `nil` only if the text were not a valid template, which the tests of the page would detect.
    private let template: MustacheTemplate?

    init(_ text: String) { template = try? MustacheTemplate(string: text) }

    func render(_ values: [String: Any]) -> String { template?.render(values) ?? "" }
}

/// A file that pages load. Its path changes with its content, so it can be cached forever.
struct PageFile: Sendable {
    let path: String
    private let type: String
    private let content: [UInt8]

    init(path: String, type: String, _ content: [UInt8]) { (self.path, self.type, self.content) = (path, type, content) }

    /// Creates a file with the hash of its content in its path.
    ///
    /// - Parameter kind: the extension of the name, such as `css`.
    init(_ name: String, _ kind: String, type: String, _ text: String) {
        let content = Array(text.utf8)
        let hash = Array(SHA256.hash(data: content).prefix(8)).hexadecimal
        self.init(path: "/assets/\(name).\(hash).\(kind)", type: type, content)
    }

    /// The file is compressed once, when the routes are made.
    var route: Route {
        let compressed = Gzip.compress(content)
        return .page(path) { [type, content] request in
            let body = Gzip.isAccepted(by: request.metadata.headers) ? compressed : nil
            return APIResponse(body: body ?? content, type: type).with(.contentEncoding, body == nil ? nil : "gzip")
                .with(.vary, "Accept-Encoding").with(.cacheControl, "public, max-age=31536000, immutable")
        }
    }
}

extension APIResponse {
    /// The response with the headers of pages: no other site may show it in a frame, no search engine lists it, and a link in it sends no
    /// `Referer`.
    ///
    /// - Parameter policy: the value of `Content-Security-Policy` without `frame-ancestors`.
    func asPage(_ policy: String) -> APIResponse {
        with(.contentSecurityPolicy, "\(policy); frame-ancestors 'none'").with(.referrerPolicy, "no-referrer")
            .with(.robots, "noindex")
    }
}

extension String {
    /// The text in HTML, in elements and in attributes in double quotes.
    var escapedInHTML: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }
}
