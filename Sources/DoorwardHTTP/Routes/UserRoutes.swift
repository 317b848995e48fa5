internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// The routes of the caller's own user, and of other users for callers with the permission.
enum UserRoutes {
    static let all: [Route] = [
        .read("/users/me", "Reads the caller's own user.", .tagged("user", "User")) {
            answer(try $0.control.users.user($0.caller.userID ?? .nonexistent, for: $0.caller), $0)
        },
        .put("/users/me", "Changes the caller's own user.", .tagged("user", "User"), changeMe),
        .get("/users", "Lists users.", .page("users", "User")) { request in
            let page = try request.readQuery { PageRequest<NameOrCreatedAt>(&$0) }
            return try request.page("users", request.control.users.list(for: request.caller, page)) { $0.user($1, into: &$2) }
        },
        .post(
            "/users", "Creates a user, with a password or with an invitation to set one.",
            .created(.fields(["user": .reference("User")], optional: ["invitation": .reference("Invitation")])),
            isRepeatable: true,
            create),
        .read("/users/:id", "Reads a user.", .tagged("user", "User")) {
            answer(try $0.control.users.user($0.id("id"), for: $0.caller), $0)
        },
        .put("/users/:id", "Changes a user.", .tagged("user", "User"), change),
        .removal("/users/:id", "Deletes a user, with roles, sessions, keys and guest accesses.", isConditional: true) {
            request, isDryRun in
            try await request.control.users.delete(
                request.caller, request.id("id"), isDryRun: isDryRun, onlyIf: try request.condition { $0.tag(of: $1) })
        },
        .removal("/users/:id/personal-data", "Erases the personal data of a deleted user.") {
            try await $0.control.erasure.erase($0.caller, of: $0.id("id"), isDryRun: $1)
        },
    ]

    private static func changeMe(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let changes = try request.readBody { body in
            var changes = names(&body)
            changes.defaultPortfolioID = body.patch("defaultPortfolioId") { $0.id($1) }
            changes.defaultPropertyID = body.patch("defaultPropertyId") { $0.id($1) }
            changes.defaultUnitID = body.patch("defaultUnitId") { $0.id($1) }
            return changes
        }
        return try await update(request.caller.userID ?? .nonexistent, changes, request)
    }

    private static func change(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let changes = try request.readBody { body in
            var changes = names(&body)
            changes.isEnabled = body.change("isEnabled") { $0.bool($1) }
            return changes
        }
        return try await update(request.id("id"), changes, request)
    }

    /// A repeat of a request without a password gets the invitation without its token, which is not stored.
    private static func create(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let new = try request.readBody { body in
            NewUser(
                email: body.requiredEmail("email"), firstName: body.requiredText("firstName"),
                lastName: body.lastName("lastName"),
                password: body.names("password") ? body.requiredNewPassword("password") : nil)
        }
        let users = request.control.users
        var issued: IssuedInvitation?
        return try await request.create { repeatable in
            guard new.password == nil else { return try await users.create(request.caller, new, repeatable: repeatable) }
            let (user, invitation) = try await users.createInvited(request.caller, new, repeatable: repeatable)
            issued = invitation
            return user
        } render: { user, view in
            .success(201, location: "/api/v1/users/\(user.id)") { writer in
                writer.field("user") { view.user(user, into: &$0) }
                if let issued {
                    writer.field("invitation") { view.invitation(issued, under: request.services.publicURL, into: &$0) }
                } else if new.password == nil, let pending = users.invitation(of: user) {
                    writer.field("invitation") { view.invitation(pending, into: &$0) }
                }
            }
        }
    }

    // MARK: - Private

    private static func update(
        _ id: UserID, _ changes: UserChanges, _ request: AuthenticatedRequest
    ) async throws -> APIResponse {
        let condition: Precondition<User>? = try request.condition { $0.tag(of: $1) }
        return answer(try await request.control.users.update(request.caller, id, changes, onlyIf: condition), request)
    }

    private static func answer(_ user: User, _ request: AuthenticatedRequest) -> APIResponse {
        let view = request.view
        return .success { $0.field("user") { view.user(user, into: &$0) } }.tagged(view.tag(of: user))
    }

    /// Reads both names, which are optional; the first one must not be blank.
    private static func names(_ body: inout BodyReader) -> UserChanges {
        UserChanges(
            firstName: body.change("firstName") { $0.text($1) },
            lastName: body.names("lastName") ? body.lastName("lastName") : nil)
    }
}

/// API keys: creating, listing and removing them.
enum APIKeyRoutes {
    static let all: [Route] = [
        .get("/api-keys", "Lists the caller's API keys.", .page("apiKeys", "APIKey")) { request in
            let page = try request.readQuery { PageRequest<NameOrCreatedAt>(&$0) }
            return try request.page("apiKeys", request.control.apiKeys.list(for: request.caller, page)) {
                $0.apiKey($1, into: &$2)
            }
        },
        .post(
            "/api-keys", "Creates an API key, whose rights never exceed the caller's.",
            .issued(.fields(["apiKey": .reference("APIKey"), "secret": .text])), create),
        .removal("/api-keys/:id", "Removes an API key, and the keys that were created with it.") {
            try await $0.control.apiKeys.remove($0.caller, $0.id("id"), isDryRun: $1)
        },
    ]

    /// Ignores an idempotency key, and executes a repeated request again: the response contains a secret, and such responses are not
    /// stored.
    private static func create(_ request: AuthenticatedRequest) async throws -> APIResponse {
        let new = try request.readBody { body in
            let type = body.requiredChoice("entityType", of: AssociatedEntityType.allCases)
            let types = type.map { [$0] } ?? AssociatedEntityType.allCases
            let assignable = Role.allCases.filter { role in types.contains { $0.assignableRoles.contains(role) } }
            return NewAPIKey(
                name: body.requiredText("name"),
                entity: AssociatedEntity(type: type ?? .unit, id: body.requiredID("entityId")),
                role: body.require("role", body.enumValue("role", of: assignable)) ?? .guest,
                expiresAt: body.requiredInstant("expiresAt"))
        }
        let issued = try await request.control.apiKeys.create(request.caller, new)
        let view = request.view
        return .success(201, location: "/api/v1/api-keys/\(issued.key.id)") { writer in
            writer.field("apiKey") { view.apiKey(issued.key, into: &$0) }
            writer.field("secret", issued.secret.reveal())
        }
    }
}
