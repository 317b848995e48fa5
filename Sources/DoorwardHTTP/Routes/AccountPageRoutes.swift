internal import HTTPTypes

/// The pages behind password links, invitations and the link of the set-up, outside `/api/v1`.
///
/// The token of a link is in the URL's fragment, which is not sent to the gateway: every request for a page gets the same bytes. The
/// page's script reads the token, removes it from the address bar, and calls the API.
enum AccountPageRoutes {
    static let all: [Route] = [
        page("/reset-password", "Set a new password", AccountPageSources.resetForm, AccountPageSources.resetScript),
        page("/invitation", "Accept the invitation", AccountPageSources.invitationForms, AccountPageSources.invitationScript),
        page("/setup", "Set up the gateway", SetupPageSources.form, SetupPageSources.script),
    ]

    private static func page(_ path: String, _ title: String, _ forms: String, _ script: String) -> Route {
        let page = HTMLPage(style: .text(PageStyle.accounts), script: .text(AccountPageSources.common + script)).response(
            headed: title,
            """
            <p id="message" role="status" aria-live="polite"></p>
            <noscript><p>This page needs JavaScript, as the link's token must not be sent in a URL.</p></noscript>
            \(forms)
            """)
        return .page(path) { _ in page }
    }
}

/// The forms and the scripts of the pages of `AccountPageRoutes`.
///
/// Texts from the API are shown as text and never as HTML.
enum AccountPageSources {
    /// What all pages use: the token, requests to the API, and messages.
    static let common = """

        'use strict';
        // Chat programs add punctuation to links: a token has exactly 43 of these characters; ignore what follows.
        const [token] = /^[A-Za-z0-9_-]{43}/.exec(new URLSearchParams(location.hash.slice(1)).get('token') || '') || [''];
        history.replaceState(null, '', location.pathname);
        const byId = (id) => document.getElementById(id);
        const say = (text) => {
          byId('message').textContent = text;
          if (text) byId('message').scrollIntoView({ block: 'nearest' });
        };
        const problems = {
          too_short: 'needs at least 15 characters', too_long: 'is too long', too_common: 'is too common',
          required: 'is missing', blank: 'is missing', control_character: 'contains a character that is not allowed'
        };
        const names = {
          firstName: 'The first name', lastName: 'The last name', password: 'The password', newPassword: 'The password'
        };
        function explain(answer) {
          const fields = (answer.details && answer.details.fields) || [];
          const known = fields.map((one) => (names[one.field] || one.field) + ' ' + (problems[one.problem] || 'is not valid') + '.');
          return known.length ? known.join(' ') : answer.message || 'The gateway did not respond; try again.';
        }
        const call = (path, body, accessToken) =>
          send('POST', path, body, accessToken ? { Authorization: 'Bearer ' + accessToken } : {});
        async function send(method, path, body, more, credentials = 'omit') {
          const headers = body ? { 'Content-Type': 'application/json', ...more } : more;
          try {
            const response = await fetch('/api/v1' + path, {
              method, headers, body: body && JSON.stringify(body), credentials, cache: 'no-store'
            });
            const text = await response.text();
            return { status: response.status, answer: text ? JSON.parse(text) : {} };
          } catch {
            return { status: 0, answer: { message: 'The gateway cannot be reached; try again.' } };
          }
        }
        function onSubmit(form, action) {
          form.addEventListener('submit', async (event) => {
            event.preventDefault();
            const button = form.querySelector('button');
            button.disabled = true;
            say('');
            try { await action(Object.fromEntries(new FormData(form))); } finally { button.disabled = false; }
          });
        }
        function finish(text, canSignIn) {
          for (const form of document.forms) form.hidden = true;
          say(text);
          if (canSignIn) {
            const link = document.createElement('a');
            [link.href, link.textContent] = ['/', 'Sign in'];
            byId('message').append(' ', link);
          }
          byId('message').tabIndex = -1;
          byId('message').focus();
        }
        if (!token) finish('This link is incomplete. Open it again exactly as you received it.');

        """

    static let passwordFields = """
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="new-password" required aria-describedby="rule">
        <p class="hint" id="rule">At least 15 characters. A few words that you can remember are fine.</p>
        <label for="repeated">The same password again</label>
        <input id="repeated" name="repeated" type="password" autocomplete="new-password" required>
        """

    static let resetForm = """
        <form id="reset">
        \(passwordFields)
        <button>Set the password</button>
        </form>
        """

    static let resetScript = """

        onSubmit(byId('reset'), async (values) => {
          if (values.password !== values.repeated) return say('The two passwords differ.');
          const { status, answer } = await call('/auth/reset-password', { token, newPassword: values.password });
          if (status === 204) return finish('The password is set. You can sign in with it now.', true);
          if (status === 401) return finish('This link is not valid any more. Ask for a new one.');
          say(explain(answer));
        });

        """

    static let invitationForms = """
        <form id="create">
        <label for="firstName">First name</label>
        <input id="firstName" name="firstName" autocomplete="given-name" required>
        <label for="lastName">Last name, if there is one</label>
        <input id="lastName" name="lastName" autocomplete="family-name">
        \(passwordFields)
        <button>Create the account and accept</button>
        </form>
        <form id="signIn" hidden>
        <p>This address has an account already. Sign in to it to accept the invitation.</p>
        <label for="email">Email address</label>
        <input id="email" name="email" type="email" autocomplete="username" required>
        <label for="current">Password</label>
        <input id="current" name="current" type="password" autocomplete="current-password" required>
        <button>Sign in and accept</button>
        </form>
        """

    static let invitationScript = """

        const over = 'This invitation is not valid any more. Ask for a new one.';
        async function accepted(answer) {
          // This page keeps no session: the person signs in where the account is used.
          await call('/auth/logout', {}, answer.data.token);
          finish('The invitation is accepted. You can sign in now.', true);
        }
        onSubmit(byId('create'), async (values) => {
          if (values.password !== values.repeated) return say('The two passwords differ.');
          const { status, answer } = await call('/auth/accept-invitation', {
            token, firstName: values.firstName, lastName: values.lastName, password: values.password
          });
          if (status === 201) return accepted(answer);
          if (answer.code === 'sign_in_required') {
            byId('create').hidden = true;
            byId('signIn').hidden = false;
            return byId('email').focus();
          }
          if (status === 401) return finish(over);
          say(explain(answer));
        });
        onSubmit(byId('signIn'), async (values) => {
          const signedIn = await call('/auth/login', { email: values.email, password: values.current });
          if (signedIn.status !== 200) return say(explain(signedIn.answer));
          const accessToken = signedIn.answer.data.token;
          const { status, answer } = await call('/auth/accept-invitation', { token }, accessToken);
          await call('/auth/logout', {}, accessToken);
          if (status === 201) return accepted(answer);
          if (answer.code === 'sign_in_required') return say('The invitation is for another address. Sign in to that account.');
          if (status === 401) return finish(over);
          say(explain(answer));
        });

        """
}
