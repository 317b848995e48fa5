import DoorwardAdapterKit
import DoorwardControl
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Synchronization
import Testing

@testable import AdapterMQTT

/// A complete gateway core with the MQTT adapter, a real broker and one door. The test plays the lock. Time is virtual.
final class GatewayFixture: Sendable {
    let clock = VirtualClock()
    let door: DeviceID
    /// The client of the simulated bridge: it receives the gateway's messages and publishes those of the lock.
    let bridge: MQTTTestClient
    let reports: RecordedReports
    private let control: GatewayControl
    private let store = InMemoryStore()
    private let portfolio: PortfolioID
    private let owner: UserID
    let broker: MosquittoProcess
    private let presence: (topic: String, payload: String)
    private let availabilityReports = Mutex(0)

    /// - Parameters:
    ///   - presence: the lock's availability message. Its report shows that all earlier messages have been processed.
    ///   - filters: the topics on which the bridge receives the gateway's messages.
    init(_ address: [String: String], _ filters: [String], presence: (topic: String, payload: String)) async throws {
        broker = try await MosquittoProcess.start()
        var world = TenancyFixture(seed: 3, createdAt: clock.now())
        portfolio = world.portfolio("Quay")
        let property = world.property("No. 1", in: portfolio)
        let whole = address.merging(["broker": "home"]) { $1 }.mapValues { JSONValue.string($0) }
        door = world.device("Door", in: .property(property), adapter: "mqtt", address: whole)
        owner = world.user("Olga")
        world.assign(owner, .owner, .portfolio(portfolio))
        _ = try await store.commit(StoreTransaction(changes: world.changes))
        let adapter = RecordingAdapter(BrokerFixture.adapter(["home": broker.port], clock))
        reports = adapter.reports
        self.presence = presence
        bridge = MQTTTestClient(port: broker.port, filters + ["rig/ready"])
        await bridge.connected()
        control = GatewayControl(store: store, adapters: [adapter], clock: clock, random: RandomSource())
        try await control.start()
        while adapter.health != .ok { await clock.pass() }
        // The retained messages show that the subscriptions of the bridge and of the gateway are in place.
        try publishRetained("rig/ready", "yes")
        _ = await bridge.message(on: "rig/ready")
        try publishRetained(presence.topic, presence.payload)
        try await settle(publishing: false)
    }

    func end() async {
        await control.stop()
        await bridge.connection.stop()
    }

    // MARK: The lock

    func publish(_ topic: String, _ payload: String) throws {
        try bridge.connection.publish(try MQTTPublish(topic, payload, .atLeastOnce))
    }

    func publishRetained(_ topic: String, _ payload: String) throws {
        _ = try bridge.connection.publishRetainable(
            MQTTRetainablePublish(topic: try #require(MQTTTopic(topic)), payload: Array(payload.utf8)))
    }

    /// Waits until every published message has been processed.
    func settle(publishing: Bool = true) async throws {
        let count = availabilityReports.withLock { availabilityReports in
            availabilityReports += 1
            return availabilityReports
        }
        if publishing { try publish(presence.topic, presence.payload) }
        let _: Bool = await reports.until { reports in
            reports.count { if case .availability = $0.fact { true } else { false } } >= count ? true : nil
        }
    }

    /// Waits until the bridge has received this number of messages on a topic.
    func arrived(_ count: Int, on topic: String) async {
        var (seen, next) = (0, 0)
        while seen < count {
            next = await bridge.event(from: next) { if case .message(let message) = $0 { message.topic == topic } else { false } }
                .next
            seen += 1
        }
    }

    // MARK: The gateway

    func begin(_ operation: LockOperation) async throws -> RunningCommand {
        let request = CommandRequest(
            caller: Caller(userID: owner, origin: RequestOrigin(clientAddress: "192.0.2.7", requestID: "test")), deviceID: door,
            attemptedID: door.description, operation: operation, override: nil, timeout: .seconds(10))
        return try await control.locks.begin(request).value
    }

    var status: DeviceStatus { control.devices.status(of: door) }

    /// Stops the gateway, which writes all pending records, and returns the device events except `online`.
    func stopAndRead() async -> [RecordBody] {
        await end()
        return store.log(.portfolio(portfolio)).map(\.body).filter { $0.kind == .deviceEvent && $0.event != .online }
    }
}
