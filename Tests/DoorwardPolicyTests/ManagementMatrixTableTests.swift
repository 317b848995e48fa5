import DoorwardDomain
import DoorwardPolicy
import Testing

/// The matrix of management permissions, written out by hand.
@Suite struct ManagementMatrixTableTests {
    /// The holders of a permission on one object, from highest role to lowest; `S` is the super admin.
    struct Row: CustomTestStringConvertible, Sendable {
        let permission: ManagementPermission
        let object: Object
        let holders: [Holder]

        init(_ permission: ManagementPermission, _ object: Object, _ holders: String) {
            (self.permission, self.object) = (permission, object)
            self.holders = holders.compactMap(Holder.init(rawValue:))
        }

        var testDescription: String { "\(permission.rawValue) on \(object)" }
    }

    enum Object: CaseIterable {
        case gateway, portfolio, property, unit, flat, cellar
    }

    /// The holders, each with one letter: Super admin, Owner, portfolio Admin, property Manager,
    /// mainteNance, auditor of the Portfolio, auditor of the property (E), Tenant of the unit.
    enum Holder: Character, CaseIterable {
        case superAdmin = "S", owner = "O", admin = "A", manager = "M", maintenance = "N", portfolioAuditor = "P"
        case propertyAuditor = "E", tenant = "T"

        var given: Given {
            switch self {
            case .superAdmin: .superAdmin
            case .owner: .role(.owner)
            case .admin: .role(.portfolioAdmin)
            case .manager: .role(.propertyManager)
            case .maintenance: .role(.maintenance)
            case .portfolioAuditor: .role(.auditor, on: .portfolio)
            case .propertyAuditor: .role(.auditor)
            case .tenant: .role(.tenant)
            }
        }
    }

    private static let rows = [
        Row(.portfolioCreate, .gateway, "S"),
        Row(.portfolioRead, .portfolio, "SOAP"),
        Row(.portfolioRename, .portfolio, "SOA"),
        Row(.portfolioDelete, .portfolio, "SO"),
        Row(.subscriptionRead, .portfolio, "SOA"),
        Row(.subscriptionChange, .portfolio, "S"),
        Row(.retentionChange, .portfolio, "O"),
        Row(.portfolioAdminsAssign, .portfolio, "SO"),
        Row(.portfolioAuditorsAssign, .portfolio, "SOA"),
        Row(.propertyCreate, .portfolio, "OA"),
        Row(.propertyRead, .property, "SOAMNPET"),
        Row(.propertyChange, .property, "OAM"),
        Row(.propertyDelete, .property, "OA"),
        Row(.propertyManagersAssign, .property, "OA"),
        Row(.propertyStaffAssign, .property, "OAM"),
        Row(.unitCreate, .property, "OAM"),
        Row(.unitRead, .unit, "SOAMNPET"),
        Row(.unitChange, .unit, "OAM"),
        Row(.unitDelete, .unit, "OAM"),
        Row(.unitTenantsAssign, .unit, "OAM"),
        Row(.deviceAttach, .property, "SOAM"),
        Row(.deviceAttach, .unit, "SOAM"),
        Row(.deviceRead, .flat, "SOAMNPET"),
        Row(.deviceRead, .cellar, "SOAMNPE"),
        Row(.deviceChange, .flat, "OAM"),
        Row(.deviceChange, .cellar, "OAM"),
        Row(.deviceMove, .flat, "OAM"),
        Row(.deviceMove, .property, "OAM"),
        Row(.deviceMove, .unit, "OAM"),
        Row(.deviceDetach, .flat, "OAM"),
        Row(.deviceDetach, .cellar, "OAM"),
        Row(.lockdown, .property, "OAM"),
        Row(.guestAccessGrant, .property, "OAM"),
        Row(.guestAccessGrant, .unit, "OAMT"),
        Row(.guestAccessChange, .property, "OAM"),
        Row(.guestAccessChange, .unit, "OAMT"),
        Row(.guestAccessRevoke, .property, "OAM"),
        Row(.guestAccessRevoke, .unit, "OAMT"),
        Row(.guestAccessLink, .property, "OAM"),
        Row(.guestAccessLink, .unit, "OAMT"),
        Row(.peopleList, .gateway, "S"),
        Row(.peopleList, .portfolio, "SOA"),
        Row(.peopleList, .property, "SOAM"),
        Row(.peopleList, .unit, "SOAM"),
        Row(.peopleRead, .portfolio, "SOA"),
        Row(.peopleRead, .property, "SOAM"),
        Row(.peopleRead, .unit, "SOAM"),
        Row(.apiKeysManage, .gateway, "S"),
        Row(.apiKeysManage, .portfolio, "SOA"),
        Row(.apiKeysManage, .property, "SOAM"),
        Row(.accessLogExport, .gateway, "S"),
        Row(.accessLogExport, .portfolio, "OAP"),
        Row(.accessLogExport, .property, "OAMPE"),
        Row(.accessLogVerify, .gateway, "S"),
        Row(.accessLogVerify, .portfolio, "OAP"),
        Row(.accessLogVerify, .property, "OAPE"),
        Row(.complianceReport, .gateway, ""),
        Row(.complianceReport, .portfolio, "OAP"),
        Row(.complianceReport, .property, "OAMPE"),
        Row(.usersCreate, .gateway, "S"),
        Row(.usersDisable, .gateway, "S"),
        Row(.usersDelete, .gateway, "S"),
        Row(.usersErase, .gateway, "S"),
        Row(.adaptersManage, .gateway, "S"),
        Row(.gatewayLogRead, .gateway, "S"),
    ]

    private func object(_ object: Object, in house: House) -> ManagedObject {
        switch object {
        case .gateway: .gateway
        case .portfolio: .portfolio(house.portfolio)
        case .property: .property(house.property)
        case .unit: .unit(house.unit)
        case .flat: .device(house.flatDoor)
        case .cellar: .device(house.cellar)
        }
    }

    @Test("`allows` allows exactly the listed holders, and names the super admin rule exactly for super admins", arguments: rows)
    func allows(row: Row) {
        for holder in Holder.allCases {
            let house = House([holder.given])
            let decision = SecurityService.allows(
                house.subject, row.permission, on: object(row.object, in: house), in: house.directory)
            #expect(decision.isAllowed == row.holders.contains(holder), "\(holder)")
            if let rule = decision.rule { #expect((rule == .superAdmin) == (holder == .superAdmin), "\(holder)") }
        }
    }

    @Test("A user who is disabled, unknown or without any role is allowed nothing", arguments: rows)
    func nobody(row: Row) {
        for holder in Holder.allCases {
            var house = House([holder.given])
            house.put(user: house.person, isEnabled: false, isSuperAdmin: holder == .superAdmin)
            let object = object(row.object, in: house)
            let disabled = SecurityService.allows(house.subject, row.permission, on: object, in: house.directory)
            #expect(disabled.denial?.reason == .userDisabled, "\(holder)")
            #expect(
                !SecurityService.allows(house.directory.subject(house.other), row.permission, on: object, in: house.directory)
                    .isAllowed)
            let unknown = SecurityService.allows(
                house.directory.subject(UserID(high: 9, low: 9)), row.permission, on: object, in: house.directory)
            #expect(unknown == .denied(Denial(.userUnknown, hasReach: false)))
        }
    }

    @Test("A denial on a visible object names the lowest role that has the permission", arguments: rows)
    func missing(row: Row) {
        let order: [Holder: Role] = [
            .superAdmin: .superAdmin, .owner: .owner, .admin: .portfolioAdmin, .manager: .propertyManager,
            .maintenance: .maintenance, .portfolioAuditor: .auditor, .propertyAuditor: .auditor, .tenant: .tenant,
        ]
        let held = PermissionMatrix.holders(of: row.permission).roles
        for holder in Holder.allCases where !row.holders.contains(holder) {
            let house = House([holder.given])
            let decision = SecurityService.allows(
                house.subject, row.permission, on: object(row.object, in: house), in: house.directory)
            guard let denial = decision.denial, denial.hasReach else { continue }
            #expect(denial.reason == .roleInsufficient, "\(holder)")
            let expected = row.object == .gateway ? row.holders.first.flatMap { order[$0] } : held.last ?? .superAdmin
            #expect(denial.missing?.role == expected, "\(holder)")
        }
    }

    @Test("The lists of visible entities contain exactly those that the user may read", arguments: Holder.allCases)
    func visible(holder: Holder) {
        let house = House([holder.given])
        func mayRead(_ permission: ManagementPermission, _ object: Object) -> Bool {
            Self.rows.contains { $0.permission == permission && $0.object == object && $0.holders.contains(holder) }
        }
        let (person, directory) = (house.person, house.directory)
        #expect(
            SecurityService.visiblePortfolioIDs(for: directory.subject(person), in: directory)
                == (mayRead(.portfolioRead, .portfolio) ? [house.portfolio] : []))
        #expect(
            SecurityService.visiblePropertyIDs(for: directory.subject(person), in: directory)
                == (mayRead(.propertyRead, .property) ? [house.property] : []))
        let units = SecurityService.visibleUnitIDs(for: directory.subject(person), in: directory)
        #expect(units.contains(house.unit) == mayRead(.unitRead, .unit))
        #expect(units.contains(house.otherUnit) == (holder != .tenant), "a tenant cannot see the unit next door")
        let devices = SecurityService.visibleDeviceIDs(for: directory.subject(person), at: .trusted(House.now), in: directory)
        #expect(devices.contains(house.flatDoor) == mayRead(.deviceRead, .flat))
        #expect(devices.contains(house.cellar) == mayRead(.deviceRead, .cellar))
        #expect(devices.contains(house.unassigned) == (holder == .superAdmin))
    }

    @Test("The handwritten table contains every permission")
    func complete() { #expect(Set(Self.rows.map(\.permission)) == Set(ManagementPermission.allCases)) }
}
