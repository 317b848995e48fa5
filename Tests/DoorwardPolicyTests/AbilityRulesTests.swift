import DoorwardDomain
import DoorwardPolicy
import Testing

@Suite struct AbilityRulesTests {
    private func object(_ device: LockDevice) -> [String: Ability.Value] {
        var object: [String: Ability.Value] = [
            "id": .text("\(device.id)"), "capabilities": .list(device.capabilities.names),
            "isRemoteOperationEnabled": .flag(device.isRemoteOperationEnabled),
        ]
        object["unitId"] = device.unitID.map { .text("\($0)") }
        object["propertyId"] = device.propertyID.map { .text("\($0)") }
        object["portfolioId"] = device.portfolioID.map { .text("\($0)") }
        return object
    }

    /// The fields that the reader sees; all fields of an object that the reader does not see.
    private func projected(
        _ device: LockDevice, to user: UserID, at instant: DecisionTime, in directory: TenancyDirectory
    ) -> [String: Ability.Value] {
        let subject = directory.subject(of: .user(user))
        guard let level = SecurityService.fieldLevel(of: subject, for: .device(device.id), at: instant, in: directory)
        else { return object(device) }
        return object(device).filter { FieldTable.sees($0.key, of: .device, at: level) }
    }

    private func ability(of user: UserID, at instant: DecisionTime, in directory: TenancyDirectory) -> Ability {
        Ability(rules: SecurityService.abilityRules(of: directory.subject(of: .user(user)), at: instant, in: directory))
    }

    @Test(
        "In random tenancies the rules permit exactly the operations that are allowed, on whole and on projected devices",
        arguments: 0..<8)
    func operations(block: UInt64) throws {
        var (checks, allowed) = (0, 0)
        for seed in block * 100..<(block + 1) * 100 {
            var world = PlainWorld(seed: seed)
            let directory = world.directory
            for user in world.users.map(\.id) {
                let instant = DecisionTime.trusted(world.interestingInstant())
                let ability = ability(of: user, at: instant, in: directory)
                for device in world.devices {
                    let views = [object(device), projected(device, to: user, at: instant, in: directory)]
                    for operation in LockOperation.allCases {
                        let decision = SecurityService.decide(
                            .user(user), operation, on: device.id, at: instant, override: false, in: directory)
                        for view in views {
                            let can = ability.can(operation.rawValue, "LockDevice", view)
                            checks += 1
                            guard can != decision.isAllowed else { continue }
                            Issue.record("seed \(seed): \(user) \(operation) \(device) at \(instant): rules \(can), \(decision)")
                            return
                        }
                        allowed += decision.isAllowed ? 1 : 0
                    }
                }
            }
        }
        #expect(checks > 10_000 && allowed > 300, "\(checks) checks, \(allowed) allowed")
    }

    @Test("A forbidden operation that a rule would permit has the reason of the denial")
    func reasons() {
        var reasons: [DenialReason: Int] = [:]
        for seed in 0..<300 as Range<UInt64> {
            var world = PlainWorld(seed: seed)
            let directory = world.directory
            for user in world.users.map(\.id) {
                let instant = DecisionTime.trusted(world.interestingInstant())
                let ability = ability(of: user, at: instant, in: directory)
                for device in world.devices {
                    for operation in LockOperation.allCases {
                        let view = projected(device, to: user, at: instant, in: directory)
                        let decision = SecurityService.decide(
                            .user(user), operation, on: device.id, at: instant, override: false, in: directory)
                        guard let reason = decision.denial?.reason,
                            [.capabilityMissing, .remoteOperationDisabled, .lockdownActive].contains(reason)
                        else { continue }
                        #expect(ability.decidingRule(operation.rawValue, "LockDevice", view)?.reason == reason)
                        reasons[reason, default: 0] += 1
                    }
                }
            }
        }
        #expect(reasons.count == 3 && reasons.values.allSatisfy { $0 > 20 }, "\(reasons)")
    }

    @Test("In random tenancies the rules permit exactly the management permissions that are given", arguments: 0..<4)
    func management(block: UInt64) {
        var allowed = 0
        for seed in block * 100..<(block + 1) * 100 {
            let world = PlainWorld(seed: seed)
            let directory = world.directory
            var objects: [(ManagedObject, String, [String: Ability.Value])] = [(.gateway, "Gateway", [:])]
            objects += world.portfolios.map { (.portfolio($0.id), "Portfolio", ["id": .text("\($0.id)")]) }
            objects += world.properties.map {
                (.property($0.id), "Property", ["id": .text("\($0.id)"), "portfolioId": .text("\($0.portfolioID)")])
            }
            for unit in world.units {
                guard let portfolio = directory.property(unit.propertyID)?.portfolioID else { continue }
                objects.append(
                    (
                        .unit(unit.id), "Unit",
                        [
                            "id": .text("\(unit.id)"), "propertyId": .text("\(unit.propertyID)"),
                            "portfolioId": .text("\(portfolio)"),
                        ]
                    ))
            }
            objects += world.devices.map { (.device($0.id), "LockDevice", object($0)) }
            for user in world.users.map(\.id) {
                let subject = directory.subject(of: .user(user))
                let ability = ability(of: user, at: .trusted(PlainWorld.now), in: directory)
                for (managed, type, fields) in objects {
                    for permission in ManagementPermission.allCases
                    where PermissionMatrix.holders(of: permission).subjects().contains(type) {
                        let decision = SecurityService.allows(subject, permission, on: managed, in: directory)
                        let can = ability.can(permission.rawValue, type, fields)
                        allowed += can ? 1 : 0
                        if can != decision.isAllowed {
                            Issue.record("seed \(seed): \(user) \(permission) on \(managed): rules \(can), \(decision)")
                            return
                        }
                    }
                }
            }
        }
        #expect(allowed > 500, "\(allowed)")
    }

    @Test("For the action read, the rules name exactly the fields of a visible device at the reader's level")
    func fields() {
        let all = FieldTable.fields(of: .device, at: .owner)
        var seen: Set<FieldLevel> = []
        for seed in 0..<200 as Range<UInt64> {
            var world = PlainWorld(seed: seed)
            let directory = world.directory
            for user in world.users.map(\.id) {
                let (instant, subject) = (DecisionTime.trusted(world.interestingInstant()), directory.subject(of: .user(user)))
                let ability = ability(of: user, at: instant, in: directory)
                for id in SecurityService.visibleDeviceIDs(for: subject, at: instant, in: directory) {
                    guard let device = directory.device(id),
                        let level = SecurityService.fieldLevel(of: subject, for: .device(id), at: instant, in: directory)
                    else { continue }
                    seen.insert(level)
                    let view = projected(device, to: user, at: instant, in: directory)
                    for field in all {
                        let can = ability.can("read", "LockDevice", view, field: field)
                        #expect(can == FieldTable.sees(field, of: .device, at: level), "seed \(seed): \(field) at \(level)")
                    }
                }
            }
        }
        #expect(seen == Set(FieldLevel.allCases))
    }

    @Test("Between two changes of the clock the abilities stay the same, and at a change they differ")
    func changes() {
        var changes = 0
        for seed in 0..<300 as Range<UInt64> {
            var world = PlainWorld(seed: seed)
            let directory = world.directory
            for user in world.users.map(\.id) {
                let (start, subject) = (DecisionTime.trusted(world.interestingInstant()), directory.subject(of: .user(user)))
                let rules = SecurityService.abilityRules(of: subject, at: start, in: directory)
                let next = SecurityService.nextAbilityChange(of: subject, after: start, in: directory)
                guard let next else {
                    let end = DecisionTime.trusted(start.instant.advanced(by: .seconds(20 * 366 * 86_400)))
                    #expect(SecurityService.abilityRules(of: subject, at: end, in: directory) == rules)
                    continue
                }
                changes += 1
                #expect(next > start.instant)
                let before = next.advanced(by: .milliseconds(-1))
                #expect(SecurityService.abilityRules(of: subject, at: .trusted(before), in: directory) == rules, "seed \(seed)")
                #expect(SecurityService.abilityRules(of: subject, at: .trusted(next), in: directory) != rules, "seed \(seed)")
            }
        }
        #expect(changes > 50, "\(changes)")
    }

    @Test("A disabled user and a guest link have no rules")
    func none() {
        for seed in 0..<50 as Range<UInt64> {
            let world = PlainWorld(seed: seed)
            let directory = world.directory
            for user in world.users where !user.isEnabled {
                #expect(ability(of: user.id, at: .trusted(PlainWorld.now), in: directory).rules.isEmpty)
            }
            for access in world.guestAccesses {
                let subject = directory.subject(of: .guestLink(access.id))
                #expect(SecurityService.abilityRules(of: subject, at: .trusted(PlainWorld.now), in: directory).isEmpty)
            }
        }
    }
}
