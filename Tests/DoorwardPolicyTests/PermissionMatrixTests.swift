import DoorwardDomain
import DoorwardPolicy
import Testing

@Suite struct PermissionMatrixTests {
    @Test("The matrix of lock operations equals the specification in every cell", arguments: LockOperation.allCases)
    func operations(operation: LockOperation) {
        let columns = PermissionMatrix.columns(holding: operation)
        let plain: [MatrixColumn] = [
            .owner, .portfolioAdmin, .propertyManager, .maintenance, .auditor, .tenantOwnUnit, .tenantCommonArea,
        ]
        for (index, column) in plain.enumerated() {
            #expect(columns.contains(column) == (NaivePolicy.cell(operation, index) == "y"))
        }
        #expect(columns.contains(.guestInWindow) == (NaivePolicy.cell(operation, 7) == "window"))
        #expect(columns.contains(.guestIfGranted) == (NaivePolicy.cell(operation, 7) == "granted"))
        #expect(PermissionMatrix.superAdminOperations.contains(operation) == (operation == .viewStatus))
    }

    @Test("The matrix of management permissions equals the specification in every cell", arguments: ManagementPermission.allCases)
    func management(permission: ManagementPermission) {
        let holders = PermissionMatrix.holders(of: permission)
        for role in NaiveManagement.roles.dropFirst() {
            #expect(holders.roles.contains(role) == (NaiveManagement.cell(permission, role) == "y"))
        }
        let scopes = ["y": ManagementHolders.SuperAdminScope.everywhere, "g": .gatewayOnly, "n": .nowhere]
        #expect(holders.superAdmin == scopes[NaiveManagement.cell(permission, .superAdmin)])
        #expect(holders.roles == holders.roles.sorted { $0.rank < $1.rank })
    }
}
