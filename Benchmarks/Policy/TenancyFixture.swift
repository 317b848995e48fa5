import DoorwardDomain
import DoorwardPolicy

/// A tenancy of the given size, always the same for the same size. Ids are computed from indices,
/// so that creating the tenancy needs no memory for other data.
///
/// Devices have an empty `address`, which is valid for the simulator; the memory of other adapters' addresses is not included.
/// For each 100 devices there is one property. It has 40 units of two devices each, and 20 devices without a unit; the units
/// share two of these 20. Ten properties make a portfolio. There are a fifth as many users as
/// devices; associations and guest accesses together are twice as many as devices.
struct TenancyFixture {
    static let now = Timestamp(milliseconds: 1_800_000_000_000)

    let deviceCount: Int
    /// Whether every guest access has a schedule, and a window of 90 days instead of one.
    var hasSchedules = false
    var propertyCount: Int { deviceCount / 100 }
    var portfolioCount: Int { max(1, propertyCount / 10) }
    var unitCount: Int { propertyCount * 40 }
    var userCount: Int { deviceCount / 5 }
    var guestAccessCount: Int { deviceCount / 2 }
    var associationCount: Int { deviceCount * 2 - guestAccessCount }

    private enum Kind: UInt64 { case portfolio = 1, property, unit, device, user, association, guestAccess }

    private func id<Entity>(_ kind: Kind, _ index: Int) -> EntityID<Entity> {
        var mixer = SplitMix(seed: UInt64(index) << 3 | kind.rawValue)
        let milliseconds = UInt64(Self.now.milliseconds) - 10_000_000_000 + UInt64(index)
        return EntityID(high: milliseconds << 16 | 0x7000 | mixer.next() >> 52, low: 1 << 63 | mixer.next() >> 2)
    }

    func portfolio(_ index: Int) -> PortfolioID { id(.portfolio, index) }
    func property(_ index: Int) -> PropertyID { id(.property, index) }
    func unit(_ index: Int) -> UnitID { id(.unit, index) }
    func device(_ index: Int) -> DeviceID { id(.device, index) }
    func user(_ index: Int) -> UserID { id(.user, index) }

    private func portfolio(ofProperty index: Int) -> PortfolioID { portfolio(min(index / 10, portfolioCount - 1)) }

    func directory() -> TenancyDirectory {
        var directory = TenancyDirectory()
        for index in 0..<portfolioCount {
            directory.apply(
                .putPortfolio(.init(id: portfolio(index), name: "Portfolio \(index)", createdAt: Self.now, updatedAt: Self.now)))
        }
        for index in 0..<propertyCount { putProperty(index, into: &directory) }
        for index in 0..<userCount {
            directory.apply(
                .putUser(
                    .init(
                        id: user(index), email: "person\(index)@example.org", firstName: "Person", lastName: "\(index)",
                        createdAt: Self.now,
                        updatedAt: Self.now)))
        }
        putAssociations(into: &directory)
        for index in 0..<guestAccessCount { directory.apply(.putGuestAccess(guestAccess(index))) }
        return directory
    }

    private func putProperty(_ index: Int, into directory: inout TenancyDirectory) {
        let (id, portfolio) = (property(index), portfolio(ofProperty: index))
        directory.apply(
            .putProperty(
                .init(
                    id: id, name: "Property \(index)", portfolioID: portfolio, defaultTimeZone: "Europe/Berlin",
                    createdAt: Self.now,
                    updatedAt: Self.now)))
        let firstDevice = index * 100
        for offset in 0..<40 {
            directory.apply(
                .putUnit(
                    .init(
                        id: unit(index * 40 + offset), name: "Unit \(offset)", propertyID: id, portfolioID: portfolio,
                        commonAreaAccessIDs: [device(firstDevice + 80), device(firstDevice + 81)], createdAt: Self.now,
                        updatedAt: Self.now)))
        }
        for offset in 0..<100 { directory.apply(.putDevice(lock(firstDevice + offset))) }
    }

    func lock(_ index: Int) -> LockDevice {
        let (property, offset) = (index / 100, index % 100)
        return LockDevice(
            id: device(index), name: "Door \(index)", adapter: "mqtt",
            portfolioID: portfolio(ofProperty: property), propertyID: self.property(property),
            unitID: offset < 80 ? unit(property * 40 + offset / 2) : nil, capabilities: .all, createdAt: Self.now,
            updatedAt: Self.now)
    }

    private func putAssociations(into directory: inout TenancyDirectory) {
        for index in 0..<associationCount { directory.apply(.putAssociation(association(index))) }
    }

    /// Returns the association with this index: first those of owners and admins, then of managers, maintenance and auditors,
    /// then of tenants.
    func association(_ index: Int) -> UserRoleAssociation {
        let (entity, role): (AssociatedEntity, Role)
        if index < portfolioCount * 2 {
            (entity, role) = (.portfolio(portfolio(index / 2)), index % 2 == 0 ? .owner : .portfolioAdmin)
        } else if index < portfolioCount * 2 + propertyCount * 3 {
            let place = index - portfolioCount * 2
            (entity, role) = (.property(property(place / 3)), [.propertyManager, .maintenance, .auditor][place % 3])
        } else {
            (entity, role) = (.unit(unit(index % unitCount)), .tenant)
        }
        var mixer = SplitMix(seed: UInt64(index) &* 7919)
        return UserRoleAssociation(
            id: id(.association, index), userID: user(Int.random(in: 0..<userCount, using: &mixer)), entity: entity, role: role,
            createdAt: Self.now, updatedAt: Self.now)
    }

    /// Returns an access to two devices of one unit, granted by a tenant; one in eight has ended.
    func guestAccess(_ index: Int) -> GuestAccess {
        var mixer = SplitMix(seed: UInt64(index) &* 104_729 + 1)
        let unitIndex = Int.random(in: 0..<unitCount, using: &mixer)
        let firstDevice = unitIndex / 40 * 100 + unitIndex % 40 * 2
        let grantor = association(min(associationCount - 1, portfolioCount * 2 + propertyCount * 3 + unitIndex))
        let end = Self.now.advanced(by: .seconds(index % 8 == 0 ? -86_400 : hasSchedules ? 90 * 86_400 : 86_400))
        return GuestAccess(
            id: id(.guestAccess, index), guestUserID: user(Int.random(in: 0..<userCount, using: &mixer)),
            propertyID: property(unitIndex / 40), unitID: unit(unitIndex),
            deviceIDs: [device(firstDevice), device(firstDevice + 1)],
            operations: [.lock, .unlock],
            window: GuestWindow(validFrom: Self.now.advanced(by: .seconds(-172_800)), validUntil: end),
            schedule: hasSchedules ? Self.schedules[index % Self.schedules.count] : nil,
            grantedByUserID: grantor.userID, grantedUnderAssociationID: grantor.id, grantedUnderRole: grantor.role,
            createdAt: Self.now.advanced(by: .seconds(-172_800)))
    }

    /// Office hours in the property's zone, nights in another zone, and several periods a day with a year's public holidays.
    private static let schedules: [Schedule] = {
        func hours(_ from: Int, _ until: Int) -> Schedule.Hours {
            Schedule.Hours(
                from: LocalTime(hour: from, minute: 0) ?? .endOfDay, until: LocalTime(hour: until, minute: 0) ?? .endOfDay)
        }
        func period(_ days: WeekdaySet, _ from: Int, _ until: Int) -> Schedule.Period {
            Schedule.Period(days: days, from: hours(from, until).from, until: hours(from, until).until)
        }
        let workdays = WeekdaySet([.monday, .tuesday, .wednesday, .thursday, .friday])
        let holidays = (0..<12 as Range<Int64>).map { month in
            Schedule.SpecialDay(
                date: CivilDate(daysSinceEpoch: 20_833 + month * 30), periods: month % 3 == 0 ? [] : [hours(10, 12)])
        }
        return [
            Schedule(periods: [period(workdays, 8, 18)]),
            Schedule(timeZone: "America/New_York", periods: [period(.everyDay, 22, 6), period(workdays, 2, 5)]),
            Schedule(
                timeZone: "Europe/Rome",
                periods: [period(workdays, 7, 12), period(workdays, 13, 18), period([.init([.saturday])], 9, 24)],
                specialDays: holidays),
            Schedule(periods: [period(workdays, 9, 17)], specialDays: holidays, specialDayCut: .start),
        ]
    }()
}

/// The generator of Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (2014).
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
