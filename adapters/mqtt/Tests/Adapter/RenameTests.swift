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
    private static func makeFixture() async throws -> BridgeFixture {
        let fixture = try await BridgeFixture()
        fixture.adapter.attach(AttachedLock(id: lock, address: BridgeFixture.address("front")))
        try fixture.publishRetained("zigbee2mqtt/bridge/state", "online")
        try fixture.publishRetained("zigbee2mqtt/front/availability", #"{"state":"online"}"#)
        await fixture.reports.first(of: lock) { $0.fact == .availability(true) }
        try fixture.publish("zigbee2mqtt/front", #"{"lock_state":"locked"}"#)
        await fixture.reports.first(of: lock) { $0.isLive && $0.state == .locked }
        return fixture
    }

    private static func failure(_ fixture: BridgeFixture) -> AdapterError? {
        do throws(AdapterError) {
            try fixture.adapter.send(
                LockCommand(
                    commandID: CommandID(high: 0xE1, low: 9), deviceID: lock, operation: .unlock,
                    deadline: fixture.clock.now().advanced(by: .seconds(10))))
        } catch { return error }
        return nil
    }

    private static func renamed(_ fixture: BridgeFixture) async {
        await fixture.reports.first(of: lock) { $0.fact == .faults(["renamed"]) }
    }

    @Test("a renamed lock has the fault `renamed` and a stale state, accepts no command, and is not listed as a new lock")
    func reported() async throws {
        let fixture = try await Self.makeFixture()
        try fixture.list([Zigbee2MQTTTests.device("back")])
        await Self.renamed(fixture)
        let reports = fixture.reports.all(of: Self.lock)
        #expect(reports.contains { $0.fact == .state(.locked, quality: .stale, method: nil, operatorName: nil) })
        #expect(reports.last { if case .availability = $0.fact { true } else { false } }?.fact == .availability(nil))
        #expect(fixture.adapter.discovered.isEmpty)
        #expect(try fixture.attachedDevice(of: "back") == Self.lock && fixture.attachedDevice(of: "front") == Self.lock)
        #expect(Self.failure(fixture) == .offline)
        await fixture.end()
    }

    @Test("the state of another lock that takes over the old name is not reported for the renamed lock")
    func takenOver() async throws {
        let fixture = try await Self.makeFixture()
        try fixture.list([Zigbee2MQTTTests.device("back")])
        await Self.renamed(fixture)
        try fixture.list([Zigbee2MQTTTests.device("back"), Self.other])
        let count = fixture.reports.all(of: Self.lock).count
        try fixture.publish("zigbee2mqtt/front", #"{"lock_state":"unlocked"}"#)
        // The witness is attached later: when its availability is reported, the other lock's state has been processed.
        let witness = DeviceID(high: 0xE1, low: 2)
        try fixture.publishRetained("zigbee2mqtt/witness/availability", #"{"state":"offline"}"#)
        fixture.adapter.attach(AttachedLock(id: witness, address: BridgeFixture.address("witness")))
        await fixture.reports.first(of: witness) { $0.fact == .availability(false) }
        #expect(fixture.reports.all(of: Self.lock).count == count)
        #expect(Self.failure(fixture) == .offline)
        await fixture.end()
    }

    @Test(
        "what a lock is comes from its bridge's list, when it changes and when the lock is attached, and not from a lock with its old name"
    )
    func product() async throws {
        let fixture = try await BridgeFixture()
        func product(_ firmware: String) -> LockProduct {
            LockProduct(manufacturer: "Ironworks", model: "D1", firmwareVersion: firmware)
        }
        func device(_ name: String, _ firmware: String) -> String {
            Zigbee2MQTTTests.device(name, #","software_build_id":"\#(firmware)""#)
                .replacing(#""definition":{"#, with: #""definition":{"vendor":"Ironworks","model":"D1","#)
        }
        func products() -> [LockProduct] {
            fixture.reports.all(of: Self.lock).compactMap { if case .product(let product) = $0.fact { product } else { nil } }
        }
        fixture.adapter.attach(AttachedLock(id: Self.lock, address: BridgeFixture.address("front")))
        for firmware in ["1.0", "1.0", "1.1"] { try fixture.list([device("front", firmware)]) }
        await fixture.reports.first(of: Self.lock) { $0.fact == .product(product("1.1")) }
        #expect(products() == [product("1.0"), product("1.1")])
        fixture.adapter.detach(Self.lock)
        fixture.adapter.attach(AttachedLock(id: Self.lock, address: BridgeFixture.address("front")))
        #expect(products() == [product("1.0"), product("1.1"), product("1.1")])
        try fixture.list([device("back", "1.1")])
        await Self.renamed(fixture)
        try fixture.list([device("back", "1.2"), device("front", "9.9").replacing("0x01", with: "0x02")])
        // The list has been read once another lock that is attached at the new name is described.
        let other = DeviceID(high: 0xE1, low: 2)
        fixture.adapter.attach(AttachedLock(id: other, address: BridgeFixture.address("back")))
        await fixture.reports.first(of: other) { $0.fact == .product(product("1.2")) }
        #expect(products().count == 3)
        await fixture.end()
    }

    @Test("attached again with its new name, the lock accepts commands and its old name is free")
    func attachedAnew() async throws {
        let fixture = try await Self.makeFixture()
        try fixture.list([Zigbee2MQTTTests.device("back")])
        await Self.renamed(fixture)
        try fixture.publishRetained("zigbee2mqtt/back/availability", #"{"state":"online"}"#)
        fixture.adapter.detach(Self.lock)
        let count = fixture.reports.all(of: Self.lock).count
        fixture.adapter.attach(AttachedLock(id: Self.lock, address: BridgeFixture.address("back")))
        let _: Bool = await fixture.reports.until { reports in
            reports.filter { $0.deviceID == Self.lock }.dropFirst(count).contains { $0.fact == .availability(true) } ? true : nil
        }
        #expect(Self.failure(fixture) == nil)
        #expect(try fixture.attachedDevice(of: "front") == nil && fixture.attachedDevice(of: "back") == Self.lock)
        await fixture.end()
    }

    @Test("a lock that gets its old name back loses the fault and accepts commands")
    func renamedBack() async throws {
        let fixture = try await Self.makeFixture()
        try fixture.list([Zigbee2MQTTTests.device("back")])
        await Self.renamed(fixture)
        let count = fixture.reports.all(of: Self.lock).count
        try fixture.list([Zigbee2MQTTTests.device("front")])
        let _: Bool = await fixture.reports.until { reports in
            let later = reports.filter { $0.deviceID == Self.lock }.dropFirst(count).map(\.fact)
            return later.contains(.faults([])) && later.contains(.availability(true)) ? true : nil
        }
        #expect(Self.failure(fixture) == nil)
        await fixture.end()
    }

    @Test("a lock that is renamed while the broker is disconnected has the fault `renamed` after the reconnect")
    func whileDisconnected() async throws {
        let fixture = try await Self.makeFixture()
        fixture.broker.kill()
        await fixture.reports.first(of: Self.lock) { $0.fact == .availability(nil) }
        try await fixture.broker.restart()
        while fixture.adapter.health != .ok { await fixture.clock.pass() }
        await fixture.bridgeIsBack()
        try fixture.list([Zigbee2MQTTTests.device("back")])
        await Self.renamed(fixture)
        #expect(fixture.adapter.discovered.isEmpty)
        await fixture.end()
    }

    @Test("a lock with the former name of another lock is not renamed, even if it is attached again before the list arrives")
    func attachedBeforeTheList() async throws {
        let fixture = try await BridgeFixture()
        try fixture.list([Zigbee2MQTTTests.device("back")])
        try fixture.list([Zigbee2MQTTTests.device("back"), Self.other])
        while fixture.adapter.discovered.count < 2 { await fixture.clock.pass(.zero) }
        fixture.adapter.attach(AttachedLock(id: Self.lock, address: BridgeFixture.address("front")))
        fixture.broker.kill()
        await fixture.reports.first(of: Self.lock) { $0.fact == .availability(nil) }
        try await fixture.broker.restart()
        while fixture.adapter.health != .ok || !fixture.adapter.discovered.isEmpty { await fixture.clock.pass() }
        fixture.adapter.attach(AttachedLock(id: Self.lock, address: BridgeFixture.address("front")))
        await fixture.bridgeIsBack()
        try fixture.list([Zigbee2MQTTTests.device("back"), Self.other])
        while fixture.adapter.discovered.isEmpty, !Self.isRenamed(fixture) { await fixture.clock.pass(.zero) }
        while Self.failure(fixture) != nil, !Self.isRenamed(fixture) { await fixture.clock.pass(.zero) }
        #expect(!Self.isRenamed(fixture))
        await fixture.end()
    }

    private static func isRenamed(_ fixture: BridgeFixture) -> Bool {
        fixture.reports.all(of: lock).contains { $0.fact == .faults(["renamed"]) }
    }

    @Test("a lock attached by its IEEE address but listed with a name has the fault `renamed` and accepts no command")
    func byAddress() async throws {
        let fixture = try await BridgeFixture()
        fixture.adapter.attach(AttachedLock(id: Self.lock, address: BridgeFixture.address("0x01")))
        await Self.renamed(fixture)
        #expect(Self.failure(fixture) == .offline)
        await fixture.end()
    }
}
