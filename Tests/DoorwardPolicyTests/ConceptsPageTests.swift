import DoorwardDomain
import DoorwardPolicy
import Foundation
import Testing

@Suite struct ConceptsPageTests {
    private static func words(_ column: MatrixColumn) -> String {
        switch column {
        case .owner: "owner"
        case .portfolioAdmin: "portfolio admin"
        case .propertyManager: "property manager"
        case .maintenance: "maintenance"
        case .auditor: "auditor"
        case .tenantOwnUnit: "tenant"
        case .tenantCommonArea: "tenant in a common area"
        case .guestInWindow: "guest"
        case .guestIfGranted: "guest if granted"
        }
    }

    @Test("The concepts page lists the same roles for each operation as the permission matrix", arguments: LockOperation.allCases)
    func operations(_ operation: LockOperation) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/concepts.md"), encoding: .utf8)
        let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| ") && $0.contains("`\(operation.rawValue)`") })
        let columns = PermissionMatrix.columns(holding: operation)
        let holders = MatrixColumn.allCases.filter(columns.contains).map(Self.words).joined(separator: ", ")
        #expect(row.hasSuffix("| \(holders) |"))
    }
}
