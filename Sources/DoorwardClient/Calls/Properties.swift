package import DoorwardAPI

/// Buildings and sites.
package struct Properties: Sendable {
    let client: DoorwardClient

    /// Lists the properties visible to the caller, by name.
    package func list() -> Pages<Wire.PropertyPage> {
        Pages(client: client, call: .get("properties", query: [("sortBy", "name")]))
    }
}
