package import DoorwardAPI
internal import NIOHTTP1

/// The roles of users on portfolios, properties and units.
package struct Roles: Sendable {
    let client: DoorwardClient

    /// The entity that a role is held on.
    package enum Entity: Hashable, Sendable {
        /// The portfolio with this id.
        case portfolio(String)
        /// The property with this id.
        case property(String)
        /// The unit with this id.
        case unit(String)

        /// The path of the list of people who hold a role on the entity.
        var path: [String] {
            switch self {
            case .portfolio(let id): ["portfolios", id, "admins"]
            case .property(let id): ["properties", id, "managers"]
            case .unit(let id): ["units", id, "tenants"]
            }
        }
    }

    /// Lists the users who hold a role on the entity itself, by name, each with these roles only.
    package func list(on entity: Entity) -> Pages<Wire.User> {
        var call = APIRequest(.GET, parts: entity.path)
        call.query = [("sortBy", "name")]
        return Pages(client: client, request: call)
    }

    /// Assigns a role to a user. If the user holds it already, nothing changes.
    package func assign(
        _ role: String, to userID: String, on entity: Entity
    ) async throws -> Response<Wire.RoleAssociationAnswer> {
        try await client.send(request(["userId": userID, "role": role], on: entity))
    }

    /// Creates an invitation to a role, for any email address. The response is the same whether or not the address belongs to a
    /// user. It contains the link to hand over.
    package func invite(_ email: String, to role: String, on entity: Entity) async throws -> Response<Wire.InvitationAnswer> {
        try await client.send(request(["email": email, "role": role], on: entity))
    }

    /// The removal of all roles that a user holds on the entity itself.
    package func removal(of userID: String, from entity: Entity) -> Deletion {
        Deletion(client: client, path: entity.path + [userID])
    }

    /// The gateway stores no response to this request; it has no idempotency key.
    private func request(_ body: [String: String], on entity: Entity) throws -> APIRequest {
        try APIRequest(.POST, parts: entity.path, body: body)
    }
}
