import DoorwardDomain
import DoorwardPolicy
import Testing

/// The field table written out by hand, and the fields that each role sees.
@Suite struct FieldTablePageTests {
    /// A row: a kind of object, a level, and the fields that the level adds.
    struct Line: CustomTestStringConvertible, Sendable {
        let kind: FieldTable.Kind
        let level: FieldLevel
        let fields: [String]

        init(_ kind: FieldTable.Kind, _ level: FieldLevel, _ fields: String) {
            (self.kind, self.level) = (kind, level)
            self.fields = fields.split(whereSeparator: \.isWhitespace).map(String.init)
        }

        var testDescription: String { "\(kind.rawValue), \(level.name)" }
    }

    private static let page = [
        Line(
            .device, .publicLevel,
            "viewLevel id name state stateQuality stateAt doorState isOnline capabilities propertyName unitName"),
        Line(.device, .resident, "batteryLevel batteryLow portfolioId propertyId unitId settings createdAt updatedAt"),
        Line(.device, .operations, "manufacturer model firmwareVersion lastSeen faults adapter"),
        Line(.device, .management, "address metadata isRemoteOperationEnabled notes"),
        Line(.device, .owner, ""),
        Line(.portfolio, .publicLevel, "viewLevel id name"),
        Line(.portfolio, .resident, ""),
        Line(.portfolio, .operations, ""),
        Line(.portfolio, .management, "administratorUserIds propertyIds createdAt updatedAt"),
        Line(.portfolio, .owner, ""),
        Line(.property, .publicLevel, "viewLevel id name defaultTimeZone address lockdown.active"),
        Line(.property, .resident, "createdAt updatedAt portfolioId"),
        Line(.property, .operations, "unitIds"),
        Line(.property, .management, "managerUserIds lockdown"),
        Line(.property, .owner, ""),
        Line(.unit, .publicLevel, "viewLevel id name propertyId"),
        Line(.unit, .resident, "portfolioId deviceIds commonAreaAccessIds createdAt updatedAt"),
        Line(.unit, .operations, ""),
        Line(.unit, .management, "tenantUserIds"),
        Line(.unit, .owner, ""),
        Line(.user, .publicLevel, "viewLevel id firstName"),
        Line(.user, .resident, "lastName"),
        Line(.user, .operations, ""),
        Line(.user, .management, "email roleAssociations isEnabled"),
        Line(
            .user, .owner,
            """
            isSuperAdmin guestAccesses defaultPortfolioId defaultPropertyId defaultUnitId hasCompliancePack createdAt updatedAt
            """),
        Line(
            .guestAccess, .publicLevel,
            """
            viewLevel id guestUserId guest label propertyId unitId deviceIds operations validFrom validUntil resolution schedule maxUses usesLeft
            grantedByUserId revokedAt createdAt
            """),
        Line(.guestAccess, .resident, ""),
        Line(.guestAccess, .operations, ""),
        Line(.guestAccess, .management, "guest.email grantedUnderAssociationId"),
        Line(.guestAccess, .owner, ""),
        Line(.command, .publicLevel, ""),
        Line(.record, .publicLevel, ""),
        Line(.record, .resident, "viewLevel id at kind operation decision outcome event method deviceId actor"),
        Line(.record, .operations, ""),
        Line(.record, .owner, ""),
    ]

    @Test("Each level adds exactly the fields of the handwritten table", arguments: page)
    func added(line: Line) { #expect(Set(FieldTable.added(to: line.kind, at: line.level)) == Set(line.fields)) }

    @Test("A field is visible from the level that adds it, and not below", arguments: page)
    func seen(line: Line) {
        for field in line.fields {
            for level in FieldLevel.allCases {
                #expect(FieldTable.sees(field, of: line.kind, at: level) == (level >= line.level), "\(field), \(level.name)")
                #expect(FieldTable.fields(of: line.kind, at: level).contains(field) == (level >= line.level), "\(field)")
            }
        }
    }

    @Test("No table contains a field with a secret", arguments: FieldTable.Kind.allCases)
    func secrets(kind: FieldTable.Kind) {
        let fields = FieldTable.fields(of: kind, at: .owner)
        for word in ["password", "secret", "token", "hash", "salt", "link", "key"] {
            #expect(!fields.contains { $0.lowercased().contains(word) })
        }
    }

    @Test("A field of one kind is not visible on a kind without a field of that name")
    func otherKinds() {
        #expect(!FieldTable.sees("email", of: .device, at: .owner))
        #expect(!FieldTable.sees("state", of: .user, at: .owner))
        #expect(!FieldTable.sees("seq", of: .command, at: .owner))
        #expect(!FieldTable.sees("", of: .record, at: .owner))
        #expect(!FieldTable.sees("lockdown.reason", of: .property, at: .publicLevel))
    }

    @Test(
        "Each role has its field level, and the super admin role has none",
        arguments: [
            (Role.superAdmin, nil), (.owner, .owner), (.portfolioAdmin, .management), (.propertyManager, .management),
            (.maintenance, .operations), (.auditor, .management), (.tenant, .resident), (.guest, .publicLevel),
        ] as [(Role, FieldLevel?)])
    func roles(role: Role, level: FieldLevel?) { #expect(FieldLevel(of: role) == level) }

    private func level(_ given: [Given], _ object: (House) -> FieldObject) -> FieldLevel? {
        let house = House(given)
        return SecurityService.fieldLevel(of: house.subject, for: object(house), at: .trusted(House.now), in: house.directory)
    }

    private static let facts: [(Given, FieldLevel?)] = [
        (.role(.owner, 1), .owner), (.role(.portfolioAdmin, 2), .management), (.role(.propertyManager, 3), .management),
        (.role(.maintenance, 4), .operations), (.role(.auditor, 5), .management), (.role(.tenant, 6), .resident),
        (.guest(7), .publicLevel), (.superAdmin, .operations), (.role(.owner, 8, on: .unit), nil),
        (.guest(9, until: .seconds(-4_000_000), created: .seconds(-5_000_000)), nil), (.guest(10, at: [.cellar]), nil),
    ]

    @Test("If a user has two roles or guest accesses, the higher level counts on the device", arguments: facts.indices)
    func merged(index: Int) {
        let (fact, alone) = Self.facts[index]
        #expect(level([fact]) { .device($0.flatDoor) } == alone)
        for (other, otherLevel) in Self.facts {
            let expected = [alone, otherLevel].compactMap(\.self).max()
            #expect(level([fact, other]) { .device($0.flatDoor) } == expected)
            #expect(level([other, fact]) { .device($0.flatDoor) } == expected)
        }
    }

    @Test("A role counts only on its own object, not on others")
    func perObject() {
        let both: [Given] = [.role(.tenant, 1), .guest(2, at: [.other])]
        #expect(level(both) { .device($0.flatDoor) } == .resident)
        #expect(level(both) { .device($0.otherDoor) } == .publicLevel)
        #expect(level(both) { .device($0.cellar) } == nil)
        #expect(level(both) { .unit($0.unit) } == .resident)
        #expect(level(both) { .unit($0.otherUnit) } == nil)
        #expect(level(both) { .portfolio($0.portfolio) } == nil)
        #expect(level([.role(.auditor, on: .portfolio)]) { .portfolio($0.portfolio) } == .management)
        #expect(level([.role(.auditor)]) { .portfolio($0.portfolio) } == nil, "an auditor of a property sees no portfolio")
    }

    @Test("A device has a field level if its status may be viewed, and none if it is not visible")
    func agreesWithDecisions() {
        for seed in 4000..<4100 as Range<UInt64> {
            let world = PlainWorld(seed: seed)
            let directory = world.directory
            for user in world.users.map(\.id) {
                for device in world.devices.map(\.id) {
                    let decision = SecurityService.decide(
                        .user(user), .viewStatus, on: device, at: .trusted(PlainWorld.now), override: false, in: directory)
                    let level = SecurityService.fieldLevel(
                        of: directory.subject(user), for: .device(device), at: .trusted(PlainWorld.now), in: directory)
                    if decision.isAllowed { #expect(level != nil, "seed \(seed)") }
                    if decision.denial?.hasReach == false { #expect(level == nil, "seed \(seed)") }
                }
            }
        }
    }
}
