package import DoorwardAPI

/// Buildings and sites.
package struct Properties: Sendable {
    let client: DoorwardClient

    /// All in the caller's reach, in the order of their names.
    package func list() -> Pages<Wire.PropertyPage> {
        Pages(client: client, call: .get("properties", query: [("sortBy", "name")]))
    }
}
