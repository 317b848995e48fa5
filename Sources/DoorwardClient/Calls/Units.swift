package import DoorwardAPI

/// Flats, offices, parts of a property.
package struct Units: Sendable {
    let client: DoorwardClient

    package func list(propertyID: String? = nil) -> Pages<Wire.UnitPage> {
        Pages(client: client, call: .get("units", query: [("propertyId", propertyID), ("sortBy", "name")]))
    }
}
