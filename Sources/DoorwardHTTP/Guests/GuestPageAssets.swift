internal import Crypto
internal import DoorwardDomain
internal import HTTPTypes

/// A file that guest pages load. Its path contains the hash of its content, so it can be cached for ever.
struct GuestPageAsset: Sendable {
    let path: String
    private let type: String
    private let content: [UInt8]

    /// - Parameters:
    ///   - name: the name's extension, such as `css`.
    ///   - type: the media type.
    init(_ name: String, type: String, _ text: String) {
        (self.type, content) = (type, Array(text.utf8))
        path = "/assets/guest.\(Array(SHA256.hash(data: content).prefix(8)).hexadecimal).\(name)"
    }

    var route: Route {
        .open(.get, path) { [type, content] call in
            try call.readNothing()
            var response = APIResponse(status: 200, body: content)
            response.headers[.contentType] = type
            response.headers[.cacheControl] = "public, max-age=31536000, immutable"
            return response
        }
    }
}

/// The style sheet and the script of guest pages.
enum GuestPageAssets {
    static let style = GuestPageAsset(
        "css", type: "text/css; charset=utf-8",
        """
        :root {
          color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif;
          --text: #1b1b1f; --back: #fff; --soft: #505056; --line: #c8c8d0;
          --button: #0b57d0; --on-button: #fff; --good: #0d652d; --bad: #a50e0e;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --text: #e8e8ec; --back: #17171a; --soft: #b4b4bc; --line: #48484f;
            --button: #a8c7fa; --on-button: #062e6f; --good: #81c995; --bad: #f6aea9;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0; color: var(--text); background: var(--back); }
        main { max-width: 28rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
        h1 { font-size: 1.5rem; line-height: 1.25; margin: .5rem 0; }
        h2 { font-size: 1.15rem; margin: 0; }
        p { margin: .25rem 0; }
        section { margin: 1rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: .75rem; }
        button {
          display: block; width: 100%; min-height: 3.25rem; margin-top: .75rem; padding: .75rem; border: 0; border-radius: .5rem;
          font: inherit; font-size: 1.1rem; font-weight: 600; color: var(--on-button); background: var(--button); cursor: pointer;
        }
        button:disabled { color: var(--soft); background: none; border: 1px dashed var(--line); cursor: default; }
        button[aria-disabled="true"] { opacity: .7; cursor: progress; }
        :focus-visible { outline: 3px solid var(--button); outline-offset: 3px; }
        #progress:focus { outline: none; }
        .progress, .notice { margin: 1rem 0; padding: .75rem 1rem; border: 2px solid var(--line); border-radius: .75rem; }
        .good { border-color: var(--good); } .good strong { color: var(--good); }
        .bad { border-color: var(--bad); } .bad strong { color: var(--bad); }
        .unit, .state, .why, .zone, dt { color: var(--soft); }
        dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: 1.5rem 0 .25rem; }
        dd { margin: 0; }
        .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

        """)

    /// Sends the forms and follows the progress without loading the page anew. Every text comes from the page that the gateway
    /// renders, which works in the same way without the script.
    static let script = GuestPageAsset(
        "js", type: "text/javascript; charset=utf-8",
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
