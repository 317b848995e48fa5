/// A building or site of a portfolio.
package struct Property: Hashable, Sendable {
    package let id: PropertyID
    package var name: String
    /// For good: a property does not move.
    package let portfolioID: PortfolioID
    /// `nil` when nobody has given one.
    package var address: PostalAddress?
    /// An IANA name, checked; the zone of schedules that name none.
    package var defaultTimeZone: String?
    package let createdAt: Timestamp
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
    package var street: String?
    package var city: String?
    /// The state or province of the address, where there is one.
    package var state: String?
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
