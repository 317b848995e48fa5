import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Logging
import Synchronization

@testable import AdapterMQTT

/// Runs conformance checks on the MQTT adapter, with simulated Nuki locks on a real broker. Time is virtual; the harness waits
/// for messages in flight.
final class NukiHarness: AdapterHarness {
    let clock = VirtualClock()
    let nuki: SimulatedNuki
    private let broker: MosquittoProcess
    private let syncing: SyncingAdapter
    /// Late locks that have received a command, and when each of them reports the movement.
    private let lateReports = Mutex<[LateReport]>([])
    private let commandCounts = Mutex<[String: Int]>([:])

    private struct LateReport {
        let at: MonotonicInstant
        let id: String
    }

    private static let portfolio = PortfolioID(high: 0x0F, low: 1)
    /// The delay is longer than the conformance kit's `promptTime`, and shorter than its `lateTime`.
    private static let delay = Duration.seconds(10)

    init() async throws {
        broker = try await MosquittoProcess.start()
        nuki = await SimulatedNuki(port: broker.port)
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
        syncing = SyncingAdapter(mqtt, nuki, clock)
    }

    var adapter: any LockAdapter { syncing }
    var capabilities: LockCapabilities { (try? syncing.check(address: address(of: 0)).capabilities) ?? [] }

    func address(of number: Int) -> [String: JSONValue] { SyncingAdapter.address(of: "\(10_000 + number)") }

    func set(_ behavior: LockBehavior, of lock: DeviceID) async throws {
        let id = try syncing.name(of: lock)
        let behaviors: [LockBehavior: SimulatedNuki.Behavior] = [
            .prompt: .prompt, .late: .late, .silent: .silent, .jamming: .jamming, .refusing: .refusing,
        ]
        if let behavior = behaviors[behavior] { nuki.set(behavior, of: id) }
        if behavior == .offline || behavior == .prompt { nuki.setConnected(id, behavior == .prompt) }
        try await syncing.settle()
    }

    func trigger(_ stimulus: LockStimulus, at lock: DeviceID) async throws -> Bool {
        let id = try syncing.name(of: lock)
        switch stimulus {
        case .stateReport: nuki.reportState(id)
        case .manualTurn: nuki.turnByHand(id)
        case .malformedInput:
            nuki.publish("nuki/\(id)/state", "\u{1F510}")
            nuki.publish("nuki/\(id)/commandResponse", "twelve")
            nuki.publish("nuki/\(id)/batteryChargeState", "101")
        case .faultRaised: nuki.publish("nuki/\(id)/doorsensorState", "240")
        case .faultCleared: nuki.publish("nuki/\(id)/doorsensorState", "2")
        case .retainedReport: try await syncing.republishState(of: lock)
        }
        try await syncing.settle()
        return true
    }

    func receivedCommands(at lock: DeviceID) async -> [LockOperation]? {
        guard let id = try? syncing.name(of: lock) else { return nil }
        return nuki.commands(at: id).map { $0 == 1 ? .unlock : $0 == 2 ? .lock : .unlatch }
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
        try await syncing.setTransport(isAway: !isConnected)
        return true
    }

    func announce(_ number: Int, isPresent: Bool) async throws -> Bool {
        let id = "\(10_000 + number)"
        nuki.publishRetained("homeassistant/lock/nuki_\(id)_lock/config", isPresent ? Self.announcement(of: id) : "")
        try await syncing.settle()
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
        while let next = lateReports.withLock({ $0.first }), next.at <= end {
            lateReports.withLock { _ = $0.removeFirst() }
            clock.advance(to: next.at)
            nuki.reportState(next.id)
            try await settle()
        }
        clock.advance(to: end)
        try await settle()
    }

    func end() async {
        await syncing.stop()
        await nuki.stop()
    }

    /// Waits until everything that was sent has arrived and been answered, and schedules the reports of late locks.
    private func settle() async throws {
        try await syncing.settle()
        for id in syncing.names where nuki.behavior(of: id) == .late {
            let count = nuki.commands(at: id).count
            let before = commandCounts.withLock { commandCounts in
                defer { commandCounts[id] = count }
                return commandCounts[id] ?? 0
            }
            guard count > before else { continue }
            lateReports.withLock { $0.append(LateReport(at: clock.monotonicNow().advanced(by: Self.delay), id: id)) }
        }
    }
}
