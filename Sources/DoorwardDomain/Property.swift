/// A building or site of a portfolio.
package struct Property: Hashable, Sendable {
    /// Roles, units, devices and records refer to the property by it.
    package let id: PropertyID
    /// As its people write it; not unique. Guests see it too.
    package var name: String
    /// For good: a property does not move.
    package let portfolioID: PortfolioID
    /// `nil` when nobody has given one.
    package var address: PostalAddress?
    /// An IANA name, checked; the zone of schedules that name none.
    package var defaultTimeZone: String?
    /// By the gateway's clock.
    package let createdAt: Timestamp
    /// The last change of the property itself, not of its units, devices or people.
    package var updatedAt: Timestamp

    package init(
        id: PropertyID, name: String, portfolioID: PortfolioID, address: PostalAddress? = nil, defaultTimeZone: String? = nil,
        createdAt: Timestamp, updatedAt: Timestamp
    ) {
        (self.id, self.name, self.portfolioID, self.address) = (id, name, portfolioID, address)
        (self.defaultTimeZone, self.createdAt, self.updatedAt) = (defaultTimeZone, createdAt, updatedAt)
    }
}

/// Where a property stands, as its people write it.
package struct PostalAddress: Hashable, Codable, Sendable {
    /// With the number of the house; `nil` when not given, as for every part of it.
    package var street: String?
    /// The town or village.
    package var city: String?
    /// The state or province of the address, where there is one.
    package var state: String?
    /// In whatever form the country has; not checked.
    package var postalCode: String?
    /// Free text; no code is asked for.
    package var country: String?

    package init(
        street: String? = nil, city: String? = nil, state: String? = nil, postalCode: String? = nil, country: String? = nil
    ) {
        (self.street, self.city, self.state) = (street, city, state)
        (self.postalCode, self.country) = (postalCode, country)
    }
}
