extension Wire {
    /// A building or a site.
    package struct Property: ListItem, Equatable, Sendable {
        /// The key of a list of these in a response.
        package static let listKey = "properties"

        /// The id, an opaque text.
        package var id: String
        /// The name, as entered by users; it need not be unique.
        package var name: String
        /// The portfolio that contains the property.
        package var portfolioId: String?
        /// The postal address; `nil` if none was given.
        package var address: PostalAddress?
        /// The users who hold PROPERTY_MANAGER on the property.
        package var managerUserIds: [String]?
        /// The units of the property, in ascending order of ids.
        package var unitIds: [String]?
        /// The default time zone, an IANA name; `nil` if none was given.
        package var defaultTimeZone: String?
        /// The lockdown; members that the reader may not see are `nil`.
        package var lockdown: Lockdown?
        /// When the property was created.
        package var createdAt: String?
        /// When the property was last changed.
        package var updatedAt: String?
        /// The level at which the reader sees it: `PUBLIC RESIDENT OPERATIONS MANAGEMENT OWNER`.
        package var viewLevel: String?

        /// The lockdown of a property. While it is active, the locks can be locked, but not opened.
        package struct Lockdown: Decodable, Equatable, Sendable {
            /// Whether the lockdown is active.
            package var active: Bool
            /// When the lockdown was started.
            package var since: String?
            /// The user who started the lockdown.
            package var byUserId: String?
            /// The stated reason.
            package var reason: String?
        }
    }

    /// The postal address of a property, with each field as entered.
    package struct PostalAddress: Decodable, Equatable, Sendable {
        /// Street and number.
        package var street: String?
        /// Town or city.
        package var city: String?
        /// State or region.
        package var state: String?
        /// The postal code. It is a string, because some postal codes begin with a zero.
        package var postalCode: String?
        /// The country as entered.
        package var country: String?
    }

    /// `data` of a response about one property.
    package struct PropertyAnswer: Decodable, Sendable {
        /// The property, with the fields that are visible to the reader.
        package var property: Property
    }
}
