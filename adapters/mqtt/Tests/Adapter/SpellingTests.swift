import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

/// Tests of one Zigbee2MQTT lock with two valid addresses, on a real broker.
@Suite(.serialized, .timeLimit(.minutes(30))) struct SpellingTests {
    private static let one = DeviceID(high: 0xE0, low: 1)

    @Test(
        "a lock attached by its friendly name or its IEEE address is the holder of both, and is no longer listed",
        arguments: ["front", "0x01"])
    func spellings(name: String) async throws {
        let house = try await ListedHouse()
        #expect(try ["front", "0x01"].allSatisfy { try house.holder(of: $0) == nil })
        house.adapter.attach(AttachedLock(id: Self.one, address: ListedHouse.address(name)))
        #expect(try ["front", "0x01"].map { try house.holder(of: $0) } == [Self.one, Self.one])
        #expect(try house.holder(of: "0x02") == nil)
        #expect(house.adapter.discovered.isEmpty)
        house.adapter.detach(Self.one)
        #expect(try house.holder(of: "front") == nil && house.adapter.discovered.count == 1)
        await house.end()
    }

    @Test("of two devices with one address the one attached last is the holder; when it is detached, the other one is")
    func twice() async throws {
        let house = try await ListedHouse()
        let other = DeviceID(high: 0xE0, low: 2)
        for id in [Self.one, other] { house.adapter.attach(AttachedLock(id: id, address: ListedHouse.address("front"))) }
        #expect(try house.holder(of: "front") == other)
        house.adapter.detach(other)
        #expect(try house.holder(of: "front") == Self.one)
        await house.end()
    }
}
