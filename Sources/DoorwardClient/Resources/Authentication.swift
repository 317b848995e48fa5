package import DoorwardAPI
internal import NIOHTTP1

/// Signing in and out.
package struct Authentication: Sendable {
    let client: DoorwardClient

    /// - Returns: the session to store, and the user who signed in.
    package func signIn(email: String, password: String) async throws -> (session: Session, user: Wire.User) {
        var request = try APIRequest.post("auth", "login", body: ["email": email, "password": password])
        request.idempotencyKey = nil
        // The gateway queues sign-ins while it is busy with others.
        request.timeLimit = .seconds(60)
        let signedIn = try await client.send(request, as: Wire.SignedIn.self).content
        let session = Session(
            server: client.server, email: email, token: signedIn.token, lifetime: signedIn.expiresIn,
            refreshToken: signedIn.refreshToken)
        return (session, signedIn.user)
    }

    /// Ends the caller's session at the gateway.
    package func signOut() async throws { try await client.perform(APIRequest(.POST, "auth", "logout")) }
}
