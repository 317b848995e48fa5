extension Wire {
    /// A building or a site.
    package struct Property: Decodable, Equatable, Sendable {
        /// Opaque, as every id.
        package var id: String
        /// Given by people; need not be the only one.
        package var name: String
        /// The portfolio that it belongs to.
        package var portfolioId: String?
        /// `nil` where none was given.
        package var address: PostalAddress?
        /// Those who hold PROPERTY_MANAGER on it.
        package var managerUserIds: [String]?
        /// In the order of their ids.
        package var unitIds: [String]?
        /// IANA name; `nil` where none was given.
        package var defaultTimeZone: String?
        /// As far as the reader may know.
        package var lockdown: Lockdown?
        /// When it was made.
        package var createdAt: String?
        /// When it was changed last.
        package var updatedAt: String?

        /// Whether all its locks are shut to everybody.
        package struct Lockdown: Decodable, Equatable, Sendable {
            /// Whether it is in force.
            package var active: Bool
            /// Since when.
            package var since: String?
            /// Who ordered it.
            package var byUserId: String?
            /// What they stated.
            package var reason: String?
        }
    }

    /// Where a property is; each line as somebody typed it.
    package struct PostalAddress: Decodable, Equatable, Sendable {
        /// With the number.
        package var street: String?
        /// Town or city.
        package var city: String?
        /// State or region.
        package var state: String?
        /// As text: some begin with a zero.
        package var postalCode: String?
        /// As typed.
        package var country: String?
    }

    /// `data` of an answer about one property.
    package struct PropertyAnswer: Decodable, Sendable {
        /// As its reader may see it.
        package var property: Property
    }

    /// `data` of a page of properties.
    package struct PropertyPage: Decodable, Sendable {
        /// In the order that was asked for.
        package var properties: [Property]
        /// Where in the whole list the page lies.
        package var pagination: Pagination
    }
}
