import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Testing

/// Tests of one Zigbee2MQTT lock with two valid addresses, on a real broker.
@Suite(.serialized, .timeLimit(.minutes(30))) struct EndpointAliasTests {
    private static let one = DeviceID(high: 0xE0, low: 1)

    @Test(
        "a lock attached by its friendly name or its IEEE address is the holder of both, and is no longer listed",
        arguments: ["front", "0x01"])
    func spellings(name: String) async throws {
        let fixture = try await BridgeFixture()
        #expect(try ["front", "0x01"].allSatisfy { try fixture.attachedDevice(of: $0) == nil })
        fixture.adapter.attach(AttachedLock(id: Self.one, address: BridgeFixture.address(name)))
        #expect(try ["front", "0x01"].map { try fixture.attachedDevice(of: $0) } == [Self.one, Self.one])
        #expect(try fixture.attachedDevice(of: "0x02") == nil)
        #expect(fixture.adapter.discovered.isEmpty)
        fixture.adapter.detach(Self.one)
        #expect(try fixture.attachedDevice(of: "front") == nil && fixture.adapter.discovered.count == 1)
        await fixture.end()
    }

    @Test("of two devices with one address the one attached last is the holder; when it is detached, the other one is")
    func twice() async throws {
        let fixture = try await BridgeFixture()
        let other = DeviceID(high: 0xE0, low: 2)
        for id in [Self.one, other] { fixture.adapter.attach(AttachedLock(id: id, address: BridgeFixture.address("front"))) }
        #expect(try fixture.attachedDevice(of: "front") == other)
        fixture.adapter.detach(other)
        #expect(try fixture.attachedDevice(of: "front") == Self.one)
        await fixture.end()
    }
}
