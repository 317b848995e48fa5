package import DoorwardAdapterKit
package import DoorwardDomain
import Synchronization

/// Locks that do what a test tells them to. Records every order with its instant; waits on the virtual clock only.
package final class ScriptedAdapter: LockAdapter {
    /// What devices carry in `adapter`; `scripted` unless the test has said otherwise.
    package let kind: String
    private let clock: any GatewayClock
    private let executor: (any TaskExecutor)?
    private let state: Mutex<State>

    /// What a lock does with an order.
    package enum Behaviour: Hashable, Sendable {
        /// Confirms before `send` returns.
        case confirmAtOnce
        /// Confirms so much later, on a task of its own.
        case confirm(after: Duration)
        /// Takes the order and says nothing.
        case silent
        /// Refuses so much later.
        case refuse(RefusalCause, after: Duration)
        /// Jams so much later.
        case jam(after: Duration)
        /// `send` throws; no order is recorded.
        case fail(AdapterError)
    }

    /// An order that left the gateway, and when.
    package struct SentOrder: Hashable, Sendable {
        /// As it was handed to `send`, whether or not the lock then confirmed it.
        package let order: LockOrder
        /// By the adapter's clock, at the moment of the hand-over.
        package let at: MonotonicInstant
    }

    private struct State {
        /// `nil`: as its life says.
        var health: AdapterHealth?
        var receiver: (any ReportReceiver)?
        var attached: [DeviceID: AttachedLock] = [:]
        var behaviours: [DeviceID: Behaviour] = [:]
        var defaultBehaviour: Behaviour
        var capabilities: LockCapabilities
        var mistakes: AddressMistakes?
        var problem: TransportProblem?
        var conflicts: [CheckedAddress.Conflict] = []
        var codes: [DeviceID: Secret<String>] = [:]
        /// Which ways there are, by the `broker` of an address; an address without one is anybody's.
        var owners: [String: TransportOwner] = [:]
        var discovered: [DiscoveredLock] = []
        var transports: [AdapterTransport] = []
        var counts = ["odd_frames": 0]
        var orders: [SentOrder] = []
        var lastOrders: [DeviceID: CommandID] = [:]
        var refreshes: [DeviceID] = []
        var onSend: (@Sendable (LockOrder) -> Void)?
        var onSent: (@Sendable (LockOrder) -> Void)?
        var pending = PendingReports()
    }

    /// - Parameters:
    ///   - kind: the name that devices carry in `adapter`.
    ///   - clock: dates the orders, and is slept on by answers that come later.
    ///   - executor: where those answers run; a `SeededExecutor`, or `nil` for the global one.
    ///   - behaviour: what every lock does that was told nothing else.
    ///   - capabilities: what `check` answers.
    package init(
        kind: String = "scripted", clock: any GatewayClock, executor: (any TaskExecutor)? = nil,
        behaviour: Behaviour = .confirmAtOnce, capabilities: LockCapabilities = .all
    ) {
        (self.kind, self.clock, self.executor) = (kind, clock, executor)
        state = Mutex(State(defaultBehaviour: behaviour, capabilities: capabilities))
    }

    // MARK: What a test does with it

    /// Sets what one lock does with the orders to come.
    package func set(_ behaviour: Behaviour, for device: DeviceID) { state.withLock { $0.behaviours[device] = behaviour } }

    /// Sets what `check` throws; `nil` for nothing.
    package func set(mistakes: AddressMistakes?) { state.withLock { $0.mistakes = mistakes } }

    /// Sets what is known of why commands fail.
    package func set(problem: TransportProblem?) { state.withLock { $0.problem = problem } }

    /// Sets which conflicts with other locks `check` finds.
    package func set(conflicts: [CheckedAddress.Conflict]) { state.withLock { $0.conflicts = conflicts } }

    /// Sets what `health` says; `nil` for `ok` between `start` and `stop`, and `down` otherwise.
    package func set(health: AdapterHealth?) { state.withLock { $0.health = health } }

    /// Makes the adapter one with ways to its locks: an address names its own as `broker`, and locks are told apart by `topic`.
    ///
    /// - Parameter owners: whose each broker is; any other is unknown.
    package func set(owners: [String: TransportOwner]) { state.withLock { $0.owners = owners } }

    /// Sets what the adapter has found by itself.
    package func set(discovered: [DiscoveredLock]) { state.withLock { $0.discovered = discovered } }

    /// Sets which ways there are to its locks, as `transports` lists them.
    package func set(transports: [AdapterTransport]) { state.withLock { $0.transports = transports } }

    /// Sets what the adapter has counted, under its one word: `odd_frames`.
    package func set(oddFrames count: Int) { state.withLock { $0.counts = ["odd_frames": count] } }

    /// Sets what is called inside `send`, before the order is handed over: a look at the world at that very moment.
    package func onSend(_ body: (@Sendable (LockOrder) -> Void)?) { state.withLock { $0.onSend = body } }

    /// Delivers a report now, from the caller's thread, if the lock is attached: a word that the lock says at this moment.
    ///
    /// - Parameter isRepeat: it tells again what an event has told.
    package func report(_ fact: LockReport.Fact, isRepeat: Bool = false, from device: DeviceID) {
        let (receiver, after) = state.withLock { state in
            (state.attached[device] == nil ? nil : state.receiver, state.lastOrders[device])
        }
        receiver?.receive(LockReport(deviceID: device, fact, after: after, isRepeat: isRepeat))
    }

    /// Delivers a live report of where the bolt is.
    package func report(_ lockState: LockState, method: EventMethod? = nil, from device: DeviceID) {
        report(.state(lockState, quality: .confirmed, method: method, operatorName: nil), from: device)
    }

    /// Sets what is called inside `send` once the order has left, before the lock does what was set for it.
    package func onSent(_ body: (@Sendable (LockOrder) -> Void)?) { state.withLock { $0.onSent = body } }

    /// Every order that was handed over, in order.
    package var orders: [SentOrder] { state.withLock { $0.orders } }

    /// Every lock that was asked for its state, in order.
    package var refreshes: [DeviceID] { state.withLock { $0.refreshes } }

    /// The locks that are attached, sorted by id.
    package var attached: [AttachedLock] { state.withLock { $0.attached.values.sorted { $0.id < $1.id } } }

    // MARK: LockAdapter

    /// Takes any address, so it lists nothing.
    package var addressFields: [AddressField] { [] }

    /// What the test has set, or `ok` from `start` to `stop` and `down` otherwise.
    package var health: AdapterHealth { state.withLock { $0.health ?? ($0.receiver == nil ? .down : .ok) } }

    /// Throws the mistakes that the test has set; else every lock can do the same, at whatever address.
    package func check(
        address: [String: JSONValue], within scope: TransportScope
    ) throws(AddressMistakes) -> CheckedAddress {
        let owner = owner(of: address)
        let (mistakes, capabilities, holder) = state.withLock { state in
            let holder = state.attached.values.first { address["topic"] != nil && $0.place == place(of: address) }
            return (state.mistakes, state.capabilities, holder?.id)
        }
        if let mistakes { throw mistakes }
        guard let owner, scope.includes(owner) else {
            throw AddressMistakes([.init(field: "address.broker", problem: "unknown")])
        }
        return CheckedAddress(capabilities, holder: holder, conflicts: state.withLock { $0.conflicts })
    }

    /// By the owners that the test has set.
    package func owner(of address: [String: JSONValue]) -> TransportOwner? {
        guard case .string(let broker) = address["broker"] else { return .anybody }
        return state.withLock { $0.owners[broker] }
    }

    /// What the test has set.
    package var transports: [AdapterTransport] { state.withLock { $0.transports } }

    /// What the test has set; 0 at first.
    package var counts: [String: Int] { state.withLock { $0.counts } }

    /// What the test has set.
    package var discovered: [DiscoveredLock] { state.withLock { $0.discovered } }

    /// Never fails, and is repeated like the first time: the new receiver takes the old one's place.
    package func start(reports: any ReportReceiver) async throws { state.withLock { $0.receiver = reports } }

    /// Answers that were still to come are cancelled; locks stay attached.
    package func stop() async {
        let tasks = state.withLock { state in
            state.receiver = nil
            return state.pending.removeAll()
        }
        for task in tasks { task.cancel() }
    }

    /// What was set for this id by `set(_:for:)` holds on.
    package func attach(_ lock: AttachedLock) { state.withLock { $0.attached[lock.id] = lock } }

    /// Its behaviour is kept for when it is attached again.
    package func detach(_ id: DeviceID) { state.withLock { ($0.attached[id], $0.codes[id]) = (nil, nil) } }

    /// Does what was set for the lock. The order is handed over and recorded before the lock answers, and not at all if this throws.
    package func send(_ order: LockOrder) throws(AdapterError) {
        let device = order.deviceID
        let (behaviour, onSend) = try prepare(device)
        guard order.operation.isMovement else { throw .unsupported }
        onSend?(order)
        let sent = SentOrder(order: order, at: clock.monotonicNow())
        let onSent = state.withLock { state in
            state.orders.append(sent)
            state.lastOrders[device] = order.commandID
            return state.onSent
        }
        onSent?(order)
        switch behaviour {
        case .confirmAtOnce: report(order.operation.result, method: .remote, from: device)
        case .confirm(let delay): schedule(Self.fact(order.operation.result), from: device, after: delay)
        case .refuse(let cause, let delay): schedule(.refusal(cause), from: device, after: delay)
        case .jam(let delay): schedule(Self.fact(.jammed), from: device, after: delay)
        case .silent, .fail: break
        }
    }

    /// The problem that a test has set, whatever the command.
    package func problem(of command: CommandID, for id: DeviceID) -> TransportProblem? { state.withLock { $0.problem } }

    /// Keeps it until the lock is detached.
    package func setCode(_ code: Secret<String>?, for id: DeviceID) { state.withLock { $0.codes[id] = code } }

    /// The code that goes along with a lock's commands.
    package func code(of id: DeviceID) -> Secret<String>? { state.withLock { $0.codes[id] } }

    /// Notes the question and answers nothing: a test delivers the report itself.
    package func refresh(_ id: DeviceID) throws(AdapterError) {
        try state.withLock { (state) throws(AdapterError) in
            if state.attached[id] == nil { throw .notAttached }
            if state.receiver == nil { throw .offline }
            state.refreshes.append(id)
        }
    }

    private func prepare(
        _ device: DeviceID
    ) throws(AdapterError) -> (behaviour: Behaviour, onSend: (@Sendable (LockOrder) -> Void)?) {
        let (isAttached, isRunning, behaviour, onSend) = state.withLock { state in
            (
                state.attached[device] != nil, state.receiver != nil, state.behaviours[device] ?? state.defaultBehaviour,
                state.onSend
            )
        }
        if !isAttached { throw .notAttached }
        if case .fail(let error) = behaviour { throw error }
        if !isRunning { throw .offline }
        return (behaviour, onSend)
    }

    private static func fact(_ state: LockState) -> LockReport.Fact {
        .state(state, quality: .confirmed, method: .remote, operatorName: nil)
    }

    private func schedule(_ fact: LockReport.Fact, from device: DeviceID, after delay: Duration) {
        let due = clock.monotonicNow().advanced(by: delay)
        state.withLock { state in
            let number = state.pending.nextNumber()
            // Made under the lock, so that the task cannot end before it is known.
            let task = Task(executorPreference: executor) {
                defer { self.state.withLock { $0.pending.remove(number) } }
                try await self.clock.sleep(until: due)
                self.report(fact, from: device)
            }
            state.pending.add(task, number: number)
        }
    }
}

/// What tells one lock of a broker from another.
private func place(of address: [String: JSONValue]) -> [JSONValue?] { [address["broker"], address["topic"]] }

extension AttachedLock {
    fileprivate var place: [JSONValue?] { DoorwardTesting.place(of: address) }
}

/// The answers that locks still owe.
private struct PendingReports {
    private var tasks: [UInt64: Task<Void, any Error>] = [:]
    private var count: UInt64 = 0

    mutating func nextNumber() -> UInt64 {
        count += 1
        return count
    }

    mutating func add(_ task: Task<Void, any Error>, number: UInt64) { tasks[number] = task }

    mutating func remove(_ number: UInt64) { tasks[number] = nil }

    mutating func removeAll() -> [Task<Void, any Error>] {
        defer { tasks = [:] }
        return Array(tasks.values)
    }
}

extension LockOperation {
    /// The state that a lock reports when it has done as told.
    fileprivate var result: LockState {
        switch self {
        case .lock: .locked
        case .unlock: .unlocked
        case .unlatch: .unlatched
        case .viewStatus, .changeSettings, .viewAccessHistory, .grantAccess, .lockdown: .unknown
        }
    }
}
