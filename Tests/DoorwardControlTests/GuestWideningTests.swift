import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Whoever widens a guest access must be able to grant it in its new form (decision 0121).
@Suite struct GuestWideningTests {
    /// The house with a cleaner, whom a manager lets into the flat and through a gate that the tenant has no right to.
    private struct Cleaning {
        let house: House
        let gate: DeviceID
        let access: GuestAccess

        init(maxUses: Int? = 5, withGate: Bool = true) async throws {
            house = try await House()
            let ids = house.ids
            gate = try await house.control.attachedDevices.attach(
                house.caller(ids.owner), .test(in: ids.property), repeatable: nil
            ).value.id
            let now = house.clock.now()
            access = try #require(
                try await house.control.guestAccesses.grant(
                    house.caller(ids.managers[0]),
                    NewGuestAccess(
                        guestUserID: ids.stranger, label: nil, propertyID: nil, unitID: ids.unit,
                        deviceIDs: withGate ? [ids.door, gate] : [ids.door], operations: [.unlock],
                        window: GuestWindow(validFrom: now, validUntil: now.advanced(by: .seconds(3600))), maxUses: maxUses),
                    repeatable: nil
                ).executed)
        }

        @discardableResult
        func change(by user: UserID? = nil, _ edit: (inout GuestAccessChanges) -> Void) async throws -> GuestAccess {
            var changes = GuestAccessChanges()
            edit(&changes)
            return try await house.control.guestAccesses.change(house.caller(user ?? house.ids.tenant), access.id, changes).access
        }

        var stored: GuestAccess? { house.control.directory.current.guestAccess(access.id) }

        func later(_ seconds: Int) -> ResolvedLocalTime {
            ResolvedLocalTime(instant: access.window.validUntil.advanced(by: .seconds(seconds)), change: .none)
        }

        func refusal() async -> DenialReason? {
            await denial { _ = try await house.run(by: house.ids.stranger, on: house.ids.door) }?.reason
        }

        func endTenancy(of user: UserID) async throws {
            try await house.control.roles.remove(house.caller(house.ids.owner), user, from: .unit(house.ids.unit))
        }
    }

    @Test("a tenant makes no link of an access to a lock that they may not open, and the link that stands still works")
    func link() async throws {
        let cleaning = try await Cleaning()
        let (house, links) = (cleaning.house, cleaning.house.control.guestLinks)
        let managers = try await links.create(house.caller(house.ids.managers[0]), of: cleaning.access.id)
        #expect(await denial { _ = try await links.create(house.caller(house.ids.tenant), of: cleaning.access.id) } != nil)
        #expect(try await links.holder(of: managers.token, RequestOrigin()) != nil)
        #expect(cleaning.stored == cleaning.access)
        #expect(try await links.end(house.caller(house.ids.tenant), of: cleaning.access.id) == nil, "ending a link is narrowing")
    }

    @Test("a link that a tenant makes of a manager's access to their own door ends with the tenancy, and so does the access")
    func linkOfTenant() async throws {
        let cleaning = try await Cleaning(withGate: false)
        let (house, links) = (cleaning.house, cleaning.house.control.guestLinks)
        let link = try await links.create(house.caller(house.ids.tenant), of: cleaning.access.id)
        #expect(cleaning.stored?.widenedUnder == [house.ids.tenancy])
        #expect(try await links.holder(of: link.token, RequestOrigin()) != nil)
        let update = try #require(house.portfolioLog.last?.body)
        #expect(update.details["after"]?["widenedUnderAssociationIds"] == .array([.string(house.ids.tenancy.description)]))
        try await cleaning.endTenancy(of: house.ids.tenant)
        #expect(try await links.holder(of: link.token, RequestOrigin()) == nil)
        #expect(await cleaning.refusal() == .grantorLostAccess)
    }

    @Test("a link ends when somebody widens its access to what its creator could not grant, and stays otherwise")
    func linkOfMaker() async throws {
        let cleaning = try await Cleaning()
        let (house, links, id) = (cleaning.house, cleaning.house.control.guestLinks, cleaning.access.id)
        let (tenant, manager, door) = (house.ids.tenant, house.ids.managers[0], house.ids.door)
        try await cleaning.change { $0.deviceIDs = [door] }
        let link = try await links.create(house.caller(tenant), of: id)
        try await cleaning.change(by: manager) { $0.validUntil = cleaning.later(60) }
        #expect(try await links.holder(of: link.token, RequestOrigin()) != nil, "the tenant could grant this, too")
        try await cleaning.change(by: manager) { $0.deviceIDs = [door, cleaning.gate] }
        #expect(try await links.holder(of: link.token, RequestOrigin()) == nil, "the tenant has no right to the gate")
        #expect(house.portfolioLog.last?.body.details["after"]?["link"] == .string("ended"))
        let managers = try await links.create(house.caller(manager), of: id)
        try await cleaning.change(by: house.ids.owner) { $0.maxUses = .cleared }
        #expect(try await links.holder(of: managers.token, RequestOrigin()) != nil)
    }

    @Test("a link ends when its creator could grant the new form only under a tenancy with which the access does not end")
    func linkOfOtherRight() async throws {
        let cleaning = try await Cleaning()
        let (house, links, id) = (cleaning.house, cleaning.house.control.guestLinks, cleaning.access.id)
        let (manager, owner, door) = (house.ids.managers[0], house.ids.owner, house.ids.door)
        // A manager makes a link, loses the role, and is a tenant of the flat from then on.
        try await cleaning.change { $0.deviceIDs = [door] }
        let managers = try await links.create(house.caller(manager), of: id)
        try await house.control.roles.remove(house.caller(owner), manager, from: .property(house.ids.property))
        _ = try await house.control.roles.assign(house.caller(owner), .tenant, to: manager, on: .unit(house.ids.unit))
        try await cleaning.change(by: owner) { $0.validUntil = cleaning.later(3600) }
        #expect(try await links.holder(of: managers.token, RequestOrigin()) == nil)
        // A program makes a link with a key that expires.
        let key = try await house.control.apiKeys.create(
            house.caller(owner),
            NewAPIKey(
                name: "Bell", entity: .property(house.ids.property), role: .propertyManager,
                expiresAt: house.clock.now().advanced(by: .seconds(60))))
        let program = Caller(principal: .apiKey(key.key.id), origin: RequestOrigin())
        let keys = try await links.create(program, of: id)
        #expect(try await links.holder(of: keys.token, RequestOrigin()) != nil)
        house.clock.advance(by: .seconds(61))
        try await cleaning.change(by: owner) { $0.maxUses = .cleared }
        #expect(try await links.holder(of: keys.token, RequestOrigin()) == nil)
    }

    /// Each change that admits something new.
    private static let wideningChanges: [(String, @Sendable (Cleaning, inout GuestAccessChanges) -> Void)] = [
        ("later end", { $1.validUntil = $0.later(1) }),
        ("three years", { $1.validUntil = $0.later(3 * 365 * 86_400) }),
        ("earlier start", { $1.validFrom = $0.later(-3601) }),
        ("more uses", { $1.maxUses = .set(6) }),
        ("any number of uses", { $1.maxUses = .cleared }),
        ("more operations", { $1.operations = [.lock, .unlock] }),
        ("another lock", { $1.deviceIDs = [$0.house.ids.door, $0.gate, $0.house.ids.frontDoor] }),
    ]

    @Test("a tenant widens no access to a lock that they may not open", arguments: wideningChanges.indices)
    func widens(index: Int) async throws {
        let (name, edit) = Self.wideningChanges[index]
        let cleaning = try await Cleaning()
        let refused = await denial { try await cleaning.change { edit(cleaning, &$0) } }
        #expect(refused != nil, "\(name)")
        #expect(cleaning.stored == cleaning.access, "\(name)")
        try await cleaning.change(by: cleaning.house.ids.managers[1]) { edit(cleaning, &$0) }
        #expect(cleaning.stored?.widenedUnder == [], "a manager's change outlives every tenancy")
    }

    @Test(
        "what a tenant widens of a manager's access to their own door ends with the tenancy", arguments: wideningChanges.indices)
    func binds(index: Int) async throws {
        let (name, edit) = Self.wideningChanges[index]
        let cleaning = try await Cleaning(withGate: false)
        try await cleaning.change {
            edit(cleaning, &$0)
            if $0.deviceIDs != nil { $0.deviceIDs = [cleaning.house.ids.door, cleaning.house.ids.frontDoor] }
        }
        #expect(cleaning.stored?.grantedByUserID == cleaning.house.ids.managers[0], "\(name)")
        #expect(await cleaning.refusal() == nil, "\(name)")
        try await cleaning.endTenancy(of: cleaning.house.ids.tenant)
        #expect(await cleaning.refusal() == .grantorLostAccess, "\(name)")
    }

    @Test("narrowing needs no right to grant, and binds the access to nothing")
    func narrows() async throws {
        let cleaning = try await Cleaning()
        let changed = try await cleaning.change {
            ($0.validUntil, $0.maxUses, $0.deviceIDs) = (cleaning.later(-60), .set(4), [cleaning.house.ids.door])
        }
        #expect(changed.maxUses == 4 && changed.widenedUnder.isEmpty)
        let hours = Schedule(periods: [Schedule.Period(days: .everyDay, from: LocalTime("00:00")!, until: LocalTime("24:00")!)])
        #expect(try await cleaning.change { $0.schedule = .set(hours) }.widenedUnder == [])
        try await cleaning.endTenancy(of: cleaning.house.ids.tenant)
        #expect(await cleaning.refusal() != .grantorLostAccess)
    }

    @Test("an access that one tenant grants and another widens ends with each of the two", arguments: [true, false])
    func twoTenants(firstLeaves: Bool) async throws {
        let house = try await House()
        let (ids, other) = (house.ids, house.ids.managers[4])
        try await house.control.roles.remove(house.caller(ids.owner), other, from: .property(ids.property))
        _ = try await house.control.roles.assign(house.caller(ids.owner), .tenant, to: other, on: .unit(ids.unit))
        let now = house.clock.now()
        let access = try #require(
            try await house.control.guestAccesses.grant(
                house.caller(ids.tenant),
                NewGuestAccess(
                    guestUserID: ids.stranger, label: nil, propertyID: nil, unitID: ids.unit, deviceIDs: [ids.door],
                    operations: [.unlock],
                    window: GuestWindow(validFrom: now, validUntil: now.advanced(by: .seconds(3600)))), repeatable: nil
            ).executed)
        var longer = GuestAccessChanges()
        longer.validUntil = ResolvedLocalTime(instant: now.advanced(by: .seconds(7200)), change: .none)
        _ = try await house.control.guestAccesses.change(house.caller(ids.tenant), access.id, longer)
        #expect(
            house.control.directory.current.guestAccess(access.id)?.widenedUnder == [], "one's own tenancy carries it already")
        longer.validUntil = ResolvedLocalTime(instant: now.advanced(by: .seconds(9000)), change: .none)
        _ = try await house.control.guestAccesses.change(house.caller(other), access.id, longer)
        #expect(await denial { _ = try await house.run(by: ids.stranger) } == nil)
        let leaving = firstLeaves ? ids.tenant : other
        try await house.control.roles.remove(house.caller(ids.owner), leaving, from: .unit(ids.unit))
        #expect(await denial { _ = try await house.run(by: ids.stranger) }?.reason == .grantorLostAccess)
    }

    @Test("a command that waits under a widened access is denied when the widening tenant leaves")
    func waiting() async throws {
        let cleaning = try await Cleaning(withGate: false)
        let house = cleaning.house
        try await cleaning.change { $0.validUntil = cleaning.later(60) }
        house.adapter.set(.silent, for: house.ids.door)
        let first = try await house.begin(.lock, by: house.ids.owner)
        let second = try await house.begin(by: house.ids.stranger)
        try await cleaning.endTenancy(of: house.ids.tenant)
        house.clock.advance(by: .seconds(11))
        #expect(await first.finished.command.state == .timedOut)
        #expect(await second.finished.command.sent == false)
    }

    @Test("a guest of a tenant loses a common area that the tenant's flat loses, and keeps the flat's own door")
    func lostCommonArea() async throws {
        let house = try await House()
        let (ids, now) = (house.ids, house.clock.now())
        let access = try #require(
            try await house.control.guestAccesses.grant(
                house.caller(ids.tenant),
                NewGuestAccess(
                    guestUserID: ids.stranger, label: nil, propertyID: nil, unitID: ids.unit,
                    deviceIDs: [ids.door, ids.frontDoor], operations: [.unlock],
                    window: GuestWindow(validFrom: now, validUntil: now.advanced(by: .seconds(3600)))), repeatable: nil
            ).executed)
        #expect(await denial { _ = try await house.run(by: ids.stranger, on: ids.frontDoor) } == nil)
        var changes = UnitChanges()
        changes.commonAreas = []
        _ = try await house.control.portfolios.change(house.caller(ids.owner), ids.unit, changes)
        #expect(await denial { _ = try await house.run(by: ids.tenant, on: ids.frontDoor) } != nil)
        #expect(await denial { _ = try await house.run(by: ids.stranger, on: ids.frontDoor) } != nil)
        #expect(await denial { _ = try await house.run(by: ids.stranger, on: ids.door) } == nil)
        #expect(house.control.directory.current.guestAccess(access.id)?.deviceIDs == [ids.door])
    }

    @Test("an access that another tenant or a manager carries keeps a common area that one flat loses")
    func keptCommonArea() async throws {
        let cleaning = try await Cleaning()
        let house = cleaning.house
        try await cleaning.change(by: house.ids.owner) { $0.deviceIDs = [house.ids.door, house.ids.frontDoor] }
        var changes = UnitChanges()
        changes.commonAreas = []
        _ = try await house.control.portfolios.change(house.caller(house.ids.owner), house.ids.unit, changes)
        #expect(cleaning.stored?.deviceIDs == [house.ids.door, house.ids.frontDoor])
    }

    // MARK: - Hours

    /// A tenant changes the hours of a manager's access to a lock that they may not open: it is refused exactly if some minute of
    /// the window is open in the new hours and was not in the old ones.
    @Test("hours are compared minute by minute with a second implementation", arguments: [1, 2, 3] as [UInt64])
    func hours(seed: UInt64) async throws {
        let cleaning = try await Cleaning(maxUses: nil)
        var random = SeededGenerator(seed: seed)
        let ids = cleaning.house.ids
        try await cleaning.change(by: ids.owner) { $0.validUntil = cleaning.later(16 * 86_400) }
        var (refusals, changes) = (0, 0)
        for _ in 0..<60 {
            let (old, new) = (Self.schedule(&random), Self.schedule(&random))
            try await cleaning.change(by: ids.owner) { $0.schedule = .set(old) }
            let before = cleaning.stored
            let refused = await failure { try await cleaning.change { $0.schedule = .set(new) } } != nil
            let window = try #require(before).window
            let minutes = window.validFrom.milliseconds / 60_000..<window.validUntil.milliseconds / 60_000
            let isWider = minutes.contains { Self.isOpen(new, at: $0) && !Self.isOpen(old, at: $0) }
            #expect(refused == isWider, "seed \(seed): \(old) to \(new)")
            refusals += refused ? 1 : 0
            changes += refused ? 0 : 1
        }
        #expect(refusals > 0 && changes > 0)
    }

    /// Hours in UTC, in which every day has 1,440 minutes.
    private static func schedule(_ random: inout SeededGenerator) -> Schedule {
        func time(_ hour: Int) -> LocalTime { LocalTime(hour: hour % 24, minute: 0) ?? .endOfDay }
        let periods = (0..<Int.random(in: 0...2, using: &random)).map { _ in
            let (from, length) = (Int.random(in: 0..<24, using: &random), [1, 3, 6, 12, 24].randomElement(using: &random) ?? 1)
            return Schedule.Period(
                days: Bool.random(using: &random) ? .everyDay : WeekdaySet(rawValue: UInt8.random(in: 0..<128, using: &random)),
                from: time(from), until: time(from + length))
        }
        return Schedule(timeZone: "UTC", periods: periods)
    }

    private static func isOpen(_ schedule: Schedule, at minute: Int64) -> Bool {
        let (day, time) = (minute / 1440, Int32(minute % 1440) * 60)
        return schedule.periods.contains { period in
            func begins(on day: Int64) -> Bool { period.days.days.contains(weekday(of: day)) }
            let (from, until) = (Int32(period.hours.from.seconds), Int32(period.hours.until.seconds))
            if until > from { return begins(on: day) && from <= time && time < until }
            return begins(on: day) && time >= from || begins(on: day - 1) && time < until
        }
    }

    private static func weekday(of day: Int64) -> Weekday {
        let fromThursday: [Weekday] = [.thursday, .friday, .saturday, .sunday, .monday, .tuesday, .wednesday]
        return fromThursday[Int(day % 7)]
    }
}
