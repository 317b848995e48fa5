package import DoorwardAPI
internal import NIOHTTP1

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
