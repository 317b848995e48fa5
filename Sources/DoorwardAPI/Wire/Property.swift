extension Wire {
    /// A building or a site.
    package struct Property: Decodable, Equatable, Sendable {
        /// Opaque, as every id.
        package var id: String
        /// The name, given by people; need not be unique.
        package var name: String
        /// The portfolio that it belongs to.
        package var portfolioId: String?
        /// `nil` if none was given.
        package var address: PostalAddress?
        /// The users who hold PROPERTY_MANAGER on it.
        package var managerUserIds: [String]?
        /// The ids in ascending order.
        package var unitIds: [String]?
        /// An IANA name; `nil` if none was given.
        package var defaultTimeZone: String?
        /// The lockdown; members that the reader may not see are `nil`.
        package var lockdown: Lockdown?
        /// When it was created.
        package var createdAt: String?
        /// When it was last changed.
        package var updatedAt: String?

        /// The lockdown of a property. While it is active, the locks can be locked, but not opened.
        package struct Lockdown: Decodable, Equatable, Sendable {
            /// Whether it is active.
            package var active: Bool
            /// When it was started.
            package var since: String?
            /// The user who started it.
            package var byUserId: String?
            /// The stated reason.
            package var reason: String?
        }
    }

    /// The address of a property; each line as entered.
    package struct PostalAddress: Decodable, Equatable, Sendable {
        /// Street and number.
        package var street: String?
        /// Town or city.
        package var city: String?
        /// State or region.
        package var state: String?
        /// A string, as some postal codes begin with a zero.
        package var postalCode: String?
        /// The country as entered.
        package var country: String?
    }

    /// `data` of a response about one property.
    package struct PropertyAnswer: Decodable, Sendable {
        /// The property as its reader may see it.
        package var property: Property
    }

    /// `data` of a page of properties.
    package struct PropertyPage: Decodable, Sendable {
        /// The properties in the requested order.
        package var properties: [Property]
        /// The position of the page in the whole list.
        package var pagination: Pagination
    }
}
