import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Logging
import Synchronization

/// The MQTT adapter on trial, with locks of Nuki's dialect on a real broker. Time is virtual; what goes over the wire is waited
/// for.
final class NukiHarness: AdapterHarness {
    let clock = VirtualClock()
    let nuki: PlayedNuki
    private let broker: Broker
    private let watched: WatchedAdapter
    /// Late locks that have been told to move: when they say so.
    private let late = Mutex<[Late]>([])
    private let counted = Mutex<[String: Int]>([:])

    private struct Late {
        let at: MonotonicInstant
        let id: String
    }

    /// Later than prompt, and within what the kit calls late.
    private static let delay = Duration.seconds(10)

    init() async throws {
        broker = try await Broker.start()
        nuki = await PlayedNuki(port: broker.port)
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        settings.firstPause = .milliseconds(20)
        settings.longestPause = .milliseconds(50)
        let mqtt = MQTTAdapter(
            brokers: [MQTTBroker(name: "home", settings: settings)], library: .shipped, clock: clock, random: RandomSource(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        watched = WatchedAdapter(mqtt, nuki, clock)
    }

    var adapter: any LockAdapter { watched }
    var capabilities: LockCapabilities { (try? watched.check(address: address(of: 0)).capabilities) ?? [] }

    func address(of number: Int) -> [String: JSONValue] { WatchedAdapter.address(of: "\(10_000 + number)") }

    func set(_ manner: LockManner, of lock: DeviceID) async throws {
        let id = try watched.name(of: lock)
        let manners: [LockManner: PlayedNuki.Manner] = [
            .prompt: .prompt, .late: .late, .silent: .silent, .jamming: .jamming, .refusing: .refusing,
        ]
        if let manner = manners[manner] { nuki.set(manner, of: id) }
        if manner == .away || manner == .prompt { nuki.reach(id, manner == .prompt) }
        try await watched.settle()
    }

    func happen(_ event: LockHappening, at lock: DeviceID) async throws -> Bool {
        let id = try watched.name(of: lock)
        switch event {
        case .speaks: nuki.speak(id)
        case .turnedByHand: nuki.turn(id)
        case .repeatedFromBefore: try await watched.listenAnew(to: lock)
        }
        try await watched.settle()
        return true
    }

    func orders(at lock: DeviceID) async -> [LockOperation]? {
        guard let id = try? watched.name(of: lock) else { return nil }
        return nuki.orders(at: id).map { $0 == 1 ? .unlock : $0 == 2 ? .lock : .unlatch }
    }

    func pass(_ time: Duration) async throws {
        try await settle()
        let end = clock.monotonicNow().advanced(by: time + .nanoseconds(1))
        while let next = late.withLock({ $0.first }), next.at <= end {
            late.withLock { _ = $0.removeFirst() }
            clock.advance(to: next.at)
            nuki.speak(next.id)
            try await settle()
        }
        clock.advance(to: end)
        try await settle()
    }

    func end() async {
        await watched.stop()
        await nuki.stop()
    }

    /// Everything that was sent has arrived, and been answered.
    private func settle() async throws {
        try await watched.settle()
        for id in watched.names where nuki.manner(of: id) == .late {
            let count = nuki.orders(at: id).count
            let before = counted.withLock { counted in
                defer { counted[id] = count }
                return counted[id] ?? 0
            }
            guard count > before else { continue }
            late.withLock { $0.append(Late(at: clock.monotonicNow().advanced(by: Self.delay), id: id)) }
        }
    }
}
