package import DoorwardAPI
internal import NIOHTTP1

/// Portfolios: the properties of one owner or company.
package struct Portfolios: Sendable {
    let client: DoorwardClient

    /// Lists the portfolios visible to the caller, by name.
    ///
    /// - Parameter search: only those whose name contains this text; `nil` for all.
    package func list(search: String? = nil) -> Pages<Wire.Portfolio> {
        Pages(client: client, request: .get("portfolios", query: [("q", search), ("sortBy", "name")]))
    }

    /// Fetches a portfolio.
    package func portfolio(_ id: String) async throws -> Response<Wire.PortfolioAnswer> {
        try await client.send(.get("portfolios", id))
    }

    /// Creates a portfolio. Only super admins may do this.
    package func create(_ portfolio: Wire.NewPortfolio) async throws -> Response<Wire.PortfolioAnswer> {
        try await client.send(.post("portfolios", body: portfolio))
    }

    /// Changes the name of a portfolio.
    package func rename(_ id: String, to name: String) async throws -> Response<Wire.PortfolioAnswer> {
        try await client.send(.put("portfolios", id, body: ["name": name]))
    }

    /// The deletion of a portfolio.
    package func deletion(of id: String) -> Deletion { Deletion(client: client, path: ["portfolios", id]) }

    /// Fetches what a portfolio may use, and how much of it is used.
    package func subscription(of id: String) async throws -> Response<Wire.SubscriptionAnswer> {
        try await client.send(.get("portfolios", id, "subscription"))
    }

    /// Changes what a portfolio may use. Only super admins may do this.
    package func changeSubscription(
        of id: String, _ change: Wire.SubscriptionChange
    ) async throws -> Response<Wire.SubscriptionAnswer> {
        try await client.send(.put("portfolios", id, "subscription", body: change))
    }
}

/// Buildings and sites.
package struct Properties: Sendable {
    let client: DoorwardClient

    /// Lists the properties visible to the caller, of one portfolio or of all, by name.
    ///
    /// - Parameter search: only those whose name contains this text; `nil` for all.
    package func list(portfolioID: String? = nil, search: String? = nil) -> Pages<Wire.Property> {
        Pages(
            client: client,
            request: .get("properties", query: [("portfolioId", portfolioID), ("q", search), ("sortBy", "name")]))
    }

    /// Fetches a property.
    package func property(_ id: String) async throws -> Response<Wire.PropertyAnswer> {
        try await client.send(.get("properties", id))
    }

    /// Creates a property in a portfolio.
    package func create(_ property: Wire.NewProperty) async throws -> Response<Wire.PropertyAnswer> {
        try await client.send(.post("properties", body: property))
    }

    /// Changes the name of a property.
    package func rename(_ id: String, to name: String) async throws -> Response<Wire.PropertyAnswer> {
        try await client.send(.put("properties", id, body: ["name": name]))
    }

    /// The deletion of a property.
    package func deletion(of id: String) -> Deletion { Deletion(client: client, path: ["properties", id]) }

    /// Starts a lockdown, and locks the property's locks. The lockdown is in force even if not every lock could be locked. If the
    /// connection breaks, the request is repeated with the same idempotency key.
    package func startLockdown(of id: String, reason: String? = nil) async throws -> Response<Wire.LockdownAnswer> {
        try await client.send(.post("properties", id, "lockdown", body: ["reason": reason].compactMapValues(\.self)))
    }

    /// Ends a lockdown. No lock moves.
    package func liftLockdown(of id: String) async throws -> Response<Wire.PropertyAnswer> {
        try await client.send(APIRequest(.DELETE, "properties", id, "lockdown"))
    }
}

/// Flats, offices and other parts of a property.
package struct Units: Sendable {
    let client: DoorwardClient

    /// Lists the units visible to the caller, of one property or of all, by name.
    ///
    /// - Parameter search: only those whose name contains this text; `nil` for all.
    package func list(propertyID: String? = nil, search: String? = nil) -> Pages<Wire.Unit> {
        Pages(
            client: client, request: .get("units", query: [("propertyId", propertyID), ("q", search), ("sortBy", "name")]))
    }

    /// Fetches a unit.
    package func unit(_ id: String) async throws -> Response<Wire.UnitAnswer> { try await client.send(.get("units", id)) }

    /// Creates a unit in a property.
    package func create(_ unit: Wire.NewUnit) async throws -> Response<Wire.UnitAnswer> {
        try await client.send(.post("units", body: unit))
    }

    /// Changes the name of a unit.
    package func rename(_ id: String, to name: String) async throws -> Response<Wire.UnitAnswer> {
        try await client.send(.put("units", id, body: ["name": name]))
    }

    /// The deletion of a unit.
    package func deletion(of id: String) -> Deletion { Deletion(client: client, path: ["units", id]) }
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
