internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain

/// Invitations: reading, withdrawing and accepting them. They are created together with roles and users, see `RoleRoutes` and
/// `UserRoutes`.
enum InvitationRoutes {
    static let all: [Route] = [
        .get(
            "/invitations", "Lists the pending invitations that the caller has created or could create, without their tokens.",
            .page("invitations", "Invitation"), list),
        .get("/invitations/:id", "Reads an invitation.", .object("invitation", "Invitation"), read),
        .delete("/invitations/:id", "Withdraws an invitation.", .removal, withdraw),
        SignInRoutes.guarded(
            "/auth/accept-invitation",
            "Accepts an invitation: with a new account, or signed in to the account of the invited address.",
            SignInRoutes.session(status: 201), takes: [.link], accept),
    ]

    private static func read(_ call: AuthenticatedRequest) throws -> APIResponse {
        try call.readNothing()
        let invitation = try call.control.invitations.invitation(call.id("id"), for: call.caller)
        let view = call.view
        return .success { $0.field("invitation") { view.invitation(invitation, into: &$0) } }
    }

    private static func list(_ call: AuthenticatedRequest) throws -> APIResponse {
        let page = try call.readQuery { PageRequest<NameOrCreatedAt>(&$0) }
        let invitations = call.control.invitations.list(for: call.caller, page)
        let view = call.view(in: invitations.snapshot)
        return try .page("invitations", invitations) { view.invitation($1, into: &$0) }
    }

    private static func withdraw(_ call: AuthenticatedRequest) async throws -> APIResponse {
        let isDryRun = try call.readDryRun()
        return .removal(try await call.control.invitations.withdraw(call.caller, call.id("id"), isDryRun: isDryRun))
    }

    /// Needs a sign-in only if the invited address belongs to a user, so the route is open and the sign-in optional.
    private static func accept(_ call: OpenCall) async throws -> APIResponse {
        let (token, account) = try call.readBody { body in
            (
                body.requiredSecret("token"),
                NewAccount(
                    firstName: body.names("firstName") ? body.requiredText("firstName") : nil,
                    lastName: body.names("lastName") ? body.lastName("lastName") : nil,
                    password: body.names("password") ? body.requiredNewPassword("password") : nil)
            )
        }
        let caller = try await call.signedInCaller()
        let signedIn = try await call.control.invitations.accept(token, account, caller: caller, origin: call.facts.origin)
        return try await SignInRoutes.answer(signedIn, call, status: 201)
    }
}

extension OpenCall {
    /// The caller, if the request has a valid sign-in; `nil` otherwise.
    func signedInCaller() async throws(GatewayError) -> Caller? {
        do {
            return try await services.authenticator.caller(facts)
        } catch .unauthenticated {
            return nil
        }
    }
}

extension AuthenticatedRequest {
    /// The response to a request that has created an invitation, with the only copy of its token.
    func answer(_ issued: IssuedInvitation) -> APIResponse {
        .success { $0.field("invitation") { view.invitation(issued, under: services.publicURL, into: &$0) } }
    }
}
