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

    /// The body of `POST /guest-access` and of `PUT /guest-access/:id`. Fields that are `nil` are left out: a change keeps them as they
    /// are. The access has a single window, `[validFrom, validUntil)`.
    package struct GuestAccessFields: Encodable, Equatable, Sendable {
        /// For a new access: the id of the guest; `nil` if the guest is named by `guestEmail` or has only a label.
        package var guestUserId: String?
        /// For a new access: the complete email address of the guest, as an alternative to `guestUserId`.
        package var guestEmail: String?
        /// The name of a guest without a user, or a note about a user.
        package var label: String?
        /// All locks of the access. The caller must hold GRANT_ACCESS on each of them.
        package var deviceIds: [String]?
        /// All operations of the guest, of `LOCK UNLOCK UNLATCH VIEW_STATUS`. The caller must hold each of them.
        package var operations: [String]?
        /// The start of the window in RFC 3339, inclusive. Without an offset it is a local time in `timeZone`.
        package var validFrom: String?
        /// The end of the window in RFC 3339, exclusive. Without an offset it is a local time in `timeZone`.
        package var validUntil: String?
        /// The IANA name of the zone of local times; `nil` if there are none.
        package var timeZone: String?
        /// The recurring hours; `.some(nil)` removes them.
        package var schedule: GuestAccess.Schedule??
        /// The number of commands that open a lock, including past ones; `.some(nil)` removes the limit.
        package var maxUses: Int??

        package init() {}
    }
}
