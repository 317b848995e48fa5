extension Doorward {
    /// Something that a person may do: an operation on a lock, a management permission, or reading a field. `GET
    /// /permission-matrix` lists the actions of a gateway; see `PermissionCatalog`.
    public struct Action: OpenValue {
        /// The text in the API.
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        // Operations on a lock.

        /// To extend the bolt.
        public static let lock = Self(rawValue: "LOCK")
        /// To withdraw the bolt.
        public static let unlock = Self(rawValue: "UNLOCK")
        /// To withdraw the latch, so that the door opens.
        public static let unlatch = Self(rawValue: "UNLATCH")
        /// To see the state of the lock.
        public static let viewStatus = Self(rawValue: "VIEW_STATUS")
        /// To change the settings of the lock.
        public static let changeSettings = Self(rawValue: "CHANGE_SETTINGS")
        /// To read the access records of the lock.
        public static let viewAccessHistory = Self(rawValue: "VIEW_ACCESS_HISTORY")
        /// To grant guest accesses to the lock.
        public static let grantAccess = Self(rawValue: "GRANT_ACCESS")
        /// To start and lift a lockdown that covers the lock.
        public static let lockdownOperation = Self(rawValue: "LOCKDOWN")

        // Management permissions.

        /// To create a portfolio.
        public static let portfolioCreate = Self(rawValue: "portfolio.create")
        /// To read a portfolio.
        public static let portfolioRead = Self(rawValue: "portfolio.read")
        /// To change a portfolio's name.
        public static let portfolioRename = Self(rawValue: "portfolio.rename")
        /// To delete a portfolio.
        public static let portfolioDelete = Self(rawValue: "portfolio.delete")
        /// To read the subscription of a portfolio.
        public static let subscriptionRead = Self(rawValue: "subscription.read")
        /// To change the subscription of a portfolio.
        public static let subscriptionChange = Self(rawValue: "subscription.change")
        /// To change how long the access log is kept.
        public static let retentionChange = Self(rawValue: "retention.change")
        /// To assign and remove OWNER and PORTFOLIO_ADMIN.
        public static let portfolioAdminsAssign = Self(rawValue: "portfolio.admins.assign")
        /// To assign and remove AUDITOR on a portfolio.
        public static let portfolioAuditorsAssign = Self(rawValue: "portfolio.auditors.assign")
        /// To read a property.
        public static let propertyRead = Self(rawValue: "property.read")
        /// To change a property.
        public static let propertyChange = Self(rawValue: "property.change")
        /// To create a property.
        public static let propertyCreate = Self(rawValue: "property.create")
        /// To delete a property.
        public static let propertyDelete = Self(rawValue: "property.delete")
        /// To assign and remove PROPERTY_MANAGER.
        public static let propertyManagersAssign = Self(rawValue: "property.managers.assign")
        /// To assign and remove MAINTENANCE and AUDITOR on a property.
        public static let propertyStaffAssign = Self(rawValue: "property.staff.assign")
        /// To read a unit.
        public static let unitRead = Self(rawValue: "unit.read")
        /// To create a unit.
        public static let unitCreate = Self(rawValue: "unit.create")
        /// To change a unit.
        public static let unitChange = Self(rawValue: "unit.change")
        /// To delete a unit.
        public static let unitDelete = Self(rawValue: "unit.delete")
        /// To assign and remove TENANT.
        public static let unitTenantsAssign = Self(rawValue: "unit.tenants.assign")
        /// To read a lock.
        public static let deviceRead = Self(rawValue: "device.read")
        /// To attach a lock.
        public static let deviceAttach = Self(rawValue: "device.attach")
        /// To change a lock's name, address or metadata.
        public static let deviceChange = Self(rawValue: "device.change")
        /// To move a lock to another property or unit.
        public static let deviceMove = Self(rawValue: "device.move")
        /// To detach or delete a lock.
        public static let deviceDetach = Self(rawValue: "device.detach")
        /// To start and lift a lockdown of a property.
        public static let lockdown = Self(rawValue: "lockdown")
        /// To grant a guest access.
        public static let guestAccessGrant = Self(rawValue: "guestAccess.grant")
        /// To change a guest access.
        public static let guestAccessChange = Self(rawValue: "guestAccess.change")
        /// To revoke a guest access.
        public static let guestAccessRevoke = Self(rawValue: "guestAccess.revoke")
        /// To create and withdraw the link of a guest access.
        public static let guestAccessLink = Self(rawValue: "guestAccess.link")
        /// To list the users of a portfolio, property or unit.
        public static let peopleList = Self(rawValue: "people.list")
        /// To read a user of a portfolio, property or unit.
        public static let peopleRead = Self(rawValue: "people.read")
        /// To manage API keys.
        public static let apiKeysManage = Self(rawValue: "apiKeys.manage")
        /// To export the access log.
        public static let accessLogExport = Self(rawValue: "accessLog.export")
        /// To verify the access log.
        public static let accessLogVerify = Self(rawValue: "accessLog.verify")
        /// To create a compliance report.
        public static let complianceReport = Self(rawValue: "accessLog.complianceReport")
        /// To create a user.
        public static let usersCreate = Self(rawValue: "users.create")
        /// To disable and enable a user.
        public static let usersDisable = Self(rawValue: "users.disable")
        /// To delete a user.
        public static let usersDelete = Self(rawValue: "users.delete")
        /// To destroy a person's keys, which makes the person's values in all logs unreadable.
        public static let usersErase = Self(rawValue: "users.erase")
        /// To see and change the gateway's adapters.
        public static let adaptersManage = Self(rawValue: "adapters.manage")
        /// To read the gateway's own log.
        public static let gatewayLogRead = Self(rawValue: "gatewayLog.read")

        // Actions of CASL.

        /// To read a field of an object.
        public static let read = Self(rawValue: "read")
        /// Any action.
        public static let manage = Self(rawValue: "manage")
        /// To change the object: the permission of this name for its type, such as `property.change`.
        public static let update = Self(rawValue: "update")
        /// To delete the object: the permission of this name for its type, such as `device.detach`.
        public static let delete = Self(rawValue: "delete")

        /// The operations on a lock.
        public static let operations = [
            lock, unlock, unlatch, viewStatus, changeSettings, viewAccessHistory, grantAccess, lockdownOperation,
        ]
        /// The management permissions.
        public static let management = [
            portfolioCreate, portfolioRead, portfolioRename, portfolioDelete, subscriptionRead, subscriptionChange,
            retentionChange, portfolioAdminsAssign, portfolioAuditorsAssign, propertyRead, propertyChange, propertyCreate,
            propertyDelete, propertyManagersAssign, propertyStaffAssign, unitRead, unitCreate, unitChange, unitDelete,
            unitTenantsAssign, deviceRead, deviceAttach, deviceChange, deviceMove, deviceDetach, lockdown, guestAccessGrant,
            guestAccessChange, guestAccessRevoke, guestAccessLink, peopleList, peopleRead, apiKeysManage, accessLogExport,
            accessLogVerify, complianceReport, usersCreate, usersDisable, usersDelete, usersErase, adaptersManage,
            gatewayLogRead,
        ]
        /// The values that this library knows.
        public static let known = operations + management + [read, manage, update, delete]

        /// The category for grouping actions on a screen: `operations` for those on a lock, else the first part of the name.
        public var category: String {
            if Self.operations.contains(self) { return "operations" }
            return rawValue.split(separator: ".").first.map { String($0) } ?? rawValue
        }

        /// The permissions of each type that `update` and `delete` stand for.
        private static let ofType: [SubjectType: (update: Action, delete: Action)] = [
            .portfolio: (.portfolioRename, .portfolioDelete), .property: (.propertyChange, .propertyDelete),
            .unit: (.unitChange, .unitDelete), .device: (.deviceChange, .deviceDetach),
            .guestAccess: (.guestAccessChange, .guestAccessRevoke),
        ]

        /// The action that rules name for an object of this type.
        func resolved(for type: SubjectType) -> Action {
            guard self == .update || self == .delete, let (update, delete) = Self.ofType[type] else { return self }
            return self == .update ? update : delete
        }
    }

    /// The type of an object that rules are about.
    public struct SubjectType: OpenValue {
        /// The text in the API.
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Locks.
        public static let device = Self(rawValue: "LockDevice")
        /// Portfolios.
        public static let portfolio = Self(rawValue: "Portfolio")
        /// Properties.
        public static let property = Self(rawValue: "Property")
        /// Units.
        public static let unit = Self(rawValue: "Unit")
        /// The gateway itself: what belongs to no portfolio.
        public static let gateway = Self(rawValue: "Gateway")
        /// Guest accesses. Rules do not name them; the permissions are held on their property or unit.
        public static let guestAccess = Self(rawValue: "GuestAccess")
        /// Any object.
        public static let all = Self(rawValue: "all")
        /// The values that this library knows.
        public static let known = [device, portfolio, property, unit, gateway, guestAccess, all]
    }

    /// Why an action is denied. The gateway's documentation of decisions defines the reasons.
    public struct DenialReason: OpenValue {
        /// The text in the API.
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The guest's window has not begun.
        public static let guestWindowNotStarted = Self(rawValue: "guest_window_not_started")
        /// The guest's window has ended.
        public static let guestWindowEnded = Self(rawValue: "guest_window_ended")
        /// Inside the window, outside its recurring hours.
        public static let outsideSchedule = Self(rawValue: "outside_schedule")
        /// The guest access was revoked.
        public static let guestAccessRevoked = Self(rawValue: "guest_access_revoked")
        /// All uses of the guest access are used.
        public static let guestUsesExhausted = Self(rawValue: "guest_uses_exhausted")
        /// The lock may not be operated through the gateway.
        public static let remoteOperationDisabled = Self(rawValue: "remote_operation_disabled")
        /// A lockdown is active.
        public static let lockdownActive = Self(rawValue: "lockdown_active")
        /// The lock lacks the capability.
        public static let capabilityMissing = Self(rawValue: "capability_missing")
        /// The module of the subscription is off.
        public static let featureUnavailable = Self(rawValue: "feature_unavailable")
        /// The gateway's clock is not trusted.
        public static let clockUntrusted = Self(rawValue: "clock_untrusted")
        /// The role does not have the right.
        public static let roleInsufficient = Self(rawValue: "role_insufficient")
        /// The guest access does not contain the operation.
        public static let operationNotGranted = Self(rawValue: "operation_not_granted")
        /// There is no role and no guest access.
        public static let noAssociation = Self(rawValue: "no_association")
        /// The user is disabled.
        public static let userDisabled = Self(rawValue: "user_disabled")
        /// The user does not exist.
        public static let userUnknown = Self(rawValue: "user_unknown")
        /// The lock does not exist.
        public static let deviceUnknown = Self(rawValue: "device_unknown")
        /// The lock belongs to no property.
        public static let deviceUnassigned = Self(rawValue: "device_unassigned")
        /// The person who granted the access no longer has it.
        public static let grantorLostAccess = Self(rawValue: "grantor_lost_access")
        /// The lock is not connected. A cause of failed commands, not of denials.
        public static let deviceOffline = Self(rawValue: "device_offline")
        /// The values that this library knows.
        public static let known = [
            guestWindowNotStarted, guestWindowEnded, outsideSchedule, guestAccessRevoked, guestUsesExhausted,
            remoteOperationDisabled, lockdownActive, capabilityMissing, featureUnavailable, clockUntrusted, roleInsufficient,
            operationNotGranted, noAssociation, userDisabled, userUnknown, deviceUnknown, deviceUnassigned, grantorLostAccess,
            deviceOffline,
        ]
    }
}

extension Doorward {
    /// The rights of each role, as `GET /permission-matrix` lists them: all actions and roles of a gateway, also those that this
    /// library does not know.
    public struct PermissionCatalog: Decodable, Hashable, Sendable {
        /// The operations on locks.
        public var operations: [OperationRow]
        /// The management permissions.
        public var management: [ManagementRow]

        /// An operation and the roles that hold it.
        public struct OperationRow: Decodable, Hashable, Sendable {
            /// The operation.
            public var operation: Action
            /// The roles.
            public var holders: [Holder]
        }

        /// A role, and a condition if there is one.
        public struct Holder: Decodable, Hashable, Sendable {
            /// The role.
            public var role: Role
            /// The condition, such as `OWN_UNIT`.
            public var condition: String?
        }

        /// A management permission and the roles that hold it.
        public struct ManagementRow: Decodable, Hashable, Sendable {
            /// The permission.
            public var permission: Action
            /// Where a super admin holds it: `NOWHERE`, `GATEWAY` or `EVERYWHERE`.
            public var superAdmin: String
            /// The other roles.
            public var roles: [Role]
        }

        /// All actions.
        public var actions: [Action] { operations.map(\.operation) + management.map(\.permission) }
        /// The actions by category, such as `property`.
        public var actionsByCategory: [String: [Action]] { Dictionary(grouping: actions, by: \.category) }
        /// All roles, in the order in which this library knows them, then others.
        public var roles: [Role] {
            let listed = Set(operations.flatMap { $0.holders.map(\.role) } + management.flatMap(\.roles) + [.superAdmin])
            return Role.known.filter(listed.contains) + listed.filter { !$0.isKnown }.sorted { $0.rawValue < $1.rawValue }
        }
    }
}
