package import DoorwardAPI

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
