package import DoorwardAdapterKit
// Nearly every test uses the virtual clock. With this export, tests need not import DoorwardAdapterTesting, which contains the
// clock. That module is separate only because it also serves tests of adapters outside this repository.
@_exported public import DoorwardAdapterTesting
package import DoorwardDomain
import Synchronization

/// An adapter whose locks behave as a test specifies. The adapter records every command with its
/// time, and delays reports only by the injected clock.
package final class ScriptedAdapter: LockAdapter {
    /// The value of `adapter` in the adapter's devices; `scripted` by default.
    package let kind: String
    private let clock: any GatewayClock
    private let executor: (any TaskExecutor)?
    private let state: Mutex<State>

    /// The reaction of a lock to a command.
    package enum Behaviour: Hashable, Sendable {
        /// The lock confirms before `send` returns.
        case confirmAtOnce
        /// The lock confirms after this time, in a separate task.
        case confirm(after: Duration)
        /// The lock accepts the command and reports nothing.
        case silent
        /// The lock rejects the command after this time.
        case refuse(LockRefusal, after: Duration)
        /// The lock jams after this time.
        case jam(after: Duration)
        /// `send` throws; the command is not recorded.
        case fail(AdapterError)
    }

    /// A sent command, with the time of sending.
    package struct SentCommand: Hashable, Sendable {
        /// The command that was passed to `send`, executed or not.
        package let command: LockCommand
        /// The time of sending, by the adapter's clock.
        package let at: MonotonicInstant
    }

    private struct State {
        /// The health that a test has set. If `nil`, the health depends on whether the adapter is running.
        var health: AdapterHealth?
        var receiver: (any ReportReceiver)?
        var attached: [DeviceID: AttachedLock] = [:]
        var behaviours: [DeviceID: Behaviour] = [:]
        var defaultBehaviour: Behaviour
        var capabilities: LockCapabilities
        var errors: AddressErrors?
        var problem: TransportProblem?
        var conflicts: [CheckedAddress.Conflict] = []
        var codes: [DeviceID: Secret<String>] = [:]
        /// The owners of transports, by the `broker` of an address. The transport of an address without a broker is shared.
        var owners: [String: TransportOwner] = [:]
        var discovered: [DiscoveredLock] = []
        var transports: [AdapterTransport] = []
        var counts = ["odd_frames": 0]
        var sentCommands: [SentCommand] = []
        var lastCommands: [DeviceID: CommandID] = [:]
        var refreshes: [DeviceID] = []
        var onSend: (@Sendable (LockCommand) -> Void)?
        var onSent: (@Sendable (LockCommand) -> Void)?
        /// The tasks that deliver delayed reports, and the number of the last one.
        var pending: [Int: Task<Void, any Error>] = [:]
        var pendingNumber = 0
    }

    /// - Parameters:
    ///   - kind: the value of `adapter` in the adapter's devices.
    ///   - clock: the clock for the times of commands and for delayed reports.
    ///   - executor: the executor for delayed reports: a `SeededExecutor`, or `nil` for the global executor.
    ///   - behaviour: the default behaviour of all locks.
    ///   - capabilities: the capabilities that `check` returns.
    package init(
        kind: String = "scripted", clock: any GatewayClock, executor: (any TaskExecutor)? = nil,
        behaviour: Behaviour = .confirmAtOnce, capabilities: LockCapabilities = .all
    ) {
        (self.kind, self.clock, self.executor) = (kind, clock, executor)
        state = Mutex(State(defaultBehaviour: behaviour, capabilities: capabilities))
    }

    // MARK: Control by tests

    /// Sets the behaviour of one lock for further commands.
    package func set(_ behaviour: Behaviour, for device: DeviceID) { state.withLock { $0.behaviours[device] = behaviour } }

    /// Sets the errors that `check` throws; `nil` for none.
    package func set(errors: AddressErrors?) { state.withLock { $0.errors = errors } }

    /// Sets the problem that `problem(of:for:)` returns for every command.
    package func set(problem: TransportProblem?) { state.withLock { $0.problem = problem } }

    /// Sets the conflicts with other locks that `check` returns.
    package func set(conflicts: [CheckedAddress.Conflict]) { state.withLock { $0.conflicts = conflicts } }

    /// Sets the value of `health`. With `nil`, the health is `ok` between `start` and `stop`, and `down` otherwise.
    package func set(health: AdapterHealth?) { state.withLock { $0.health = health } }

    /// Sets the owners of the adapter's transports. In an address, the field `broker` identifies
    /// the transport, and the field `topic` identifies the lock.
    ///
    /// - Parameter owners: the owner of each broker. A broker that is not in `owners` is unknown.
    package func set(owners: [String: TransportOwner]) { state.withLock { $0.owners = owners } }

    /// Sets the locks that `discovered` returns.
    package func set(discovered: [DiscoveredLock]) { state.withLock { $0.discovered = discovered } }

    /// Sets the transports that `transports` returns.
    package func set(transports: [AdapterTransport]) { state.withLock { $0.transports = transports } }

    /// Sets the adapter's only counter, `odd_frames`.
    package func set(counter count: Int) { state.withLock { $0.counts = ["odd_frames": count] } }

    /// Sets a function that is called inside `send` before the command is recorded, to inspect the state at that moment.
    package func onSend(_ body: (@Sendable (LockCommand) -> Void)?) { state.withLock { $0.onSend = body } }

    /// Delivers a live report on the caller's thread, if the lock is attached.
    ///
    /// - Parameter isRepeat: whether the report repeats a fact that an event has already reported.
    package func report(_ fact: LockReport.Fact, isRepeat: Bool = false, from device: DeviceID) {
        let (receiver, after) = state.withLock { state in
            (state.attached[device] == nil ? nil : state.receiver, state.lastCommands[device])
        }
        receiver?.receive(LockReport(deviceID: device, fact, after: after, isRepeat: isRepeat))
    }

    /// Delivers a live report of the bolt's state.
    package func report(_ lockState: LockState, method: EventMethod? = nil, from device: DeviceID) {
        report(.state(lockState, quality: .confirmed, method: method, operatorName: nil), from: device)
    }

    /// Sets a function that is called inside `send` after the command is recorded and before the lock reacts.
    package func onSent(_ body: (@Sendable (LockCommand) -> Void)?) { state.withLock { $0.onSent = body } }

    /// All sent commands, in order.
    package var sentCommands: [SentCommand] { state.withLock { $0.sentCommands } }

    /// All locks whose state was requested, in order.
    package var refreshes: [DeviceID] { state.withLock { $0.refreshes } }

    /// The attached locks, sorted by id.
    package var attached: [AttachedLock] { state.withLock { $0.attached.values.sorted { $0.id < $1.id } } }

    // MARK: LockAdapter

    /// Returns an empty list, because any address is accepted.
    package var addressFields: [AddressField] { [] }

    /// The health that the test has set. Without one, the health is `ok` between `start` and `stop`, and `down` otherwise.
    package var health: AdapterHealth { state.withLock { $0.health ?? ($0.receiver == nil ? .down : .ok) } }

    /// Throws the errors that the test has set, or an error for an unknown broker. All valid
    /// addresses have the same capabilities.
    package func check(address: [String: JSONValue], within scope: TransportScope) throws(AddressErrors) -> CheckedAddress {
        let owner = owner(of: address)
        let (errors, capabilities, attachedDevice) = state.withLock { state in
            let attachedDevice = state.attached.values.first {
                address["topic"] != nil && endpoint(of: $0.address) == endpoint(of: address)
            }
            return (state.errors, state.capabilities, attachedDevice?.id)
        }
        if let errors { throw errors }
        guard let owner, scope.includes(owner) else { throw AddressErrors([.init(field: "address.broker", problem: "unknown")]) }
        return CheckedAddress(capabilities, attachedDevice: attachedDevice, conflicts: state.withLock { $0.conflicts })
    }

    /// Returns the owner that the test has set for the address's broker.
    package func owner(of address: [String: JSONValue]) -> TransportOwner? {
        guard case .string(let broker) = address["broker"] else { return .shared }
        return state.withLock { $0.owners[broker] }
    }

    /// The transports that the test has set.
    package var transports: [AdapterTransport] { state.withLock { $0.transports } }

    /// The counter that the test has set; 0 by default.
    package var counts: [String: Int] { state.withLock { $0.counts } }

    /// The discovered locks that the test has set.
    package var discovered: [DiscoveredLock] { state.withLock { $0.discovered } }

    /// Starts the adapter; never throws. A further call replaces the receiver.
    package func start(reports: any ReportReceiver) async throws { state.withLock { $0.receiver = reports } }

    /// Stops the adapter and cancels delayed reports. Locks remain attached.
    package func stop() async {
        let tasks = state.withLock { state in
            state.receiver = nil
            defer { state.pending = [:] }
            return state.pending.values
        }
        for task in tasks { task.cancel() }
    }

    /// Attaches a lock. A behaviour that was set for its id by `set(_:for:)` is kept.
    package func attach(_ lock: AttachedLock) { state.withLock { $0.attached[lock.id] = lock } }

    /// Detaches a lock. The behaviour that was set for its id is kept.
    package func detach(_ id: DeviceID) { state.withLock { ($0.attached[id], $0.codes[id]) = (nil, nil) } }

    /// Records the command, and then performs the lock's behaviour. If `send` throws, the command is not recorded.
    package func send(_ command: LockCommand) throws(AdapterError) {
        let device = command.deviceID
        let (behaviour, onSend) = try state.withLock { (state) throws(AdapterError) in
            if state.attached[device] == nil { throw .notAttached }
            let behaviour = state.behaviours[device] ?? state.defaultBehaviour
            if case .fail(let error) = behaviour { throw error }
            if state.receiver == nil { throw .offline }
            return (behaviour, state.onSend)
        }
        guard let result = Self.result(of: command) else { throw .unsupported }
        onSend?(command)
        let sent = SentCommand(command: command, at: clock.monotonicNow())
        let onSent = state.withLock { state in
            state.sentCommands.append(sent)
            state.lastCommands[device] = command.commandID
            return state.onSent
        }
        onSent?(command)
        switch behaviour {
        case .confirmAtOnce: report(result, from: device)
        case .confirm(let delay): schedule(result, from: device, after: delay)
        case .refuse(let cause, let delay): schedule(.refusal(cause), from: device, after: delay)
        case .jam(let delay): schedule(Self.fact(.jammed), from: device, after: delay)
        case .silent, .fail: break
        }
    }

    /// Returns the problem that the test has set, for any command.
    package func problem(of command: CommandID, for id: DeviceID) -> TransportProblem? { state.withLock { $0.problem } }

    /// Stores the code until the lock is detached.
    package func setCode(_ code: Secret<String>?, for id: DeviceID) { state.withLock { $0.codes[id] = code } }

    /// Returns the code that is stored for a lock.
    package func code(of id: DeviceID) -> Secret<String>? { state.withLock { $0.codes[id] } }

    /// Records the state request, but reports nothing: the test must deliver the report.
    package func refresh(_ id: DeviceID) throws(AdapterError) {
        try state.withLock { (state) throws(AdapterError) in
            if state.attached[id] == nil { throw .notAttached }
            if state.receiver == nil { throw .offline }
            state.refreshes.append(id)
        }
    }

    /// The report that confirms a command; `nil` for a command that no lock supports.
    private static func result(of command: LockCommand) -> LockReport.Fact? {
        command.operation == .changeSettings ? command.settings.map { .settings($0) } : command.operation.restingState.map(fact)
    }

    private static func fact(_ state: LockState) -> LockReport.Fact {
        .state(state, quality: .confirmed, method: .remote, operatorName: nil)
    }

    private func schedule(_ fact: LockReport.Fact, from device: DeviceID, after delay: Duration) {
        let due = clock.monotonicNow().advanced(by: delay)
        state.withLock { state in
            state.pendingNumber += 1
            let number = state.pendingNumber
            // Create the task under the mutex, so that it cannot end before it is registered.
            let task = Task(executorPreference: executor) {
                defer { self.state.withLock { $0.pending[number] = nil } }
                try await self.clock.sleep(until: due)
                self.report(fact, from: device)
            }
            state.pending[number] = task
        }
    }
}

/// Returns the values that identify the lock of an address: the broker and the topic.
private func endpoint(of address: [String: JSONValue]) -> [JSONValue?] { [address["broker"], address["topic"]] }
