extension Wire {
    /// The body of `POST /devices`.
    package struct NewDevice: Encodable, Sendable {
        /// 1 to 200 characters.
        package var name: String
        /// A kind of adapter that the gateway has, such as `simulator`.
        package var adapter: String
        /// What the adapter asks for; it checks it.
        package var address: [String: Value]
        /// The property that the lock comes to.
        package var propertyId: String
        /// `nil` for a lock of the property itself.
        package var unitId: String?
        /// Who made it; `nil` where nobody said.
        package var manufacturer: String?
        /// The maker's name for it; `nil` where nobody said.
        package var model: String?

        package init(name: String, adapter: String, address: [String: Value], propertyId: String, unitId: String?) {
            (self.name, self.adapter, self.address) = (name, adapter, address)
            (self.propertyId, self.unitId) = (propertyId, unitId)
        }
    }
}
