internal import HTTPTypes

/// The pages behind password links and invitations, outside `/api/v1`.
///
/// The token of a link is in the URL's fragment, which is not sent to the gateway: every request for a page gets the same bytes. The
/// page's script reads the token, removes it from the address bar, and calls the API.
enum AccountPageRoutes {
    static let all: [Route] = [
        .open(.get, "/reset-password") { call in
            try call.readNothing()
            return resetPassword.response
        },
        .open(.get, "/invitation") { call in
            try call.readNothing()
            return invitation.response
        },
    ]

    private static let resetPassword = page(
        "Set a new password", AccountPageSources.resetForm, AccountPageSources.resetScript)
    private static let invitation = page(
        "Accept the invitation", AccountPageSources.invitationForms, AccountPageSources.invitationScript)

    private static func page(_ title: String, _ forms: String, _ script: String) -> StaticPage {
        StaticPage(
            title: title, style: AccountPageSources.style,
            content: """
                <p id="message" role="status" aria-live="polite"></p>
                <noscript><p>This page needs JavaScript, as the link's token must not be sent in a URL.</p></noscript>
                \(forms)
                """, script: AccountPageSources.common + script)
    }
}
