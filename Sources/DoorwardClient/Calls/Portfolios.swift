package import DoorwardAPI

/// What belongs to one owner or one company.
package struct Portfolios: Sendable {
    let client: DoorwardClient

    /// All in the caller's reach, in the order of their names.
    package func list() -> Pages<Wire.PortfolioPage> {
        Pages(client: client, call: .get("portfolios", query: [("sortBy", "name")]))
    }
}
