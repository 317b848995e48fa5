package import DoorwardAPI

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
