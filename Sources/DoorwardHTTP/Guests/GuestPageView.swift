internal import HTTPTypes
internal import Mustache

/// The content of a guest page, as its template reads it.
struct GuestPageView {
    /// The first heading and the title of the document.
    var title: String
    var guest: String?
    var unit: String?
    /// A sentence about the whole page.
    var notice: String?
    var progress: Progress?
    var window: Window?
    var devices: [Device] = []

    init(title: String) { self.title = title }

    struct Window {
        let from: String
        let until: String
        let zone: String
        /// The instants in RFC 3339, for `datetime`.
        let fromInstant: String
        let untilInstant: String
        /// How often a lock can still be opened; `nil` if that is not limited.
        let uses: String?
    }

    struct Progress {
        let title: String
        let text: String
        let isRunning: Bool
        let isGood: Bool
        let isBad: Bool
    }

    struct Device {
        let id: String
        let name: String
        /// `nil` if the guest may not see the state now.
        let state: String?
        /// Why none of the buttons can be used; `nil` if one of them can be, or if the reasons differ.
        var sharedReason: String?
        var buttons: [Button] = []

        /// Moves the reason of the buttons to the device if all of them have the same one, so that it is shown once.
        mutating func shareReason() {
            guard buttons.count > 1, let shared = buttons[0].reason, buttons.allSatisfy({ $0.reason == shared }) else { return }
            sharedReason = shared
            for index in buttons.indices {
                buttons[index].reason = nil
                buttons[index].reasonID = id
            }
        }
    }

    struct Button {
        let id: String
        let label: String
        let lock: String
        let action: String
        /// `nil` for a button that cannot be used.
        var nonce: String?
        /// Why it cannot be used; `nil` if it can be, or if the device has the reason.
        var reason: String?
        /// Identifies the element with the reason.
        var reasonID: String

        init(id: String, label: String, lock: String, action: String) {
            (self.id, self.label, self.lock, self.action, reasonID) = (id, label, lock, action, id)
        }
    }

    func response(_ status: Int) -> APIResponse {
        var response = APIResponse(status: status, body: Array(GuestPageTemplate.shared.render(self).utf8))
        response.headers[.contentType] = "text/html; charset=utf-8"
        return response.asGuestPage
    }

    /// What the template reads besides the stored properties.
    fileprivate var values: [String: Any] {
        [
            "page": self, "style": GuestPageAssets.style.path, "script": GuestPageAssets.script.path,
            "isRunning": progress?.isRunning ?? false,
        ]
    }
}

extension APIResponse {
    /// The response with the headers of guest pages.
    var asGuestPage: APIResponse {
        var response = self
        response.headers[.contentSecurityPolicy] = """
            default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; \
            frame-ancestors 'none'
            """
        response.headers[.referrerPolicy] = "no-referrer"
        response.headers[.robots] = "noindex"
        return response
    }
}

/// The template of guest pages, parsed once. It escapes every value.
private struct GuestPageTemplate: Sendable {
    static let shared = GuestPageTemplate()
    /// `nil` only if `source` were no template, which the tests of the page would show.
    private let template = try? MustacheTemplate(string: GuestPageTemplate.source)

    func render(_ view: GuestPageView) -> String { template?.render(view.values) ?? "" }

    private static let source = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>{{#page.progress}}{{title}} - {{/page.progress}}{{page.title}}</title>
        <link rel="stylesheet" href="{{style}}">
        <script type="module" src="{{script}}"></script>
        {{#isRunning}}
        <noscript><meta http-equiv="refresh" content="2"></noscript>
        {{/isRunning}}
        </head>
        <body>
        <main>
        <h1 id="title">{{page.title}}</h1>
        <div id="progress" role="status" aria-live="polite" tabindex="-1">{{#page.progress}}
        <div class="progress{{#isRunning}} running{{/isRunning}}{{#isGood}} good{{/isGood}}{{#isBad}} bad{{/isBad}}">
        <p><strong>{{title}}</strong></p>
        <p>{{text}}</p>
        </div>
        {{/page.progress}}</div>
        <div id="content">
        {{#page.unit}}<p class="unit">{{.}}</p>{{/page.unit}}
        {{#page.guest}}<p>For {{.}}</p>{{/page.guest}}
        {{#page.notice}}<p class="notice">{{.}}</p>{{/page.notice}}
        {{#page.devices}}
        <section aria-labelledby="name-{{id}}">
        <h2 id="name-{{id}}">{{name}}</h2>
        {{#state}}<p class="state">{{.}}</p>{{/state}}
        {{#sharedReason}}<p class="why" id="why-{{id}}">{{.}}</p>{{/sharedReason}}
        {{#buttons}}
        {{#nonce}}
        <form method="post" action="{{action}}">
        <input type="hidden" name="nonce" value="{{nonce}}">
        <button id="{{id}}" type="submit">{{label}}<span class="hidden"> {{lock}}</span></button>
        </form>
        {{/nonce}}
        {{^nonce}}
        <button id="{{id}}" type="button" disabled aria-describedby="why-{{reasonID}}">{{label}}<span class="hidden"> {{lock}}</span></button>
        {{#reason}}<p class="why" id="why-{{id}}">{{.}}</p>{{/reason}}
        {{/nonce}}
        {{/buttons}}
        </section>
        {{/page.devices}}
        {{#page.window}}
        <dl>
        <dt>From</dt><dd><time datetime="{{fromInstant}}">{{from}}</time></dd>
        <dt>Until</dt><dd><time datetime="{{untilInstant}}">{{until}}</time></dd>
        {{#uses}}<dt>Uses</dt><dd id="uses">{{.}}</dd>{{/uses}}
        </dl>
        <p class="zone">Times are local times of the property ({{zone}}).</p>
        {{/page.window}}
        </div>
        </main>
        </body>
        </html>

        """
}
