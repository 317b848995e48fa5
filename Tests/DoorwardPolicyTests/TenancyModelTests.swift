import DoorwardDomain
import DoorwardPolicy
import Testing

/// Compares the directory with plain dictionaries after changes in any order, including children before their parents.
@Suite struct TenancyModelTests {
    @Test(
        "After every change the directory has the same contents and lists as the dictionaries",
        arguments: 0..<24 as Range<UInt64>)
    func everyChange(seed: UInt64) {
        var changes = RandomChanges(seed: seed)
        var (directory, model) = (TenancyDirectory(), TenancyModel())
        for step in 0..<160 {
            let change = changes.next()
            directory.apply(change)
            model.apply(change)
            if let difference = model.difference(from: directory) {
                Issue.record("seed \(seed), step \(step): \(difference) after \(change)")
                return
            }
        }
    }

    @Test(
        "With many entities of each kind, few of them related, the directory equals the dictionaries too",
        arguments: 0..<3 as Range<UInt64>)
    func many(seed: UInt64) {
        var changes = RandomChanges(seed: seed + 100, ids: 900)
        var (directory, model) = (TenancyDirectory(), TenancyModel())
        for _ in 0..<10_000 {
            let change = changes.next()
            directory.apply(change)
            model.apply(change)
        }
        #expect(directory.deviceCount > 600, "several pages of 64")
        #expect(model.difference(from: directory) == nil)
    }

    @Test("Applying a change twice has the same effect as applying it once", arguments: 200..<212 as Range<UInt64>)
    func idempotent(seed: UInt64) {
        var changes = RandomChanges(seed: seed)
        var (directory, model) = (TenancyDirectory(), TenancyModel())
        for _ in 0..<120 {
            let change = changes.next()
            directory.apply(change)
            directory.apply(change)
            model.apply(change)
        }
        #expect(model.difference(from: directory) == nil)
    }

    @Test(
        "Each copy keeps its contents, even if two copies of one version change differently",
        arguments: 300..<310 as Range<UInt64>)
    func versions(seed: UInt64) {
        var changes = RandomChanges(seed: seed)
        var (directory, model) = (TenancyDirectory(), TenancyModel())
        var versions: [(directory: TenancyDirectory, model: TenancyModel)] = []
        for step in 0..<150 {
            if step % 10 == 0 { versions.append((directory, model)) }
            let change = changes.next()
            directory.apply(change)
            model.apply(change)
            // An older copy changes too, which must not affect any other copy.
            if let index = versions.indices.randomElement(using: &changes.generator), step % 3 == 0 {
                let other = changes.next()
                versions[index].directory.apply(other)
                versions[index].model.apply(other)
            }
        }
        for (index, version) in versions.enumerated() {
            #expect(version.model.difference(from: version.directory) == nil, "seed \(seed), version \(index)")
        }
        #expect(model.difference(from: directory) == nil)
    }

    @Test("The order of changes to different entities does not matter", arguments: 400..<412 as Range<UInt64>)
    func order(seed: UInt64) {
        var changes = RandomChanges(seed: seed, ids: 40)
        var model = TenancyModel()
        for _ in 0..<150 { model.apply(changes.next()) }
        var last: [TenancyChange] = model.portfolios.values.map { .putPortfolio($0) }
        last += model.properties.values.map { .putProperty($0) } + model.units.values.map { .putUnit($0) }
        last += model.devices.values.map { .putDevice($0) } + model.users.values.map { .putUser($0) }
        last += model.removedUsers.map { .removeUser($0) }
        last += model.associations.values.map { .putAssociation($0) } + model.guestAccesses.values.map { .putGuestAccess($0) }
        last += model.apiKeys.values.map { .putAPIKey($0) } + model.invitations.values.map { .putInvitation($0) }
        last += model.guestLinks.values.map { .putGuestLink($0) }
        for _ in 0..<4 {
            last.shuffle(using: &changes.generator)
            let directory = last.reduce(into: TenancyDirectory()) { $0.apply($1) }
            #expect(model.difference(from: directory) == nil)
        }
    }

    @Test(
        "A tenant sees exactly the unit's own devices and the common areas that it validly lists, after any changes",
        arguments: 500..<520 as Range<UInt64>)
    func sharing(seed: UInt64) {
        var changes = RandomChanges(seed: seed, ids: 3)
        var (directory, model) = (TenancyDirectory(), TenancyModel())
        let tenant = User(
            id: UserID(high: 9, low: 9), email: "t@example.org", firstName: "T", lastName: "T",
            createdAt: Timestamp(milliseconds: 0), updatedAt: Timestamp(milliseconds: 0))
        for _ in 0..<250 {
            let change = changes.next()
            directory.apply(change)
            model.apply(change)
            guard let unit = model.units.values.randomElement(using: &changes.generator) else { continue }
            var asked = directory
            asked.apply(.putUser(tenant))
            asked.apply(
                .putAssociation(
                    UserRoleAssociation(
                        id: AssociationID(high: 9, low: 9), userID: tenant.id, entity: .unit(unit.id), role: .tenant,
                        createdAt: tenant.createdAt, updatedAt: tenant.createdAt)))
            let expected = model.devices.values.filter { device in
                guard let property = device.propertyID else { return false }
                let isShared = unit.commonAreaAccessIDs.contains(device.id) && property == unit.propertyID
                return device.unitID == unit.id || (device.unitID == nil && isShared)
            }
            let visible = SecurityService.visibleDeviceIDs(
                for: asked.subject(tenant.id), at: .trusted(tenant.createdAt), in: asked)
            #expect(visible == expected.map(\.id).sorted(), "seed \(seed)")
        }
    }
}
