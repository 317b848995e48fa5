internal import NIOHTTP1

/// Portfolios: the properties of one owner or company.
extension Resource<Doorward.Portfolio> {
    /// Fetches what a portfolio may use, and how much of it is used.
    package func subscription(of id: String) async throws -> Response<Doorward.Subscription> {
        try await client.send(.get("portfolios", id, "subscription"), member: "subscription")
    }

    /// Changes what a portfolio may use. Only super admins may do this.
    ///
    /// - Parameter change: what it does not name stays unchanged, or becomes what the new tier says.
    package func changeSubscription(of id: String, _ change: Doorward.JSONValue) async throws -> Response<Doorward.Subscription> {
        try await client.send(.put("portfolios", id, "subscription", body: change), member: "subscription")
    }
}

/// Buildings and sites.
extension Resource<Doorward.Property> {
    /// Starts a lockdown, and locks the property's locks. The lockdown is in force even if not every lock could be locked. If the
    /// connection breaks, the request is repeated with the same idempotency key.
    package func startLockdown(of id: String, reason: String? = nil) async throws -> Response<Doorward.LockdownStart> {
        try await client.send(.post("properties", id, "lockdown", body: ["reason": reason].compactMapValues(\.self)))
    }

    /// Ends a lockdown. No lock moves.
    package func liftLockdown(of id: String) async throws -> Response<Doorward.Property> {
        try await client.send(APIRequest(.DELETE, "properties", id, "lockdown"), member: "property")
    }
}

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
    package func list(on entity: Entity) -> Pages<Doorward.User> {
        Pages(client: client, path: entity.path, query: [("sortBy", "name")])
    }

    /// Assigns a role to a user. If the user holds it already, nothing changes.
    package func assign(
        _ role: Doorward.Role, to userID: String, on entity: Entity
    ) async throws -> Response<Doorward.RoleAssociation> {
        try await client.send(request(["userId": userID, "role": role.rawValue], on: entity), member: "roleAssociation")
    }

    /// Creates an invitation to a role, for any email address. The response is the same whether or not the address belongs to a
    /// user. It contains the link to hand over.
    package func invite(
        _ email: String, to role: Doorward.Role, on entity: Entity
    ) async throws -> Response<Doorward.Invitation> {
        try await client.send(request(["email": email, "role": role.rawValue], on: entity), member: "invitation")
    }

    /// The removal of all roles that a user holds on the entity itself.
    package func removal(of userID: String, from entity: Entity) -> Deletion {
        Deletion(client: client, path: entity.path + [userID])
    }

    /// The gateway stores no response to this request; it has no idempotency key.
    private func request(_ body: [String: String], on entity: Entity) throws -> APIRequest {
        try APIRequest(.POST, entity.path, body: body)
    }
}
