import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Testing

/// Every lock that can be queried is queried for its state once its subscriptions are in place.
@Suite(.serialized, .timeLimit(.minutes(30))) struct StateRequestTests {
    private static let lock = DeviceID(high: 0xD8, low: 1)

    private static func attach(_ fixture: BrokerFixture, _ name: String, _ id: DeviceID = lock) {
        fixture.adapter.attach(
            AttachedLock(id: id, address: ["broker": "home", "profile": "zigbee2mqtt", "name": .string(name)]))
    }

    private static func bridge(_ fixture: BrokerFixture) async -> MQTTTestClient {
        let bridge = MQTTTestClient(port: fixture.broker.port, ["zigbee2mqtt/+/get"])
        await bridge.event { $0 == .subscribed }
        return bridge
    }

    @Test("a lock attached while the subscriptions of others are being granted is queried when its own are granted")
    func attachedMeanwhile() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        let fixture = try await BrokerFixture(broker, port: proxy.port)
        let bridge = await Self.bridge(fixture)
        let door = try await fixture.attach("A")
        fixture.nuki.addLock("B")
        await fixture.nuki.roundTrip()
        proxy.stall(.toClient)
        // The proxy may be about to read one chunk; the SUBACK and the retained message then arrive in the next chunk.
        fixture.nuki.publish("nuki/A/batteryChargeState", "7")
        await fixture.nuki.roundTrip()
        let other = DeviceID(high: 0xD8, low: 2)
        fixture.adapter.attach(AttachedLock(id: other, address: BrokerFixture.address(of: "B")))
        await Self.untilPassed("nuki/B/state", proxy)
        await fixture.nuki.roundTrip()
        // Attached on the connection's own thread, between the SUBACK and the event that all subscriptions are in place.
        fixture.reports.once({ $0.deviceID == other && $0.state == .locked }) { Self.attach(fixture, "front") }
        proxy.resume()
        await fixture.reports.first(of: door) { $0.fact == .battery(level: 7, low: nil) }
        while bridge.messages.isEmpty { await fixture.clock.pass(.zero) }
        #expect(bridge.messages.map(\.topic) == ["zigbee2mqtt/front/get"])
        await bridge.connection.stop()
        await fixture.end()
    }

    @Test("a state request that is rejected because the broker is busy is sent when the broker reads again")
    func busy() async throws {
        let broker = try await MosquittoProcess.start()
        let proxy = try Proxy(to: broker.port)
        defer { proxy.close() }
        let fixture = try await BrokerFixture(broker, port: proxy.port)
        let bridge = await Self.bridge(fixture)
        let door = try await fixture.attach("A")
        fixture.nuki.set(.silent, of: "A")
        var number: UInt64 = 0
        repeat {
            proxy.resume()
            try await fixture.settle()
            // Wait for the state request to the previous lock: otherwise it would be rejected instead of the one awaited below.
            while number > 0, !bridge.messages.contains(where: { $0.topic == "zigbee2mqtt/front\(number)/get" }) {
                await fixture.clock.pass(.microseconds(10))
            }
            number += 1
            proxy.stall(.toClient)
            Self.attach(fixture, "front\(number)", DeviceID(high: 0xD8, low: number))
            await Self.untilPassed("zigbee2mqtt/front\(number)", proxy)
            proxy.stall(.toBroker)
            // Repeat while a probe is unanswered. Otherwise its answer would arrive together with the SUBACK, and the broker
            // would count as responsive.
        } while proxy.probes.sent != proxy.probes.answered
        // A short lifetime makes the gateway probe the broker at once; after one second without an answer the broker is busy.
        _ = try fixture.send(.unlock, to: door, within: .seconds(2))
        // Small steps: on one core, the connection's own thread must get its turn before the probe times out.
        while (try? fixture.send(.unlock, to: door, within: .seconds(3600))) != nil {
            for _ in 0..<1000 { await fixture.clock.pass() }
        }
        let before = fixture.adapter.counts["frames_refused"] ?? 0
        proxy.resume(.toClient)
        while (fixture.adapter.counts["frames_refused"] ?? 0) == before { await fixture.clock.pass(.zero) }
        proxy.resume()
        while !bridge.messages.contains(where: { $0.topic == "zigbee2mqtt/front\(number)/get" }) {
            await fixture.clock.pass(.microseconds(10))
        }
        #expect(bridge.messages.count { $0.topic == "zigbee2mqtt/front\(number)/get" } == 1)
        await bridge.connection.stop()
        await fixture.end()
    }

    @Test("locks attached together are queried one after the other, with a pause")
    func paced() async throws {
        let fixture = try await BrokerFixture(MosquittoProcess.start())
        let bridge = await Self.bridge(fixture)
        for number in 1...5 { Self.attach(fixture, "lock\(number)", DeviceID(high: 0xD9, low: UInt64(number))) }
        for count in 1...5 {
            while bridge.messages.count < count { await fixture.clock.pass(.zero) }
            await fixture.nuki.roundTrip()
            try await fixture.settle()
            #expect(bridge.messages.count == count)
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: .milliseconds(20))
        }
        #expect(Set(bridge.messages.map(\.topic)) == Set((1...5).map { "zigbee2mqtt/lock\($0)/get" }))
        await bridge.connection.stop()
        await fixture.end()
    }

    /// Waits until the SUBSCRIBE for a filter has been sent to the broker.
    private static func untilPassed(_ filter: String, _ proxy: Proxy) async {
        let bytes = [0, UInt8(filter.utf8.count)] + Array(filter.utf8)
        while proxy.forwarded().firstRange(of: bytes) == nil { await Task.yield() }
    }
}
