extension Wire {
    /// Whether the caller may do something to a lock at one instant.
    package struct Permission: Decodable, Equatable, Sendable {
        /// Whether it is allowed.
        package var allowed: Bool
        /// Such as `UNLOCK`.
        package var operation: String
        /// The lock that was asked about.
        package var deviceId: String
        /// The instant that was decided for.
        package var at: String
        /// What allows it, or came nearest to that.
        package var rule: Rule?
        /// Why not, such as `guest_window_ended`.
        package var reason: String?
        /// When the access begins that is not open yet.
        package var opensAt: String?
        /// When the access that was looked at ends, or has ended.
        package var closesAt: String?
        /// `nil` where nothing that could be had is missing.
        package var missing: Denial.Missing?
    }

    /// `data` of `GET /devices/:id/permissions`.
    package struct PermissionsAnswer: Decodable, Sendable {
        /// One for each operation.
        package var permissions: [Permission]
    }

    /// `data` of `GET /permission-matrix`: which role may do what.
    package struct PermissionMatrix: Decodable, Sendable {
        /// What is done to locks.
        package var operations: [OperationRow]
        /// Everything else.
        package var management: [ManagementRow]

        /// Who may do an operation.
        package struct OperationRow: Decodable, Sendable {
            /// Such as `UNLOCK`.
            package var operation: String
            /// Those who may.
            package var holders: [Holder]
        }

        /// A role, and what else it takes.
        package struct Holder: Decodable, Sendable {
            /// Such as `TENANT`.
            package var role: String
            /// Such as `OWN_UNIT`; `nil` where the role is enough.
            package var condition: String?
        }

        /// Who holds a permission.
        package struct ManagementRow: Decodable, Sendable {
            /// Such as `devices.attach`.
            package var permission: String
            /// On what a super admin holds it.
            package var superAdmin: String
            /// The other roles that hold it.
            package var roles: [String]
        }
    }
}
