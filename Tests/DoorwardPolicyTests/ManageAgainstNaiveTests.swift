import DoorwardDomain
import DoorwardPolicy
import Testing

@Suite struct ManageAgainstNaiveTests {
    @Test(
        "In random tenancies every management permission, with its visibility, equals that of a naive implementation",
        arguments: 0..<4)
    func sameAnswer(block: UInt64) {
        for seed in block * 300..<(block + 1) * 300 {
            var world = PlainWorld(seed: seed)
            let (directory, naive) = (world.directory, NaiveManagement(world: world))
            for _ in 0..<40 {
                let (user, object) = (world.someUser(), world.someObject())
                let permission = ManagementPermission.allCases.randomElement(using: &world.generator) ?? .propertyRead
                let decision = SecurityService.allows(directory.subject(user), permission, on: object, in: directory)
                let answer: NaiveManagement.Answer =
                    decision.denial.map { .denied(reason: $0.reason, hasReach: $0.hasReach) } ?? .allowed
                let expected = naive.allows(user, permission, object)
                if answer != expected {
                    Issue.record("seed \(seed): \(user) \(permission) on \(object)\n got \(answer)\nwant \(expected)")
                    return
                }
                if let rule = decision.rule { #expect(rule == .superAdmin || holds(user, rule, world), "seed \(seed)") }
            }
        }
    }

    private func holds(_ user: UserID, _ rule: Rule, _ world: PlainWorld) -> Bool {
        world.associations.contains { $0.userID == user && .association($0.id, $0.role) == rule }
    }

    @Test("The lists of visible entities contain exactly those that the user may read, in order", arguments: 0..<4)
    func visible(block: UInt64) {
        for seed in block * 100..<(block + 1) * 100 {
            var world = PlainWorld(seed: seed)
            let directory = world.directory
            let (naive, management) = (NaivePolicy(world: world), NaiveManagement(world: world))
            let at = world.interestingInstant()
            for user in world.users.map(\.id) + [world.newID()] {
                #expect(
                    SecurityService.visiblePortfolioIDs(for: directory.subject(user), in: directory)
                        == world.portfolios.map(\.id).filter {
                            management.allows(user, .portfolioRead, .portfolio($0)) == .allowed
                        }.sorted())
                #expect(
                    SecurityService.visiblePropertyIDs(for: directory.subject(user), in: directory)
                        == world.properties.map(\.id).filter { management.allows(user, .propertyRead, .property($0)) == .allowed }
                        .sorted())
                #expect(
                    SecurityService.visibleUnitIDs(for: directory.subject(user), in: directory)
                        == world.units.map(\.id).filter { management.allows(user, .unitRead, .unit($0)) == .allowed }.sorted())
                #expect(
                    SecurityService.visibleDeviceIDs(for: directory.subject(user), at: .trusted(at), in: directory)
                        == world.devices.map(\.id).filter { naive.decide(.user(user), .viewStatus, $0, at).isAllowed }.sorted(),
                    "seed \(seed)")
            }
        }
    }

    @Test("A device is visible exactly if the naive decision says so", arguments: 0..<2)
    func reach(block: UInt64) {
        for seed in block * 200..<(block + 1) * 200 {
            var world = PlainWorld(seed: seed)
            let directory = world.directory
            for device in world.devices {
                let (user, at) = (world.someUser(), world.interestingInstant())
                let decision = NaivePolicy(world: world).decide(.user(user), .lockdown, device.id, at)
                #expect(
                    SecurityService.reaches(directory.subject(user), device: device.id, at: .trusted(at), in: directory)
                        == (decision.denial?.hasReach ?? true),
                    "seed \(seed)")
            }
        }
    }

    @Test("The naive matrix has a row for every permission, and no other rows")
    func complete() {
        #expect(Set(NaiveManagement.matrix.keys) == Set(ManagementPermission.allCases.map(\.rawValue)))
    }
}
