internal import NIOHTTP1

/// Users. The gateway lists them for callers with management rights.
extension Resource<Doorward.User> {
    /// Fetches the caller's own user.
    package func me() async throws -> Response<Doorward.User> { try await get("me") }

    /// Creates a user without a password, and an invitation with which the user sets one. Only super admins may do this.
    package func createInvited(_ user: some Encodable) async throws -> Response<Doorward.InvitedUser> {
        try await client.send(APIRequest(.POST, ["users"], body: user))
    }
}

/// API keys, with which programs call the gateway.
extension Resource<Doorward.APIKey> {
    /// Creates a key. Only this response contains its secret.
    package func issue(_ key: some Encodable) async throws -> Response<Doorward.IssuedAPIKey> {
        try await client.send(APIRequest(.POST, ["api-keys"], body: key))
    }
}

extension DoorwardClient {
    /// Lists the caller's valid sessions, oldest first.
    package func sessions() async throws -> Response<[Doorward.OwnSession]> {
        try await send(.get("users", "me", "sessions"), member: "sessions")
    }

    /// Ends a session. When this returns, the gateway no longer accepts its tokens.
    package func endSession(_ id: String) async throws { try await perform(APIRequest(.DELETE, "users", "me", "sessions", id)) }

    /// - Returns: the session to store, and the user who signed in.
    package func signIn(email: String, password: String) async throws -> (session: Session, user: Doorward.User) {
        var request = try APIRequest(.POST, ["auth", "login"], body: ["email": email, "password": password])
        // The gateway queues sign-ins while it is busy with others.
        request.timeLimit = .seconds(60)
        let signedIn = try await send(request, as: Doorward.SignedIn.self).content
        let session = Session(
            server: server, email: email, token: signedIn.token, lifetime: signedIn.expiresIn,
            refreshToken: signedIn.refreshToken)
        return (session, signedIn.user)
    }

    /// Ends the caller's session at the gateway.
    package func signOut() async throws { try await perform(APIRequest(.POST, "auth", "logout")) }
}
