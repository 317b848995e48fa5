package import DoorwardAPI

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
