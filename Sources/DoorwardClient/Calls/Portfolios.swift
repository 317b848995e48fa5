package import DoorwardAPI

/// Portfolios: the properties of one owner or company.
package struct Portfolios: Sendable {
    let client: DoorwardClient

    /// Lists the portfolios visible to the caller, by name.
    package func list() -> Pages<Wire.PortfolioPage> {
        Pages(client: client, call: .get("portfolios", query: [("sortBy", "name")]))
    }
}
