internal import DoorwardControl
internal import DoorwardDomain
internal import HTTPTypes

/// The route with which the console exchanges a link of a demo for a session. It is not among the routes of the API: only the server
/// of `doorward demo` has it.
enum DemoSignInRoutes {
    static func all(_ links: DemoSignInLinks) -> [Route] {
        [.open(.post, "/demo/sign-in") { try await signIn($0, links) }]
    }

    /// Signs in with the password of the demo, like any other sign-in: it is limited and recorded, and ends like others.
    private static func signIn(_ call: OpenCall, _ links: DemoSignInLinks) async throws -> APIResponse {
        let token = try call.readBody { $0.requiredSecret("token") }
        // A request through a proxy or from another machine is answered as if there were no such route.
        guard call.facts.isOfThisMachine else { throw GatewayError.notFound }
        guard let email = links.take(token) else { throw GatewayError.unauthenticated }
        let signedIn = try await call.control.signIn.logIn(email: email, password: links.password, origin: call.facts.origin)
        return try await SignInRoutes.answer(signedIn, call)
    }
}
