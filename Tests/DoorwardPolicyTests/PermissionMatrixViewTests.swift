import DoorwardDomain
import DoorwardPolicy
import Testing

/// The permission matrix as clients read it, row by row.
@Suite struct PermissionMatrixViewTests {
    private static let commonHolders = """
        OWNER, PORTFOLIO_ADMIN, PROPERTY_MANAGER, MAINTENANCE, TENANT OWN_UNIT, TENANT COMMON_AREA, GUEST GRANTED_AND_IN_WINDOW
        """

    @Test(
        "Each operation lists its holders with their conditions, highest role first",
        arguments: [
            ("LOCK", commonHolders), ("UNLOCK", commonHolders), ("UNLATCH", commonHolders),
            (
                "VIEW_STATUS",
                """
                SUPER_ADMIN EVERY_DEVICE, OWNER, PORTFOLIO_ADMIN, PROPERTY_MANAGER, MAINTENANCE, AUDITOR, TENANT OWN_UNIT, \
                TENANT COMMON_AREA, GUEST IN_WINDOW
                """
            ),
            ("CHANGE_SETTINGS", "OWNER, PORTFOLIO_ADMIN, PROPERTY_MANAGER"),
            ("VIEW_ACCESS_HISTORY", "OWNER, PORTFOLIO_ADMIN, PROPERTY_MANAGER, AUDITOR, TENANT OWN_UNIT"),
            ("GRANT_ACCESS", "OWNER, PORTFOLIO_ADMIN, PROPERTY_MANAGER, TENANT OWN_UNIT, TENANT COMMON_AREA"),
            ("LOCKDOWN", "OWNER, PORTFOLIO_ADMIN, PROPERTY_MANAGER"),
        ])
    func operations(name: String, line: String) throws {
        let words = PermissionMatrix.operationHolders(of: try #require(LockOperation(rawValue: name))).map { holder in
            [holder.role.rawValue, holder.condition?.rawValue].compactMap(\.self).joined(separator: " ")
        }
        #expect(words.joined(separator: ", ") == line)
    }

    @Test("No permission is held by a super admin or a guest by association, and none by a role twice")
    func rows() {
        for permission in ManagementPermission.allCases {
            let roles = PermissionMatrix.holders(of: permission).roles
            #expect(!roles.contains(.superAdmin) && !roles.contains(.guest))
            #expect(Set(roles).count == roles.count)
        }
    }

    @Test("Every permission is held by at least one role or the super admin")
    func held() {
        for permission in ManagementPermission.allCases {
            let holders = PermissionMatrix.holders(of: permission)
            #expect(!holders.roles.isEmpty || holders.superAdmin != .nowhere, "\(permission)")
        }
    }

    @Test(
        "The lowest role that has an operation on a device in a unit, and on one outside",
        arguments: [
            (LockOperation.lock, Role.tenant, Role.tenant), (.unlock, .tenant, .tenant), (.unlatch, .tenant, .tenant),
            (.viewStatus, .tenant, .tenant), (.changeSettings, .propertyManager, .propertyManager),
            (.viewAccessHistory, .tenant, .auditor), (.grantAccess, .tenant, .tenant),
            (.lockdown, .propertyManager, .propertyManager),
        ])
    func leastRole(operation: LockOperation, onUnit: Role, offUnit: Role) {
        #expect(PermissionMatrix.leastRole(holding: operation, isOnUnit: true) == onUnit)
        #expect(PermissionMatrix.leastRole(holding: operation, isOnUnit: false) == offUnit)
    }

    @Test("A higher role has every right of a lower one: owners those of admins, admins those of managers")
    func nested() {
        for operation in LockOperation.allCases {
            let columns = PermissionMatrix.columns(holding: operation)
            for (lower, higher) in [(MatrixColumn.propertyManager, MatrixColumn.portfolioAdmin), (.portfolioAdmin, .owner)] {
                #expect(!columns.contains(lower) || columns.contains(higher), "\(operation)")
            }
        }
        for permission in ManagementPermission.allCases {
            let roles = PermissionMatrix.holders(of: permission).roles
            for (lower, higher) in [(Role.propertyManager, Role.portfolioAdmin), (.portfolioAdmin, .owner)] {
                #expect(!roles.contains(lower) || roles.contains(higher), "\(permission)")
            }
        }
    }
}
