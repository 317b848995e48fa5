extension Wire {
    /// A user.
    package struct User: ListItem, Equatable, Sendable {
        /// The key of a list of these in a response.
        package static let listKey = "users"

        /// The id, an opaque text.
        package var id: String
        /// The first name; visible to users who share a unit with this user.
        package var firstName: String?
        /// The last name; visible to co-tenants and managers.
        package var lastName: String?
        /// The email address for signing in; visible to managers and to the user.
        package var email: String?
        /// Whether the user is enabled; visible to managers.
        package var isEnabled: Bool?
        /// Whether the user administers the gateway.
        package var isSuperAdmin: Bool?
        /// The role associations that the reader may see.
        package var roleAssociations: [RoleAssociation]?
        /// The guest accesses that the user holds, including ended ones; visible to the user.
        package var guestAccesses: [GuestAccess]?
        /// The portfolio that clients show the user first.
        package var defaultPortfolioId: String?
        /// The property that clients show the user first.
        package var defaultPropertyId: String?
        /// The unit that clients show the user first.
        package var defaultUnitId: String?
        /// Whether the user has the compliance pack.
        package var hasCompliancePack: Bool?
        /// When the user was created.
        package var createdAt: String?
        /// When the user was last changed.
        package var updatedAt: String?
        /// The level at which the reader sees it: `PUBLIC RESIDENT OPERATIONS MANAGEMENT OWNER`, or `SELF` for the reader's own user.
        package var viewLevel: String?

        /// The first and last name, if the reader may see them; `nil` if the reader may see neither.
        package var fullName: String? {
            let parts = [firstName, lastName].compactMap(\.self).filter { !$0.isEmpty }
            return parts.isEmpty ? nil : parts.joined(separator: " ")
        }
    }

    /// `data` of a response about one user.
    package struct UserAnswer: Decodable, Sendable {
        /// The user, with the fields that are visible to the reader.
        package var user: User
    }

    /// `data` of the response to a redeemed receipt.
    package struct RedeemedReceiptAnswer: Decodable, Sendable {
        /// The caller, who has the compliance pack now.
        package var user: User
        /// What the purchase gives, as a sentence.
        package var message: String
    }

    /// `data` of the response to the creation of a password reset.
    package struct PasswordResetAnswer: Decodable, Sendable {
        /// The password reset, for the user. It is shown only once.
        package var reset: PasswordReset

        /// A link with which a user can set a password once.
        package struct PasswordReset: Decodable, Sendable {
            /// The URL of the page, including the token.
            package var url: String
            /// The token for `POST /auth/reset-password`.
            package var token: String
            /// The instant at which the link expires.
            package var expiresAt: String
        }
    }
}

extension Wire {
    /// An API key, without its secret.
    package struct APIKey: ListItem, Equatable, Sendable {
        /// The key of a list of these in a response.
        package static let listKey = "apiKeys"

        /// Opaque, as every id.
        package var id: String
        /// Describes the program that uses the key.
        package var name: String
        /// `PORTFOLIO`, `PROPERTY` or `UNIT`.
        package var entityType: String
        /// The entity that the role applies to.
        package var entityId: String
        /// The role that limits the key's rights, in addition to those of the user who created it.
        package var role: String
        /// The user who created it.
        package var userId: String
        /// When it was created.
        package var createdAt: String
        /// From this instant on, the key is rejected.
        package var expiresAt: String
    }

    /// `data` of the response to the creation of an API key.
    package struct NewAPIKeyAnswer: Decodable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
    {
        /// The new key.
        package var apiKey: APIKey
        /// The secret, which is shown only once, sent as `Bearer`.
        package var secret: String

        /// A description without the secret, so that printing the value does not reveal it.
        package var description: String { "the API key \(apiKey.id)" }
        /// As `description`.
        package var debugDescription: String { description }
        /// As `description`.
        package var customMirror: Mirror { Mirror(reflecting: description) }
    }
}

extension Wire {
    /// The decision whether a person may perform one operation on a lock at one instant.
    package struct Permission: Decodable, Equatable, Sendable {
        /// Whether the operation is allowed.
        package var allowed: Bool
        /// The operation, such as `UNLOCK`.
        package var operation: String
        /// The lock of the operation.
        package var deviceId: String
        /// The instant of the decision.
        package var at: String
        /// The rule that allows the operation, or came nearest to allowing it.
        package var rule: Rule?
        /// The reason of a denial, such as `guest_window_ended`.
        package var reason: String?
        /// When the guest access begins, if it has not begun yet.
        package var opensAt: String?
        /// When the guest access ends or ended.
        package var closesAt: String?
        /// The role, operation, capability or module that the caller lacks; `nil` if none of these would suffice.
        package var missing: Denial.Missing?
        /// `current_rules` for a decision about the future: a change of the rights can still change it. Otherwise `nil`.
        package var assumes: String?
    }

    /// The body of `POST /authorize`.
    package struct AuthorizationRequest: Encodable, Sendable {
        /// The lock.
        package var deviceId: String
        /// The operation, such as `UNLOCK`.
        package var operation: String
        /// The person who would perform it; `nil` for the caller.
        package var userId: String?
        /// The instant, not in the past; `nil` for now.
        package var at: String?

        package init(deviceId: String, operation: String, userId: String? = nil, at: String? = nil) {
            (self.deviceId, self.operation, self.userId, self.at) = (deviceId, operation, userId, at)
        }
    }

    /// `data` of `POST /authorize`.
    package struct AuthorizationAnswer: Decodable, Sendable {
        /// The decision. Nothing was done.
        package var decision: Permission
    }

    /// Someone who may perform an operation on a lock.
    package struct PermittedPrincipal: ListItem, Equatable, Sendable {
        /// The key of a list of these in a response.
        package static let listKey = "entries"

        /// Who it is.
        package var principal: Principal
        /// The rule that allows the operation.
        package var rule: Rule
        /// When the right ends by the clock; `nil` if it does not.
        package var until: String?

        /// A user, a guest link or an API key.
        package struct Principal: Decodable, Equatable, Sendable {
            /// `USER`, `GUEST_LINK` or `API_KEY`.
            package var kind: String
            /// The id; `nil` if the reader does not see who it is.
            package var id: String?
            /// A name, or `staff`; `nil` if there is none.
            package var name: String?
        }
    }

    /// `data` of `GET /devices/:id/permissions`.
    package struct PermissionsAnswer: Decodable, Sendable {
        /// One decision for each operation.
        package var permissions: [Permission]
    }

    /// A rule of a user's abilities, in the form of CASL. The last rule that matches an object decides.
    package struct AbilityRule: Decodable, Sendable {
        /// The actions: lock operations, management permissions, or `read` for fields.
        package var action: [String]
        /// The types of objects that the rule applies to, such as `LockDevice`.
        package var subject: [String]
        /// The conditions on the object's fields, in MongoDB's operators; `nil` if there are none.
        package var conditions: [String: Wire.Value]?
        /// The fields that the rule is limited to; `nil` if it is not limited to fields.
        package var fields: [String]?
        /// True if the rule forbids the actions; otherwise `nil`.
        package var inverted: Bool?
        /// Why the rule forbids the actions, as the code of a denial; `nil` for a rule that permits them.
        package var reason: String?
    }

    /// `data` of `GET /users/me/permissions`.
    package struct AbilitiesAnswer: Decodable, Sendable {
        /// The rules in order.
        package var rules: [AbilityRule]
        /// The same rules in the packed form of CASL.
        package var packedRules: [[Wire.Value]]
        /// When the passing of time next changes the rules; `nil` if it does not.
        package var nextChangeAt: String?
    }

    /// `data` of `GET /permission-matrix`: the rights of each role.
    package struct PermissionMatrix: Decodable, Sendable {
        /// The operations on locks.
        package var operations: [OperationRow]
        /// The management permissions.
        package var management: [ManagementRow]

        /// An operation and the roles that hold it.
        package struct OperationRow: Decodable, Sendable {
            /// The operation, such as `UNLOCK`.
            package var operation: String
            /// The roles that hold it.
            package var holders: [Holder]
        }

        /// A role, and a condition if there is one.
        package struct Holder: Decodable, Sendable {
            /// The role, such as `TENANT`.
            package var role: String
            /// The condition, such as `OWN_UNIT`; `nil` if there is none.
            package var condition: String?
        }

        /// A management permission and the roles that hold it.
        package struct ManagementRow: Decodable, Sendable {
            /// The permission, such as `device.attach`.
            package var permission: String
            /// Where a super admin holds the permission: `NOWHERE`, `GATEWAY` or `EVERYWHERE`.
            package var superAdmin: String
            /// The other roles that hold the permission.
            package var roles: [String]
        }
    }
}
