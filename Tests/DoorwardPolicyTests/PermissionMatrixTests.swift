import DoorwardDomain
import DoorwardPolicy
import Foundation
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

    @Test("The matrix view has a row for every operation and permission, and can be encoded as JSON")
    func view() throws {
        let data = try JSONEncoder().encode(PermissionMatrixView())
        let object = try JSONSerialization.jsonObject(with: data) as? [String: [[String: Any]]]
        #expect(object?["operations"]?.compactMap { $0["operation"] as? String } == LockOperation.allCases.map(\.rawValue))
        #expect(
            object?["management"]?.compactMap { $0["permission"] as? String } == ManagementPermission.allCases.map(\.rawValue))
        let unlock = object?["operations"]?.first { $0["operation"] as? String == "UNLOCK" }?["holders"] as? [[String: String]]
        #expect(unlock?.first == ["role": "OWNER"])
        #expect(unlock?.last == ["role": "GUEST", "condition": "GRANTED_AND_IN_WINDOW"])
        let status =
            object?["operations"]?.first { $0["operation"] as? String == "VIEW_STATUS" }?["holders"] as? [[String: String]]
        #expect(status?.first == ["role": "SUPER_ADMIN", "condition": "EVERY_DEVICE"])
    }
}
