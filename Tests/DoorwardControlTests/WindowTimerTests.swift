import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardLocks
@testable import DoorwardStreams

/// A change of a guest's rights that is caused only by time is appended to the feed at the instant
/// of the change. The timer appends nothing else.
@Suite struct WindowTimerTests {
    /// Guest accesses to one door, each with its own user.
    private struct Guests {
        var world: TenancyFixture
        let door: DeviceID
        let tenancy: AssociationID
        var accesses: [(id: GuestAccessID, guest: UserID)] = []
        var directory = TenancyDirectory()
        private var appliedCount = 0

        init(seed: UInt64, createdAt: Timestamp) {
            world = TenancyFixture(seed: seed, createdAt: createdAt)
            let property = world.property("No. 5", in: world.portfolio("Oak Street"))
            let unit = world.unit("2B", in: property)
            door = world.device("Door", in: .unit(unit))
            tenancy = world.assign(world.user("Tom"), .tenant, .unit(unit))
            _ = apply()
        }

        /// - Parameter daily: the hours of each day, in UTC, if the access has a schedule.
        mutating func add(hours: Range<Int>, daily: Range<Int>? = nil) throws {
            let guest = world.user("G")
            let schedule = try daily.map { daily in
                let (from, until) = (LocalTime(hour: daily.lowerBound, minute: 0), LocalTime(hour: daily.upperBound, minute: 0))
                return Schedule(
                    timeZone: "UTC", periods: [.init(days: .everyDay, from: try #require(from), until: try #require(until))])
            }
            let access = world.guestAccess(for: guest, to: [door], hours: hours, schedule: schedule, under: tenancy)
            accesses.append((try #require(access), guest))
        }

        /// Applies the changes since the last call.
        mutating func apply() -> [TenancyChange] {
            let changes = Array(world.changes[appliedCount...])
            for change in changes { directory.apply(change) }
            appliedCount = world.changes.count
            return changes
        }

        /// Returns the decision for each guest on the door at an instant.
        func decisions(at instant: Timestamp) -> [Decision] {
            accesses.map {
                SecurityService.decide(.user($0.guest), .unlock, on: door, at: .trusted(instant), override: false, in: directory)
            }
        }

        /// Returns whether the guest access begins, ends, becomes visible or becomes invisible within the span.
        func hasEdge(_ access: GuestAccessID, after start: Timestamp, upTo end: Timestamp) -> Bool {
            guard let access = directory.guestAccess(access) else { return false }
            var edges = [
                access.createdAt, access.window.validFrom, access.window.validUntil,
                access.endsAt.advanced(by: .seconds(30 * 86_400)),
            ]
            for hours in access.schedule?.periods.map(\.hours) ?? [] {
                let midnights = stride(
                    from: access.window.validFrom.milliseconds / 86_400_000, through: end.milliseconds / 86_400_000, by: 1)
                let bounds = midnights.flatMap { day in
                    [hours.from, hours.until].map { (day * 86_400 + Int64($0.seconds)) * 1000 }
                }
                edges += bounds.map(Timestamp.init(milliseconds:)).filter(access.window.contains)
            }
            return edges.contains { start < $0 && $0 <= end }
        }
    }

    @Test(
        "as time passes, the feed contains each guest whose decision changes, and only guests whose access reaches a bound",
        arguments: 0..<30 as Range<UInt64>)
    func edges(seed: UInt64) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        try executor.run {
            var generator = SeededGenerator(seed: seed)
            let feed = ChangeFeed(clock: clock, retention: .seconds(10_000 * 86_400))
            let published = CurrentDirectory(feed: feed)
            let timer = WindowTimer(directory: published, feed: feed, clock: clock, executor: executor)
            var guests = Guests(seed: seed, createdAt: clock.now())
            for _ in 0..<5 { try guests.add(hours: Self.hours(from: &generator), daily: Self.daily(from: &generator)) }
            _ = guests.apply()
            published.publish(guests.directory, after: nil)
            timer.restart()
            for _ in 0..<25 {
                if Int.random(in: 0..<3, using: &generator) == 0 {
                    if Bool.random(using: &generator), let access = guests.accesses.randomElement(using: &generator) {
                        guests.world.revoke(access.id, at: clock.now())
                    } else {
                        try guests.add(hours: Self.hours(from: &generator), daily: Self.daily(from: &generator))
                    }
                    let (now, changes) = (clock.now(), guests.apply())
                    published.publish(guests.directory, after: changes)
                    timer.note(changes, since: now)
                }
                let (start, position) = (clock.now(), feed.position)
                let before = guests.decisions(at: start)
                let hours = Int.random(in: 1..<(Bool.random(using: &generator) ? 12 : 600), using: &generator)
                // Sleep one millisecond longer, because sleepers of the same instant wake in any order.
                try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(3600 * hours) + .milliseconds(1)))
                let (end, after) = (clock.now(), guests.decisions(at: clock.now()))
                let found = Set(try #require(feed.changes(after: position)).objects)
                for (index, access) in guests.accesses.enumerated() {
                    let isFound = found.contains(.permissions(of: access.guest))
                    #expect(isFound == found.contains(.guestAccess(access.id)))
                    if before[index] != after[index] {
                        #expect(isFound, "\(before[index]) became \(after[index]), but is not in the feed")
                    }
                    if isFound { #expect(guests.hasEdge(access.id, after: start.advanced(by: .milliseconds(-1)), upTo: end)) }
                }
            }
        }
    }

    private static func hours(from generator: inout SeededGenerator) -> Range<Int> {
        let start = Int.random(in: 0..<40, using: &generator)
        return start..<(start + Int.random(in: 1..<60, using: &generator))
    }

    /// Returns the hours of a day for two of three accesses.
    private static func daily(from generator: inout SeededGenerator) -> Range<Int>? {
        let start = Int.random(in: 0..<24, using: &generator)
        let end = Int.random(in: start..<24, using: &generator) + 1
        return Int.random(in: 0..<3, using: &generator) == 0 ? nil : start..<end
    }

    @Test("a guest access is in the feed whenever hours of its schedule begin or end")
    func hoursOfSchedule() throws {
        // 2026-11-21T08:00:00Z.
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let feed = ChangeFeed(clock: clock, retention: .seconds(10_000 * 86_400))
            let published = CurrentDirectory(feed: feed)
            let timer = WindowTimer(directory: published, feed: feed, clock: clock, executor: executor)
            var guests = Guests(seed: 1, createdAt: clock.now())
            try guests.add(hours: 0..<48, daily: 9..<17)
            _ = guests.apply()
            published.publish(guests.directory, after: nil)
            timer.restart()
            var position = feed.position
            // Hours since 08:00: the hours of two days, the end of the window at 08:00, and nothing after it but the visibility.
            for hour in [1, 9, 25, 33, 48, 48 + 30 * 24] {
                let changes = try #require(try await feed.nextChanges(after: position))
                #expect(clock.monotonicNow() == MonotonicInstant(nanoseconds: Int64(hour) * 3_600_000_000_000))
                #expect(changes.objects == [.guestAccess(guests.accesses[0].id), .permissions(of: guests.accesses[0].guest)])
                position = changes.position
            }
        }
    }

    @Test("hours without a zone of their own follow a change of the property's zone")
    func zoneOfProperty() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let feed = ChangeFeed(clock: clock, retention: .seconds(10_000 * 86_400))
            let published = CurrentDirectory(feed: feed)
            let timer = WindowTimer(directory: published, feed: feed, clock: clock, executor: executor)
            var guests = Guests(seed: 1, createdAt: clock.now())
            try guests.add(hours: 0..<48, daily: 9..<17)
            _ = guests.apply()
            var access = try #require(guests.directory.guestAccess(guests.accesses[0].id))
            access.schedule = Schedule(periods: access.schedule?.periods ?? [])
            var property = try #require(guests.directory.property(access.propertyID))
            property.defaultTimeZone = "UTC"
            guests.directory.apply(.putProperty(property))
            guests.directory.apply(.putGuestAccess(access))
            published.publish(guests.directory, after: nil)
            timer.restart()
            let position = feed.position
            // In Berlin it is 09:00 already, so that the next edge is the end of the hours, at 16:00 in UTC.
            property.defaultTimeZone = "Europe/Berlin"
            let change = TenancyChange.putProperty(property)
            guests.directory.apply(change)
            published.publish(guests.directory, after: [change])
            timer.note([change], since: clock.now())
            var changes = try #require(try await feed.nextChanges(after: position))
            // The hours are open from now on.
            #expect(
                changes.objects == [.property(property.id), .guestAccess(access.id), .permissions(of: guests.accesses[0].guest)])
            changes = try #require(try await feed.nextChanges(after: changes.position))
            #expect(clock.now().description == "2026-11-21T16:00:00.000Z")
            #expect(changes.objects == [.guestAccess(access.id), .permissions(of: guests.accesses[0].guest)])
        }
    }

    @Test("a guest access is in the feed at the exact instants of its begin, its end and the end of its visibility")
    func instants() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let feed = ChangeFeed(clock: clock, retention: .seconds(10_000 * 86_400))
            let published = CurrentDirectory(feed: feed)
            let timer = WindowTimer(directory: published, feed: feed, clock: clock, executor: executor)
            var guests = Guests(seed: 1, createdAt: clock.now())
            try guests.add(hours: 1..<3)
            _ = guests.apply()
            published.publish(guests.directory, after: nil)
            timer.restart()
            var position = feed.position
            for hour in [1, 3, 3 + 30 * 24] {
                let changes = try #require(try await feed.nextChanges(after: position))
                #expect(clock.monotonicNow() == MonotonicInstant(nanoseconds: Int64(hour) * 3_600_000_000_000))
                #expect(changes.objects == [.guestAccess(guests.accesses[0].id), .permissions(of: guests.accesses[0].guest)])
                position = changes.position
            }
        }
    }

    @Test("a step of the wall clock forward or back is noticed within five minutes", arguments: [5, -5])
    func step(hours: Int) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 1, clock: clock)
        try executor.run {
            let feed = ChangeFeed(clock: clock, retention: .seconds(10_000 * 86_400))
            let published = CurrentDirectory(feed: feed)
            let timer = WindowTimer(directory: published, feed: feed, clock: clock, executor: executor)
            var guests = Guests(seed: 1, createdAt: clock.now())
            try guests.add(hours: 1..<8)
            try guests.add(hours: 50..<60)
            _ = guests.apply()
            published.publish(guests.directory, after: nil)
            // The present time is before the window or within it.
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(hours > 0 ? 60 : 2 * 3600)))
            timer.restart()
            let position = feed.position
            clock.stepWall(by: .seconds(hours * 3600))
            try await clock.sleep(until: clock.monotonicNow().advanced(by: WindowTimer.maxSleep + .milliseconds(1)))
            let found = Set(try #require(feed.changes(after: position)).objects)
            #expect(found.contains(.permissions(of: guests.accesses[0].guest)))
            #expect(!found.contains(.permissions(of: guests.accesses[1].guest)) || hours < 0)
        }
    }

    @Test(
        "the feed of a gateway contains the windows of stored and of newly granted guest accesses",
        arguments: 0..<5 as Range<UInt64>)
    func gateway(seed: UInt64) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        try executor.run {
            let house = try await House(seed: seed, clock: clock, executor: executor)
            let (ids, feed, now) = (house.ids, house.control.feed, clock.now())
            let access = try #require(
                try await house.control.guestAccesses.grant(
                    house.caller(ids.tenant),
                    NewGuestAccess(
                        guestUserID: .some(ids.stranger), label: nil, propertyID: nil, unitID: nil, deviceIDs: [ids.door],
                        operations: [.unlock],
                        window: GuestWindow(
                            validFrom: now.advanced(by: .seconds(600)), validUntil: now.advanced(by: .seconds(1200)))),
                    repeatable: nil
                ).executed)
            var found: [ChangedObject] = []
            var position = feed.position
            // The guest of the house is already in the store, with access for a day.
            for _ in 0..<(24 * 7) {
                try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(520)))
                let changes = try #require(feed.changes(after: position))
                found += changes.objects
                position = changes.position
            }
            let stranger: [ChangedObject] = [.guestAccess(access.id), .permissions(of: ids.stranger)]
            #expect(found == stranger + stranger + [.guestAccess(ids.guestAccess), .permissions(of: ids.guest)])
            await house.control.stop()
        }
    }
}
