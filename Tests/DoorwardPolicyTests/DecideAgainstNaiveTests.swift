import DoorwardDomain
import DoorwardPolicy
import Testing

@Suite struct DecideAgainstNaiveTests {
    /// 2,400 random tenancies, with fifty access requests each.
    @Test(
        "In random tenancies every decision, with its rule, visibility and instants, equals that of a naive implementation",
        arguments: 0..<8)
    func sameDecision(block: UInt64) {
        for seed in block * 300..<(block + 1) * 300 {
            var world = PlainWorld(seed: seed)
            world.addAPIKeys()
            let directory = world.directory
            var naive = NaivePolicy(world: world)
            for _ in 0..<50 {
                let (device, at) = (world.someDevice(), world.interestingInstant())
                let key = world.chance(15) ? world.apiKeys.randomElement(using: &world.generator) : nil
                let principal = key.map { .apiKey($0.id) } ?? world.somePrincipal()
                let operation = LockOperation.allCases.randomElement(using: &world.generator) ?? .unlock
                let override = world.chance(30)
                naive.isTrusted = world.chance(70)
                naive.latest = naive.isTrusted ? nil : world.interestingInstant()
                // A command has reserved a use that is counted, and others may have taken the last one of another access.
                naive.reserved = world.chance(40) ? world.usesTaken.keys.sorted().randomElement(using: &world.generator) : nil
                naive.refused = world.guestAccesses.map(\.id).filter { _ in world.chance(10) }
                let decision = SecurityService.decide(
                    principal, operation, on: device,
                    at: DecisionTime(at, isTrusted: naive.isTrusted, latest: naive.latest), override: override,
                    uses: CommandUses(reserved: naive.reserved, exhausted: naive.refused), in: directory)
                let expected = naive.decide(principal, operation, device, at, override: override)
                if decision != expected {
                    Issue.record("seed \(seed): \(principal) \(operation) \(device) at \(at)\n got \(decision)\nwant \(expected)")
                    return
                }
            }
        }
    }

    @Test("The random tenancies produce each denial reason and each kind of rule")
    func worldsAreWideEnough() {
        var reasons: Set<DenialReason> = []
        var roles: Set<Role> = []
        var (denialsWithReach, overridden) = (0, 0)
        for seed in 0..<400 as Range<UInt64> {
            var world = PlainWorld(seed: seed)
            let directory = world.directory
            for _ in 0..<50 {
                let (principal, device, at) = (world.somePrincipal(), world.someDevice(), world.interestingInstant())
                let operation = LockOperation.allCases.randomElement(using: &world.generator) ?? .unlock
                let time = DecisionTime(at, isTrusted: world.chance(90))
                let decision = SecurityService.decide(principal, operation, on: device, at: time, override: false, in: directory)
                if let denial = decision.denial { reasons.insert(denial.reason) }
                if let rule = decision.rule { roles.insert(rule.role) }
                denialsWithReach += decision.denial?.hasReach == true ? 1 : 0
                if case .allowed(_, true) = SecurityService.decide(
                    principal, operation, on: device, at: .trusted(at), override: true, in: directory)
                {
                    overridden += 1
                }
            }
        }
        #expect(reasons == Set(DenialReason.allCases))
        #expect(roles == Set(Role.allCases))
        #expect(denialsWithReach > 1000 && overridden > 50, "\(denialsWithReach), \(overridden)")
    }

    @Test("Deciding with resolved subjects and devices gives the same result as deciding by ids")
    func resolvedIsTheSame() {
        for seed in 0..<200 as Range<UInt64> {
            var world = PlainWorld(seed: seed)
            let directory = world.directory
            for user in world.users {
                for device in world.devices {
                    let at = world.interestingInstant()
                    let resolved = SecurityService.decide(
                        directory.subject(user.id), .unlock, on: directory.resolve(device.id), at: .trusted(at), override: false,
                        in: directory)
                    let byID = SecurityService.decide(
                        .user(user.id), .unlock, on: device.id, at: .trusted(at), override: false, in: directory)
                    #expect(resolved == byID)
                }
            }
        }
    }
}
