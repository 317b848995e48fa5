import DoorwardDomain
import DoorwardPolicy
import Testing

/// The matrix of lock operations, written out by hand. All functions of the policy must agree with it.
@Suite struct OperationMatrixTableTests {
    /// The expected operations of one kind of role holder or guest on one door.
    struct Row: CustomTestStringConvertible, Sendable {
        let holder: String
        let given: [Given]
        let column: MatrixColumn?
        let door: Door
        let operations: [LockOperation]

        init(_ holder: String, _ given: [Given], _ column: MatrixColumn?, _ door: Door, _ operations: String) {
            (self.holder, self.given, self.column, self.door) = (holder, given, column, door)
            self.operations = operations.split(separator: " ").compactMap { LockOperation(rawValue: String($0)) }
        }

        var testDescription: String { holder }
    }

    private static let all = "LOCK UNLOCK UNLATCH VIEW_STATUS CHANGE_SETTINGS VIEW_ACCESS_HISTORY GRANT_ACCESS LOCKDOWN"
    private static let tenants = "LOCK UNLOCK UNLATCH VIEW_STATUS VIEW_ACCESS_HISTORY GRANT_ACCESS"
    private static let everything = LockOperation.allCases

    private static let rows = [
        Row("OWNER, a flat", [.role(.owner)], .owner, .flat, all),
        Row("OWNER, the front door", [.role(.owner)], .owner, .front, all),
        Row("OWNER, the cellar", [.role(.owner)], .owner, .cellar, all),
        Row("PORTFOLIO_ADMIN, a flat", [.role(.portfolioAdmin)], .portfolioAdmin, .flat, all),
        Row("PORTFOLIO_ADMIN, the cellar", [.role(.portfolioAdmin)], .portfolioAdmin, .cellar, all),
        Row("PROPERTY_MANAGER, a flat", [.role(.propertyManager)], .propertyManager, .flat, all),
        Row("PROPERTY_MANAGER, the cellar", [.role(.propertyManager)], .propertyManager, .cellar, all),
        Row("MAINTENANCE, a flat", [.role(.maintenance)], .maintenance, .flat, "LOCK UNLOCK UNLATCH VIEW_STATUS"),
        Row("MAINTENANCE, the cellar", [.role(.maintenance)], .maintenance, .cellar, "LOCK UNLOCK UNLATCH VIEW_STATUS"),
        Row("AUDITOR of the property, a flat", [.role(.auditor)], .auditor, .flat, "VIEW_STATUS VIEW_ACCESS_HISTORY"),
        Row("AUDITOR of the property, the cellar", [.role(.auditor)], .auditor, .cellar, "VIEW_STATUS VIEW_ACCESS_HISTORY"),
        Row(
            "AUDITOR of the portfolio, a flat", [.role(.auditor, on: .portfolio)], .auditor, .flat,
            "VIEW_STATUS VIEW_ACCESS_HISTORY"),
        Row("TENANT, their own flat", [.role(.tenant)], .tenantOwnUnit, .flat, tenants),
        Row(
            "TENANT, a common area", [.role(.tenant)], .tenantCommonArea, .front,
            "LOCK UNLOCK UNLATCH VIEW_STATUS GRANT_ACCESS"),
        Row("TENANT, the flat next door", [.role(.tenant)], nil, .other, ""),
        Row("TENANT, a door that the unit does not share", [.role(.tenant)], nil, .cellar, ""),
        Row("GUEST with everything listed", [.guest(1, everything)], .guestIfGranted, .flat, "LOCK UNLOCK UNLATCH VIEW_STATUS"),
        Row("GUEST with nothing listed", [.guest(1, [])], .guestInWindow, .flat, "VIEW_STATUS"),
        Row("GUEST with UNLOCK listed", [.guest(1, [.unlock])], nil, .flat, "UNLOCK VIEW_STATUS"),
        Row("GUEST, a door that is not listed", [.guest(1, everything)], nil, .front, ""),
        Row("GUEST, too early", [.guest(1, everything, from: .seconds(1))], nil, .flat, ""),
        Row("GUEST, too late", [.guest(1, everything, until: .zero)], nil, .flat, ""),
        Row("SUPER_ADMIN, a flat", [.superAdmin], nil, .flat, "VIEW_STATUS"),
        Row("SUPER_ADMIN, an unassigned device", [.superAdmin], nil, .unassigned, "VIEW_STATUS"),
        Row("OWNER, an unassigned device", [.role(.owner)], nil, .unassigned, ""),
        Row("OWNER held on a unit", [.role(.owner, on: .unit)], nil, .flat, ""),
        Row("TENANT held on the property", [.role(.tenant, on: .property)], nil, .flat, ""),
        Row("a user without roles", [], nil, .flat, ""),
        Row("a disabled user", [.role(.owner), .disabled], nil, .flat, ""),
    ]

    @Test("`decide` allows exactly the listed operations", arguments: rows)
    func decisions(row: Row) {
        let house = House(row.given)
        let allowed = LockOperation.allCases.filter { house.decide($0, on: house.id(of: row.door)).isAllowed }
        #expect(allowed == row.operations)
    }

    @Test("The permission matrix contains exactly the listed operations", arguments: rows.filter { $0.column != nil })
    func table(row: Row) {
        for operation in LockOperation.allCases {
            let columns = PermissionMatrix.columns(holding: operation)
            let holds = row.column.map(columns.contains) ?? false
            // Every guest has VIEW_STATUS, but the matrix has it only in the column of guests within their window.
            let isEveryGuests = row.column == .guestIfGranted && operation == .viewStatus
            #expect((holds || isEveryGuests) == row.operations.contains(operation), "\(operation)")
        }
    }

    @Test("The list of visible devices contains the door exactly if VIEW_STATUS is listed", arguments: rows)
    func visible(row: Row) {
        let house = House(row.given)
        let visible = SecurityService.visibleDeviceIDs(for: house.subject, at: .trusted(House.now), in: house.directory)
        #expect(visible.contains(house.id(of: row.door)) == row.operations.contains(.viewStatus))
    }

    @Test("A single role carries exactly the listed operations", arguments: rows)
    func carried(row: Row) {
        let house = House(row.given)
        guard let held = house.directory.associations(of: house.person).first else { return }
        let door = house.id(of: row.door)
        func carriers(of operations: [LockOperation]) -> [UserRoleAssociation] {
            SecurityService.carriers(of: operations, by: house.subject, on: door, in: house.directory)
        }
        #expect(LockOperation.allCases.filter { carriers(of: [$0]) == [held] } == row.operations)
        if !row.operations.isEmpty { #expect(carriers(of: row.operations) == [held]) }
        if row.operations.count < LockOperation.allCases.count { #expect(carriers(of: LockOperation.allCases).isEmpty) }
    }

    @Test("The matrix view shows exactly the listed roles for each operation", arguments: LockOperation.allCases)
    func view(operation: LockOperation) {
        let shown = PermissionMatrix.operationHolders(of: operation)
        let listed = Self.rows.filter { $0.operations.contains(operation) && ($0.column != nil || $0.given.isEmpty) }
        var roles = Set(listed.compactMap { $0.column?.role })
        if operation == .viewStatus { roles.insert(.superAdmin) }
        #expect(Set(shown.map(\.role)) == roles)
        #expect(shown.map(\.role.rank) == shown.map(\.role.rank).sorted())
    }

    @Test("The handwritten table contains every column of the matrix")
    func complete() { #expect(Set(Self.rows.compactMap(\.column)) == Set(MatrixColumn.allCases)) }

    @Test(
        "The entities on which a user has an operation do not include common areas or those of misplaced roles",
        arguments: [
            ([Given.role(.owner)], LockOperation.viewAccessHistory, [AssociatedEntityType.portfolio]),
            ([.role(.auditor)], .viewAccessHistory, [.property]), ([.role(.maintenance)], .viewAccessHistory, []),
            ([.role(.tenant)], .viewAccessHistory, [.unit]), ([.role(.tenant)], .changeSettings, []),
            ([.role(.auditor, 1), .role(.tenant, 2)], .viewAccessHistory, [.property, .unit]),
            ([.role(.auditor, 1), .role(.tenant, 2)], .unlock, [.unit]), ([.role(.owner, on: .unit)], .unlock, []),
            ([.superAdmin], .viewStatus, []), ([.guest()], .unlock, []), ([.role(.owner), .disabled], .unlock, []),
            ([], .unlock, []),
        ] as [([Given], LockOperation, [AssociatedEntityType])])
    func entities(given: [Given], operation: LockOperation, expected: [AssociatedEntityType]) {
        let house = House(given)
        let found = SecurityService.entities(where: house.subject, holds: operation, in: house.directory)
        #expect(found == expected.map(house.entity))
    }
}
