import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting

/// A small random tenancy in plain arrays, as a reference for the directory.
struct PlainWorld {
    static let now = Timestamp(milliseconds: 1_700_000_000_000)

    /// Zones of properties and schedules; one of them is not known.
    static let zones = ["UTC", "Europe/Berlin", "America/New_York", "Pacific/Kiritimati", "Mars/Olympus", nil]

    var portfolios: [Portfolio] = []
    var properties: [Property] = []
    var units: [Unit] = []
    var devices: [LockDevice] = []
    var users: [User] = []
    var associations: [UserRoleAssociation] = []
    var guestAccesses: [GuestAccess] = []
    /// How many uses of each guest access are taken, including those that commands have reserved.
    var usesTaken: [GuestAccessID: Int] = [:]
    /// Empty until `addAPIKeys`.
    var apiKeys: [APIKey] = []

    var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        for _ in 0..<Int.random(in: 1...2, using: &generator) { addPortfolio() }
        shareCommonAreas()
        for _ in 0..<Int.random(in: 2...5, using: &generator) { addUser() }
        for _ in 0..<Int.random(in: 2...12, using: &generator) { addAssociation() }
        for _ in 0..<Int.random(in: 0...8, using: &generator) { addGuestAccess() }
    }

    /// The changes that build the directory, parents first.
    var changes: [TenancyChange] {
        portfolios.map { .putPortfolio($0) } + properties.map { .putProperty($0) } + units.map { .putUnit($0) }
            + devices.map { .putDevice($0) } + users.map { .putUser($0) } + associations.map { .putAssociation($0) }
            + guestAccesses.map { .putGuestAccess($0) } + apiKeys.map { .putAPIKey($0) }
    }

    var directory: TenancyDirectory {
        var directory = TenancyDirectory()
        directory.useCounts = useCounts
        for change in changes { directory.apply(change) }
        return directory
    }

    /// The taken uses, in a new object.
    var useCounts: GuestUseCounts {
        let counts = GuestUseCounts()
        _ = counts.replace(with: usesTaken, ifGenerationIs: counts.generation)
        return counts
    }

    // MARK: - Generation

    /// Returns a random id that does not depend on creation time, so that either of two entities may have the smaller id.
    mutating func newID<Entity>() -> EntityID<Entity> {
        EntityID(high: .random(in: 0...3, using: &generator), low: .random(in: 0...UInt64.max, using: &generator))
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    private mutating func addPortfolio() {
        let subscription = chance(85) ? Subscription.standard : Subscription(tier: "T", modules: [.guestLinks])
        let portfolio = Portfolio(
            id: newID(), name: "P", subscription: subscription, createdAt: Self.now, updatedAt: Self.now)
        portfolios.append(portfolio)
        for _ in 0..<Int.random(in: 0...2, using: &generator) {
            let property = Property(
                id: newID(), name: "H", portfolioID: portfolio.id,
                defaultTimeZone: Self.zones.randomElement(using: &generator) ?? nil,
                lockdown: chance(25) ? Lockdown(since: Self.now, byUserID: newID()) : nil, createdAt: Self.now,
                updatedAt: Self.now)
            properties.append(property)
            let first = units.count
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                units.append(
                    Unit(
                        id: newID(), name: "U", propertyID: property.id, portfolioID: portfolio.id, createdAt: Self.now,
                        updatedAt: Self.now))
            }
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let unit = chance(55) ? units[first...].randomElement(using: &generator) : nil
                addDevice(on: property, unit)
            }
        }
        if chance(40) { addDevice(on: nil, nil) }
    }

    private mutating func addDevice(on property: Property?, _ unit: Unit?) {
        devices.append(
            LockDevice(
                id: newID(), name: "D", adapter: "simulator", portfolioID: property?.portfolioID, propertyID: property?.id,
                unitID: unit?.id, isRemoteOperationEnabled: !chance(15), capabilities: chance(75) ? .all : [.lock, .unlock],
                createdAt: Self.now, updatedAt: Self.now))
    }

    /// Adds common areas: mostly devices that units may share, sometimes devices that they may not.
    private mutating func shareCommonAreas() {
        for index in units.indices {
            for device in devices where device.propertyID == units[index].propertyID && chance(device.unitID == nil ? 60 : 10) {
                units[index].commonAreaAccessIDs.append(device.id)
            }
            if chance(5), let stray = devices.randomElement(using: &generator) {
                units[index].commonAreaAccessIDs.append(stray.id)
            }
        }
    }

    private mutating func addUser() {
        let id: UserID = newID()
        users.append(
            User(
                id: id, email: "\(id)@Example.org", firstName: "F", lastName: "L", isEnabled: !chance(12),
                isSuperAdmin: chance(15),
                createdAt: Self.now, updatedAt: Self.now))
    }

    private mutating func randomEntity() -> AssociatedEntity? {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: portfolios.randomElement(using: &generator).map { .portfolio($0.id) }
        case 1: properties.randomElement(using: &generator).map { .property($0.id) }
        default: units.randomElement(using: &generator).map { .unit($0.id) }
        }
    }

    private mutating func addAssociation() {
        guard let entity = randomEntity(), let user = users.randomElement(using: &generator) else { return }
        let assignable = Role.allCases.filter(entity.type.assignableRoles.contains)
        guard let role = (chance(95) ? assignable : Role.allCases).randomElement(using: &generator) else { return }
        associations.append(
            UserRoleAssociation(
                id: newID(), userID: user.id, entity: entity, role: role, createdAt: Self.now, updatedAt: Self.now))
    }

    private mutating func addGuestAccess() {
        guard let property = properties.randomElement(using: &generator), let grantor = users.randomElement(using: &generator)
        else { return }
        let start = Self.now.advanced(by: .seconds(86_400 * Int.random(in: -40...3, using: &generator)))
        let window = GuestWindow(
            validFrom: start, validUntil: start.advanced(by: .seconds(86_400 * Int.random(in: 1...20, using: &generator))))
        let under = associations.randomElement(using: &generator)
        let opened = devices.filter { _ in chance(50) }.map(\.id)
        let carriers = opened.map {
            ($0, (0..<2).compactMap { _ in chance(70) ? associations.randomElement(using: &generator)?.id : newID() })
        }
        let end = window.validFrom.advanced(by: .seconds(3600 * Int.random(in: -48...48, using: &generator)))
        let (id, maxUses): (GuestAccessID, Int?) = (newID(), chance(45) ? Int.random(in: 1...3, using: &generator) : nil)
        // More uses than permitted are taken when `maxUses` was reduced.
        if chance(70), let taken = maxUses.map({ Int.random(in: 0...$0 + 1, using: &generator) }), taken > 0 {
            usesTaken[id] = taken
        }
        guestAccesses.append(
            GuestAccess(
                id: id, guestUserID: chance(85) ? users.randomElement(using: &generator)?.id : (chance(50) ? nil : newID()),
                propertyID: property.id, deviceIDs: opened,
                operations: LockOperation.allCases.filter { _ in chance(60) }, window: window, schedule: schedule(in: window),
                maxUses: maxUses, grantedByUserID: grantor.id,
                grantedUnderAssociationID: chance(80) ? under?.id ?? newID() : newID(),
                grantedUnderRole: chance(70) ? under?.role ?? .tenant : .tenant,
                carriersByDevice: chance(50) ? Dictionary(uniqueKeysWithValues: carriers) : nil,
                widenedUnder: wideners(of: id),
                revokedAt: chance(15) ? end : nil,
                createdAt: start.advanced(by: .seconds(-86_400 * Int.random(in: -2...30, using: &generator)))))
    }

    /// Returns the tenancies under which an access was widened, for one access in six. They derive from the id, so that they change
    /// nothing else in the worlds.
    private func wideners(of id: GuestAccessID) -> [AssociationID] {
        guard id.low.isMultiple(of: 6), !associations.isEmpty else { return [] }
        let known = associations[Int(id.low / 6 % UInt64(associations.count))].id
        return id.low.isMultiple(of: 30) ? [known, AssociationID(high: id.high, low: id.low)] : [known]
    }

    /// Returns a schedule with special days in a window, for half of the accesses.
    private mutating func schedule(in window: GuestWindow) -> Schedule? {
        guard chance(50) else { return nil }
        let days = window.validFrom.milliseconds / 86_400_000...window.validUntil.milliseconds / 86_400_000
        let zone = chance(50) ? Self.zones.randomElement(using: &generator) ?? nil : nil
        return .random(timeZone: zone, days: days, near: [], using: &generator)
    }

    /// Adds accesses that are neither revoked nor without a grantor, half of them limited in their uses, so that more decisions
    /// depend on uses, schedules and the clock.
    mutating func addOpenAccesses() {
        let first = guestAccesses.count
        for _ in 0..<Int.random(in: 3...8, using: &generator) { addGuestAccess() }
        for index in guestAccesses[first...].indices {
            let old = guestAccesses[index]
            let limit = chance(65) ? Int.random(in: 1...3, using: &generator) : nil
            let taken = limit.map { chance(25) ? $0 : Int.random(in: 0..<$0, using: &generator) } ?? 0
            usesTaken[old.id] = taken > 0 ? taken : nil
            let start = Self.now.advanced(by: .seconds(86_400 * Int.random(in: -10...1, using: &generator)))
            let window = GuestWindow(
                validFrom: start, validUntil: start.advanced(by: .seconds(86_400 * Int.random(in: 6...20, using: &generator))))
            guestAccesses[index] = GuestAccess(
                id: old.id, guestUserID: old.guestUserID, propertyID: old.propertyID, deviceIDs: old.deviceIDs,
                operations: LockOperation.movements, window: window, schedule: chance(50) ? schedule(in: window) : nil,
                maxUses: limit,
                grantedByUserID: old.grantedByUserID, grantedUnderAssociationID: old.grantedUnderAssociationID,
                grantedUnderRole: .propertyManager, createdAt: start)
        }
    }

    /// Returns a device of an access with an instant of its window, or near its bounds.
    mutating func openDevice() -> (device: DeviceID, instant: Timestamp)? {
        guard let access = guestAccesses.randomElement(using: &generator),
            let device = access.deviceIDs.randomElement(using: &generator)
        else { return nil }
        let length = access.window.validUntil.duration(since: access.window.validFrom).wholeMilliseconds
        let offset = Int64.random(in: -length / 20...length + length / 20, using: &generator)
        return (device, access.window.validFrom.advanced(by: .milliseconds(offset)))
    }

    /// Adds API keys: of users and of other keys, on entities of the world and on ones that do not exist, some expired.
    mutating func addAPIKeys() {
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            guard let entity = chance(95) ? randomEntity() : .property(newID()) else { continue }
            let parent = chance(30) ? apiKeys.randomElement(using: &generator) : nil
            let roles = Role.allCases.filter(entity.type.assignableRoles.contains)
            apiKeys.append(
                APIKey(
                    id: newID(), name: "K", userID: parent?.userID ?? someUser(),
                    parentID: parent.map { chance(90) ? $0.id : newID() }, entity: entity,
                    role: roles.randomElement(using: &generator) ?? .tenant, digest: [1], createdAt: Self.now,
                    expiresAt: Self.now.advanced(by: .seconds(86_400 * Int.random(in: -10...40, using: &generator)))))
        }
    }

    /// Everyone who can make a request: users, links and keys, also those of guest accesses with a user, and unknown ones.
    mutating func everyPrincipal() -> [Principal] {
        users.map { .user($0.id) } + guestAccesses.map { .guestLink($0.id) } + apiKeys.map { .apiKey($0.id) }
            + [.user(newID()), .guestLink(newID()), .apiKey(newID())]
    }

    // MARK: - Random requests

    /// Returns an instant at which a decision may change: a bound of a window or of visibility, or a millisecond before or after
    /// it.
    mutating func interestingInstant() -> Timestamp {
        guard chance(85), let access = guestAccesses.randomElement(using: &generator) else { return Self.now }
        let month = Duration.seconds(30 * 86_400)
        let bounds = [
            access.createdAt, access.window.validFrom, access.window.validUntil, access.window.validUntil.advanced(by: month),
            access.revokedAt ?? access.createdAt, (access.revokedAt ?? access.createdAt).advanced(by: month), Self.now,
            boundOfHours(of: access),
        ]
        let bound = bounds.randomElement(using: &generator) ?? Self.now
        return bound.advanced(by: .milliseconds(Int.random(in: -1...1, using: &generator)))
    }

    /// Returns an instant of the window at which hours of the schedule may begin or end.
    private mutating func boundOfHours(of access: GuestAccess) -> Timestamp {
        let hours = access.schedule?.periods.randomElement(using: &generator)?.hours
        let times = [hours?.from, hours?.until].compactMap { $0 }
        let days = access.window.validUntil.duration(since: access.window.validFrom).wholeMilliseconds / 86_400_000
        let midnight =
            (access.window.validFrom.milliseconds / 86_400_000 + Int64.random(in: 0...days, using: &generator)) * 86_400
        let zone = (access.schedule?.timeZone).flatMap(TimeZoneDatabase.system.rules) ?? TimeZoneDatabase.system.rules(of: "UTC")
        let local = midnight + Int64(times.randomElement(using: &generator)?.seconds ?? 0)
        return Timestamp(milliseconds: (zone?.resolve(local: local).instant ?? local) * 1000)
    }

    mutating func someUser() -> UserID { chance(97) ? users.randomElement(using: &generator)?.id ?? newID() : newID() }

    mutating func someDevice() -> DeviceID { chance(97) ? devices.randomElement(using: &generator)?.id ?? newID() : newID() }

    mutating func somePrincipal() -> Principal {
        if chance(20), let access = guestAccesses.randomElement(using: &generator) { return .guestLink(access.id) }
        return chance(2) ? .guestLink(newID()) : .user(someUser())
    }

    mutating func someObject() -> ManagedObject {
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: .gateway
        case 1, 2: .portfolio(portfolios.randomElement(using: &generator)?.id ?? newID())
        case 3, 4: .property(properties.randomElement(using: &generator)?.id ?? newID())
        case 5, 6: .unit(units.randomElement(using: &generator)?.id ?? newID())
        default: .device(someDevice())
        }
    }
}
