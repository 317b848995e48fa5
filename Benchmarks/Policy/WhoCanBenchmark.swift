import BenchmarkSupport
import DoorwardDomain
import DoorwardPolicy

/// Measures the list of everyone who may unlock a device that 1,000 rules reach, with the names as an owner sees them.
struct WhoCanBenchmark {
    static let ruleCount = 1000

    private let directory: TenancyDirectory
    private let device: DeviceID
    private let reader: UserID

    /// Adds rules for a device of the world: 40 % tenants, 40 % guest accesses, 10 % maintenance staff and 10 % API keys.
    init(world: TenancyFixture, directory: TenancyDirectory) {
        (device, reader) = (world.device(0), UserID(high: 1, low: 1))
        var directory = directory
        let now = TenancyFixture.now
        func user(_ index: Int) -> UserID { UserID(high: 2, low: UInt64(index)) }
        func put(_ id: UserID, _ index: Int) {
            directory.apply(
                .putUser(
                    User(
                        id: id, email: "rule\(id)@example.org", firstName: "Rule", lastName: "\(index)", createdAt: now,
                        updatedAt: now)))
        }
        func assign(_ id: UserID, _ role: Role, _ entity: AssociatedEntity, _ index: Int) {
            directory.apply(
                .putAssociation(
                    UserRoleAssociation(
                        id: AssociationID(high: 3, low: UInt64(index)), userID: id, entity: entity, role: role, createdAt: now,
                        updatedAt: now)))
        }
        put(reader, 0)
        assign(reader, .owner, .portfolio(world.portfolio(0)), 10_000)
        for index in 0..<Self.ruleCount {
            put(user(index), index)
            switch index % 10 {
            case 0...3: assign(user(index), .tenant, .unit(world.unit(0)), index)
            case 4: assign(user(index), .maintenance, .property(world.property(0)), index)
            case 5:
                directory.apply(
                    .putAPIKey(
                        APIKey(
                            id: APIKeyID(high: 4, low: UInt64(index)), name: "Key \(index)", userID: reader,
                            entity: .property(world.property(0)), role: .maintenance, digest: [UInt8(index % 256)],
                            createdAt: now, expiresAt: now.advanced(by: .seconds(86_400)))))
            default:
                directory.apply(
                    .putGuestAccess(
                        GuestAccess(
                            id: GuestAccessID(high: 5, low: UInt64(index)), guestUserID: user(index),
                            propertyID: world.property(0), unitID: world.unit(0), deviceIDs: [device],
                            operations: [.lock, .unlock],
                            window: GuestWindow(validFrom: now, validUntil: now.advanced(by: .seconds(86_400))),
                            grantedByUserID: reader, grantedUnderAssociationID: AssociationID(high: 3, low: 10_000),
                            grantedUnderRole: .owner, createdAt: now)))
            }
        }
        self.directory = directory
    }

    func run() {
        var samples: [UInt64] = []
        var count = 0
        for _ in 0..<200 {
            let start = Stopwatch.now()
            let subject = directory.subject(of: .user(reader))
            guard let node = directory.resolve(device) else { return }
            let entries = SecurityService.principals(
                permitted: .unlock, on: device, at: .trusted(TenancyFixture.now), in: directory
            ).map {
                SecurityService.named($0, on: node, for: subject, at: .trusted(TenancyFixture.now), in: directory)
            }
            samples.append(Stopwatch.now() - start)
            count = entries.count
        }
        let size = "\(count) entries"
        Figure(
            "who-can", "a device with \(Self.ruleCount) rules, p99", Double(percentile(0.99, of: &samples)) / 1e6, "ms", goal: 20,
            note: size
        ).report()
        Figure(
            "who-can", "a device with \(Self.ruleCount) rules, p50", Double(percentile(0.5, of: &samples)) / 1e6, "ms", note: size
        ).report()
    }
}
