import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

/// Tests of an attached lock that is renamed in its bridge.
@Suite(.serialized, .timeLimit(.minutes(30))) struct RenameTests {
    private static let lock = DeviceID(high: 0xE1, low: 1)
    private static let other = Zigbee2MQTTTests.device("front").replacing("0x01", with: "0x02")

    /// Returns a fixture whose lock `front` is attached, available and locked.
    private static func house() async throws -> ListedHouse {
        let house = try await ListedHouse()
        house.adapter.attach(AttachedLock(id: lock, address: ListedHouse.address("front")))
        try house.keep("zigbee2mqtt/bridge/state", "online")
        try house.keep("zigbee2mqtt/front/availability", #"{"state":"online"}"#)
        await house.reports.first(of: lock) { $0.fact == .availability(true) }
        try house.say("zigbee2mqtt/front", #"{"lock_state":"locked"}"#)
        await house.reports.first(of: lock) { $0.isLive && $0.state == .locked }
        return house
    }

    private static func failure(_ house: ListedHouse) -> AdapterError? {
        do throws(AdapterError) {
            try house.adapter.send(
                LockCommand(
                    commandID: CommandID(high: 0xE1, low: 9), deviceID: lock, operation: .unlock,
                    deadline: house.clock.now().advanced(by: .seconds(10))))
        } catch { return error }
        return nil
    }

    private static func renamed(_ house: ListedHouse) async {
        await house.reports.first(of: lock) { $0.fact == .faults(["renamed"]) }
    }

    @Test("a renamed lock has the fault `renamed` and a stale state, accepts no command, and is not listed as a new lock")
    func shown() async throws {
        let house = try await Self.house()
        try house.list([Zigbee2MQTTTests.device("back")])
        await Self.renamed(house)
        let reports = house.reports.all(of: Self.lock)
        #expect(reports.contains { $0.fact == .state(.locked, quality: .stale, method: nil, operatorName: nil) })
        #expect(reports.last { if case .availability = $0.fact { true } else { false } }?.fact == .availability(nil))
        #expect(house.adapter.discovered.isEmpty)
        #expect(try house.holder(of: "back") == Self.lock && house.holder(of: "front") == Self.lock)
        #expect(Self.failure(house) == .offline)
        await house.end()
    }

    @Test("the state of another lock that takes over the old name is not reported for the renamed lock")
    func takenOver() async throws {
        let house = try await Self.house()
        try house.list([Zigbee2MQTTTests.device("back")])
        await Self.renamed(house)
        try house.list([Zigbee2MQTTTests.device("back"), Self.other])
        let count = house.reports.all(of: Self.lock).count
        try house.say("zigbee2mqtt/front", #"{"lock_state":"unlocked"}"#)
        // The witness is attached later: when its availability is reported, the other lock's state has been processed.
        let witness = DeviceID(high: 0xE1, low: 2)
        try house.keep("zigbee2mqtt/witness/availability", #"{"state":"offline"}"#)
        house.adapter.attach(AttachedLock(id: witness, address: ListedHouse.address("witness")))
        await house.reports.first(of: witness) { $0.fact == .availability(false) }
        #expect(house.reports.all(of: Self.lock).count == count)
        #expect(Self.failure(house) == .offline)
        await house.end()
    }

    @Test("attached again with its new name, the lock accepts commands and its old name is free")
    func attachedAnew() async throws {
        let house = try await Self.house()
        try house.list([Zigbee2MQTTTests.device("back")])
        await Self.renamed(house)
        try house.keep("zigbee2mqtt/back/availability", #"{"state":"online"}"#)
        house.adapter.detach(Self.lock)
        let count = house.reports.all(of: Self.lock).count
        house.adapter.attach(AttachedLock(id: Self.lock, address: ListedHouse.address("back")))
        let _: Bool = await house.reports.until { reports in
            reports.filter { $0.deviceID == Self.lock }.dropFirst(count).contains { $0.fact == .availability(true) } ? true : nil
        }
        #expect(Self.failure(house) == nil)
        #expect(try house.holder(of: "front") == nil && house.holder(of: "back") == Self.lock)
        await house.end()
    }

    @Test("a lock that gets its old name back loses the fault and accepts commands")
    func backAgain() async throws {
        let house = try await Self.house()
        try house.list([Zigbee2MQTTTests.device("back")])
        await Self.renamed(house)
        let count = house.reports.all(of: Self.lock).count
        try house.list([Zigbee2MQTTTests.device("front")])
        let _: Bool = await house.reports.until { reports in
            let later = reports.filter { $0.deviceID == Self.lock }.dropFirst(count).map(\.fact)
            return later.contains(.faults([])) && later.contains(.availability(true)) ? true : nil
        }
        #expect(Self.failure(house) == nil)
        await house.end()
    }

    @Test("a lock that is renamed while the broker is disconnected has the fault `renamed` after the reconnect")
    func meanwhile() async throws {
        let house = try await Self.house()
        house.broker.kill()
        await house.reports.first(of: Self.lock) { $0.fact == .availability(nil) }
        try await house.broker.restart()
        while house.adapter.health != .ok { await house.clock.pass() }
        await house.bridgeIsBack()
        try house.list([Zigbee2MQTTTests.device("back")])
        await Self.renamed(house)
        #expect(house.adapter.discovered.isEmpty)
        await house.end()
    }

    @Test("a lock with the former name of another lock is not renamed, even if it is attached again before the list arrives")
    func attachedBeforeTheList() async throws {
        let house = try await ListedHouse()
        try house.list([Zigbee2MQTTTests.device("back")])
        try house.list([Zigbee2MQTTTests.device("back"), Self.other])
        while house.adapter.discovered.count < 2 { await house.clock.pass(.zero) }
        house.adapter.attach(AttachedLock(id: Self.lock, address: ListedHouse.address("front")))
        house.broker.kill()
        await house.reports.first(of: Self.lock) { $0.fact == .availability(nil) }
        try await house.broker.restart()
        while house.adapter.health != .ok || !house.adapter.discovered.isEmpty { await house.clock.pass() }
        house.adapter.attach(AttachedLock(id: Self.lock, address: ListedHouse.address("front")))
        await house.bridgeIsBack()
        try house.list([Zigbee2MQTTTests.device("back"), Self.other])
        while house.adapter.discovered.isEmpty, !Self.isRenamed(house) { await house.clock.pass(.zero) }
        while Self.failure(house) != nil, !Self.isRenamed(house) { await house.clock.pass(.zero) }
        #expect(!Self.isRenamed(house))
        await house.end()
    }

    private static func isRenamed(_ house: ListedHouse) -> Bool {
        house.reports.all(of: lock).contains { $0.fact == .faults(["renamed"]) }
    }

    @Test("a lock attached by its IEEE address but listed with a name has the fault `renamed` and accepts no command")
    func byAddress() async throws {
        let house = try await ListedHouse()
        house.adapter.attach(AttachedLock(id: Self.lock, address: ListedHouse.address("0x01")))
        await Self.renamed(house)
        #expect(Self.failure(house) == .offline)
        await house.end()
    }
}
