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
        GuestPageAssets.page.response(
            status, [progress?.title, title].compactMap(\.self).joined(separator: " - "),
            head: isRunning ? "\n<noscript><meta http-equiv=\"refresh\" content=\"2\"></noscript>" : "",
            Self.template.render(["page": self, "isRunning": isRunning]))
    }

    private var isRunning: Bool { progress?.isRunning ?? false }
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
