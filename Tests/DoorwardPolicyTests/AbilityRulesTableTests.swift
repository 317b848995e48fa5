import DoorwardDomain
import DoorwardPolicy
import Testing

/// The rules of single roles and guest accesses, written out.
@Suite struct AbilityRulesTableTests {
    private static let now = House.now

    private func rules(_ house: House, of user: UserID? = nil) -> [AbilityRule] {
        let subject = house.directory.subject(of: .user(user ?? house.person))
        return SecurityService.abilityRules(of: subject, at: .trusted(Self.now), in: house.directory)
    }

    /// A rule in one line, without its actions.
    private func scope(_ rule: AbilityRule) -> String {
        let conditions = rule.conditions.map { condition in
            switch condition {
            case .equals(let field, let value): "\(field)=\(value.suffix(2))"
            case .isFlag(let field, let value): "\(field)=\(value)"
            case .isOneOf(let field, let values): "\(field) in \(values.map { $0.suffix(2) }.sorted().joined(separator: ","))"
            case .containsNone(let field, let values): "\(field) without \(values.joined(separator: ","))"
            }
        }
        return (rule.subjects + conditions).joined(separator: " ")
    }

    private func scopes(_ house: House, with action: String) -> [String] {
        rules(house).filter { $0.actions.contains(action) && !$0.isInverted }.map(scope)
    }

    /// The lock operations that the rules permit on a type of object somewhere.
    private func operations(_ house: House) -> Set<String> {
        let all = Set(LockOperation.allCases.map(\.rawValue))
        return Set(rules(house).filter { !$0.isInverted }.flatMap(\.actions)).intersection(all)
    }

    @Test(
        "Each role gives its column of the matrix of operations",
        arguments: [
            (Role.owner, "LOCK UNLOCK UNLATCH VIEW_STATUS CHANGE_SETTINGS VIEW_ACCESS_HISTORY GRANT_ACCESS LOCKDOWN"),
            (.portfolioAdmin, "LOCK UNLOCK UNLATCH VIEW_STATUS CHANGE_SETTINGS VIEW_ACCESS_HISTORY GRANT_ACCESS LOCKDOWN"),
            (.propertyManager, "LOCK UNLOCK UNLATCH VIEW_STATUS CHANGE_SETTINGS VIEW_ACCESS_HISTORY GRANT_ACCESS LOCKDOWN"),
            (.maintenance, "LOCK UNLOCK UNLATCH VIEW_STATUS"), (.auditor, "VIEW_STATUS VIEW_ACCESS_HISTORY"),
            (.tenant, "LOCK UNLOCK UNLATCH VIEW_STATUS VIEW_ACCESS_HISTORY GRANT_ACCESS"),
        ])
    func columns(role: Role, operations expected: String) {
        var house = House()
        house.assign(role)
        #expect(operations(house) == Set(expected.split(separator: " ").map(String.init)))
    }

    @Test("A role applies to its entity and to everything below it, by the id of the entity")
    func below() {
        var house = House()
        house.assign(.owner)
        #expect(scopes(house, with: "UNLOCK") == ["LockDevice portfolioId=01"])
        #expect(scopes(house, with: "portfolio.rename") == ["Portfolio id=01"])
        #expect(scopes(house, with: "property.change") == ["Property portfolioId=01"])
        #expect(scopes(house, with: "unit.change") == ["Unit portfolioId=01"])
        var managed = House()
        managed.assign(.propertyManager)
        #expect(scopes(managed, with: "UNLOCK") == ["LockDevice propertyId=02"])
        #expect(scopes(managed, with: "property.change") == ["Property id=02"])
        #expect(scopes(managed, with: "unit.create") == ["Property id=02"])
        #expect(scopes(managed, with: "portfolio.rename").isEmpty)
        #expect(scopes(managed, with: "device.attach") == ["Property id=02", "Unit propertyId=02"])
    }

    @Test("A tenant has the own unit, its property for reading, and the common areas of the unit without their history")
    func tenant() {
        var house = House()
        house.assign(.tenant)
        #expect(scopes(house, with: "UNLOCK") == ["LockDevice unitId=03", "LockDevice id in 07"])
        #expect(scopes(house, with: "VIEW_ACCESS_HISTORY") == ["LockDevice unitId=03"])
        #expect(scopes(house, with: "property.read") == ["Property id=02"])
        #expect(scopes(house, with: "unit.read") == ["Unit id=03"])
        #expect(scopes(house, with: "guestAccess.grant") == ["Unit id=03"])
        #expect(scopes(house, with: "unit.change").isEmpty)
    }

    @Test("A role on a portfolio for which it cannot be assigned gives no rule")
    func unassignable() {
        var house = House()
        house.assign(.tenant, on: .portfolio(house.portfolio))
        #expect(rules(house).allSatisfy { $0.actions.isEmpty || $0.isInverted })
    }

    @Test("A super admin sees the status of every lock, operates none, and holds the gateway's permissions")
    func superAdmin() {
        var house = House()
        house.put(user: house.person, isSuperAdmin: true)
        #expect(operations(house) == ["VIEW_STATUS"])
        #expect(scopes(house, with: "VIEW_STATUS") == ["LockDevice"])
        #expect(scopes(house, with: "users.create") == ["Gateway"])
        #expect(scopes(house, with: "accessLog.export") == ["Gateway"])
        #expect(scopes(house, with: "portfolio.delete") == ["Portfolio"])
        #expect(scopes(house, with: "property.change").isEmpty)
        #expect(rules(house).allSatisfy { !$0.isInverted })
    }

    @Test("Read is limited to the fields of the role's level")
    func reading() throws {
        for (role, seen, hidden) in [
            (Role.tenant, "batteryLevel", "address"), (.maintenance, "faults", "address"), (.auditor, "address", nil),
        ] as [(Role, String, String?)] {
            var house = House()
            house.assign(role)
            let rule = try #require(rules(house).first { $0.actions == ["read"] && $0.subjects == ["LockDevice"] })
            #expect(rule.fields.contains(seen) && rule.fields.contains("state"), "\(role)")
            if let hidden { #expect(!rule.fields.contains(hidden), "\(role)") }
        }
    }

    @Test(
        "What is forbidden comes last, with its reason; the capability counts before remote operation, and this before lockdown")
    func forbidden() {
        var house = House()
        house.assign(.propertyManager)
        house.put(lockdown: Lockdown(since: Self.now, byUserID: house.other))
        let inverted = rules(house).filter(\.isInverted)
        #expect(
            inverted.map { "\($0.reason?.rawValue ?? ""): \($0.actions.joined(separator: ",")) \(scope($0))" } == [
                "lockdown_active: UNLOCK,UNLATCH LockDevice propertyId in 02",
                "remote_operation_disabled: LOCK,UNLOCK,UNLATCH LockDevice isRemoteOperationEnabled=false",
                "capability_missing: LOCK LockDevice capabilities without LOCK",
                "capability_missing: UNLOCK LockDevice capabilities without UNLOCK",
                "capability_missing: UNLATCH LockDevice capabilities without UNLATCH",
            ])
        #expect(rules(house).suffix(inverted.count) == inverted[...])
    }

    @Test("A reader who does not see whether remote operation is enabled gets the ids of the locks on which it is not")
    func disabledByID() {
        var house = House()
        house.assign(.tenant)
        house.put(device: house.flatDoor, unit: house.unit, isRemote: false)
        house.put(device: house.otherDoor, unit: house.otherUnit, isRemote: false)
        let disabled = rules(house).filter { $0.reason == .remoteOperationDisabled }
        #expect(disabled.map(scope) == ["LockDevice id in 05"], "the door of another unit is not named")
    }

    @Test("A guest access gives its operations and the status, by the ids of its locks, only within its window")
    func guest() {
        var house = House()
        house.admit(devices: [house.flatDoor, house.frontDoor], operations: [.unlock])
        #expect(operations(house) == ["UNLOCK", "VIEW_STATUS"])
        #expect(scopes(house, with: "UNLOCK") == ["LockDevice id in 05,07"])
        #expect(scopes(house, with: "read") == ["LockDevice id in 05,07"])
        house.put(device: house.flatDoor, unit: house.unit, isRemote: false)
        let disabled = rules(house).filter { $0.reason == .remoteOperationDisabled }
        #expect(disabled.map(scope) == ["LockDevice id in 05"])
        var ended = House()
        ended.admit(from: .seconds(-7200), until: .seconds(-3600))
        #expect(rules(ended).isEmpty)
        var later = House()
        later.admit(from: .seconds(3600), until: .seconds(7200))
        #expect(rules(later).isEmpty)
        var revoked = House()
        revoked.admit(revokedAt: .zero)
        #expect(rules(revoked).isEmpty)
    }

    @Test("A person without rights, and a disabled one, have no rules")
    func nobody() {
        var house = House()
        #expect(rules(house).isEmpty)
        house.assign(.owner)
        house.put(user: house.person, isEnabled: false)
        #expect(rules(house).isEmpty)
        #expect(rules(house, of: house.other).isEmpty)
    }
}
