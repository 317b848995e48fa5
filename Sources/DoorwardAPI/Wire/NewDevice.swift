extension Wire {
    /// The body of `POST /devices`.
    package struct NewDevice: Encodable, Sendable {
        /// The name, of 1 to 200 characters.
        package var name: String
        /// The kind of one of the gateway's adapters, such as `simulator`.
        package var adapter: String
        /// The address, in the form that the adapter requires and checks.
        package var address: [String: Value]
        /// The property to which the lock is attached.
        package var propertyId: String
        /// The unit to which the lock is attached; `nil` for a lock of the property itself.
        package var unitId: String?
        /// The manufacturer; `nil` if it is unknown.
        package var manufacturer: String?
        /// The manufacturer's model name; `nil` if it is unknown.
        package var model: String?

        package init(name: String, adapter: String, address: [String: Value], propertyId: String, unitId: String?) {
            (self.name, self.adapter, self.address) = (name, adapter, address)
            (self.propertyId, self.unitId) = (propertyId, unitId)
        }
    }
}
