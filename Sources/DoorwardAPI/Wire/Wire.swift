/// The responses of the HTTP API, as clients decode them.
///
/// A field that the reader may not see is absent, and a field without a value is `null`. Both are `nil` here. Unknown keys are
/// ignored, and the values of enumerations (states, roles, reasons) are strings, so that clients can decode responses of a newer
/// gateway. Instants are RFC 3339 texts in UTC with milliseconds.
package enum Wire {}

extension Wire {
    /// A problem with one field of a request, as listed in `details.fields` of `invalid_request`.
    package struct FieldProblem: Decodable, Equatable, Sendable {
        /// The field's path in the body or its name in the query, such as `address.broker`.
        package var field: String
        /// A value of `FieldProblemCode`, or a code that only this request reports.
        package var problem: String
    }
}

extension Wire {
    /// The rule on which a decision is based.
    package struct Rule: Decodable, Equatable, Sendable {
        /// `ASSOCIATION`, `GUEST_ACCESS` or `SUPER_ADMIN`.
        package var kind: String
        /// The id of the association or guest access; `nil` for a super admin.
        package var id: String?
        /// The role that the rule gives, such as `TENANT`.
        package var role: String?
    }
}

extension Wire {
    /// `data` of `GET /healthz`.
    package struct HealthAnswer: Decodable, Sendable {
        /// Always true: a process that is not alive does not respond.
        package var alive: Bool
    }

    /// `data` of `GET /readyz`; a gateway that is not ready responds with 503.
    package struct ReadinessAnswer: Decodable, Sendable {
        /// Always true.
        package var ready: Bool
    }
}

extension Wire {
    /// `data` of the start of a lockdown.
    package struct LockdownAnswer: Decodable, Sendable {
        /// The property, with its lockdown.
        package var property: Property
        /// One result for each device that was to be locked.
        package var results: [LockdownResult]
    }

    /// The LOCK of one device in a lockdown. Neither `command` nor `decision` has a value if the command was not begun yet.
    package struct LockdownResult: Decodable, Sendable {
        /// The device.
        package var deviceId: String
        /// The command, in its state at the time of the response.
        package var command: Command?
        /// The decision, if the command was denied.
        package var decision: Permission?
    }
}

extension Wire {
    /// A link that was just created. No other response contains its URL.
    package struct GuestLink: Decodable, Sendable {
        /// The URL of the guest's page, with the token.
        package var url: String
        /// When the link ends with its guest access.
        package var expiresAt: String
        /// A QR code of the URL as an SVG image; `nil` for a URL that is too long.
        package var qr: String?
        /// What a person should know before handing the link on, as sentences; `nil` if there is nothing.
        package var warning: String?
    }

    /// `data` of the response to `POST /guest-access/:id/link`.
    package struct GuestLinkAnswer: Decodable, Sendable {
        /// The link.
        package var link: GuestLink
    }
}

extension Wire {
    /// `data` of the responses to a sign-in and to a refresh of its tokens.
    package struct SignedIn: Decodable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The user who has signed in, with all fields.
        package var user: User
        /// The access token, which is sent as `Bearer`.
        package var token: String
        /// The lifetime of `token` in seconds.
        package var expiresIn: Int
        /// The refresh token, which is valid for one refresh. A second use ends the session.
        package var refreshToken: String

        /// A description without the tokens, so that printing the value does not reveal them.
        package var description: String { "the sign-in of \(user.id)" }
        /// The same text as `description`.
        package var debugDescription: String { description }
        /// The same text as `description`.
        package var customMirror: Mirror { Mirror(reflecting: description) }
    }
}

extension Wire {
    /// The body of `POST /devices`.
    package struct NewDevice: Encodable, Sendable {
        /// The name, of 1 to 200 characters.
        package var name: String
        /// The kind of one of the gateway's adapters, such as `simulator`.
        package var adapter: String
        /// The address, in the form that the adapter requires and checks.
        package var address: [String: Value]
        /// The property to which the lock is attached.
        package var propertyId: String
        /// The unit to which the lock is attached; `nil` for a lock of the property itself.
        package var unitId: String?
        /// The manufacturer; `nil` if it is unknown.
        package var manufacturer: String?
        /// The manufacturer's model name; `nil` if it is unknown.
        package var model: String?

        package init(name: String, adapter: String, address: [String: Value], propertyId: String, unitId: String?) {
            (self.name, self.adapter, self.address) = (name, adapter, address)
            (self.propertyId, self.unitId) = (propertyId, unitId)
        }
    }
}

extension Wire {
    /// The role of a user on a portfolio, a property or a unit.
    package struct RoleAssociation: Decodable, Equatable, Sendable {
        /// The id by which a rule refers to the association.
        package var id: String
        /// The user who holds the role.
        package var userId: String
        /// `PORTFOLIO`, `PROPERTY` or `UNIT`.
        package var associatedEntityType: String
        /// The id of the entity on which the role is held.
        package var associatedEntityId: String
        /// The role, such as `TENANT`.
        package var roleWithinEntity: String
        /// When the role was assigned.
        package var createdAt: String
        /// Equal to `createdAt`: an association is created and deleted, but never changed.
        package var updatedAt: String
    }

    /// `data` of the response to the assignment of a role.
    package struct RoleAssociationAnswer: Decodable, Sendable {
        /// The association, which is in force when the response is sent.
        package var roleAssociation: RoleAssociation
    }
}

extension Wire {
    /// One sign-in of the caller.
    package struct Session: Decodable, Equatable, Sendable {
        /// Opaque, as every id.
        package var id: String
        /// When the sign-in succeeded.
        package var createdAt: String
        /// When it expires, unless it is refreshed before.
        package var expiresAt: String
        /// Whether the request belongs to this session.
        package var isCurrent: Bool
    }

    /// `data` of the list of the caller's sessions.
    package struct SessionsAnswer: Decodable, Sendable {
        /// The valid sessions, oldest first.
        package var sessions: [Session]
    }

    /// `data` of the response to the creation of recovery codes.
    package struct RecoveryCodesAnswer: Decodable, Sendable {
        /// The codes, which are shown only once; each can set the password once.
        package var recoveryCodes: [String]
    }
}

extension Wire {
    /// An invitation of an email address.
    package struct Invitation: ListItem, Sendable {
        /// The key of a list of these in a response.
        package static let listKey = "invitations"

        /// Opaque, as every id.
        package var id: String
        /// The invited address.
        package var email: String
        /// The offered role; `nil` for an invitation to set the first password.
        package var role: String?
        /// The token for `POST /auth/accept-invitation`; only in the response to the creation.
        package var token: String?
        /// The URL of the page, including the token; only in the response to the creation.
        package var url: String?
        /// The instant at which it expires.
        package var expiresAt: String
    }

    /// `data` of a response about one invitation.
    package struct InvitationAnswer: Decodable, Sendable {
        /// The invitation.
        package var invitation: Invitation
    }
}

extension Wire {
    /// A backup of a gateway's database.
    package struct Backup: Decodable, Equatable, Sendable {
        /// The absolute path on the gateway's host.
        package var file: String
        /// The size of the file in bytes.
        package var bytes: Int
        /// The instant of the backup. The backup contains every change that was acknowledged before this instant.
        package var at: String
        /// Each log with the number of its records in the backup.
        package var logs: [LogSize]

        /// The size of one log in the backup.
        package struct LogSize: Decodable, Equatable, Sendable {
            /// `gateway`, or a portfolio's id.
            package var id: String
            /// The number of records.
            package var size: UInt64
        }
    }

    /// `data` of `POST /store/backup`.
    package struct BackupAnswer: Decodable, Sendable {
        /// The backup, which is complete and on disk when the response is sent.
        package var backup: Backup
    }
}

extension Wire {
    /// The properties and devices of one owner or company.
    package struct Portfolio: ListItem, Equatable, Sendable {
        /// The key of a list of these in a response.
        package static let listKey = "portfolios"

        /// The id, an opaque text.
        package var id: String
        /// The name, as entered by users; it need not be unique.
        package var name: String
        /// The users who hold OWNER or PORTFOLIO_ADMIN on the portfolio.
        package var administratorUserIds: [String]?
        /// The properties of the portfolio, in ascending order of ids.
        package var propertyIds: [String]?
        /// When the portfolio was created.
        package var createdAt: String?
        /// When the portfolio was last changed.
        package var updatedAt: String?
        /// The level at which the reader sees it: `PUBLIC RESIDENT OPERATIONS MANAGEMENT OWNER`.
        package var viewLevel: String?
    }

    /// `data` of a response about one portfolio.
    package struct PortfolioAnswer: Decodable, Sendable {
        /// The portfolio, with the fields that are visible to the reader.
        package var portfolio: Portfolio
    }
}

extension Wire {
    /// A lock that an adapter has discovered and that is not attached.
    package struct DiscoveredDevice: ListItem, Equatable, Sendable {
        /// The key of a list of these in a response.
        package static let listKey = "discoveredDevices"

        /// The adapter's id of the lock, which does not change while the lock is discovered.
        package var id: String
        /// The lock's name in the system that it belongs to; `nil` if that system provides none.
        package var name: String?
        /// The manufacturer, if that system provides it.
        package var manufacturer: String?
        /// The manufacturer's model name, if that system provides it.
        package var model: String?
        /// The kind of the adapter that has discovered the lock.
        package var adapter: String
        /// The address for attaching the lock, in the form of `POST /devices`.
        package var address: [String: Value]
        /// The capabilities of the lock, such as `UNLATCH`; `nil` if they are not known before it is attached.
        package var capabilities: [String]?
        /// The reason why the lock cannot be attached with this address, as a sentence; `nil` if it can be attached.
        package var problem: String?
        /// When the gateway first received a message about the lock since its start.
        package var firstSeenAt: String
        /// When the gateway last received a message about the lock.
        package var lastSeenAt: String
    }
}

extension Wire {
    /// `details` of a denied request. They are absent if the object is not visible to the caller.
    package struct Denial: Decodable, Equatable, Sendable {
        /// The requested operation, such as `UNLOCK`; `nil` if the request was not an operation on a lock.
        package var operation: String?
        /// The lock of the operation.
        package var deviceId: String?
        /// The reason, such as `guest_window_ended`.
        package var reason: String?
        /// The rule that came nearest to allowing the request.
        package var rule: Rule?
        /// When the guest access begins, if it has not begun yet.
        package var opensAt: String?
        /// When the guest access ends or ended.
        package var closesAt: String?
        /// The role, operation, capability or module that the request lacks; `nil` if none of these would suffice.
        package var missing: Missing?

        /// The role, operation, capability or module that is missing.
        package struct Missing: Decodable, Equatable, Sendable {
            /// The lowest role that has the right.
            package var role: String?
            /// The operation that the guest access lacks.
            package var operation: String?
            /// The capability that the lock lacks.
            package var capability: String?
            /// The disabled module of the subscription.
            package var module: String?
        }
    }
}

extension Wire {
    /// The status of a lock; the fields are those of `Device`.
    package struct DeviceStatus: Decodable, Equatable, Sendable {
        /// The id of the lock.
        package var deviceId: String
        /// The bolt state, as in `Device.state`.
        package var state: String?
        /// The quality of the state, as in `Device.stateQuality`.
        package var stateQuality: String?
        /// When the lock reported `state`, as in `Device.stateAt`.
        package var stateAt: String?
        /// The state of the door contact, as in `Device.doorState`.
        package var doorState: String?
        /// The charge in percent.
        package var batteryLevel: Int?
        /// Whether the lock reports a low battery; `nil` if it does not report this.
        package var batteryLow: Bool?
        /// Whether the lock is online; `nil` if this is unknown.
        package var isOnline: Bool?
        /// When the lock last reported; `nil` if it never did.
        package var lastSeen: String?
        /// The lock's faults; empty if there are none.
        package var faults: [String]?
    }

    /// `data` of a response about a lock's status.
    package struct DeviceStatusAnswer: Decodable, Sendable {
        /// The status that the gateway knows, without a new state request to the lock.
        package var status: DeviceStatus
    }
}

extension Wire {
    /// The effects of a removal: what it would remove and end.
    package struct RemovalPreview: Decodable, Equatable, Sendable {
        /// An entity that would be removed.
        package struct Removed: Decodable, Equatable, Sendable {
            /// The type, such as `Unit`.
            package var type: String
            /// The id of the entity.
            package var id: String
            /// The name of the entity, or the full name of a user.
            package var name: String
        }

        /// A role, a guest access, a session, or the assignment of a lock that would end.
        package struct Ended: Decodable, Equatable, Sendable {
            /// `UserRoleAssociation GuestAccess Session LockDevice`.
            package var type: String
            /// The id of the role, guest access, session or lock.
            package var id: String
        }

        /// The entities that would be removed.
        package var removed: [Removed]
        /// The rights and assignments that would end.
        package var ended: [Ended]
    }

    /// `data` of the response to a `DELETE` with `?dryRun=true`.
    package struct RemovalPreviewAnswer: Decodable, Sendable {
        /// The effects.
        package var preview: RemovalPreview
    }
}
