import DoorwardDomain
import DoorwardPolicy
import Foundation
import Testing

/// The matrix as a client reads it, line for line.
@Suite struct PermissionMatrixViewTests {
    private static let commonHolders = """
        OWNER, PORTFOLIO_ADMIN, PROPERTY_MANAGER, MAINTENANCE, TENANT OWN_UNIT, TENANT COMMON_AREA, GUEST GRANTED_AND_IN_WINDOW
        """

    @Test(
        "Each operation names its holders, highest role first, with what more it takes",
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
        let row = try #require(PermissionMatrixView().operations.first { $0.operation.rawValue == name })
        let words = row.holders.map { holder in
            [holder.role.rawValue, holder.condition?.rawValue].compactMap(\.self).joined(separator: " ")
        }
        #expect(words.joined(separator: ", ") == line)
    }

    @Test("A condition that there is not is absent in JSON, not null")
    func absent() throws {
        let json = String(decoding: try JSONEncoder().encode(PermissionMatrixView()), as: UTF8.self)
        #expect(!json.contains("null"))
        #expect(json.contains("{\"role\":\"OWNER\"}"))
    }

    @Test("In JSON each row has its three names and words of the wire")
    func rows() throws {
        struct Read: Decodable {
            struct Row: Decodable {
                let permission: ManagementPermission
                let superAdmin: ManagementHolders.SuperAdminScope
                let roles: [Role]
            }

            let management: [Row]
        }
        let read = try JSONDecoder().decode(Read.self, from: JSONEncoder().encode(PermissionMatrixView()))
        #expect(read.management.map(\.permission) == ManagementPermission.allCases)
        for row in read.management {
            let holders = PermissionMatrix.holders(of: row.permission)
            #expect(row.roles == holders.roles && row.superAdmin == holders.superAdmin)
            #expect(!row.roles.contains(.superAdmin) && !row.roles.contains(.guest), "these two hold nothing by association")
            #expect(Set(row.roles).count == row.roles.count)
        }
    }

    @Test("Nobody is left without a holder: every permission has a role or the super admin")
    func held() {
        for permission in ManagementPermission.allCases {
            let holders = PermissionMatrix.holders(of: permission)
            #expect(!holders.roles.isEmpty || holders.superAdmin != .nowhere, "\(permission)")
        }
    }

    @Test(
        "The lowest role that would do on a device, on a unit and off one",
        arguments: [
            (LockOperation.lock, Role.tenant, Role.tenant), (.unlock, .tenant, .tenant), (.unlatch, .tenant, .tenant),
            (.viewStatus, .tenant, .tenant), (.changeSettings, .propertyManager, .propertyManager),
            (.viewAccessHistory, .tenant, .auditor), (.grantAccess, .tenant, .tenant),
            (.lockdown, .propertyManager, .propertyManager),
        ])
    func leastRole(operation: LockOperation, onUnit: Role, offUnit: Role) {
        #expect(PermissionMatrix.leastRole(holding: operation, hangsOnUnit: true) == onUnit)
        #expect(PermissionMatrix.leastRole(holding: operation, hangsOnUnit: false) == offUnit)
    }

    @Test("A higher role of the same place holds what a lower one does: owners what admins do, admins what managers do")
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
