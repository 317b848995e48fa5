internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// API keys: creating, listing and removing them.
enum APIKeyRoutes {
    static let all: [Route] = [
        .get("/api-keys", "Lists the caller's API keys.", .page("apiKeys", "APIKey"), list),
        .post(
            "/api-keys", "Creates an API key, whose rights never exceed the caller's.",
            .issued(.fields(["apiKey": .reference("APIKey"), "secret": .text])), create),
        .delete("/api-keys/:id", "Removes an API key, and the keys that were created with it.", .removal, remove),
    ]

    /// Carries out a repeat again, whatever its idempotency key: the response contains a secret, and such responses are not stored.
    private static func create(_ call: AuthenticatedRequest) async throws -> APIResponse {
        let new = try call.readBody { body in
            let type = body.requiredChoice("entityType", of: AssociatedEntityType.allCases)
            let types = type.map { [$0] } ?? AssociatedEntityType.allCases
            let assignable = Role.allCases.filter { role in types.contains { $0.assignableRoles.contains(role) } }
            return NewAPIKey(
                name: body.requiredText("name"),
                entity: AssociatedEntity(type: type ?? .unit, id: body.requiredID("entityId")),
                role: body.require("role", body.word("role", of: assignable)) ?? .guest,
                expiresAt: body.requiredInstant("expiresAt"))
        }
        let issued = try await call.control.apiKeys.create(call.caller, new)
        let view = call.view
        return .success(201, location: "/api/v1/api-keys/\(issued.key.id)") { writer in
            writer.field("apiKey") { view.apiKey(issued.key, into: &$0) }
            writer.field("secret", issued.secret.reveal())
        }
    }

    private static func list(_ call: AuthenticatedRequest) throws -> APIResponse {
        let page = try call.readQuery { PageRequest<NameOrCreatedAt>(&$0) }
        let keys = call.control.apiKeys.list(for: call.caller, page)
        let view = call.view(in: keys.snapshot)
        return try .page("apiKeys", keys) { view.apiKey($1, into: &$0) }
    }

    private static func remove(_ call: AuthenticatedRequest) async throws -> APIResponse {
        let isDryRun = try call.readDryRun()
        return .removal(try await call.control.apiKeys.remove(call.caller, call.id("id"), isDryRun: isDryRun))
    }
}
