internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// Invitations: reading, withdrawing and accepting them. They are created together with roles and users, see `RoleRoutes` and
/// `UserRoutes`.
enum InvitationRoutes {
    static let all: [Route] = [
        .get(
            "/invitations", "Lists the pending invitations that the caller has created or could create, without their tokens.",
            .page("invitations", "Invitation")
        ) { request in
            let page = try request.readQuery { PageRequest<NameOrCreatedAt>(&$0) }
            let invitations = request.control.invitations.list(for: request.caller, page)
            return try request.page("invitations", invitations) { $0.invitation($1, into: &$2) }
        },
        .read("/invitations/:id", "Reads an invitation.", .object("invitation", "Invitation")) { request in
            let invitation = try request.control.invitations.invitation(request.id("id"), for: request.caller)
            return .success { $0.field("invitation") { request.view.invitation(invitation, into: &$0) } }
        },
        .removal("/invitations/:id", "Withdraws an invitation.") {
            try await $0.control.invitations.withdraw($0.caller, $0.id("id"), isDryRun: $1)
        },
        SignInRoutes.guarded(
            "/auth/accept-invitation",
            "Accepts an invitation: with a new account, or signed in to the account of the invited address.",
            SignInRoutes.session(status: 201), takes: [.link], accept),
    ]

    /// Needs a sign-in only if the invited address belongs to a user, so the route is open and the sign-in optional.
    private static func accept(_ request: AnonymousRequest) async throws -> APIResponse {
        let (token, account) = try request.readBody { body in
            (
                body.requiredSecret("token"),
                NewAccount(
                    firstName: body.change("firstName") { $0.text($1) },
                    lastName: body.names("lastName") ? body.lastName("lastName") : nil,
                    password: body.names("password") ? body.requiredNewPassword("password") : nil)
            )
        }
        let caller = try await request.signedInCaller()
        let signedIn = try await request.control.invitations.accept(
            token, account, caller: caller, origin: request.metadata.origin)
        return try await SignInRoutes.answer(signedIn, request, status: 201)
    }
}

extension AnonymousRequest {
    /// The caller, if the request has a valid sign-in; `nil` otherwise.
    func signedInCaller() async throws(GatewayError) -> Caller? {
        do {
            return try await services.authenticator.caller(metadata)
        } catch .unauthenticated {
            return nil
        }
    }
}

extension ProjectedRenderer {
    /// An invitation that was just created, with the only copy of its token.
    ///
    /// - Parameter base: the gateway's public URL.
    func invitation(_ issued: IssuedInvitation, under base: String, into writer: inout JSONWriter) {
        invitation(issued.invitation, link: (issued.token, issued.url(under: base)), into: &writer)
    }
}
