/// A building or site of a portfolio.
package struct Property: Hashable, Sendable {
    /// The id by which roles, units, devices and records refer to the property.
    package let id: PropertyID
    /// The display name, also visible to guests; not unique.
    package var name: String
    /// The portfolio that contains the property. It never changes.
    package let portfolioID: PortfolioID
    /// The postal address; `nil` if not given.
    package var address: PostalAddress?
    /// The default time zone of schedules: a validated IANA name.
    package var defaultTimeZone: String?
    /// The active lockdown; `nil` if there is none.
    package var lockdown: Lockdown?
    /// When the property was created, by the gateway's clock.
    package let createdAt: Timestamp
    /// When the property's own fields were last changed, not its units, devices or roles.
    package var updatedAt: Timestamp

    package init(
        id: PropertyID, name: String, portfolioID: PortfolioID, address: PostalAddress? = nil, defaultTimeZone: String? = nil,
        lockdown: Lockdown? = nil, createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.name, self.portfolioID, self.address) = (id, name, portfolioID, address)
        (self.defaultTimeZone, self.lockdown) = (defaultTimeZone, lockdown)
        (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
    }
}

/// The postal address of a property, as users entered it.
package struct PostalAddress: Hashable, Codable, Sendable {
    /// Street and house number. Like every field of the address, `nil` if not given.
    package var street: String?
    /// The town or village.
    package var city: String?
    /// The state or province, if the country has one.
    package var state: String?
    /// The postal code, in the country's own format. It is not validated.
    package var postalCode: String?
    /// The country, as free text and not as a code.
    package var country: String?

    package init(
        street: String? = nil, city: String? = nil, state: String? = nil, postalCode: String? = nil, country: String? = nil
    ) {
        (self.street, self.city, self.state) = (street, city, state)
        (self.postalCode, self.country) = (postalCode, country)
    }
}
