/// The content of a guest page.
struct GuestPageView {
    /// The values that the template reads.
    var values: [String: Any]
    var progress: Progress?

    struct Progress {
        let title: String
        let text: String
        let isRunning: Bool
        let isGood: Bool
        let isBad: Bool
    }

    /// - Parameters:
    ///   - title: the first heading and the title of the document.
    ///   - notice: a sentence about the whole page; `nil` for none.
    init(title: String, notice: String? = nil) {
        values = ["title": title]
        values["notice"] = notice
    }

    func response(_ status: Int) -> APIResponse {
        let isRunning = progress?.isRunning ?? false
        var values = values
        values["progress"] = progress
        return GuestPageAssets.page.response(
            status, [progress?.title, values["title"] as? String].compactMap(\.self).joined(separator: " - "),
            head: isRunning ? "\n<noscript><meta http-equiv=\"refresh\" content=\"2\"></noscript>" : "",
            Self.template.render(["page": values, "isRunning": isRunning]))
    }
}

extension GuestPageView {
    private static let template = PageTemplate(
        """
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
        """)
}
