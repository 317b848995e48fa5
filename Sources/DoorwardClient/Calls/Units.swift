package import DoorwardAPI

/// Flats, offices and other parts of a property.
package struct Units: Sendable {
    let client: DoorwardClient

    /// Lists the units visible to the caller, of one property or of all, by name.
    package func list(propertyID: String? = nil) -> Pages<Wire.UnitPage> {
        Pages(client: client, call: .get("units", query: [("propertyId", propertyID), ("sortBy", "name")]))
    }
}
