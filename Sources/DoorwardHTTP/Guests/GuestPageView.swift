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

/// The frame of guest pages, and the files that it loads.
enum GuestPageAssets {
    static let page = HTMLPage(style: .file(style), script: .file(script), sendsForms: true)

    static let style = PageFile("guest", "css", type: "text/css; charset=utf-8", PageStyle.guests)

    /// Sends the forms and follows the progress without reloading the page. Every text comes from the page that the gateway
    /// renders, which works in the same way without the script.
    static let script = PageFile(
        "guest", "js", type: "text/javascript; charset=utf-8",
        """
        const pollEvery = 700, refreshEvery = 60000;
        const byId = (id) => document.getElementById(id);
        let current = location.href, isBusy = false, timer = 0;

        function say(title, text) {
          const box = document.createElement('div');
          box.className = 'progress';
          const [first, second] = [document.createElement('p'), document.createElement('p')];
          const strong = document.createElement('strong');
          strong.textContent = title;
          first.append(strong);
          second.textContent = text;
          box.append(first, second);
          byId('progress').replaceChildren(box);
        }

        // Replaces the content, and keeps the focus on the same button or moves it to the progress.
        function show(next, url) {
          const [content, progress, title] = ['content', 'progress', 'title'].map((id) => next.getElementById(id));
          if (!content || !progress || !title) return say('This did not work', 'Load the page again.');
          const focused = document.activeElement && document.activeElement.id;
          const hadFocus = document.activeElement && document.activeElement !== document.body;
          current = url;
          history.replaceState(null, '', url);
          document.title = next.title;
          if (byId('title').textContent !== title.textContent) byId('title').textContent = title.textContent;
          // Announce only what is new.
          if (byId('progress').textContent.trim() !== progress.textContent.trim()) {
            byId('progress').replaceChildren(...progress.childNodes);
          }
          byId('content').replaceChildren(...content.childNodes);
          const again = focused && byId(focused);
          if (again && !again.disabled) again.focus();
          else if (hadFocus) byId('progress').focus();
          schedule(Boolean(document.querySelector('.running')));
        }

        function schedule(isRunning) {
          clearTimeout(timer);
          timer = setTimeout(refresh, isRunning ? pollEvery : refreshEvery);
        }

        async function load(url, options) {
          const response = await fetch(url, {
            credentials: 'omit', cache: 'no-store', referrerPolicy: 'no-referrer', headers: { Accept: 'text/html' }, ...options
          });
          const next = new DOMParser().parseFromString(await response.text(), 'text/html');
          // An error of a button is shown on this page, whose URL can be loaded again.
          show(next, response.redirected || !options ? response.url : current.split('?')[0]);
        }

        async function refresh() {
          if (isBusy || document.visibilityState === 'hidden') return schedule(false);
          try { await load(current); } catch { schedule(Boolean(document.querySelector('.running'))); }
        }

        document.addEventListener('submit', async (event) => {
          event.preventDefault();
          if (isBusy) return;
          isBusy = true;
          const form = event.target, button = form.querySelector('button');
          button.setAttribute('aria-disabled', 'true');
          say('Sending', button.textContent);
          try {
            await load(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
          } catch {
            // The button keeps its nonce: tapping it again does not do it twice.
            say('No connection', 'It is not known whether the command was sent. Check the door, or tap again.');
            schedule(false);
          } finally {
            isBusy = false;
            button.removeAttribute('aria-disabled');
          }
        });

        document.addEventListener('visibilitychange', () => {
          if (document.visibilityState === 'visible') refresh();
        });
        schedule(Boolean(document.querySelector('.running')));

        """)
}
