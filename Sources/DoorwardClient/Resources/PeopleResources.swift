package import DoorwardAPI
internal import NIOHTTP1

/// Users.
package struct Users: Sendable {
    let client: DoorwardClient

    /// Fetches the caller's own user.
    package func me() async throws -> Response<Wire.UserAnswer> { try await user("me") }

    /// Fetches a user.
    ///
    /// - Parameter id: an id, or `me` for the caller.
    package func user(_ id: String) async throws -> Response<Wire.UserAnswer> { try await client.send(.get("users", id)) }

    /// Lists the users in the caller's scope. The gateway denies this to callers without management rights.
    ///
    /// - Parameter search: only those whose name contains this text; `nil` for all.
    package func list(search: String? = nil) -> Pages<Wire.User> {
        Pages(client: client, request: .get("users", query: [("q", search), ("sortBy", "name")]))
    }

    /// Creates a user who can sign in with this password. Only super admins may do this.
    package func create(_ user: Wire.NewUser, password: String) async throws -> Response<Wire.UserAnswer> {
        try await client.send(
            .post(
                "users",
                body: [
                    "email": user.email, "firstName": user.firstName, "lastName": user.lastName, "password": password,
                ]))
    }

    /// Creates a user without a password, and an invitation with which the user sets one. Only super admins may do this.
    package func createInvited(_ user: Wire.NewUser) async throws -> Response<Wire.InvitedUserAnswer> {
        var request = try APIRequest.post("users", body: user)
        // The gateway stores no response that contains a link.
        request.idempotencyKey = nil
        return try await client.send(request)
    }

    /// Changes the names of a user; `nil` keeps a name.
    ///
    /// - Parameter id: an id, or `me` for the caller.
    package func rename(_ id: String, firstName: String?, lastName: String?) async throws -> Response<Wire.UserAnswer> {
        let names = ["firstName": firstName, "lastName": lastName].compactMapValues(\.self)
        return try await client.send(.put("users", id, body: names))
    }

    /// The deletion of a user. It also ends the user's sessions and API keys.
    package func deletion(of id: String) -> Deletion { Deletion(client: client, path: ["users", id]) }
}

/// The caller's own sessions.
package struct Sessions: Sendable {
    let client: DoorwardClient

    /// Lists the caller's valid sessions, oldest first.
    package func list() async throws -> Response<Wire.SessionsAnswer> { try await client.send(.get("users", "me", "sessions")) }

    /// Ends a session. When this returns, the gateway no longer accepts its tokens.
    package func end(_ id: String) async throws { try await client.perform(APIRequest(.DELETE, "users", "me", "sessions", id)) }
}

/// API keys, with which programs call the gateway.
package struct APIKeys: Sendable {
    let client: DoorwardClient

    /// Lists the keys that the caller may manage, by name.
    ///
    /// - Parameter search: only those whose name contains this text; `nil` for all.
    package func list(search: String? = nil) -> Pages<Wire.APIKey> {
        Pages(client: client, request: .get("api-keys", query: [("q", search), ("sortBy", "name")]))
    }

    /// Creates a key. Only this response contains its secret.
    package func create(_ key: Wire.NewAPIKey) async throws -> Response<Wire.NewAPIKeyAnswer> {
        var request = try APIRequest.post("api-keys", body: key)
        // The gateway stores no response that contains a secret.
        request.idempotencyKey = nil
        return try await client.send(request)
    }

    /// The deletion of a key, and of the keys that were created with it. When it has been performed, the gateway no longer accepts
    /// them.
    package func deletion(of id: String) -> Deletion { Deletion(client: client, path: ["api-keys", id]) }
}

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
