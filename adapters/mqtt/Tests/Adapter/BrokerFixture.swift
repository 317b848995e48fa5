import AdapterMQTT
import DoorwardAdapterKit
import DoorwardDomain
import DoorwardMQTT
import DoorwardTesting
import Logging
import Synchronization

/// The MQTT adapter between a real broker and locks that are played, on virtual time, with everything that it reports.
final class BrokerFixture: Sendable {
    let clock = VirtualClock()
    let broker: MosquittoProcess
    let nuki: PlayedNuki
    let adapter: MQTTAdapter
    let reports = KeptReports()
    private let orders = Mutex<UInt64>(0)
    private let names = Mutex<[String: DeviceID]>([:])

    /// A lock that answers everything: what it says last has been preceded by all that was sent before.
    private static let marker = "FFFFFFFF"

    /// - Parameters:
    ///   - port: where the adapter finds the broker `home`; the broker's own where it is not said.
    ///   - more: brokers beside `home`.
    ///   - logger: where the adapter logs to.
    init(
        _ broker: MosquittoProcess, port: Int? = nil, more: [String: Int] = [:], library: ProfileLibrary = .shipped,
        logger: Logger = BrokerFixture.silent
    ) async throws {
        self.broker = broker
        nuki = await PlayedNuki(port: broker.port)
        adapter = Self.adapter(more.merging(["home": port ?? broker.port]) { $1 }, clock, library, logger)
        try await adapter.start(reports: reports)
        await untilHealth(.ok)
        try await attach(Self.marker)
        try await settle()
    }

    /// An adapter for brokers on these ports, by their names, which tries again soon.
    static func adapter(
        _ ports: [String: Int], _ clock: VirtualClock, _ library: ProfileLibrary = .shipped, _ logger: Logger = silent
    ) -> MQTTAdapter {
        let brokers = ports.map { name, port in
            var settings = MQTTSettings(host: "127.0.0.1", port: port, clientID: "gateway")
            (settings.initialBackoff, settings.maximumBackoff) = (.milliseconds(20), .milliseconds(50))
            settings.patience = .seconds(3600)
            // The library's keep-alive uses real time.
            settings.keepAlive = .seconds(65_535)
            return MQTTBroker(name: name, settings: settings)
        }
        return MQTTAdapter(
            brokers: brokers, library: library, clock: clock, random: RandomSource(), logger: logger)
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

    /// Attaches a lock that is in reach and locked, and waits until the adapter has heard so.
    @discardableResult
    func attach(_ name: String, broker: String = "home") async throws -> DeviceID {
        if broker == "home" { nuki.appear(name) }
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
        let number = orders.withLock { orders in
            orders += 1
            return orders
        }
        let id = CommandID(high: 0xC0, low: number)
        try adapter.send(
            LockCommand(commandID: id, deviceID: lock, operation: operation, deadline: clock.now().advanced(by: time)))
        return id
    }

    /// The same as soon as the broker has acknowledged what the lock's answers come by.
    func sendOnceHeard(
        _ operation: LockOperation, to lock: DeviceID, within time: Duration = .seconds(10)
    ) async throws -> CommandID {
        while true {
            do {
                return try send(operation, to: lock, within: time)
            } catch AdapterError.offline {
                await clock.pass()
            } catch AdapterError.transportBusy {
                // The broker is at work again, and its answer to the gateway is on the way.
                await clock.pass(.zero)
            }
        }
    }

    /// The first word that is the lock's live one on this order.
    @discardableResult
    func confirmation(of order: CommandID, by lock: DeviceID) async -> LockReport {
        await reports.first(of: lock) { $0.after == order && $0.isLive }
    }

    // MARK: Waiting

    /// Waits until what was sent in either direction has arrived, and what that led to.
    func settle() async throws {
        guard let lock = names.withLock({ $0[Self.marker] }) else { return }
        for operation in [LockOperation.unlock, .lock] {
            await confirmation(of: try await sendOnceHeard(operation, to: lock, within: .seconds(60)), by: lock)
        }
    }

    /// Lets time go by until the adapter says so.
    func untilHealth(_ health: AdapterHealth) async {
        while adapter.health != health { await clock.pass() }
    }
}

extension LockReport {
    /// Whether it is a bolt's place, as the lock says it now.
    var isLive: Bool { if case .state(_, quality: .confirmed, _, _) = fact { true } else { false } }

    /// Where the bolt is said to be.
    var state: LockState? { if case .state(let state, _, _, _) = fact { state } else { nil } }

    /// Whether the core would take it for the confirmation of an order.
    func confirms(_ order: CommandID, _ operation: LockOperation) -> Bool {
        after == order && isLive && state?.satisfies(operation) == true
    }
}

/// What an adapter has reported, and those who wait for some of it.
final class KeptReports: ReportReceiver {
    private struct State {
        var reports: [LockReport] = []
        var waiting: [CheckedContinuation<Void, Never>] = []
        var deed: (matches: @Sendable (LockReport) -> Bool, body: @Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Does something on the adapter's own thread, while it hands on the first report that matches.
    func once(_ matches: @escaping @Sendable (LockReport) -> Bool, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.deed = (matches, body) }
    }

    func receive(_ report: LockReport) {
        let (waiting, body) = state.withLock { state in
            state.reports.append(report)
            let isDue = state.deed?.matches(report) ?? false
            let body = isDue ? state.deed?.body : nil
            if isDue { state.deed = nil }
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

    /// Waits until something is found in all that was reported.
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
