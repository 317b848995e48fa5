import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardKernel

/// A reader gets every change after its position, in order and once. A position whose changes are no longer known is rejected.
@Suite struct ChangeFeedTests {
    private static func device(_ number: Int) -> ChangedObject { .device(DeviceID(high: 1, low: UInt64(number))) }

    /// A reference model of the feed: the list of all changes.
    private struct Model {
        var changes: [(object: ChangedObject, at: MonotonicInstant)] = []

        /// Returns the distinct objects that changed after the first `count` changes, ordered by their latest change.
        func objects(after count: Int) -> [ChangedObject] {
            var seen: Set<ChangedObject> = []
            return changes[count...].reversed().filter { seen.insert($0.object).inserted }.map(\.object).reversed()
        }
    }

    @Test(
        "lists the same changes as a complete list, for ten minutes and up to the maximum number of objects",
        arguments: 0..<40 as Range<UInt64>)
    func model(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let (clock, room) = (VirtualClock(), 1 + Int.random(in: 0..<60, using: &generator))
        let feed = ChangeFeed(clock: clock, maxObjects: room)
        var model = Model()
        var positions = [feed.position]
        for _ in 0..<600 {
            let number = Int.random(in: 0..<80, using: &generator)
            model.changes.append((Self.device(number), clock.monotonicNow()))
            feed.append(Self.device(number))
            positions.append(feed.position)
            if Int.random(in: 0..<8, using: &generator) == 0 {
                clock.advance(by: .seconds(Int.random(in: 0..<120, using: &generator)))
            }
            #expect(feed.entryCount <= 2 * room + 64)

            let start = Int.random(in: 0..<positions.count, using: &generator)
            let expected = model.objects(after: start)
            let age = model.changes[start...].first.map { clock.monotonicNow().duration(since: $0.at) } ?? .zero
            guard let found = feed.changes(after: positions[start], limit: .max) else {
                // The maximum also includes objects whose latest change is before the position, but these are dropped first.
                #expect(age > .zero && age >= ChangeFeed.retention || expected.count > room, "a change was lost too early")
                continue
            }
            #expect(found.objects == expected)
            #expect(found.position == positions.last)
        }
    }

    @Test("changes before the first read of a position are not kept; later changes are")
    func unread() {
        let feed = ChangeFeed(clock: VirtualClock())
        feed.append((0..<1_000).map(Self.device))
        #expect(feed.entryCount == 0)
        let start = feed.position
        #expect(feed.changes(after: start)?.objects == [])
        feed.append([Self.device(1), Self.device(2)])
        #expect(feed.changes(after: start)?.objects == [Self.device(1), Self.device(2)])
    }

    @Test("reading page by page returns all changes, with any page size", arguments: 1...7)
    func pages(limit: Int) throws {
        let feed = ChangeFeed(clock: VirtualClock())
        let start = feed.position
        feed.append([1, 2, 3, 1, 4, 5, 2, 6, 7, 1].map(Self.device))
        var (objects, position) = ([ChangedObject](), start)
        while position != feed.position {
            let page = try #require(feed.changes(after: position, limit: limit))
            #expect(page.objects.count <= limit && page.position > position)
            objects += page.objects
            position = page.position
        }
        #expect(objects == [3, 4, 5, 2, 6, 7, 1].map(Self.device))
    }

    @Test("a position before an invalidation, or of another feed, cannot be resumed")
    func invalidation() throws {
        let feed = ChangeFeed(clock: VirtualClock())
        feed.append(Self.device(1))
        let before = feed.position
        feed.invalidate()
        #expect(feed.changes(after: before) == nil)
        let after = feed.position
        feed.append(Self.device(2))
        #expect(feed.changes(after: after)?.objects == [Self.device(2)])
        let other = ChangeFeed(clock: VirtualClock())
        #expect(other.changes(after: feed.position) == nil)
    }

    @Test(
        "a waiting reader wakes at the next change, gets all changes in order, and ends when it is cancelled",
        arguments: 0..<40)
    func waiting(seed: UInt64) throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        try executor.run {
            let feed = ChangeFeed(clock: clock)
            let start = feed.position
            let readers = (0..<3).map { _ in
                Task(executorPreference: executor) {
                    var (objects, position) = ([ChangedObject](), start)
                    while objects.last != Self.device(9) {
                        let changes = try #require(try await feed.nextChanges(after: position))
                        #expect(!changes.objects.isEmpty)
                        objects += changes.objects
                        position = changes.position
                    }
                    return objects
                }
            }
            let idle = Task(executorPreference: executor) {
                var position = start
                while let changes = try await feed.nextChanges(after: position) { position = changes.position }
            }
            let writer = Task(executorPreference: executor) {
                for number in 0..<10 {
                    feed.append(Self.device(number))
                    await Task.yield()
                }
            }
            // The cancellation of one reader disturbs no other.
            idle.cancel()
            await writer.value
            for reader in readers {
                let objects = try await reader.value
                #expect(objects == (0..<10).map(Self.device))
            }
            await #expect(throws: CancellationError.self) { try await idle.value }
            let late = Task(executorPreference: executor) { try await feed.nextChanges(after: feed.position) }
            late.cancel()
            await #expect(throws: CancellationError.self) { try await late.value }
        }
    }

    @Test("a reader that takes the position first and the snapshot second misses no change")
    func positionFirst() async throws {
        let feed = ChangeFeed(clock: VirtualClock())
        let published = CurrentDirectory(feed: feed)
        let at = Timestamp(milliseconds: 0)
        let starts = await withTaskGroup(of: [(position: FeedPosition, count: Int)].self) { group in
            group.addTask {
                var directory = TenancyDirectory()
                for number in 1...500 as ClosedRange<UInt64> {
                    let portfolio = Portfolio(id: PortfolioID(high: 1, low: number), name: "P", createdAt: at, updatedAt: at)
                    directory.apply(.putPortfolio(portfolio))
                    published.publish(directory, after: [.putPortfolio(portfolio)])
                }
                return []
            }
            for _ in 0..<3 {
                group.addTask {
                    var starts: [(position: FeedPosition, count: Int)] = []
                    while starts.last?.count != 500 {
                        let position = feed.position
                        let count = published.snapshot.directory.portfolioIDs.count
                        // Of the positions of one snapshot, the last one has the fewest changes after it.
                        if starts.last?.count == count { starts.removeLast() }
                        starts.append((position, count))
                        await Task.yield()
                    }
                    return starts
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        for start in starts {
            let later = try #require(feed.changes(after: start.position)).objects
            #expect(start.count + later.count >= 500, "a change is neither in the snapshot nor after the position")
        }
    }
}

/// The changes that each use case appends to the feed.
@Suite struct FeedContentTests {
    /// Returns the objects that `body` appends to the feed of the house.
    private func changes(in house: House, _ body: () async throws -> Void) async throws -> Set<ChangedObject> {
        let start = house.control.feed.position
        try await body()
        return Set(try #require(house.control.feed.changes(after: start)).objects)
    }

    @Test("a command appends itself, the status of its device, and its log")
    func command() async throws {
        let house = try await House()
        let ids = house.ids
        var command: CommandID?
        let found = try await changes(in: house) { command = try await house.run(by: ids.tenant).id }
        let id = try #require(command)
        #expect(found == [.deviceStatus(ids.door), .log(.portfolio(ids.portfolio)), .command(id, by: ids.tenant)])
    }

    @Test("a denial appends only its logs")
    func denied() async throws {
        let house = try await House()
        let found = try await changes(in: house) {
            let denial = await denial { _ = try await house.run(by: house.ids.stranger) }
            #expect(denial != nil)
        }
        #expect(found.allSatisfy { if case .log = $0 { true } else { false } } && !found.isEmpty)
    }

    @Test("assigning or removing a role appends the permissions of its user, and of guests whose access depends on it")
    func roles() async throws {
        let house = try await House()
        let (ids, owner) = (house.ids, house.caller(house.ids.owner))
        let logs: Set<ChangedObject> = [.log(.portfolio(ids.portfolio)), .log(.gateway)]
        let given = try await changes(in: house) {
            _ = try await house.control.roles.assign(owner, .tenant, to: ids.stranger, on: .unit(ids.unit))
        }
        #expect(given == logs.union([.permissions(of: ids.stranger), .unit(ids.unit)]))
        let taken = try await changes(in: house) {
            try await house.control.roles.remove(owner, ids.tenant, from: .unit(ids.unit))
        }
        let lost: Set<ChangedObject> = [
            .permissions(of: ids.tenant), .permissions(of: ids.guest), .guestAccess(ids.guestAccess), .unit(ids.unit),
        ]
        #expect(taken == logs.union(lost))
    }

    @Test("granting a guest access appends the access and the permissions of its guest")
    func granted() async throws {
        let house = try await House()
        let (ids, now) = (house.ids, house.clock.now())
        var access: GuestAccess?
        let found = try await changes(in: house) {
            access = try await house.control.guestAccesses.grant(
                house.caller(ids.tenant),
                NewGuestAccess(
                    guestUserID: .some(ids.stranger), label: nil, propertyID: nil, unitID: nil, deviceIDs: [ids.door],
                    operations: [.unlock], window: GuestWindow(validFrom: now, validUntil: now.advanced(by: .seconds(60)))),
                repeatable: nil
            ).executed
        }
        let id = try #require(access?.id)
        #expect(found == [.guestAccess(id), .permissions(of: ids.stranger), .log(.portfolio(ids.portfolio)), .log(.gateway)])
    }

    @Test("a lock's report appends its status if the status changes")
    func reports() async throws {
        let house = try await House()
        let door = house.ids.door
        let first = try await changes(in: house) { house.adapter.report(.battery(level: 50, low: false), from: door) }
        #expect(first == [.deviceStatus(door)])
        let again = try await changes(in: house) { house.adapter.report(.battery(level: 50, low: false), from: door) }
        #expect(again.isEmpty)
    }

    @Test("reloading the directory invalidates earlier positions")
    func recovery() async throws {
        let house = try await House()
        let before = house.control.feed.position
        let (directory, feed) = (house.control.directory, house.control.feed)
        directory.publish(directory.current, after: nil)
        #expect(feed.changes(after: before) == nil)
    }

    @Test("each tenancy change appends the objects that it affects", arguments: 0..<3)
    func objects(seed: UInt64) throws {
        var world = TenancyFixture(seed: seed)
        let portfolio = world.portfolio("P")
        let property = world.property("Q", in: portfolio)
        let unit = world.unit("U", in: property)
        let device = world.device("D", in: .unit(unit))
        let (user, guest) = (world.user("A"), world.user("G"))
        let tenancy = world.assign(user, .tenant, .unit(unit))
        let management = world.assign(user, .propertyManager, .property(property))
        let granted = world.guestAccess(for: guest, to: [device], under: tenancy)
        let labelled = world.guestAccess(for: nil, label: "x", to: [device], under: management)
        let (access, managed) = (try #require(granted), try #require(labelled))
        let firstCount = world.changes.count
        world.change(device) { $0.name = "E" }
        world.remove(device)
        world.change(user) { $0.isEnabled = false }
        world.revoke(access, at: world.createdAt)
        world.remove(tenancy)
        world.remove(management)
        var directory = TenancyDirectory()
        var found: [[ChangedObject]] = []
        for change in world.changes {
            found.append(change.objects(in: directory))
            directory.apply(change)
        }
        #expect(
            found.prefix(firstCount) == [
                [.portfolio(portfolio)], [.property(property), .portfolio(portfolio)], [.unit(unit), .property(property)],
                [.device(device), .unit(unit), .property(property)],
                [.user(user), .permissions(of: user)], [.user(guest), .permissions(of: guest)],
                [.permissions(of: user), .unit(unit)], [.permissions(of: user), .property(property)],
                [.guestAccess(access), .permissions(of: guest)], [.guestAccess(managed)],
            ])
        #expect(
            found.suffix(from: firstCount) == [
                [.device(device)], [.device(device), .unit(unit), .property(property)], [.user(user), .permissions(of: user)],
                [.guestAccess(access), .permissions(of: guest)],
                [.permissions(of: user), .guestAccess(access), .permissions(of: guest), .unit(unit)],
                [.permissions(of: user), .property(property)],
            ])
    }
}
