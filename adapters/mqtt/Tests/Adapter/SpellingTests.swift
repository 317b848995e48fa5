import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

/// One lock under several names, on a real broker whose Zigbee2MQTT lists it.
@Suite(.serialized, .timeLimit(.minutes(30))) struct SpellingTests {
    private static let one = DeviceID(high: 0xE0, low: 1)

    @Test(
        "a lock that is attached by its friendly name or by its address is held under both, and listed no more",
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

    @Test("of two that were attached at one place the last is the holder, and the first when the last has left")
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
