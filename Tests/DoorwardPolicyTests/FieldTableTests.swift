import DoorwardPolicy
import Testing

@Suite struct FieldTableTests {
    /// The fields of each kind of entity, as in the domain.
    private static let fields: [(FieldTable.Kind, String)] = [
        (
            .device,
            """
            id name adapter address manufacturer model firmwareVersion portfolioId propertyId propertyName unitId unitName \
            isRemoteOperationEnabled isOnline lastSeen state stateQuality stateAt doorState batteryLevel batteryLow faults capabilities \
            settings notes metadata createdAt updatedAt
            """
        ),
        (.portfolio, "id name administratorUserIds propertyIds createdAt updatedAt"),
        (
            .property,
            "id name portfolioId address managerUserIds unitIds defaultTimeZone lockdown lockdown.active createdAt updatedAt"
        ),
        (.unit, "id name propertyId portfolioId tenantUserIds deviceIds commonAreaAccessIds createdAt updatedAt"),
        (
            .user,
            """
            id email firstName lastName isEnabled isSuperAdmin roleAssociations guestAccesses defaultPortfolioId defaultPropertyId \
            defaultUnitId hasCompliancePack createdAt updatedAt
            """
        ),
        (
            .guestAccess,
            """
            id guestUserId guest guest.email label propertyId unitId deviceIds operations validFrom validUntil resolution schedule maxUses usesLeft \
            grantedByUserId grantedUnderAssociationId revokedAt createdAt
            """
        ),
        (
            .command,
            """
            id deviceId operation state actor source reason override rule sent changed outcomeDetail stateBefore stateAfter requestedAt \
            deadline dispatchedAt completedAt
            """
        ),
    ]

    @Test("The table has exactly the fields of each entity", arguments: fields)
    func complete(kind: FieldTable.Kind, names: String) {
        #expect(FieldTable.fields(of: kind, at: .owner) == Set(names.split(separator: " ").map(String.init) + ["viewLevel"]))
    }

    @Test("No field is added twice, and a higher level sees all fields of a lower one", arguments: FieldTable.Kind.allCases)
    func nested(kind: FieldTable.Kind) {
        let added = FieldLevel.allCases.flatMap { FieldTable.added(to: kind, at: $0) }
        #expect(Set(added).count == added.count)
        for (lower, higher) in zip(FieldLevel.allCases, FieldLevel.allCases.dropFirst()) {
            #expect(FieldTable.fields(of: kind, at: lower).isSubset(of: FieldTable.fields(of: kind, at: higher)))
        }
    }

    @Test(
        "Fields are visible from their level on, and not below it",
        arguments: [
            (FieldTable.Kind.device, "state", FieldLevel.publicLevel), (.device, "batteryLevel", .resident),
            (.device, "faults", .operations),
            (.device, "address", .management), (.property, "address", .publicLevel), (.property, "lockdown", .management),
            (.unit, "tenantUserIds", .management), (.user, "lastName", .resident), (.user, "email", .management),
            (.user, "isSuperAdmin", .owner), (.guestAccess, "label", .publicLevel),
            (.guestAccess, "grantedUnderAssociationId", .management),
            (.guestAccess, "guest", .publicLevel), (.guestAccess, "guest.email", .management),
            (.record, "at", .resident), (.record, "actorId", .management), (.portfolio, "createdAt", .management),
        ])
    func threshold(kind: FieldTable.Kind, field: String, level: FieldLevel) {
        for other in FieldLevel.allCases { #expect(FieldTable.sees(field, of: kind, at: other) == (other >= level)) }
    }

    @Test("A field that is not in the table is visible at no level", arguments: FieldTable.Kind.allCases)
    func unknown(kind: FieldTable.Kind) { #expect(!FieldTable.sees("password", of: kind, at: .owner)) }

    @Test("A record has no public fields")
    func records() { #expect(FieldTable.fields(of: .record, at: .publicLevel).isEmpty) }

    @Test("Levels have their API names, lowest first")
    func names() { #expect(FieldLevel.allCases.map(\.name) == ["PUBLIC", "RESIDENT", "OPERATIONS", "MANAGEMENT", "OWNER"]) }
}
