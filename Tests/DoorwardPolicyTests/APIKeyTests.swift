import DoorwardDomain
import DoorwardPolicy
import Testing

/// The rights of an API key are those that its role and its creator have in common.
@Suite struct APIKeyTests {
    private static let key = APIKeyID(high: 2, low: 1)
    private static let child = APIKeyID(high: 2, low: 2)

    private func key(
        _ id: APIKeyID = key, of user: UserID, under parent: APIKeyID? = nil, _ role: Role, on entity: AssociatedEntity,
        expiresAt: Timestamp = House.now.advanced(by: House.day)
    ) -> APIKey {
        APIKey(
            id: id, name: "Key", userID: user, parentID: parent, entity: entity, role: role, digest: [1], createdAt: House.now,
            expiresAt: expiresAt)
    }

    /// A random tenancy with a key of one of its users, and two more users: one who holds exactly the key's role, for comparison.
    private struct Sample {
        let directory: TenancyDirectory
        let creator: UserID
        let twin = UserID(high: 9, low: 9)
        var world: PlainWorld

        init?(seed: UInt64) {
            world = PlainWorld(seed: seed)
            var directory = world.directory
            let creator = world.someUser()
            let entities: [AssociatedEntity] =
                world.portfolios.map { .portfolio($0.id) } + world.properties.map { .property($0.id) }
                + world.units.map { .unit($0.id) }
            guard directory.user(creator) != nil, let entity = entities.randomElement(using: &world.generator),
                let role = entity.type.assignableRoles.sorted(by: { $0.rank < $1.rank }).randomElement(using: &world.generator)
            else { return nil }
            directory.apply(
                .putUser(
                    User(
                        id: twin, email: "twin@example.org", firstName: "T", lastName: "", createdAt: PlainWorld.now,
                        updatedAt: PlainWorld.now)))
            directory.apply(
                .putAssociation(
                    UserRoleAssociation(
                        id: AssociationID(high: 9, low: 9), userID: twin, entity: entity, role: role, createdAt: PlainWorld.now,
                        updatedAt: PlainWorld.now)))
            directory.apply(
                .putAPIKey(
                    APIKey(
                        id: APIKeyTests.key, name: "K", userID: creator, entity: entity, role: role, digest: [1],
                        createdAt: PlainWorld.now, expiresAt: Timestamp(milliseconds: .max))))
            (self.directory, self.creator) = (directory, creator)
        }

        var subjects: (key: Subject, role: Subject, creator: Subject) {
            (
                directory.subject(of: .apiKey(APIKeyTests.key)), directory.subject(of: .user(twin)),
                directory.subject(of: .user(creator))
            )
        }
    }

    @Test("In random tenancies a key is allowed exactly what its role and its creator are both allowed", arguments: 0..<4)
    func meet(block: UInt64) {
        for seed in block * 200..<(block + 1) * 200 {
            guard var sample = Sample(seed: seed) else { continue }
            let (directory, subjects) = (sample.directory, sample.subjects)
            for _ in 0..<30 {
                let (device, at) = (sample.world.someDevice(), sample.world.interestingInstant())
                let operation = LockOperation.allCases.randomElement(using: &sample.world.generator) ?? .lock
                let decisions = [subjects.key, subjects.role, subjects.creator].map {
                    SecurityService.decide($0, operation, on: device, at: .trusted(at), override: false, in: directory)
                }
                #expect(decisions[0].isAllowed == (decisions[1].isAllowed && decisions[2].isAllowed), "seed \(seed)")
                #expect(
                    decisions[0].rule == (decisions[0].isAllowed ? decisions[2].rule : nil), "seed \(seed): the creator's rule")
                if let denial = decisions[0].denial { #expect(denial.rule?.id != Self.key.description, "seed \(seed)") }
                let (object, permission) = (
                    sample.world.someObject(),
                    ManagementPermission.allCases.randomElement(using: &sample.world.generator) ?? .propertyRead
                )
                let answers = [subjects.key, subjects.role, subjects.creator].map {
                    SecurityService.allows($0, permission, on: object, in: directory)
                }
                #expect(answers[0].isAllowed == (answers[1].isAllowed && answers[2].isAllowed), "seed \(seed) \(permission)")
                let reach = answers.map { $0.denial?.hasReach ?? true }
                #expect(reach[0] == (reach[1] && reach[2]), "seed \(seed) \(permission) on \(object)")
            }
        }
    }

    @Test("The lists of a key contain exactly what its role and its creator both see", arguments: 0..<4)
    func lists(block: UInt64) {
        for seed in block * 200..<(block + 1) * 200 {
            guard var sample = Sample(seed: seed) else { continue }
            let (directory, subjects, at) = (sample.directory, sample.subjects, sample.world.interestingInstant())
            func common<ID: Hashable & Comparable>(_ list: (Subject) -> [ID]) -> Bool {
                list(subjects.key) == Set(list(subjects.role)).intersection(list(subjects.creator)).sorted()
            }
            #expect(common { SecurityService.visiblePortfolioIDs(for: $0, in: directory) }, "seed \(seed)")
            #expect(common { SecurityService.visiblePropertyIDs(for: $0, in: directory) }, "seed \(seed)")
            #expect(common { SecurityService.visibleUnitIDs(for: $0, in: directory) }, "seed \(seed)")
            #expect(common { SecurityService.visibleDeviceIDs(for: $0, at: .trusted(at), in: directory) }, "seed \(seed)")
            // The scopes of the access log contain exactly the units whose history both the role and the creator can read.
            func reads(_ subject: Subject, _ unit: UnitID) -> Bool {
                let scopes = SecurityService.entities(where: subject, holds: .viewAccessHistory, in: directory)
                let above: [AssociatedEntity?] = [
                    .unit(unit), directory.unit(unit).map { .property($0.propertyID) },
                    directory.unit(unit).map { .portfolio($0.portfolioID) },
                ]
                return above.contains { $0.map(scopes.contains) ?? false }
            }
            for unit in directory.unitIDs {
                #expect(
                    reads(subjects.key, unit) == (reads(subjects.role, unit) && reads(subjects.creator, unit)), "seed \(seed)")
            }
        }
    }

    @Test("A key has neither the super admin flag nor the data of its creator")
    func noPerson() {
        var house = House([.superAdmin, .role(.owner)])
        house.directory.apply(.putAPIKey(key(of: house.person, .owner, on: .portfolio(house.portfolio))))
        let subject = house.directory.subject(of: .apiKey(Self.key))
        #expect(subject.isEnabled && !subject.isSuperAdmin && subject.userID == nil && !subject.isUser(house.person))
        #expect(subject.actorUserID == house.person)
        #expect(!SecurityService.allows(subject, .usersCreate, on: .gateway, in: house.directory).isAllowed)
        #expect(!SecurityService.allows(subject, .portfolioCreate, on: .gateway, in: house.directory).isAllowed)
        let level = SecurityService.fieldLevel(
            of: subject, for: .user(house.person), at: .trusted(House.now), in: house.directory)
        #expect(level == .management, "as any owner sees a person with a role there, not as the person")
    }

    @Test("A key of a super admin can view and not move")
    func superAdminsKey() {
        var house = House([.superAdmin])
        house.directory.apply(.putAPIKey(key(of: house.person, .owner, on: .portfolio(house.portfolio))))
        #expect(house.decide(.viewStatus, by: .apiKey(Self.key)).isAllowed)
        #expect(house.decide(.unlock, by: .apiKey(Self.key)).denial?.reason == .roleInsufficient)
        #expect(!house.decide(.viewStatus, on: house.unassigned, by: .apiKey(Self.key)).isAllowed, "no portfolio's device")
    }

    @Test("A key loses its rights with its creator's role, status or existence, and with its entity", arguments: 0..<4)
    func loss(_ cause: Int) {
        var house = House([.role(.propertyManager)])
        house.directory.apply(.putAPIKey(key(of: house.person, .tenant, on: .unit(house.unit))))
        #expect(house.decide(by: .apiKey(Self.key)).isAllowed)
        switch cause {
        case 0: house.directory.apply(.removeAssociation(AssociationID(high: 1, low: 1)))
        case 1: house.put(user: house.person, isEnabled: false)
        case 2: house.directory.apply(.removeAPIKey(Self.key))
        default:
            house.directory.apply(
                .putAPIKey(key(of: house.person, .tenant, on: .unit(UnitID(high: 7, low: 7)))))
        }
        let denial = house.decide(by: .apiKey(Self.key)).denial
        #expect(denial?.reason == [.noAssociation, .userDisabled, .userUnknown, .userUnknown][cause])
        #expect(house.directory.subject(of: .apiKey(Self.key)).isEnabled == (cause == 0))
    }

    @Test("A key is valid until the last millisecond before its expiry, and a key that it created no longer")
    func expiry() {
        var house = House([.role(.owner)])
        house.directory.apply(.putAPIKey(key(of: house.person, .owner, on: .portfolio(house.portfolio))))
        house.directory.apply(
            .putAPIKey(
                key(
                    Self.child, of: house.person, under: Self.key, .owner, on: .portfolio(house.portfolio),
                    expiresAt: House.now.advanced(by: House.day * 9))))
        for id in [Self.key, Self.child] {
            #expect(house.decide(at: House.day - .milliseconds(1), by: .apiKey(id)).isAllowed)
            #expect(house.decide(at: House.day, by: .apiKey(id)) == .denied(Denial(.userUnknown, hasReach: false)))
            let end = House.now.advanced(by: House.day)
            #expect(!house.directory.subject(of: .apiKey(id), at: .trusted(end)).isEnabled)
            #expect(house.directory.subject(of: .apiKey(id), at: .trusted(end.advanced(by: .milliseconds(-1)))).isEnabled)
        }
    }

    @Test("A command of a key whose creator is only a guest keeps the use that it has reserved, and takes none that was refused")
    func uses() throws {
        var house = House()
        let rule = house.admit(maxUses: 1)
        house.directory.apply(.putAPIKey(key(of: house.person, .tenant, on: .unit(house.unit))))
        house.directory.apply(
            .putAPIKey(key(Self.child, of: house.person, under: Self.key, .tenant, on: .unit(house.unit))))
        let access = try #require(house.directory.countedUse(of: .unlock, under: rule)).id
        func decide(_ id: APIKeyID, _ uses: CommandUses = CommandUses()) -> Decision {
            SecurityService.decide(
                .apiKey(id), .unlock, on: house.flatDoor, at: .trusted(House.now), override: false, uses: uses,
                in: house.directory)
        }
        for id in [Self.key, Self.child] {
            #expect(decide(id).rule == rule)
            #expect(decide(id, CommandUses(exhausted: [access])).denial?.reason == .guestUsesExhausted)
        }
        var taken = GuestUseCounts.Changes()
        taken.taken = [access]
        house.directory.useCounts.begin(taken)
        house.directory.useCounts.end(taken, isWritten: true)
        for id in [Self.key, Self.child] {
            #expect(decide(id).denial?.reason == .guestUsesExhausted)
            #expect(decide(id, CommandUses(reserved: access)).rule == rule)
        }
    }

    @Test("A key that a key created has no right that its parent lacks, and ends with it")
    func generations() {
        var house = House([.role(.owner)])
        house.directory.apply(.putAPIKey(key(of: house.person, .auditor, on: .property(house.property))))
        house.directory.apply(
            .putAPIKey(key(Self.child, of: house.person, under: Self.key, .owner, on: .portfolio(house.portfolio))))
        #expect(house.decide(.viewStatus, by: .apiKey(Self.child)).isAllowed)
        #expect(!house.decide(.unlock, by: .apiKey(Self.child)).isAllowed)
        house.directory.apply(.removeAPIKey(Self.key))
        #expect(!house.directory.subject(of: .apiKey(Self.child)).isEnabled)
    }

    @Test("An association that a key passes on is its creator's, and only if its role holds the operations too")
    func carriers() {
        var house = House([.role(.owner)])
        house.directory.apply(.putAPIKey(key(of: house.person, .maintenance, on: .property(house.property))))
        let subject = house.directory.subject(of: .apiKey(Self.key))
        func carriers(_ operations: [LockOperation]) -> [AssociationID] {
            SecurityService.carriers(of: operations, by: subject, on: house.flatDoor, in: house.directory).map(\.id)
        }
        #expect(carriers([.unlock]) == [AssociationID(high: 1, low: 1)])
        #expect(carriers([.grantAccess, .unlock]).isEmpty)
    }

    @Test("A role is held by itself and by higher roles on the entity or above it, and by a super admin")
    func holds() {
        func holds(_ given: [Given], _ role: Role) -> Bool {
            let house = House(given)
            return SecurityService.holds(role, on: house.place(of: role), house.subject, in: house.directory)
        }
        #expect(holds([.role(.owner)], .owner) && holds([.role(.owner)], .tenant) && holds([.superAdmin], .owner))
        #expect(holds([.role(.propertyManager)], .maintenance) && !holds([.role(.propertyManager)], .owner))
        #expect(!holds([.role(.auditor)], .propertyManager) && !holds([.role(.tenant)], .auditor) && !holds([], .tenant))
        #expect(!holds([.role(.owner), .disabled], .tenant))
    }
}
