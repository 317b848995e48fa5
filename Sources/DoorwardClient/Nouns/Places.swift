extension Doorward {
    /// The properties and locks of one owner or company.
    public struct Portfolio: ListedNoun {
        /// The type in the stream.
        public static let streamType = StreamType.portfolio
        /// The key of a list in a response.
        public static let listKey = "portfolios"

        /// The id, an opaque text.
        public var id: String
        /// The name, as entered by users.
        public var name: String
        /// The users who hold OWNER or PORTFOLIO_ADMIN.
        public var administratorUserIds: [String]?
        /// The properties of the portfolio.
        public var propertyIds: [String]?
        /// When the portfolio was created.
        public var createdAt: Instant?
        /// When the portfolio was last changed.
        public var updatedAt: Instant?
        /// The level at which the reader sees the portfolio.
        public var viewLevel: ViewLevel?

        /// Creates a portfolio with an id and a name, for tests and previews; all other members are `nil`.
        public init(id: String, name: String) { (self.id, self.name) = (id, name) }
    }

    /// A building or a site.
    public struct Property: ListedNoun {
        /// The type in the stream.
        public static let streamType = StreamType.property
        /// The key of a list in a response.
        public static let listKey = "properties"

        /// The id, an opaque text.
        public var id: String
        /// The name, as entered by users.
        public var name: String
        /// The portfolio that contains the property.
        public var portfolioId: String?
        /// The postal address.
        public var address: PostalAddress?
        /// The users who hold PROPERTY_MANAGER.
        public var managerUserIds: [String]?
        /// The units of the property.
        public var unitIds: [String]?
        /// The default time zone, an IANA name.
        public var defaultTimeZone: String?
        /// The lockdown; members that the reader may not see are `nil`.
        public var lockdown: Lockdown?
        /// When the property was created.
        public var createdAt: Instant?
        /// When the property was last changed.
        public var updatedAt: Instant?
        /// The level at which the reader sees the property.
        public var viewLevel: ViewLevel?

        /// Creates a property with an id and a name, for tests and previews; all other members are `nil`.
        public init(id: String, name: String) { (self.id, self.name) = (id, name) }

        /// The lockdown of a property. While it is active, the locks can be locked, but not opened.
        public struct Lockdown: Codable, Hashable, Sendable {
            /// Whether the lockdown is active.
            public var active: Bool
            /// When the lockdown was started.
            public var since: Instant?
            /// The user who started it.
            public var byUserId: String?
            /// The stated reason.
            public var reason: String?

            /// Creates a lockdown of which only this is visible.
            public init(active: Bool) { self.active = active }
        }

        /// The postal address of a property, with each field as entered.
        public struct PostalAddress: Codable, Hashable, Sendable {
            /// Street and number.
            public var street: String?
            /// Town or city.
            public var city: String?
            /// State or region.
            public var state: String?
            /// The postal code.
            public var postalCode: String?
            /// The country as entered.
            public var country: String?

            /// Creates an empty address.
            public init() {}
        }
    }

    /// A flat, an office or another part of a property, with its own tenants.
    public struct Unit: ListedNoun {
        /// The type in the stream.
        public static let streamType = StreamType.unit
        /// The key of a list in a response.
        public static let listKey = "units"

        /// The id, an opaque text.
        public var id: String
        /// The name, as entered by users.
        public var name: String
        /// The property that contains the unit.
        public var propertyId: String?
        /// The portfolio of that property.
        public var portfolioId: String?
        /// The users who hold TENANT.
        public var tenantUserIds: [String]?
        /// The locks that are attached to the unit.
        public var deviceIds: [String]?
        /// The common areas: locks of the property that the unit's tenants may also operate.
        public var commonAreaAccessIds: [String]?
        /// When the unit was created.
        public var createdAt: Instant?
        /// When the unit was last changed.
        public var updatedAt: Instant?
        /// The level at which the reader sees the unit.
        public var viewLevel: ViewLevel?

        /// Creates a unit with an id and a name, for tests and previews; all other members are `nil`.
        public init(id: String, name: String) { (self.id, self.name) = (id, name) }
    }

    /// The tier, modules and limits of a portfolio, and what is used of the limits.
    public struct Subscription: Codable, Hashable, Sendable {
        /// The name of the tier, an open text: a tier that this library does not know behaves as its modules and limits say.
        public var tier: String
        /// Whether each module is on, by its name.
        public var modules: [String: Bool]
        /// The limits by their names; a limit that is absent does not apply.
        public var limits: [String: Int]
        /// The number of `properties`, `units`, `devices` and `activeGuestAccess`.
        public var usage: [String: Int]

        public init(tier: String, modules: [String: Bool], limits: [String: Int] = [:], usage: [String: Int] = [:]) {
            (self.tier, self.modules, self.limits, self.usage) = (tier, modules, limits, usage)
        }
    }
}

extension Doorward.Portfolio: LeveledNoun {
    public static let levels: [(Doorward.ViewLevel, String)] = [
        (.publicLevel, "id name"), (.management, "administratorUserIds propertyIds createdAt updatedAt"),
    ]
}

extension Doorward.Property: LeveledNoun {
    public static let levels: [(Doorward.ViewLevel, String)] = [
        (.publicLevel, "id name defaultTimeZone address lockdown.active"), (.resident, "createdAt updatedAt portfolioId"),
        (.operations, "unitIds"), (.management, "managerUserIds lockdown"),
    ]
}

extension Doorward.Unit: LeveledNoun {
    public static let levels: [(Doorward.ViewLevel, String)] = [
        (.publicLevel, "id name propertyId"), (.resident, "portfolioId deviceIds commonAreaAccessIds createdAt updatedAt"),
        (.management, "tenantUserIds"),
    ]
}
