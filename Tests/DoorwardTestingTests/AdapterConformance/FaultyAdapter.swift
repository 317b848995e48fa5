import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting
import Synchronization

/// An adapter for locks in memory that passes every check, except for one fault.
final class FaultyAdapter: Sendable {
    let fault: AdapterFault?
    private let clock: VirtualClock
    private let executor: SeededExecutor
    private let state = Mutex(State())

    private struct State {
        var receiver: (any ReportReceiver)?
        var isRunning = false
        var wasStopped = false
        var locks: [DeviceID: Lock] = [:]
        /// Locks that were detached.
        var detached: [DeviceID: Lock] = [:]
        /// Commands kept for later. Empty unless the fault keeps some.
        var queued: [LockCommand] = []
        var attachmentCount = 0
        var commandCount = 0
        var inFlightCount = 0
        var isDelivering = false
        var isBlocked = false
        /// The last command to any lock.
        var lastCommand: CommandID?
        /// Whether the transport is disconnected.
        var isDisconnected = false
        var wasDisconnected = false
        /// The number of starts.
        var starts = 0
        /// All addresses at which locks were attached at any time.
        var everAttached: [[String: JSONValue]: DeviceID] = [:]
        /// The numbers of the discovered locks that are present.
        var discoverable: Set<Int> = []

        subscript(_ id: DeviceID) -> Lock? {
            get { locks[id] ?? detached[id] }
            set { if locks[id] != nil { locks[id] = newValue } else { detached[id] = newValue } }
        }
    }

    init(_ fault: AdapterFault?, clock: VirtualClock, executor: SeededExecutor) {
        (self.fault, self.clock, self.executor) = (fault, clock, executor)
    }

    // MARK: The locks

    func receivedCommands(at id: DeviceID) -> [LockOperation] { state.withLock { $0.locks[id]?.commands ?? [] } }

    func set(_ behavior: LockBehavior, of id: DeviceID) {
        let (wasOffline, queued) = state.withLock { state in
            let old = state[id]?.behavior
            state[id]?.behavior = behavior
            if fault == .unresponsiveAfterOffline, old == .offline { state[id]?.isUnresponsive = true }
            if fault == .unresponsiveAfterJam, old == .jamming { state[id]?.isUnresponsive = true }
            defer { if behavior == .prompt { state.queued = [] } }
            return (
                old == .offline, [.queuesUntilOnline, .queuesSettings].contains(fault) && behavior == .prompt ? state.queued : []
            )
        }
        if behavior == .offline, fault != .hidesOffline { report([.availability(false)], of: id) }
        if wasOffline { report([.availability(true)], of: id) }
        for command in queued { execute(command) }
    }

    func trigger(_ stimulus: LockStimulus, at id: DeviceID) {
        let facts: [LockReport.Fact] = state.withLock { state in
            guard let lock = state[id] else { return [] }
            switch stimulus {
            case .malformedInput:
                return fault == .acceptsMalformedInput
                    ? [.state(.locked, quality: .confirmed, method: nil, operatorName: nil)] : []
            case .faultRaised: return [.faults(["tamper"])]
            case .faultCleared: return fault == .faultNeverClears ? [] : [.faults([])]
            case .stateReport:
                let level = fault == .batteryOutOfRange ? 300 : 80
                return [.state(lock.bolt, quality: .confirmed, method: nil, operatorName: nil), .battery(level: level, low: nil)]
            case .manualTurn:
                let bolt: LockState = lock.bolt == .locked ? .unlocked : .locked
                state[id]?.bolt = bolt
                let method: EventMethod = fault == .reportsManualAsRemote ? .remote : .manual
                return reordered(.state(bolt, quality: .confirmed, method: method, operatorName: nil), &state[id])
            case .retainedReport:
                let isTrusted = fault == .reportsRetainedAsLive || fault == .trustsRetainedAfterReconnect && state.wasDisconnected
                let quality: StateQuality = isTrusted ? .confirmed : .retained
                return [.state(.unlocked, quality: quality, method: nil, operatorName: nil)]
            }
        }
        if state.withLock({ $0[id]?.behavior }) != .offline { report(facts, of: id) }
    }

    /// Disconnects the transport of all locks, or reconnects it.
    func setTransport(isConnected: Bool) {
        let (ids, queued, isRunning) = state.withLock { state in
            let wasDisconnected = state.isDisconnected
            if !isConnected { state.wasDisconnected = true }
            if fault == .unresponsiveAfterReconnect, wasDisconnected {
                for id in state.locks.keys { state.locks[id]?.isUnresponsive = true }
            }
            if isConnected || fault != .hidesDisconnect { state.isDisconnected = !isConnected }
            defer { if isConnected { state.queued = [] } }
            return (Array(state.locks.keys), isConnected ? state.queued : [], state.isRunning)
        }
        if isRunning {
            for id in ids {
                reportAvailability(.availability(isConnected ? true : nil), of: id, unless: fault == .hidesDisconnect)
            }
        }
        for command in queued { execute(command) }
    }

    private func reportAvailability(_ fact: LockReport.Fact, of id: DeviceID, unless isHidden: Bool) {
        guard !isHidden, let receiver = state.withLock({ $0.receiver }) else { return }
        receiver.receive(LockReport(deviceID: id, fact, after: state.withLock { $0[id]?.lastCommand }))
    }

    /// Makes a lock discoverable, or removes it.
    func announce(_ number: Int, isPresent: Bool) {
        state.withLock { state in
            if isPresent {
                state.discoverable.insert(number)
            } else if fault != .listsRemoved {
                state.discoverable.remove(number)
            }
            if fault == .discoveryMoves { for id in state.locks.keys { state[id]?.bolt = .unlocked } }
        }
    }

    private func reordered(_ fact: LockReport.Fact, _ lock: inout Lock?) -> [LockReport.Fact] {
        guard fault == .reordersReports else { return [fact] }
        let earlier = lock?.delayedReport
        lock?.delayedReport = earlier == nil ? fact : nil
        return earlier.map { [fact, $0] } ?? []
    }

    // MARK: Commands and reports

    /// Executes the command with the behaviour that is set for the lock.
    private func execute(_ command: LockCommand) {
        let id = command.deviceID
        let lock = state.withLock { state in
            state[id]?.commands.append(command.operation)
            if fault == .duplicatesSecondCommand, state[id]?.commands.count == 2 { state[id]?.commands.append(command.operation) }
            if fault != .keepsFirstAfter || state[id]?.lastCommand == nil { state[id]?.lastCommand = command.commandID }
            state.lastCommand = command.commandID
            if fault == .resendsAfterReconnect { state.queued.append(command) }
            return state[id]
        }
        guard let lock, !lock.isUnresponsive else { return }
        if let settings = command.settings {
            let confirmed = fault == .confirmsOldSettings ? LockSettings() : settings
            return schedule(.milliseconds(200), lock.attachment, id) { self.report([.settings(confirmed)], of: id) }
        }
        let target = command.operation.target
        switch lock.behavior {
        case .prompt: schedule(.milliseconds(200), lock.attachment, id) { self.complete(at: target, id) }
        case .late:
            schedule(.seconds(30), lock.attachment, id) {
                if self.fault != .dropsLateConfirmation { self.complete(at: target, id) }
            }
        case .silent:
            state.withLock { $0[id]?.bolt = target }
            if fault == .assumesConfirmation { complete(at: target, id) }
            if fault == .resends { schedule(.seconds(100), lock.attachment, id) { self.execute(command) } }
        case .jamming:
            schedule(.milliseconds(200), lock.attachment, id) {
                if self.fault == .hidesJam { return self.complete(at: target, id) }
                self.report([.state(.jammed, quality: .confirmed, method: .remote, operatorName: nil)], of: id)
            }
        case .refusing:
            schedule(.milliseconds(200), lock.attachment, id) {
                if self.fault != .hidesRefusal { self.report([.refusal(.busy)], of: id) }
            }
        case .offline: break
        }
    }

    private func complete(at target: LockState, _ id: DeviceID) {
        let isSilent = state.withLock { state in
            defer { state[id]?.bolt = target }
            state.inFlightCount -= 1
            return fault == .silentIfUnchanged && state[id]?.bolt == target
        }
        if isSilent { return }
        let reportedState = fault == .confirmsWrongState && target == .unlatched ? .unlocked : target
        let method: EventMethod = fault == .reportsCommandsAsManual ? .manual : .remote
        report([.state(reportedState, quality: .confirmed, method: method, operatorName: nil)], of: id)
    }

    private func schedule(_ delay: Duration, _ attachment: Int, _ id: DeviceID, _ body: @escaping @Sendable () -> Void) {
        let due = clock.monotonicNow().advanced(by: delay)
        Task(executorPreference: executor) {
            try await self.clock.sleep(until: due)
            if self.state.withLock({ $0[id]?.attachment }) == attachment { body() }
        }
    }

    private func report(_ facts: [LockReport.Fact], of id: DeviceID) {
        let (receiver, deliveries, lastCommand) = state.withLock { state in
            let isAttached = state.locks[id] != nil || fault == .reportsDetached || fault == .reportsUnattached
            let isDelivered = isAttached && (state.isRunning || fault == .reportsAfterStop) && !state.isDisconnected
            state.isDelivering = true
            let after = fault == .sharesAfter ? state.lastCommand : state[id]?.lastCommand
            let earlyAfter = fault == .setsAfterTooEarly ? CommandID(high: 0, low: 0) : nil
            return (isDelivered ? state.receiver : nil, state[id]?.deliveries ?? 1, after ?? earlyAfter)
        }
        let name = fault == .reportsWrongID ? DeviceID(high: id.high, low: 0) : id
        for fact in facts {
            for _ in 0..<deliveries { receiver?.receive(LockReport(deviceID: name, fact, after: lastCommand)) }
        }
        state.withLock { $0.isDelivering = false }
    }
}

extension FaultyAdapter: LockAdapter {
    var kind: String { fault == .kindWithCapital ? "Faulty" : "faulty" }

    var health: AdapterHealth {
        state.withLock { state in
            guard state.isRunning || fault == .healthAlwaysOK else { return .down }
            return state.isDisconnected && fault != .healthyWithoutTransport ? .degraded : .ok
        }
    }

    var counts: [String: Int] {
        state.withLock { ["orders": fault == .countersDecrease ? -$0.commandCount : $0.commandCount] }
    }

    func owner(of address: [String: JSONValue]) -> TransportOwner? {
        fault == .allTransportsShared ? .shared : FaultyAddress.owner(of: address)
    }

    var discovered: [DiscoveredLock] {
        state.withLock { state in
            let attached = Set(fault == .listsAttached ? [] : state.locks.values.map { $0.address["door"] })
            return state.discoverable.sorted().compactMap { number in
                let door = JSONValue.integer(Int64(number))
                if attached.contains(door) { return nil }
                return DiscoveredLock(
                    id: fault == .listsUnderSameID ? "lock" : "lock \(number)", name: nil, manufacturer: nil, model: nil,
                    address: fault == .listsWrongAddress ? ["window": door] : ["door": door], owner: .shared, capabilities: .all,
                    problem: nil, firstSeenAt: Timestamp(milliseconds: 1), lastSeenAt: Timestamp(milliseconds: 2))
            }
        }
    }

    var addressFields: [AddressField] { FaultyAddress.fields(fault) }

    func check(address: [String: JSONValue], within scope: TransportScope) throws(AddressErrors) -> CheckedAddress {
        if fault == .checkReports { report([.availability(true)], of: DeviceID(high: 0xADA9_7E12, low: 0)) }
        let hasStopped = state.withLock { $0.wasStopped }
        if fault == .checkResultVaries, hasStopped { return CheckedAddress([]) }
        let capabilities = try FaultyAddress.check(address, within: scope, fault)
        return CheckedAddress(capabilities, attachedDevice: state.withLock { attachedDevice(of: address, $0) })
    }

    private func attachedDevice(of address: [String: JSONValue], _ state: State) -> DeviceID? {
        if fault == .omitsAttachedDevice { return nil }
        if fault == .keepsDetachedDevice { return state.everAttached[address] }
        return state.locks.first { $0.value.address["door"] == address["door"] && $0.value.address["way"] == address["way"] }?.key
    }

    func start(reports: any ReportReceiver) async throws {
        if fault == .requiresTransportAtStart, state.withLock({ $0.isDisconnected }) { throw AdapterError.offline }
        let queued = state.withLock { state in
            state.starts += 1
            if state.receiver == nil || fault != .keepsFirstReceiver { state.receiver = reports }
            state.isRunning = true
            if fault == .detachesAllAtStart { state.locks = [:] }
            if state.starts > 1 {
                if fault == .unresponsiveAfterRestart { for id in state.locks.keys { state.locks[id]?.isUnresponsive = true } }
                if fault == .reattachesAtRestart { state.locks.merge(state.detached) { now, _ in now } }
            }
            defer { state.queued = [] }
            return state.queued
        }
        for command in queued { execute(command) }
    }

    func stop() async {
        state.withLock { state in
            state.isRunning = fault == .secondStopStarts && state.wasStopped && !state.isRunning
            state.wasStopped = true
        }
    }

    func attach(_ lock: AttachedLock) {
        let queued = state.withLock { state in
            state.attachmentCount += 1
            var new = Lock()
            new.attachment = state.attachmentCount
            new.address = lock.address
            state.everAttached[lock.address] = lock.id
            if fault == .attachesOnlyWhenConnected { new.isUnresponsive = state.isDisconnected }
            new.isLimited = lock.address["mode"] == .string("limited")
            new.isAddressInvalid = (try? FaultyAddress.check(lock.address, nil)) == nil
            if let old = state.locks[lock.id] {
                if fault == .duplicatesReportsWhenReattached { new.deliveries = 2 }
                if fault == .keepsFirstAddress { new.isLimited = old.isLimited }
            }
            if fault == .ignoresLocksBeyond100 { new.isUnresponsive = state.locks.count >= 100 }
            if fault == .unresponsiveAfterReattach {
                new.isUnresponsive = state.detached[lock.id] != nil || state.locks[lock.id]?.isUnresponsive == true
            }
            (state.locks[lock.id], state.detached[lock.id]) = (new, nil)
            defer { if fault == .queuesUntilAttach { state.queued = [] } }
            return fault == .queuesUntilAttach ? state.queued : []
        }
        for command in queued { execute(command) }
        if fault == .movesAtAttach { state.withLock { $0[lock.id]?.bolt = .unlocked } }
        if fault == .reportsAtAttachWhenStopped {
            state.withLock { $0.receiver }?.receive(LockReport(deviceID: lock.id, .availability(nil), after: nil))
        }
    }

    func detach(_ id: DeviceID) {
        state.withLock { state in
            let isUnknown = state.locks[id] == nil
            if fault == .detachesAll || fault == .detachingUnknownDetachesAll && isUnknown { state.locks = [:] }
            if let lock = state.locks.removeValue(forKey: id) { state.detached[id] = lock }
        }
    }

    func send(_ command: LockCommand) throws(AdapterError) {
        if fault == .sendBlocks { clock.advance(by: .milliseconds(1)) }
        try state.withLock { (state) throws(AdapterError) in try accept(command, &state) }
        let all = state.withLock { Array($0.locks.keys) }
        for id in fault == .movesAll ? all : [command.deviceID] {
            execute(
                LockCommand(
                    commandID: command.commandID, deviceID: id, operation: command.operation, settings: command.settings,
                    deadline: command.deadline))
        }
        if fault == .throwsAndSends, command.deadline < clock.now() { throw .offline }
    }

    private func accept(_ command: LockCommand, _ state: inout State) throws(AdapterError) {
        let lock = fault == .acceptsCommandsForDetached ? state[command.deviceID] : state.locks[command.deviceID]
        guard let lock else { throw fault == .unknownLockIsOffline ? .offline : .notAttached }
        let isPossible =
            command.settings != nil
            ? !lock.isLimited
            : command.operation.isMovement && (!lock.isLimited || command.operation != .unlatch)
        if !isPossible, fault != .acceptsAnyOperation, fault != .sendsUnsupported { throw .unsupported }
        if lock.isAddressInvalid, fault != .acceptsInvalidAddress { throw .offline }
        let isRunning = state.isRunning || fault == .sendsAfterStop && state.wasStopped
        if !isRunning || lock.behavior == .offline || state.isDisconnected {
            if fault == .setsAfterForRejected { state[command.deviceID]?.lastCommand = command.commandID }
            let isQueued =
                switch fault {
                case .queuesUntilConnected, .sendsAtReconnectAfterStop: state.isDisconnected
                case .queuesUntilRestart: !isRunning && state.wasStopped
                case .queuesUntilStart: !isRunning
                case .queuesSettings: command.settings != nil
                case .queuesUntilAttach, .queuesUntilOnline: isRunning
                default: false
                }
            if isQueued { state.queued.append(command) }
            throw .offline
        }
        try acceptUnlessBusy(command, &state)
    }

    private func acceptUnlessBusy(_ command: LockCommand, _ state: inout State) throws(AdapterError) {
        if fault == .blockedByDeadline, command.deadline.milliseconds < 0 { state.isBlocked = true }
        if fault == .oneCommandForAllLocks || fault == .rejectsUnderLoad,
            state.inFlightCount > (fault == .oneCommandForAllLocks ? 0 : 32)
        {
            throw .transportBusy
        }
        if state.isBlocked || fault == .busyInsideReceive && state.isDelivering { throw .transportBusy }
        state.commandCount += 1
        state.inFlightCount += 1
        if fault == .rejectsThirdCommand, state.commandCount == 3 { throw .transportBusy }
    }

    func refresh(_ id: DeviceID) throws(AdapterError) {
        let lock = state.withLock { $0.locks[id] }
        guard let lock else { throw .notAttached }
        if lock.isLimited { throw .unsupported }
        guard state.withLock({ $0.isRunning }), lock.behavior != .offline else { throw .offline }
        if fault == .refreshMoves { state.withLock { $0[id]?.bolt = .unlocked } }
        if fault == .refreshCancels { state.withLock { $0[id]?.attachment = -1 } }
        trigger(.stateReport, at: id)
    }
}

extension LockOperation {
    fileprivate var target: LockState {
        switch self {
        case .lock: .locked
        case .unlatch: .unlatched
        default: .unlocked
        }
    }
}
