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

extension Wire {
    /// A flat, an office or another space of a property, with its own tenants.
    package struct Unit: ListItem, Equatable, Sendable {
        /// The key of a list of these in a response.
        package static let listKey = "units"

        /// The id, an opaque text.
        package var id: String
        /// The name, as entered by users; it need not be unique.
        package var name: String
        /// The property that contains the unit.
        package var propertyId: String?
        /// The portfolio of that property.
        package var portfolioId: String?
        /// The users who hold TENANT on the unit.
        package var tenantUserIds: [String]?
        /// The locks that are attached to the unit.
        package var deviceIds: [String]?
        /// The common areas: locks of the property that the unit's tenants may also operate.
        package var commonAreaAccessIds: [String]?
        /// When the unit was created.
        package var createdAt: String?
        /// When the unit was last changed.
        package var updatedAt: String?
        /// The level at which the reader sees it: `PUBLIC RESIDENT OPERATIONS MANAGEMENT OWNER`.
        package var viewLevel: String?
    }

    /// `data` of a response about one unit.
    package struct UnitAnswer: Decodable, Sendable {
        /// The unit, with the fields that are visible to the reader.
        package var unit: Unit
    }
}

extension Wire {
    /// The modules and limits of a portfolio.
    package struct Subscription: Decodable, Equatable, Sendable {
        /// The name of the tier; an open string.
        package var tier: String
        /// Whether each module is on, by its name, such as `guestLinks`.
        package var modules: [String: Bool]
        /// The limits by their names, such as `maxUnits`; a limit that is absent does not apply.
        package var limits: [String: Int]
        /// The number of `properties`, `units`, `devices` and `activeGuestAccess`.
        package var usage: [String: Int]
    }

    /// `data` of a response about a subscription.
    package struct SubscriptionAnswer: Decodable, Sendable {
        /// The subscription.
        package var subscription: Subscription
    }

    /// How long the access log of a portfolio is kept.
    package struct Retention: Decodable, Equatable, Sendable {
        /// The number of days; `nil` for no limit.
        package var days: Int?
        /// Whether nothing may be removed.
        package var legalHold: Bool
    }

    /// `data` of a response about a retention.
    package struct RetentionAnswer: Decodable, Sendable {
        /// The retention.
        package var retention: Retention
    }
}

extension Wire {
    /// The body of `POST /portfolios`.
    package struct NewPortfolio: Encodable, Sendable {
        /// The name, of 1 to 200 characters.
        package var name: String
        /// The users who become owners.
        package var administratorUserIds: [String]

        package init(name: String, administratorUserIds: [String] = []) {
            (self.name, self.administratorUserIds) = (name, administratorUserIds)
        }
    }

    /// The body of `POST /properties`.
    package struct NewProperty: Encodable, Sendable {
        /// The name, of 1 to 200 characters.
        package var name: String
        /// The portfolio that will contain the property.
        package var portfolioId: String
        /// The default time zone, an IANA name; `nil` for none.
        package var defaultTimeZone: String?

        package init(name: String, portfolioId: String, defaultTimeZone: String? = nil) {
            (self.name, self.portfolioId, self.defaultTimeZone) = (name, portfolioId, defaultTimeZone)
        }
    }

    /// The body of `POST /units`.
    package struct NewUnit: Encodable, Sendable {
        /// The name, of 1 to 200 characters.
        package var name: String
        /// The property that will contain the unit.
        package var propertyId: String

        package init(name: String, propertyId: String) { (self.name, self.propertyId) = (name, propertyId) }
    }

    /// The body of `POST /users`.
    package struct NewUser: Encodable, Sendable {
        /// The email address for signing in.
        package var email: String
        /// The first name.
        package var firstName: String
        /// The last name.
        package var lastName: String

        package init(email: String, firstName: String, lastName: String) {
            (self.email, self.firstName, self.lastName) = (email, firstName, lastName)
        }
    }

    /// The body of `POST /api-keys`.
    package struct NewAPIKey: Encodable, Sendable {
        /// Describes the program that will use the key.
        package var name: String
        /// `PORTFOLIO`, `PROPERTY` or `UNIT`.
        package var entityType: String
        /// The entity that the role applies to.
        package var entityId: String
        /// The role that limits the key's rights, such as `AUDITOR`.
        package var role: String
        /// The expiry in RFC 3339, at most a year from now.
        package var expiresAt: String

        package init(name: String, entityType: String, entityId: String, role: String, expiresAt: String) {
            (self.name, self.entityType, self.entityId) = (name, entityType, entityId)
            (self.role, self.expiresAt) = (role, expiresAt)
        }
    }

    /// The body of `PUT /portfolios/:id/subscription`. Values that it does not name stay unchanged, or become those of the new
    /// tier.
    package struct SubscriptionChange: Encodable, Sendable {
        /// The tier; `nil` keeps it.
        package var tier: String?
        /// Modules to switch on or off, by name; `nil` for none.
        package var modules: [String: Bool]?
        /// Limits by name, `.null` for no limit; `nil` for no change.
        package var limits: [String: Value]?

        package init(tier: String? = nil, modules: [String: Bool]? = nil, limits: [String: Value]? = nil) {
            (self.tier, self.modules, self.limits) = (tier, modules, limits)
        }
    }

    /// `data` of the response to the creation of a user without a password.
    package struct InvitedUserAnswer: Decodable, Sendable {
        /// The user, who cannot sign in yet.
        package var user: User
        /// The invitation to set the first password, to be handed over.
        package var invitation: Invitation
    }
}
