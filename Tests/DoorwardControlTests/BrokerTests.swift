import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Ownership of brokers: which users may attach locks through a broker, and at which properties. No
/// other user may learn that the broker exists.
@Suite struct BrokerTests {
    /// Returns a house with one broker for each portfolio and one unassigned broker. On request the owner owns both portfolios.
    private static func house(ownerHoldsBoth: Bool = false) async throws -> House {
        let house = try await House()
        house.adapter.set(owners: [
            "oak": .portfolio(house.ids.portfolio), "elm": .portfolio(house.ids.otherPortfolio), "spare": .gateway,
        ])
        if ownerHoldsBoth {
            _ = try await house.control.roles.assign(
                house.caller(house.ids.superAdmin), .owner, to: house.ids.owner, on: .portfolio(house.ids.otherPortfolio))
        }
        return house
    }

    private static func address(_ broker: String, _ topic: String = "front") -> [String: JSONValue] {
        ["broker": .string(broker), "topic": .string(topic)]
    }

    private static func otherProperty(_ house: House) throws -> PropertyID {
        try #require(house.control.directory.current.device(house.ids.otherDoor)?.propertyID)
    }

    @discardableResult
    private static func attach(
        _ house: House, _ broker: String, _ topic: String = "front", by user: UserID? = nil, in property: PropertyID? = nil
    ) async throws -> LockDevice {
        let new = NewDevice(
            name: "New", adapter: "scripted", address: address(broker, topic), propertyID: property ?? house.ids.property,
            unitID: nil, isRemoteOperationEnabled: true)
        let answer = try await house.control.attachedDevices.attach(
            house.caller(user ?? house.ids.owner), new, repeatable: nil)
        return try #require(answer.executed)
    }

    private static func change(
        _ house: House, _ device: DeviceID, by user: UserID? = nil, _ body: (inout DeviceChanges) -> Void
    ) async throws {
        var changes = DeviceChanges()
        body(&changes)
        _ = try await house.control.attachedDevices.change(house.caller(user ?? house.ids.owner), device, changes)
    }

    private static let unknown = [FieldProblem(field: "address.broker", problem: "unknown")]

    private static func problems(_ body: () async throws -> Void) async -> [FieldProblem]? {
        if case .invalid(let problems) = await failure(body) { problems } else { nil }
    }

    private static func isTaken(_ body: () async throws -> Void) async -> Bool {
        if case .addressTaken = await failure(body) { true } else { false }
    }

    @Test("an address that shares a state topic with another attached lock is rejected with field and reason")
    func conflicts() async throws {
        let house = try await Self.house()
        let first = try await Self.attach(house, "oak")
        let mistake = AddressErrors.Mistake(field: "address.state_topic", problem: "state_topic_in_use")
        house.adapter.set(conflicts: [.init(with: first.id, mistake)])
        let expected = [FieldProblem(field: mistake.field, problem: mistake.problem)]
        #expect(await Self.problems { try await Self.attach(house, "oak", "other") } == expected)
        #expect(
            await Self.problems { try await Self.change(house, house.ids.door) { $0.address = Self.address("oak", "x") } } != nil)
        // A lock does not conflict with its own topics.
        try await Self.change(house, first.id) { $0.address = Self.address("oak", "y") }
        try await house.control.attachedDevices.detach(house.caller(house.ids.owner), first.id)
        try await Self.attach(house, "oak", "other")
    }

    // MARK: - Owners of brokers

    @Test("a broker of another owner is rejected as one that does not exist", arguments: ["elm", "spare", "no such"])
    func othersBrokers(_ broker: String) async throws {
        let house = try await Self.house()
        for user in [house.ids.owner, house.ids.managers[0], house.ids.tenant, house.ids.stranger] {
            #expect(await Self.problems { try await Self.attach(house, broker, by: user) } == Self.unknown)
            // A property that the caller may not see gives the same error, so that the error reveals nothing about brokers.
            let elsewhere = try Self.otherProperty(house)
            #expect(await Self.problems { try await Self.attach(house, broker, by: user, in: elsewhere) } == Self.unknown)
        }
        #expect(
            await Self.problems {
                try await Self.change(house, house.ids.door) { $0.address = Self.address(broker) }
            } == Self.unknown)
        #expect(house.adapter.attached.count == 3)
    }

    @Test("users who may attach locks in a portfolio can use its broker, and a super admin can use any broker")
    func ownBroker() async throws {
        let house = try await Self.house()
        for (number, user) in [house.ids.owner, house.ids.managers[0], house.ids.superAdmin].enumerated() {
            let device = try await Self.attach(house, "oak", "door \(number)", by: user)
            #expect(house.adapter.attached.contains { $0.id == device.id })
        }
        #expect(await Self.problems { try await Self.attach(house, "oak", by: house.ids.tenant) } == Self.unknown)
        let handed = try await Self.attach(house, "spare", by: house.ids.superAdmin)
        #expect(handed.portfolioID == house.ids.portfolio)
    }

    @Test("attaching to a property that is not visible is denied, even through the caller's own broker")
    func reachAfterAddress() async throws {
        let house = try await Self.house()
        let denied = await denial { try await Self.attach(house, "oak", in: try Self.otherProperty(house)) }
        #expect(denied?.hasReach == false)
    }

    // MARK: - Portfolios of locks

    @Test("a lock of a portfolio's broker can be only in that portfolio, even if the caller owns both portfolios")
    func foreignPlace() async throws {
        let house = try await Self.house(ownerHoldsBoth: true)
        let other = try Self.otherProperty(house)
        for user in [house.ids.owner, house.ids.superAdmin] {
            #expect(await Self.problems { try await Self.attach(house, "oak", by: user, in: other) } == Self.unknown)
        }
        let device = try await Self.attach(house, "oak")
        let moved = await Self.problems { try await Self.change(house, device.id) { $0.propertyID = .set(other) } }
        #expect(moved == [FieldProblem(field: "propertyId", problem: "other_portfolio")])
        let both = await Self.problems {
            try await Self.change(house, device.id) { ($0.propertyID, $0.address) = (.set(other), Self.address("oak", "back")) }
        }
        #expect(both == Self.unknown)
        // With an address of the other portfolio's broker the lock can move there.
        try await Self.change(house, device.id) { ($0.propertyID, $0.address) = (.set(other), Self.address("elm")) }
        #expect(house.control.directory.current.device(device.id)?.portfolioID == house.ids.otherPortfolio)
    }

    @Test("an unassigned lock can be assigned again only to its broker's portfolio")
    func unassigned() async throws {
        let house = try await Self.house()
        let device = try await Self.attach(house, "oak")
        try await Self.change(house, device.id) { $0.propertyID = .cleared }
        let root = house.ids.superAdmin
        let other = try Self.otherProperty(house)
        let elsewhere = await Self.problems {
            try await Self.change(house, device.id, by: root) { $0.propertyID = .set(other) }
        }
        #expect(elsewhere == [FieldProblem(field: "propertyId", problem: "other_portfolio")])
        try await Self.change(house, device.id, by: root) { $0.propertyID = .set(house.ids.property) }
        #expect(house.control.directory.current.device(device.id)?.portfolioID == house.ids.portfolio)
    }

    @Test("a lock of an unassigned broker can be in any portfolio, and only a super admin can change its address on that broker")
    func unassignedBroker() async throws {
        let house = try await Self.house(ownerHoldsBoth: true)
        let device = try await Self.attach(house, "spare", by: house.ids.superAdmin)
        #expect(
            await Self.problems {
                try await Self.change(house, device.id) { $0.address = Self.address("spare", "back") }
            } == Self.unknown)
        let other = try Self.otherProperty(house)
        try await Self.change(house, device.id) { $0.propertyID = .set(other) }
        try await Self.change(house, device.id, by: house.ids.superAdmin) { $0.address = Self.address("spare", "back") }
    }

    @Test("a lock whose broker now belongs to another portfolio is not attached at the start")
    func brokerGivenAway() async throws {
        let before = try await Self.house()
        let device = try await Self.attach(before, "oak")
        await before.control.stop()
        let adapter = ScriptedAdapter(clock: before.clock)
        adapter.set(owners: ["oak": .portfolio(before.ids.otherPortfolio)])
        let control = GatewayControl(
            store: before.store.reopened(), adapters: [adapter], clock: before.clock,
            random: RandomSource(SeededGenerator(seed: 9)))
        try await control.start()
        #expect(adapter.attached.map(\.id).contains(before.ids.door))
        #expect(!adapter.attached.map(\.id).contains(device.id))
        await control.stop()
    }

    // MARK: - One lock for each address

    @Test("an address in use is rejected for other locks; a lock may keep its own, and detaching frees it")
    func once() async throws {
        let house = try await Self.house()
        let device = try await Self.attach(house, "oak", "front")
        #expect(await Self.isTaken { try await Self.attach(house, "oak", "front") })
        #expect(
            await Self.isTaken {
                try await Self.change(house, house.ids.door) { $0.address = Self.address("oak", "front") }
            })
        try await Self.change(house, device.id) {
            $0.address = Self.address("oak", "front").merging(["note": .bool(true)]) { $1 }
        }
        try await Self.attach(house, "oak", "back")
        try await house.control.attachedDevices.detach(house.caller(house.ids.owner), device.id)
        try await Self.attach(house, "oak", "front")
    }

    @Test("if several requests attach the same lock at once, exactly one succeeds")
    func atOnce() async throws {
        let house = try await Self.house()
        let taken = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { await Self.isTaken { try await Self.attach(house, "oak", "front") } } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(taken == 7)
        #expect(house.adapter.attached.count { $0.address == Self.address("oak", "front") } == 1)
    }

    @Test("a detached lock that still finishes its last command does not block its address")
    func detachedUnderWay() throws {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: 3, clock: clock)
        try executor.run {
            let house = try await House(clock: clock, executor: executor, behaviour: .confirm(after: .seconds(2)))
            house.adapter.set(owners: ["oak": .portfolio(house.ids.portfolio)])
            let device = try await Self.attach(house, "oak")
            let sent = try await house.begin(by: house.ids.owner, on: device.id)
            try await clock.sleep(until: clock.monotonicNow().advanced(by: .seconds(1)))
            try await house.control.attachedDevices.detach(house.caller(house.ids.owner), device.id)
            #expect(house.adapter.attached.contains { $0.id == device.id })
            try await Self.attach(house, "oak")
            #expect(await sent.finished.command.state == .confirmed)
        }
    }

    // MARK: - Discovered locks

    @Test("discovered locks are listed for the users who may attach them")
    func discovered() async throws {
        let house = try await Self.house()
        func found(_ id: String, _ owner: TransportOwner) -> DiscoveredLock {
            DiscoveredLock(
                id: id, name: nil, manufacturer: nil, model: nil, address: [:], owner: owner, capabilities: nil, problem: nil,
                firstSeenAt: house.clock.now(), lastSeenAt: house.clock.now())
        }
        house.adapter.set(discovered: [
            found("oak:1", .portfolio(house.ids.portfolio)), found("elm:1", .portfolio(house.ids.otherPortfolio)),
            found("spare:1", .gateway),
        ])
        func found(by user: UserID) -> [DiscoveredDevice] {
            house.control.adapterStates.discovered(for: house.caller(user), PageRequest(limit: 50)).items
        }
        func seen(by user: UserID) -> [String] { found(by: user).map(\.id) }
        for user in [house.ids.owner, house.ids.managers[0]] { #expect(seen(by: user) == ["oak:1"]) }
        for user in [house.ids.tenant, house.ids.guest, house.ids.stranger] { #expect(seen(by: user) == []) }
        #expect(seen(by: house.ids.superAdmin) == ["elm:1", "oak:1", "spare:1"])
        #expect(found(by: house.ids.owner).map(\.adapter) == ["scripted"])
    }
}
