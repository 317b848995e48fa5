internal import Crypto
internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy
internal import HTTPTypes

/// Sign-in, sign-out and password resets.
enum SignInRoutes {
    static let all: [Route] = [
        guarded("/auth/login", "Signs in with an e-mail address and a password.", session(), takes: [.password], logIn),
        // The console sends this request only while it has the marker, so it sends no second one for a session that has ended.
        .open(
            .post, "/api/v1/auth/refresh",
            described: RouteDescription(
                summary: "Continues a session with its refresh token, which is replaced.", answers: session()),
            errorPage: { $0.status == 401 ? $0.answer($1).clearingCookies(of: $1) : nil }, refresh),
        .open(
            .post, "/api/v1/auth/logout",
            described: RouteDescription(
                summary: "Ends the session of the access token, or of the console's cookie.", answers: .nothing),
            errorPage: { $0.answer($1).clearingCookies(of: $1) }, logOut),
        guarded(
            "/auth/reset-password", "Sets a new password with the token of a link, or with a recovery code.", .nothing,
            takes: [.password, .link], resetPassword),
        .post(
            "/users/:id/password-reset", "Creates a link with which a user can set a new password.",
            .issued(reset.schema()), offerReset),
    ]

    /// The response that starts or continues a session.
    static func session(status: Int = 200) -> [DocumentedAnswer] {
        [DocumentedAnswer(status: status, summary: "The session.", data: sessionFields.schema())]
    }

    /// A session that was started or continued, as its response shows it.
    private typealias ShownSession = (
        signedIn: SignedIn, view: ProjectedRenderer, issued: (token: String, expiresIn: Int), usesCookie: Bool
    )

    private static let sessionFields: [ResponseField<ShownSession>] = [
        .written("user", .reference("User")) { $0.view.user($0.signedIn.user, into: &$1) }, .init("token", \.issued.token),
        .init("expiresIn", .count, \.issued.expiresIn),
        .ifPresent("refreshToken") { $0.usesCookie ? nil : $0.signedIn.refreshToken.reveal() },
    ]

    /// Makes a route on which passwords or tokens could be guessed: an address with too many failures is rejected before the body
    /// is read. A route that takes several kinds of secrets rejects it only if each of them is limited.
    static func guarded(
        _ path: String, _ summary: String, _ answers: [DocumentedAnswer],
        takes secrets: [GuessedSecret], _ handler: @escaping @Sendable (AnonymousRequest) async throws -> APIResponse
    ) -> Route {
        var route = Route.open(.post, "/api/v1" + path, described: RouteDescription(summary: summary, answers: answers), handler)
        route.limit = { (control, _, metadata) throws(GatewayError) in
            let address = metadata.origin.clientAddress
            var refusal: GatewayError?
            for secret in secrets {
                do throws(GatewayError) {
                    switch secret {
                    case .password: try control.signIn.admit(clientAddress: address)
                    case .link: try control.signIn.admitLink(clientAddress: address)
                    }
                    return
                } catch {
                    refusal = error
                }
            }
            if let refusal { throw refusal }
        }
        return route
    }

    /// What is guessed on a route. Wrong tokens are counted separately, so that guesses at links delay no sign-in.
    enum GuessedSecret { case password, link }

    private static func logIn(_ request: AnonymousRequest) async throws -> APIResponse {
        let (email, password) = try request.readBody { body in
            (body.requiredAccount("email"), body.requiredSecret("password"))
        }
        let signedIn = try await request.control.signIn.logIn(
            email: account(email), password: password, origin: request.metadata.origin)
        return try await answer(signedIn, request)
    }

    /// Returns the text that identifies the account of a sign-in: the email address. A text that is too long for an address is
    /// replaced by its hash, so that the gateway stores only the hash. No user has the hash as an address, and looking it up
    /// costs as much as looking up any other text.
    static func account(_ email: String) -> String {
        guard email.utf8.count > WireLimits.emailBytes else { return email }
        return SHA256.hash(data: Array(email.lowercased().utf8)).map { String($0, radix: 16) }.joined(separator: "-")
    }

    private static func refresh(_ request: AnonymousRequest) async throws -> APIResponse {
        let token = try refreshToken(request)
        let signedIn = try await request.control.signIn.refresh(token, origin: request.metadata.origin)
        return try await answer(signedIn, request)
    }

    /// The refresh token in the body; for the console, the one in the cookie.
    private static func refreshToken(_ request: AnonymousRequest) throws(GatewayError) -> Secret<String> {
        guard request.metadata.usesRefreshCookie else { return try request.readBody { $0.requiredSecret("refreshToken") } }
        try request.readNothing()
        guard let token = request.metadata.refreshCookie else { throw .unauthenticated }
        return token
    }

    /// The console proves its session with the access token or with the cookie, as the access token may have expired. A cookie whose
    /// session has ended is removed; this is not an error, because the person wanted to sign out.
    private static func logOut(_ request: AnonymousRequest) async throws -> APIResponse {
        try request.readNothing()
        let (caller, cookie) = (try await request.signedInCaller(), request.metadata.refreshCookie)
        guard caller != nil || cookie != nil else { throw GatewayError.unauthenticated }
        if let caller { try await request.control.signIn.logOut(caller) }
        if let cookie { try await request.control.signIn.logOut(refreshToken: cookie, request.metadata.origin) }
        return .nothing.clearingCookies(of: request.metadata)
    }

    /// Sets a password with the token of a link, or with an email address and a recovery code.
    private static func resetPassword(_ request: AnonymousRequest) async throws -> APIResponse {
        let (secret, email, password) = try request.readBody { body in
            let isCode = body.isChosen(by: "recoveryCode")
            return (
                body.requiredSecret(isCode ? "recoveryCode" : "token"), isCode ? body.requiredAccount("email") : nil,
                body.requiredNewPassword("newPassword")
            )
        }
        if let email {
            try await request.control.credentials.resetPassword(
                email: account(email), recoveryCode: secret, newPassword: password, origin: request.metadata.origin)
        } else {
            try await request.control.passwordResets.use(secret, newPassword: password, origin: request.metadata.origin)
        }
        return .nothing
    }

    /// Ignores an idempotency key: the response contains a token, and such responses are not stored.
    private static func offerReset(_ request: AuthenticatedRequest) async throws -> APIResponse {
        try request.readNothing()
        let offer = try await request.control.passwordResets.offer(request.caller, to: request.id("id"))
        return .success(reset, of: (offer, request.services.publicURL), status: 201)
    }

    private static let reset: [ResponseField<(offer: PasswordReset.Offer, base: String)>] = [
        .object(
            "reset",
            [
                .init("url") { $0.offer.url(under: $0.base).reveal() }, .init("token") { $0.offer.token.reveal() },
                .init("expiresAt", \.offer.expiresAt),
            ])
    ]

    /// The response that starts or continues a session. The console gets the refresh token in a cookie and not in the body.
    static func answer(_ signedIn: SignedIn, _ request: AnonymousRequest, status: Int = 200) async throws -> APIResponse {
        let now = request.control.clock.credentialNow()
        let issued = try await request.services.tokens.issue(for: signedIn.session, at: now)
        let view = ProjectedRenderer(.user(signedIn.user.id), control: request.control)
        let usesCookie = request.metadata.usesRefreshCookie
        var answer = APIResponse.success(sessionFields, of: (signedIn, view, issued, usesCookie), status: status)
        if usesCookie { answer.headers[values: .setCookie] = RefreshCookie.setting(signedIn, at: now) }
        return answer
    }
}

/// The route with which the console exchanges a link of a demo for a session. It is not among the routes of the API: only the server
/// of `doorward demo` has it.
enum DemoSignInRoutes {
    /// Signs in with the password of the demo, like any other sign-in: it is rate limited and recorded, and its session ends like any
    /// other.
    static func all(_ links: DemoSignInLinks) -> [Route] {
        let route = Route.open(.post, "/demo/sign-in") { request in
            let token = try request.readBody { $0.requiredSecret("token") }
            // A request through a proxy or from another machine is answered as if there were no such route.
            guard request.metadata.isOfThisMachine else { throw GatewayError.notFound }
            guard let email = links.take(token) else { throw GatewayError.unauthenticated }
            let signedIn = try await request.control.signIn.logIn(
                email: email, password: links.password, origin: request.metadata.origin)
            return try await SignInRoutes.answer(signedIn, request)
        }
        return [route]
    }
}

/// The caller's own sessions, password and recovery codes.
enum CredentialRoutes {
    static let all: [Route] = [
        .read("/users/me/sessions", "Lists the caller's sessions.", .data(sessions)) { request in
            let sessions = try request.control.credentials.sessions(of: request.caller)
            return .success(Self.sessions, of: sessions.map { ($0, $0.id == request.caller.sessionID) })
        },
        .removal("/users/me/sessions/:id", "Ends one of the caller's sessions.") {
            try await $0.control.credentials.endSession($0.caller, $0.id("id"), isDryRun: $1)
        },
        .post("/users/me/password", "Changes the caller's password, and ends the caller's other sessions.", .nothing) { request in
            let (current, new) = try request.readBody {
                ($0.requiredSecret("currentPassword"), $0.requiredNewPassword("newPassword"))
            }
            try await request.control.credentials.changePassword(request.caller, current: current, new: new)
            return .nothing
        },
        // Ignores an idempotency key: the response contains secrets, and such responses are not stored.
        .post(
            "/users/me/recovery-codes", "Replaces the caller's recovery codes, with the current password as proof.",
            .issued(.fields(["recoveryCodes": .array(.text)]))
        ) { request in
            let current = try request.readBody { $0.requiredSecret("currentPassword") }
            let codes = try await request.control.credentials.createRecoveryCodes(request.caller, current: current)
            return .success(201) { $0.field("recoveryCodes", codes.map { $0.reveal() }) }
        },
    ]

    private static let sessions: [ResponseField<[(session: Session, isCurrent: Bool)]>] = [
        .objects(
            "sessions", { $0 },
            [
                .init("id", \.session.id), .init("createdAt", \.session.createdAt), .init("expiresAt", \.session.expiresAt),
                .init("isCurrent", \.isCurrent),
            ])
    ]
}
