import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Logging
import Synchronization

@testable import AdapterMQTT

/// An MQTT adapter on virtual time with a real broker and simulated locks, and a recorder of its reports.
final class BrokerFixture: Sendable {
    let clock = VirtualClock()
    let broker: MosquittoProcess
    let nuki: SimulatedNuki
    let adapter: MQTTAdapter
    let reports = RecordedReports()
    private let commandCount = Mutex<UInt64>(0)
    private let names = Mutex<[String: DeviceID]>([:])

    /// A lock that answers every command. When its answer arrives, all earlier messages have arrived too.
    private static let marker = "FFFFFFFF"

    /// - Parameters:
    ///   - port: the port at which the adapter connects to the broker `home`; by default the broker's own port.
    ///   - more: the ports of further brokers, by name.
    ///   - logger: the adapter's logger.
    init(
        _ broker: MosquittoProcess, port: Int? = nil, more: [String: Int] = [:], library: ProfileLibrary = .shipped,
        logger: Logger = BrokerFixture.silent
    ) async throws {
        self.broker = broker
        nuki = await SimulatedNuki(port: broker.port)
        adapter = Self.adapter(more.merging(["home": port ?? broker.port]) { $1 }, clock, library, logger)
        try await adapter.start(reports: reports)
        await untilHealth(.ok)
        try await attach(Self.marker)
        try await settle()
    }

    /// Returns an adapter for brokers with these names and ports, with a short reconnect back-off.
    static func adapter(
        _ ports: [String: Int], _ clock: VirtualClock, _ library: ProfileLibrary = .shipped, _ logger: Logger = silent
    ) -> MQTTAdapter {
        let brokers = ports.map { name, port in
            var settings = MQTTSettings(host: "127.0.0.1", port: port, clientID: "gateway")
            (settings.initialBackoff, settings.maximumBackoff) = (.milliseconds(20), .milliseconds(50))
            settings.connectTimeout = .seconds(3600)
            // The library's keep-alive uses real time, so it must not expire during the test.
            settings.keepAlive = .seconds(65_535)
            return MQTTBroker(name: name, settings: settings)
        }
        return MQTTAdapter(brokers: brokers, library: library, clock: clock, random: RandomSource(), logger: logger)
    }

    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }

    func end() async {
        await adapter.stop()
        await nuki.stop()
    }

    // MARK: Locks

    static func address(of name: String, broker: String = "home") -> [String: JSONValue] {
        ["broker": .string(broker), "profile": .string("nuki-native"), "id": .string(name)]
    }

    /// Attaches a lock that is available and locked, and waits until the adapter has reported its state.
    @discardableResult
    func attach(_ name: String, broker: String = "home") async throws -> DeviceID {
        if broker == "home" { nuki.addLock(name) }
        let id = names.withLock { names in
            let id = DeviceID(high: 0xD0, low: UInt64(names.count + 1))
            names[name] = id
            return id
        }
        adapter.attach(AttachedLock(id: id, address: Self.address(of: name, broker: broker)))
        if broker == "home" { await reports.first(of: id) { if case .state = $0.fact { true } else { false } } }
        return id
    }

    func send(_ operation: LockOperation, to lock: DeviceID, within time: Duration = .seconds(10)) throws -> CommandID {
        let number = commandCount.withLock { commandCount in
            commandCount += 1
            return commandCount
        }
        let id = CommandID(high: 0xC0, low: number)
        try adapter.send(
            LockCommand(commandID: id, deviceID: lock, operation: operation, deadline: clock.now().advanced(by: time)))
        return id
    }

    /// Sends a command as soon as the broker is responsive and has acknowledged the subscriptions for the lock's answers.
    func sendWhenSubscribed(
        _ operation: LockOperation, to lock: DeviceID, within time: Duration = .seconds(10)
    ) async throws -> CommandID {
        while true {
            do {
                return try send(operation, to: lock, within: time)
            } catch AdapterError.offline {
                await clock.pass()
            } catch AdapterError.transportBusy {
                // The broker responds again, and its answer to the liveness probe is in flight.
                await clock.pass(.zero)
            }
        }
    }

    /// Waits for the first live state that the lock reports after this command.
    @discardableResult
    func confirmation(of command: CommandID, by lock: DeviceID) async -> LockReport {
        await reports.first(of: lock) { $0.after == command && $0.isLive }
    }

    // MARK: Waiting

    /// Waits until everything sent in either direction, and each reply to it, has arrived.
    func settle() async throws {
        guard let lock = names.withLock({ $0[Self.marker] }) else { return }
        for operation in [LockOperation.unlock, .lock] {
            await confirmation(of: try await sendWhenSubscribed(operation, to: lock, within: .seconds(60)), by: lock)
        }
    }

    /// Advances virtual time until the adapter has this health.
    func untilHealth(_ health: AdapterHealth) async {
        while adapter.health != health { await clock.pass() }
    }
}

extension LockReport {
    /// Whether the report contains a state that the lock has reported live.
    var isLive: Bool { if case .state(_, quality: .confirmed, _, _) = fact { true } else { false } }

    /// The lock state in the report, if any.
    var state: LockState? { if case .state(let state, _, _, _) = fact { state } else { nil } }

    /// Returns whether the core would accept the report as the confirmation of a command.
    func confirms(_ command: CommandID, _ operation: LockOperation) -> Bool {
        after == command && isLive && state?.satisfies(operation) == true
    }
}

/// Records the reports of an adapter, and lets tests wait for them.
final class RecordedReports: ReportReceiver {
    private struct State {
        var reports: [LockReport] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
        var pendingAction: (matches: @Sendable (LockReport) -> Bool, body: @Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Runs `body` on the adapter's own thread while it delivers the first report that matches.
    func once(_ matches: @escaping @Sendable (LockReport) -> Bool, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.pendingAction = (matches, body) }
    }

    func receive(_ report: LockReport) {
        let (waiting, body) = state.withLock { state in
            state.reports.append(report)
            let isDue = state.pendingAction?.matches(report) ?? false
            let body = isDue ? state.pendingAction?.body : nil
            if isDue { state.pendingAction = nil }
            defer { state.waiting = [] }
            return (state.waiting, body)
        }
        body?()
        for continuation in waiting { continuation.resume() }
    }

    func all(of lock: DeviceID) -> [LockReport] { state.withLock { $0.reports.filter { $0.deviceID == lock } } }

    @discardableResult
    func first(of lock: DeviceID, where matches: (LockReport) -> Bool) async -> LockReport {
        await until { reports in reports.first { $0.deviceID == lock && matches($0) } }
    }

    /// Waits until `find` returns a value for the reports so far, and returns that value.
    func until<Found>(_ find: ([LockReport]) -> Found?) async -> Found {
        while true {
            let reports = state.withLock { $0.reports }
            if let found = find(reports) { return found }
            await withCheckedContinuation { continuation in
                let isOld = state.withLock { state in
                    guard state.reports.count == reports.count else { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if isOld { continuation.resume() }
            }
        }
    }
}
