package import DoorwardAPI

/// Flats, offices, parts of a property.
package struct Units: Sendable {
    let client: DoorwardClient

    /// All in the caller's reach, of one property or of all, in the order of their names.
    package func list(propertyID: String? = nil) -> Pages<Wire.UnitPage> {
        Pages(client: client, call: .get("units", query: [("propertyId", propertyID), ("sortBy", "name")]))
    }
}
