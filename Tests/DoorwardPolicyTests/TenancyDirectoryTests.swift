import DoorwardDomain
import DoorwardPolicy
import Testing

@Suite struct TenancyDirectoryTests {
    /// The results of all queries to a directory, as one comparable value.
    private struct Everything: Equatable {
        var entities: [[AnyHashable]]
        var lists: [[AnyHashable]]
        var counts: [Int]

        init(_ directory: TenancyDirectory, _ world: PlainWorld) {
            let users = world.users.map(\.id)
            entities = [
                directory.portfolioIDs.map { directory.portfolio($0) }, directory.propertyIDs.map { directory.property($0) },
                directory.unitIDs.map { directory.unit($0) }, directory.deviceIDs.map { directory.device($0) },
                directory.userIDs.map { directory.user($0) }, directory.guestAccessIDs.map { directory.guestAccess($0) },
                world.associations.map { directory.association($0.id) },
                world.users.map { directory.user(email: $0.email.lowercased()) },
            ]
            lists =
                world.portfolios.map { directory.propertyIDs(of: $0.id) } + world.properties.map { directory.unitIDs(of: $0.id) }
            lists += world.properties.map { directory.deviceIDs(of: $0.id) } + world.units.map { directory.deviceIDs(of: $0.id) }
            lists += users.map { directory.associations(of: $0) } + users.map { directory.guestAccesses(of: $0) }
            lists += Set(world.associations.map(\.entity)).sorted { $0.id < $1.id }.map { directory.associations(on: $0) }
            lists +=
                world.devices.map { directory.guestAccesses(on: $0.id) } + world.devices.map { directory.unitsSharing($0.id) }
            lists += world.properties.map { directory.guestAccesses(in: $0.id) }
            counts = [directory.userCount, directory.deviceCount, directory.superAdminIDs.count]
        }
    }

    /// Returns changes with earlier versions of the entities and with associations that are removed again, followed by the changes
    /// of the tenancy in random order.
    private func detour(_ world: inout PlainWorld) -> [TenancyChange] {
        var earlier: [TenancyChange] = []
        for device in world.devices {
            var elsewhere = device
            (elsewhere.propertyID, elsewhere.unitID) = (world.properties.randomElement(using: &world.generator)?.id, nil)
            earlier.append(.putDevice(elsewhere))
        }
        for unit in world.units {
            var sharing = unit
            sharing.commonAreaAccessIDs = world.devices.filter { _ in world.chance(50) }.map(\.id)
            earlier.append(.putUnit(sharing))
        }
        for user in world.users {
            var other = user
            (other.email, other.isSuperAdmin) = ("old-\(user.id)@example.org", world.chance(50))
            earlier.append(.putUser(other))
        }
        for access in world.guestAccesses {
            var other = access
            (other.guestUserID, other.deviceIDs) = (
                world.users.randomElement(using: &world.generator)?.id, world.devices.map(\.id)
            )
            earlier.append(.putGuestAccess(other))
        }
        for association in world.associations {
            let gone = UserRoleAssociation(
                id: world.newID(), userID: association.userID, entity: association.entity, role: .tenant,
                createdAt: PlainWorld.now,
                updatedAt: PlainWorld.now)
            earlier += [.putAssociation(gone), .removeAssociation(gone.id)]
            if world.chance(50) { earlier += [.putAssociation(association), .removeAssociation(association.id)] }
        }
        return earlier + world.changes.shuffled(using: &world.generator)
    }

    @Test("A directory that was changed in many ways has the same contents and decisions as one built directly", arguments: 0..<4)
    func incremental(block: UInt64) {
        for seed in block * 60..<(block + 1) * 60 {
            var world = PlainWorld(seed: seed)
            let anew = world.directory
            var changed = TenancyDirectory()
            changed.useCounts = world.useCounts
            for change in detour(&world) { changed.apply(change) }
            #expect(Everything(changed, world) == Everything(anew, world), "seed \(seed)")
            for _ in 0..<40 {
                let (principal, device, at) = (world.somePrincipal(), world.someDevice(), world.interestingInstant())
                for operation in [LockOperation.unlock, .viewStatus] {
                    #expect(
                        SecurityService.decide(principal, operation, on: device, at: .trusted(at), override: false, in: changed)
                            == SecurityService.decide(
                                principal, operation, on: device, at: .trusted(at), override: false, in: anew),
                        "seed \(seed)")
                }
            }
        }
    }

    @Test("The directory lists the same entities as the plain arrays")
    func against() {
        for seed in 0..<100 as Range<UInt64> {
            let world = PlainWorld(seed: seed)
            let directory = world.directory
            for user in world.users {
                #expect(
                    directory.associations(of: user.id)
                        == world.associations.filter { $0.userID == user.id }.sorted { $0.id < $1.id })
                #expect(
                    directory.guestAccesses(of: user.id)
                        == world.guestAccesses.filter { $0.guestUserID == user.id }.sorted { $0.id < $1.id })
            }
            for device in world.devices {
                #expect(
                    directory.guestAccesses(on: device.id)
                        == world.guestAccesses.filter { $0.deviceIDs.contains(device.id) }.sorted { $0.id < $1.id })
            }
            for property in world.properties {
                #expect(
                    directory.deviceIDs(of: property.id)
                        == world.devices.filter { $0.propertyID == property.id }.map(\.id).sorted())
                #expect(
                    directory.associations(on: .property(property.id))
                        == world.associations.filter { $0.entity == .property(property.id) }.sorted { $0.id < $1.id })
            }
            #expect(directory.deviceIDs == world.devices.map(\.id).sorted())
            #expect(directory.superAdminIDs.count == world.users.count(where: \.isSuperAdmin))
        }
    }

    @Test("A copy keeps its contents while later versions change")
    func versions() {
        var world = PlainWorld(seed: 77)
        let first = world.directory
        let before = Everything(first, world)
        var later = first
        for change in detour(&world) { later.apply(change) }
        for association in world.associations { later.apply(.removeAssociation(association.id)) }
        #expect(Everything(first, world) == before)
    }

    @Test("A user is found by email address regardless of case, and after a change only by the new address")
    func email() {
        var house = House()
        #expect(house.directory.user(email: "10@EXAMPLE.ORG")?.id == house.person)
        var user = house.directory.user(house.person)
        user?.email = "New@Example.org"
        if let user { house.directory.apply(.putUser(user)) }
        #expect(house.directory.user(email: "new@example.ORG")?.id == house.person)
        #expect(house.directory.user(email: "10@example.org") == nil)
        #expect(house.directory.userCount == 2)
    }

    @Test("Removing an association that does not exist has no effect")
    func removeUnknown() {
        var house = House()
        house.assign(.owner)
        house.directory.apply(.removeAssociation(AssociationID(high: 5, low: 5)))
        #expect(house.decide().isAllowed)
    }

    @Test("Each of a user's hundreds of roles is found")
    func manyRoles() {
        var house = House()
        for number in 1...300 as ClosedRange<UInt64> {
            house.assign(.tenant, on: .unit(UnitID(high: number % 3, low: 1000 + number / 2)), number: number)
        }
        #expect(house.directory.associations(of: house.person).count == 300)
        for number in 1...300 as ClosedRange<UInt64> {
            let entity = AssociatedEntity.unit(UnitID(high: number % 3, low: 1000 + number / 2))
            #expect(house.directory.associations(on: entity).map(\.id).contains(AssociationID(high: 1, low: number)))
        }
        #expect(house.directory.associations(on: .unit(UnitID(high: 7, low: 1001))).isEmpty)
        let rule = house.assign(.tenant, number: 301)
        #expect(house.decide() == .allowed(rule, override: false))
    }
}
