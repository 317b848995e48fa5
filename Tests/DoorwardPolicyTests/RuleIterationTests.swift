import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardPolicy

@Suite struct RuleIterationTests {
    private typealias Result = (rule: ReachingRule, verdict: RuleVerdict)

    private static func results(
        _ request: AccessRequest, _ subject: Subject, _ directory: TenancyDirectory
    ) -> [Result] {
        var results: [Result] = []
        SecurityService.forEachRule(reaching: request, for: subject, in: directory) { rule, verdict in
            results.append((rule, verdict))
            return .next
        }
        return results
    }

    /// Returns the decision computed from all rules in any order, whereas `decide` stops at the first rule that allows.
    private static func fold(
        _ request: AccessRequest, _ subject: Subject, _ directory: TenancyDirectory, _ results: [Result]
    ) -> Decision {
        if let reason = subject.denialReason { return .denied(Denial(reason, hasReach: !results.isEmpty)) }
        let allowing = results.filter { $0.verdict.failure == nil }.map(\.rule).min { $0.order < $1.order }
        if let allowing { return request.decision(allowedBy: allowing.rule, for: subject, override: false, in: directory) }
        var nearest: RuleFailure?
        for result in results { result.verdict.failure?.replace(&nearest) }
        return .denied(request.denial(nearest))
    }

    @Test("In random tenancies `decide` gives the same decision as an evaluation of all rules in any order", arguments: 0..<4)
    func decideIsFold(block: UInt64) {
        var (compared, several) = (0, 0)
        for seed in 5000 + block * 200..<5000 + (block + 1) * 200 {
            var world = PlainWorld(seed: seed)
            let directory = world.directory
            for _ in 0..<50 {
                let (principal, at) = (world.somePrincipal(), world.interestingInstant())
                guard let device = directory.resolve(world.someDevice()) else { continue }
                let operation = LockOperation.allCases.randomElement(using: &world.generator) ?? .unlock
                let request = AccessRequest(operation: operation, device: device, time: .trusted(at))
                let subject = directory.subject(of: principal)
                let results = Self.results(request, subject, directory).shuffled(using: &world.generator)
                let decision = SecurityService.decide(
                    principal, operation, on: device.id, at: .trusted(at), override: false, in: directory)
                let expected = Self.fold(request, subject, directory, results)
                if decision != expected {
                    Issue.record("seed \(seed): \(principal) \(operation) on \(device.id)\n got \(decision)\nwant \(expected)")
                    return
                }
                compared += 1
                several += results.count > 1 ? 1 : 0
            }
        }
        #expect(compared > 5000 && several > 300, "\(compared) compared, \(several) with several rules")
    }

    @Test("In random tenancies the same associations apply to a device as in the naive implementation")
    func associations() {
        for seed in 6000..<6200 as Range<UInt64> {
            let world = PlainWorld(seed: seed)
            let (directory, naive) = (world.directory, NaivePolicy(world: world))
            for user in world.users {
                for device in world.devices {
                    guard let node = directory.resolve(device.id) else {
                        Issue.record("not resolved")
                        return
                    }
                    let request = AccessRequest(operation: .unlock, device: node, time: .trusted(PlainWorld.now))
                    let reaching = Self.results(request, directory.subject(user.id), directory).compactMap(\.rule.association)
                    let expected = world.associations.filter { $0.userID == user.id && naive.reach($0, device) != nil }.map(\.id)
                    #expect(reaching.sorted() == expected.sorted(), "seed \(seed)")
                }
            }
        }
    }

    @Test("The verdict of a guest access contains the end of its window; that of a role has no end")
    func until() throws {
        let house = House([.role(.tenant), .guest(2, until: House.hour)])
        let device = try #require(house.directory.resolve(house.flatDoor))
        let request = AccessRequest(operation: .unlock, device: device, time: .trusted(House.now))
        let ends = Self.results(request, house.subject, house.directory).map { result -> Timestamp?? in
            if case .allowed(let until) = result.verdict { .some(until) } else { nil }
        }
        #expect(ends == [.some(nil), .some(House.now.advanced(by: House.hour))])
    }

    @Test("The iteration stops when its body returns `.stop`, in a common area too")
    func stop() throws {
        var house = House([
            .role(.tenant), .role(.propertyManager, 2), .role(.owner, 3), .guest(4, at: [.flat, .front]), .superAdmin,
        ])
        house.assign(.tenant, on: .unit(house.unit), number: 5)
        for door in [house.flatDoor, house.frontDoor] {
            let device = try #require(house.directory.resolve(door))
            for limit in 1...6 {
                var calls = 0
                SecurityService.forEachRule(
                    reaching: EntityPath(device), for: house.subject, at: .trusted(House.now), in: house.directory
                ) { _ in
                    calls += 1
                    return calls == limit ? .stop : .next
                }
                #expect(calls == limit)
            }
        }
    }

    @Test("If several units share a common area, the decision names the smallest association id, in any order")
    func severalUnits() {
        for numbers in [[1, 2, 3], [3, 2, 1], [2, 3, 1]] as [[UInt64]] {
            var house = House()
            for (index, number) in numbers.enumerated() {
                let unit = Unit(
                    id: UnitID(high: 0, low: 40 + UInt64(index)), name: "U", propertyID: house.property,
                    portfolioID: house.portfolio, commonAreaAccessIDs: [house.cellar], createdAt: House.now, updatedAt: House.now)
                house.directory.apply(.putUnit(unit))
                house.assign(.tenant, on: .unit(unit.id), number: number)
            }
            house.assign(.propertyManager, number: 4)
            #expect(house.decide(on: house.cellar) == .allowed(.held(.tenant, 1), override: false))
        }
    }
}

extension RuleVerdict {
    fileprivate var failure: RuleFailure? {
        if case .failed(let failure) = self { failure } else { nil }
    }
}

extension ReachingRule {
    /// The order in which decisions name rules: by specificity, then role, then id.
    fileprivate var order: (Int, Int, EntityID<Rule>) {
        let specificity =
            switch self {
            case .role(let held, _), .tenancyBelow(let held): [.unit, .property, .portfolio].firstIndex(of: held.type) ?? 9
            case .guestAccess: 3
            case .superAdmin: 4
            }
        return (specificity, rule.role.rank, rule.sortKey ?? EntityID(high: .max, low: .max))
    }

    fileprivate var association: AssociationID? {
        if case .role(let held, _) = self { held.id } else { nil }
    }
}
