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
