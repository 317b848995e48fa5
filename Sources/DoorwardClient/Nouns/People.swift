extension Doorward {
    /// A user. What a reader sees of other users depends on the reader's roles.
    public struct User: Codable, NamedNoun, Equatable, Identifiable, Sendable {
        /// The key of a list in a response.
        public static let listKey = "users"
        /// The key of one user in a response.
        public static let objectKey = "user"

        /// The id, an opaque text.
        public var id: String
        /// The first name.
        public var firstName: String?
        /// The last name.
        public var lastName: String?
        /// The email address for signing in.
        public var email: String?
        /// Whether the user is enabled.
        public var isEnabled: Bool?
        /// Whether the user administers the gateway.
        public var isSuperAdmin: Bool?
        /// The role associations that the reader may see.
        public var roleAssociations: [RoleAssociation]?
        /// The guest accesses that the user holds, including ended ones; visible to the user.
        public var guestAccesses: [GuestAccess]?
        /// The portfolio that clients show the user first.
        public var defaultPortfolioId: String?
        /// The property that clients show the user first.
        public var defaultPropertyId: String?
        /// The unit that clients show the user first.
        public var defaultUnitId: String?
        /// Whether the user has the compliance pack.
        public var hasCompliancePack: Bool?
        /// When the user was created.
        public var createdAt: Instant?
        /// When the user was last changed.
        public var updatedAt: Instant?
        /// The level at which the reader sees the user.
        public var viewLevel: ViewLevel?

        /// Creates a user, for tests and previews; all other members are `nil`.
        public init(id: String) { self.id = id }

        /// The first and last name, if the reader may see them; `nil` if the reader may see neither.
        public var fullName: String? {
            let parts = [firstName, lastName].compactMap(\.self).filter { !$0.isEmpty }
            return parts.isEmpty ? nil : parts.joined(separator: " ")
        }
    }

    /// The role of a user on a portfolio, a property or a unit.
    public struct RoleAssociation: Codable, Hashable, Identifiable, Sendable {
        /// The id by which a rule refers to the association.
        public var id: String
        /// The user who holds the role.
        public var userId: String
        /// The type of the entity on which the role is held.
        public var associatedEntityType: EntityType
        /// The id of the entity on which the role is held.
        public var associatedEntityId: String
        /// The role.
        public var roleWithinEntity: Role
        /// When the role was assigned.
        public var createdAt: Instant
        /// Equal to `createdAt`: an association is created and deleted, but never changed.
        public var updatedAt: Instant

        public init(
            id: String, userId: String, associatedEntityType: EntityType, associatedEntityId: String, roleWithinEntity: Role,
            createdAt: Instant, updatedAt: Instant
        ) {
            (self.id, self.userId, self.associatedEntityType) = (id, userId, associatedEntityType)
            (self.associatedEntityId, self.roleWithinEntity) = (associatedEntityId, roleWithinEntity)
            (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
        }
    }

    /// The type of an entity on which a role is held.
    public struct EntityType: OpenValue {
        /// The text in the API.
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A portfolio.
        public static let portfolio = Self(rawValue: "PORTFOLIO")
        /// A property.
        public static let property = Self(rawValue: "PROPERTY")
        /// A unit.
        public static let unit = Self(rawValue: "UNIT")
        /// The values that this library knows.
        public static let known = [portfolio, property, unit]
    }

    /// A guest's right to operations on locks, within a time window.
    public struct GuestAccess: ListedNoun {
        /// The type in the stream.
        public static let streamType = StreamType.guestAccess
        /// The key of a list in a response.
        public static let listKey = "guestAccesses"
        /// The path of the list.
        public static let listPath = "guest-access"
        /// The start of the window.
        public static let listOrder = "validFrom"

        /// The id.
        public var id: String
        /// The user who is the guest; `nil` for a guest who has only a label.
        public var guestUserId: String?
        /// The guest by name; `nil` for a guest who has only a label.
        public var guest: Guest?
        /// A note about the guest.
        public var label: String?
        /// The property of all locks of the access.
        public var propertyId: String?
        /// The unit under which the access was granted.
        public var unitId: String?
        /// The locks of the access.
        public var deviceIds: [String]?
        /// The granted operations.
        public var operations: [Action]?
        /// The start of the window, inclusive.
        public var validFrom: Instant?
        /// The end of the window, exclusive.
        public var validUntil: Instant?
        /// How local times of the requests became the window.
        public var resolution: WindowResolution?
        /// The recurring hours; `nil` for the whole window.
        public var schedule: Schedule?
        /// The maximum number of uses; `nil` if there is none.
        public var maxUses: Int?
        /// The number of remaining uses; `nil` if there is no maximum.
        public var usesLeft: Int?
        /// The user who granted the access.
        public var grantedByUserId: String?
        /// The role association under which the access was granted.
        public var grantedUnderAssociationId: String?
        /// When the access was revoked; `nil` if it was not.
        public var revokedAt: Instant?
        /// When the access was granted.
        public var createdAt: Instant?
        /// The level at which the reader sees the access.
        public var viewLevel: ViewLevel?

        /// Creates a guest access, for tests and previews; all other members are `nil`.
        public init(id: String) { self.id = id }

        /// The person who is the guest.
        public struct Guest: Codable, Hashable, Sendable {
            /// The user's id.
            public var id: String
            /// The first and the last name.
            public var name: String
            /// The address; `nil` below `MANAGEMENT`.
            public var email: String?
        }

        /// The zone of a window, and whether a change of the clock decided its start or end: `none`, `gap` or `overlap`.
        public struct WindowResolution: Codable, Hashable, Sendable {
            /// The zone of the request, else that of the property.
            public var timeZone: String?
            /// What decided the start.
            public var validFrom: String?
            /// What decided the end.
            public var validUntil: String?
        }

        /// Recurring hours that narrow the window.
        public struct Schedule: Codable, Hashable, Sendable {
            /// The IANA name of the zone; `nil` for the zone of the property.
            public var timeZone: String?
            /// The hours of ordinary days.
            public var periods: [Period]
            /// Dates on which other hours replace the periods.
            public var specialDays: [SpecialDay]?
            /// What a special day replaces of a period that runs over midnight: `instant` or `start`.
            public var specialDayCut: String?

            package init(
                timeZone: String? = nil, periods: [Period], specialDays: [SpecialDay]? = nil, specialDayCut: String? = nil
            ) {
                (self.timeZone, self.periods) = (timeZone, periods)
                (self.specialDays, self.specialDayCut) = (specialDays, specialDayCut)
            }
        }

        /// Hours on some days of the week.
        public struct Period: Codable, Hashable, Sendable {
            /// The days on which the hours begin, of `MON` to `SUN`.
            public var days: [String]
            /// The beginning, as in `09:00`.
            public var from: String
            /// The end, on the next day if it is not later than `from`; `24:00` is midnight.
            public var until: String

            package init(days: [String], from: String, until: String) { (self.days, self.from, self.until) = (days, from, until) }
        }

        /// A date with hours of its own.
        public struct SpecialDay: Codable, Hashable, Sendable {
            /// `YYYY-MM-DD` in the zone of the schedule.
            public var date: String
            /// The hours that begin on this date; none if it is closed.
            public var periods: [Hours]

            package init(date: String, periods: [Hours]) { (self.date, self.periods) = (date, periods) }
        }

        /// Hours of a special day.
        public struct Hours: Codable, Hashable, Sendable {
            /// The beginning, as in `09:00`.
            public var from: String
            /// The end, on the next day if it is not later than `from`.
            public var until: String

            package init(from: String, until: String) { (self.from, self.until) = (from, until) }
        }
    }
}
