/// A building or site of a portfolio.
package struct Property: Hashable, Sendable {
    /// The id by which roles, units, devices and records refer to the property.
    package let id: PropertyID
    /// The display name, also visible to guests; not unique.
    package var name: String
    /// The portfolio it belongs to; never changes.
    package let portfolioID: PortfolioID
    /// `nil` if not given.
    package var address: PostalAddress?
    /// A validated IANA time zone name; the zone of schedules that specify none.
    package var defaultTimeZone: String?
    /// When it was created, by the gateway's clock.
    package let createdAt: Timestamp
    /// When the property itself was last changed; changes of its units, devices or people do not count.
    package var updatedAt: Timestamp

    package init(
        id: PropertyID, name: String, portfolioID: PortfolioID, address: PostalAddress? = nil, defaultTimeZone: String? = nil,
        createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.name, self.portfolioID, self.address) = (id, name, portfolioID, address)
        (self.defaultTimeZone, self.createdAt, self.updatedAt) = (defaultTimeZone, createdAt, updatedAt)
    }
}

/// The address of a property, as entered by its people.
package struct PostalAddress: Hashable, Codable, Sendable {
    /// Street and house number; `nil` if not given, as any field of the address can be.
    package var street: String?
    /// The town or village.
    package var city: String?
    /// The state or province, if the country has one.
    package var state: String?
    /// In the country's own format; not validated.
    package var postalCode: String?
    /// Free text, not a country code.
    package var country: String?

    package init(
        street: String? = nil, city: String? = nil, state: String? = nil, postalCode: String? = nil, country: String? = nil
    ) {
        (self.street, self.city, self.state) = (street, city, state)
        (self.postalCode, self.country) = (postalCode, country)
    }
}
