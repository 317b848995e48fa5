extension Doorward {
    /// The body of `POST /devices`.
    package struct NewDevice: Encodable, Sendable {
        /// The name, of 1 to 200 characters.
        package var name: String
        /// The kind of one of the gateway's adapters, such as `simulator`.
        package var adapter: String
        /// The address, in the form that the adapter requires and checks.
        package var address: [String: JSONValue]
        /// The property to which the lock is attached.
        package var propertyId: String
        /// The unit to which the lock is attached; `nil` for a lock of the property itself.
        package var unitId: String?
        /// The manufacturer; `nil` if it is unknown.
        package var manufacturer: String?
        /// The manufacturer's model name; `nil` if it is unknown.
        package var model: String?

        package init(name: String, adapter: String, address: [String: JSONValue], propertyId: String, unitId: String?) {
            (self.name, self.adapter, self.address) = (name, adapter, address)
            (self.propertyId, self.unitId) = (propertyId, unitId)
        }
    }

    /// The body of a command.
    package struct CommandParameters: Encodable, Sendable {
        /// A reason for the log.
        package var reason: String?
        /// The override of a lockdown, for callers who may override it.
        package var override: Override?
        /// The timeout of the command in milliseconds; `nil` for the gateway's own timeout.
        package var timeoutMs: Int?

        /// Creates a body. Without arguments, the command has no reason and the gateway's own timeout.
        package init(reason: String? = nil, override: String? = nil, timeoutMs: Int? = nil) {
            (self.reason, self.timeoutMs) = (reason, timeoutMs)
            self.override = override.map { Override(reason: $0) }
        }
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
        package var schedule: GuestAccess.Schedule?
        /// The number of commands that open a lock; `nil` for any number.
        package var maxUses: Int?

        package init(
            guestUserId: String?, guestEmail: String? = nil, label: String?, deviceIds: [String], operations: [String],
            validFrom: String, validUntil: String, timeZone: String? = nil, schedule: GuestAccess.Schedule? = nil,
            maxUses: Int? = nil
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
        package var schedule: GuestAccess.Schedule??
        /// The number of commands that open a lock, including past ones; `.some(nil)` removes the limit.
        package var maxUses: Int??

        package init() {}
    }
}
