import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Logging
import Synchronization

/// Runs conformance checks on the MQTT adapter, with simulated Nuki locks on a real broker. Time is virtual; the harness waits
/// for messages in flight.
final class NukiHarness: AdapterHarness {
    let clock = VirtualClock()
    let nuki: PlayedNuki
    private let broker: MosquittoProcess
    private let watched: SyncingAdapter
    /// Late locks that have received a command, with the time at which each of them reports the
    /// movement.
    private let late = Mutex<[Late]>([])
    private let counted = Mutex<[String: Int]>([:])

    private struct Late {
        let at: MonotonicInstant
        let id: String
    }

    private static let portfolio = PortfolioID(high: 0x0F, low: 1)
    /// The delay is longer than the conformance kit's `promptTime`, and shorter than its
    /// `lateTime`.
    private static let delay = Duration.seconds(10)

    init() async throws {
        broker = try await MosquittoProcess.start()
        nuki = await PlayedNuki(port: broker.port)
        var settings = MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "gateway")
        settings.initialBackoff = .milliseconds(20)
        settings.maximumBackoff = .milliseconds(50)
        settings.connectTimeout = .seconds(3600)
        let home = MQTTBroker(name: "home", settings: settings, profiles: ["nuki-native"], isDiscovering: true)
        settings.clientID = "gateway of others"
        let others = MQTTBroker(name: "others", settings: settings, portfolioID: Self.portfolio)
        let mqtt = MQTTAdapter(
            brokers: [home, others], library: .shipped, clock: clock, random: RandomSource(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        watched = SyncingAdapter(mqtt, nuki, clock)
    }

    var adapter: any LockAdapter { watched }
    var capabilities: LockCapabilities { (try? watched.check(address: address(of: 0)).capabilities) ?? [] }

    func address(of number: Int) -> [String: JSONValue] { SyncingAdapter.address(of: "\(10_000 + number)") }

    func set(_ behavior: LockBehavior, of lock: DeviceID) async throws {
        let id = try watched.name(of: lock)
        let manners: [LockBehavior: PlayedNuki.Manner] = [
            .prompt: .prompt, .late: .late, .silent: .silent, .jamming: .jamming, .refusing: .refusing,
        ]
        if let manner = manners[behavior] { nuki.set(manner, of: id) }
        if behavior == .offline || behavior == .prompt { nuki.reach(id, behavior == .prompt) }
        try await watched.settle()
    }

    func trigger(_ stimulus: LockStimulus, at lock: DeviceID) async throws -> Bool {
        let id = try watched.name(of: lock)
        switch stimulus {
        case .stateReport: nuki.speak(id)
        case .manualTurn: nuki.turn(id)
        case .malformedInput:
            nuki.say("nuki/\(id)/state", "\u{1F510}")
            nuki.say("nuki/\(id)/commandResponse", "twelve")
            nuki.say("nuki/\(id)/batteryChargeState", "101")
        case .faultRaised: nuki.say("nuki/\(id)/doorsensorState", "240")
        case .faultCleared: nuki.say("nuki/\(id)/doorsensorState", "2")
        case .retainedReport: try await watched.listenAnew(to: lock)
        }
        try await watched.settle()
        return true
    }

    func receivedCommands(at lock: DeviceID) async -> [LockOperation]? {
        guard let id = try? watched.name(of: lock) else { return nil }
        return nuki.orders(at: id).map { $0 == 1 ? .unlock : $0 == 2 ? .lock : .unlatch }
    }

    var detectsDuplicates: Bool { true }

    var transportAddresses: (owned: [(address: [String: JSONValue], owner: TransportOwner)], missing: [String: JSONValue])? {
        func address(_ broker: String) -> [String: JSONValue] {
            SyncingAdapter.address(of: "AA").merging(["broker": .string(broker)]) { $1 }
        }
        return ([(address("home"), .gateway), (address("others"), .portfolio(Self.portfolio))], address("nowhere"))
    }

    func setTransport(isConnected: Bool) async throws -> Bool {
        if isConnected { try await broker.restart() } else { broker.kill() }
        try await watched.setTransport(isAway: !isConnected)
        return true
    }

    func announce(_ number: Int, isPresent: Bool) async throws -> Bool {
        let id = "\(10_000 + number)"
        nuki.keep("homeassistant/lock/nuki_\(id)_lock/config", isPresent ? Self.announcement(of: id) : "")
        try await watched.settle()
        return true
    }

    private static func announcement(of id: String) -> String {
        """
        {"~":"nuki/\(id)","name":"Lock \(id)","uniq_id":"\(id)_lock","cmd_t":"~/lockAction","stat_t":"~/state","pl_lock":"2",
        "pl_unlk":"1","pl_open":"3","stat_locked":"1","stat_unlocked":"3","avty_t":"~/connected","pl_avail":"true",
        "pl_not_avail":"false","dev":{"ids":"[\(id)]","mf":"Nuki"}}
        """
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

    /// Waits until everything that was sent has arrived and been answered, and schedules the reports of late locks.
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
