import DoorwardDomain
import DoorwardPolicy
import Testing

@Suite struct WhoCanTests {
    @Test("In random tenancies everyone who may do an operation is listed once, with the rule and the end", arguments: 0..<4)
    func againstNaive(block: UInt64) {
        var listed = 0
        for seed in block * 90..<(block + 1) * 90 {
            var world = PlainWorld(seed: seed)
            world.addAPIKeys()
            let (directory, naive) = (world.directory, NaivePolicy(world: world))
            for _ in 0..<12 {
                let (device, at) = (world.someDevice(), world.interestingInstant())
                let operation = LockOperation.allCases.randomElement(using: &world.generator) ?? .unlock
                let found = SecurityService.principals(permitted: operation, on: device, at: .trusted(at), in: directory)
                let expected = naive.whoCan(operation, device, at)
                let isSame = found.allSatisfy { entry in
                    expected[entry.principal].map { $0.rule == entry.rule && $0.until == entry.until } ?? false
                }
                guard isSame, found.count == expected.count, Set(found.map(\.principal)).count == found.count else {
                    Issue.record("seed \(seed): \(operation) on \(device) at \(at)\n got \(found)\nwant \(expected)")
                    return
                }
                listed += found.count
            }
        }
        #expect(listed > 700, "\(listed)")
    }

    @Test("The random tenancies list users, links and keys, with and without an end, and super admins for VIEW_STATUS only")
    func worldsAreWideEnough() {
        var kinds: [String: Int] = [:]
        for seed in 0..<300 as Range<UInt64> {
            var world = PlainWorld(seed: seed)
            world.addOpenAccesses()
            world.addAPIKeys()
            let directory = world.directory
            for device in world.devices {
                for operation in LockOperation.allCases {
                    let at = world.interestingInstant()
                    for entry in SecurityService.principals(permitted: operation, on: device.id, at: .trusted(at), in: directory)
                    {
                        switch entry.principal {
                        case .user: kinds["user\(entry.until == nil ? "" : " until")", default: 0] += 1
                        case .guestLink: kinds["link", default: 0] += 1
                        case .apiKey: kinds["key\(entry.rule.role == .guest ? " of guest" : "")", default: 0] += 1
                        }
                        if entry.rule == .superAdmin { #expect(operation == .viewStatus) }
                        if case .guestLink(let id) = entry.principal { #expect(directory.guestAccess(id)?.guestUserID == nil) }
                    }
                }
            }
        }
        #expect(["user", "user until", "link", "key", "key of guest"].allSatisfy { kinds[$0, default: 0] > 10 }, "\(kinds)")
    }

    @Test("The cost depends on the rules of the device's path: a device without rules has an empty list, whatever else is stored")
    func stranger() {
        let house = House([.role(.owner), .role(.tenant)])
        #expect(
            !SecurityService.principals(permitted: .unlock, on: house.flatDoor, at: .trusted(House.now), in: house.directory)
                .isEmpty)
        #expect(
            SecurityService.principals(permitted: .unlock, on: house.unassigned, at: .trusted(House.now), in: house.directory)
                .isEmpty)
        let unknown = DeviceID(high: 9, low: 9)
        #expect(SecurityService.principals(permitted: .unlock, on: unknown, at: .trusted(House.now), in: house.directory).isEmpty)
    }

    @Test("Under lockdown the list for UNLOCK is empty, as it is without an override, and the list for LOCK is as before")
    func lockdown() {
        var house = House([.role(.owner)])
        house.put(lockdown: Lockdown(since: House.now, byUserID: house.other))
        #expect(
            SecurityService.principals(permitted: .unlock, on: house.flatDoor, at: .trusted(House.now), in: house.directory)
                .isEmpty)
        #expect(
            SecurityService.principals(permitted: .lock, on: house.flatDoor, at: .trusted(House.now), in: house.directory).count
                == 1)
    }

    @Test("Super admins are indexed as they come, go and change, also disabled ones")
    func superAdmins() {
        var directory = TenancyDirectory()
        let users = (1...4).map { UserID(high: 5, low: $0) }
        func put(_ user: UserID, isSuperAdmin: Bool, isEnabled: Bool = true) {
            directory.apply(
                .putUser(
                    User(
                        id: user, email: "\(user)", firstName: "F", lastName: "L", isEnabled: isEnabled,
                        isSuperAdmin: isSuperAdmin, createdAt: House.now, updatedAt: House.now)))
        }
        for user in users { put(user, isSuperAdmin: user != users[3]) }
        put(users[0], isSuperAdmin: false)
        put(users[1], isSuperAdmin: true, isEnabled: false)
        #expect(directory.superAdminIDs == [users[1], users[2]] && directory.superAdminIDs.count == 2)
        directory.apply(.removeUser(users[2]))
        #expect(directory.superAdminIDs == [users[1]])
        put(users[2], isSuperAdmin: true)
        #expect(directory.superAdminIDs == [users[1], users[2]])
    }
}
