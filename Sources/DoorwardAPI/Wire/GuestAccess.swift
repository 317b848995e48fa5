extension Wire {
    /// A guest's right to operations on locks, within a time window.
    package struct GuestAccess: ListItem, Equatable, Sendable {
        /// The key of a list of these in a response.
        package static let listKey = "guestAccesses"

        /// The id in `DELETE /guest-access/:id`.
        package var id: String
        /// The user who is the guest; `nil` for a guest who has only a label.
        package var guestUserId: String?
        /// The guest by name, for whoever may manage the access; `nil` for a guest who has only a label.
        package var guest: Guest?
        /// A note about the guest. For a guest without a user, it is the only description.
        package var label: String?
        /// The property of all locks of the access.
        package var propertyId: String?
        /// The unit under which the access was granted, if there is one.
        package var unitId: String?
        /// The locks of the access. A lock that was moved or detached is no longer in the list.
        package var deviceIds: [String]?
        /// The operations, such as `LOCK` and `UNLOCK`.
        package var operations: [String]?
        /// The start of the window, inclusive.
        package var validFrom: String?
        /// The end of the window, exclusive.
        package var validUntil: String?
        /// How local times of the requests became the window.
        package var resolution: WindowResolution?
        /// The recurring hours of the access; `nil` for the whole window.
        package var schedule: Schedule?
        /// The maximum number of uses; `nil` if there is none.
        package var maxUses: Int?
        /// The number of remaining uses; `nil` if there is none.
        package var usesLeft: Int?
        /// The user who granted the access.
        package var grantedByUserId: String?
        /// The role association under which the access was granted.
        package var grantedUnderAssociationId: String?
        /// When the access was revoked; `nil` if it was not.
        package var revokedAt: String?
        /// When the access was granted.
        package var createdAt: String?
        /// The level at which the reader sees it: `PUBLIC RESIDENT OPERATIONS MANAGEMENT OWNER`.
        package var viewLevel: String?
    }

    /// The person who is the guest of a guest access.
    package struct Guest: Decodable, Equatable, Sendable {
        /// The user's id.
        package var id: String
        /// The first and the last name.
        package var name: String
        /// The address; `nil` below `MANAGEMENT`.
        package var email: String?
    }

    /// The zone of a window, and whether a change of the clock decided its start or end.
    package struct WindowResolution: Decodable, Equatable, Sendable {
        /// The zone of the request, else that of the property; `nil` without either.
        package var timeZone: String?
        /// `none`; `gap` if the clock skips the requested start, which is then the end of the gap; `overlap` if the clock shows it
        /// twice.
        package var validFrom: String?
        /// The same for the end of the window.
        package var validUntil: String?
    }

    /// Recurring hours that narrow the window of a guest access.
    package struct Schedule: Codable, Equatable, Sendable {
        /// The IANA name of the zone; `nil` for the zone of the property.
        package var timeZone: String?
        /// The hours of ordinary days.
        package var periods: [Period]
        /// Dates on which other hours replace the periods.
        package var specialDays: [SpecialDay]?
        /// `instant` or `start`: what a special day replaces of a period that runs over midnight.
        package var specialDayCut: String?

        package init(timeZone: String?, periods: [Period], specialDays: [SpecialDay]? = nil, specialDayCut: String? = nil) {
            (self.timeZone, self.periods) = (timeZone, periods)
            (self.specialDays, self.specialDayCut) = (specialDays, specialDayCut)
        }

        /// Hours on some days of the week.
        package struct Period: Codable, Equatable, Sendable {
            /// The days on which the hours begin, of `MON` to `SUN`.
            package var days: [String]
            /// The beginning, as in `09:00`.
            package var from: String
            /// The end, on the next day if it is not later than `from`; `24:00` is midnight.
            package var until: String

            package init(days: [String], from: String, until: String) { (self.days, self.from, self.until) = (days, from, until) }
        }

        /// A date with hours of its own.
        package struct SpecialDay: Codable, Equatable, Sendable {
            /// `YYYY-MM-DD` in the zone of the schedule.
            package var date: String
            /// The hours that begin on this date; none if it is closed.
            package var periods: [Hours]

            package init(date: String, periods: [Hours]) { (self.date, self.periods) = (date, periods) }
        }

        /// Hours of a special day; see `Period`.
        package struct Hours: Codable, Equatable, Sendable {
            /// The beginning, as in `09:00`.
            package var from: String
            /// The end; see `Period`.
            package var until: String

            package init(from: String, until: String) { (self.from, self.until) = (from, until) }
        }
    }

    /// `data` of a response about one guest access.
    package struct GuestAccessAnswer: Decodable, Sendable {
        /// The guest access, with the fields that are visible to the reader.
        package var guestAccess: GuestAccess
        /// After a change, a sentence if the link of the access has ended with it.
        package var warning: String?
    }

    /// A lock of a guest access.
    package struct NamedLock: Decodable, Equatable, Sendable {
        /// The id of the lock.
        package var id: String
        /// The name of the lock.
        package var name: String
    }

    /// `data` of a response about one guest access with the names of its locks.
    package struct GuestAccessLocks: Decodable, Sendable {
        /// The locks that the reader may know.
        package var devices: [NamedLock]
    }

    /// The body of `POST /guest-access`. The access has a single window, `[validFrom, validUntil)`.
    package struct NewGuestAccess: Encodable, Sendable {
        /// The id of the guest; `nil` if the guest is named by `guestEmail` or has only a label.
        package var guestUserId: String?
        /// The complete email address of the guest, as an alternative to `guestUserId`.
        package var guestEmail: String?
        /// The description of a guest without a user.
        package var label: String?
        /// The locks. The caller must hold GRANT_ACCESS on each of them.
        package var deviceIds: [String]
        /// The operations to grant, of `LOCK UNLOCK UNLATCH VIEW_STATUS`. The caller must hold each of them.
        package var operations: [String]
        /// The start of the window in RFC 3339, inclusive. Without an offset it is a local time in `timeZone`.
        package var validFrom: String
        /// The end of the window in RFC 3339, exclusive. Without an offset it is a local time in `timeZone`.
        package var validUntil: String
        /// The IANA name of the zone of local times; `nil` if there are none.
        package var timeZone: String?
        /// Recurring hours; `nil` for the whole window.
        package var schedule: Schedule?
        /// The number of commands that open a lock; `nil` for any number.
        package var maxUses: Int?

        package init(
            guestUserId: String?, guestEmail: String? = nil, label: String?, deviceIds: [String], operations: [String],
            validFrom: String, validUntil: String, timeZone: String? = nil, schedule: Schedule? = nil, maxUses: Int? = nil
        ) {
            (self.timeZone, self.schedule, self.maxUses) = (timeZone, schedule, maxUses)
            (self.guestUserId, self.guestEmail) = (guestUserId, guestEmail)
            (self.label, self.deviceIds) = (label, deviceIds)
            (self.operations, self.validFrom, self.validUntil) = (operations, validFrom, validUntil)
        }
    }

    /// The body of `PUT /guest-access/:id`; fields that are `nil` stay as they are.
    package struct GuestAccessChange: Encodable, Equatable, Sendable {
        /// The name of a guest without a user, or a note about a user.
        package var label: String?
        /// The start of the window; without an offset a local time in `timeZone`.
        package var validFrom: String?
        /// The end of the window; without an offset a local time in `timeZone`.
        package var validUntil: String?
        /// The IANA name of the zone of local times.
        package var timeZone: String?
        /// All operations that the guest then has.
        package var operations: [String]?
        /// All locks that the access then covers.
        package var deviceIds: [String]?
        /// The recurring hours; `.some(nil)` removes them.
        package var schedule: Schedule??
        /// The number of commands that open a lock, including past ones; `.some(nil)` removes the limit.
        package var maxUses: Int??

        package init() {}
    }
}
