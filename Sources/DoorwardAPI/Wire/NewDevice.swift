extension Wire {
    /// The body of `POST /devices`.
    package struct NewDevice: Encodable, Sendable {
        package var name: String
        package var adapter: String
        /// What the adapter asks for; it checks it.
        package var address: [String: Value]
        package var propertyId: String
        /// `nil` for a lock of the property itself.
        package var unitId: String?

        package init(name: String, adapter: String, address: [String: Value], propertyId: String, unitId: String?) {
            (self.name, self.adapter, self.address) = (name, adapter, address)
            (self.propertyId, self.unitId) = (propertyId, unitId)
        }
    }
}
