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
