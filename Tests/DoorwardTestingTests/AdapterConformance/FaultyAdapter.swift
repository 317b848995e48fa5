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

    struct Lock {
        var bolt = LockState.locked
        var manner = LockBehavior.prompt
        var orders: [LockOperation] = []
        var lastOrder: CommandID?
        var isLimited = false
        var isUnreadable = false
        /// The number of this attachment, counted over all locks.
        var life = 0
        /// How often each of its reports is delivered.
        var echoes = 1
        /// Whether it no longer executes commands.
        var isDead = false
        var heldBack: LockReport.Fact?
        var address: [String: JSONValue] = [:]
    }

    private struct State {
        var receiver: (any ReportReceiver)?
        var isRunning = false
        var wasStopped = false
        var locks: [DeviceID: Lock] = [:]
        /// Locks that were detached.
        var gone: [DeviceID: Lock] = [:]
        /// Commands kept for later. Empty unless the fault keeps some.
        var kept: [LockCommand] = []
        var lives = 0
        var orderCount = 0
        var unanswered = 0
        var isDelivering = false
        var isStuck = false
        /// The last command to any lock.
        var lastOrder: CommandID?
        /// Whether the transport is disconnected.
        var isCut = false
        var wasCut = false
        /// The number of starts.
        var starts = 0
        /// All addresses at which locks were attached at any time.
        var places: [[String: JSONValue]: DeviceID] = [:]
        /// The numbers of the discovered locks that are present.
        var found: Set<Int> = []

        subscript(_ id: DeviceID) -> Lock? {
            get { locks[id] ?? gone[id] }
            set { if locks[id] != nil { locks[id] = newValue } else { gone[id] = newValue } }
        }
    }

    init(_ fault: AdapterFault?, clock: VirtualClock, executor: SeededExecutor) {
        (self.fault, self.clock, self.executor) = (fault, clock, executor)
    }

    // MARK: The locks

    func orders(at id: DeviceID) -> [LockOperation] { state.withLock { $0.locks[id]?.orders ?? [] } }

    func set(_ manner: LockBehavior, of id: DeviceID) {
        let (wasAway, kept) = state.withLock { state in
            let old = state[id]?.manner
            state[id]?.manner = manner
            if fault == .givesUpOnAway, old == .away { state[id]?.isDead = true }
            if fault == .givesUpOnFaulty, old == .jamming { state[id]?.isDead = true }
            defer { if manner == .prompt { state.kept = [] } }
            return (old == .away, fault == .keepsOrdersForReturn && manner == .prompt ? state.kept : [])
        }
        if manner == .away, fault != .hidesAbsence { say([.availability(false)], of: id) }
        if wasAway { say([.availability(true)], of: id) }
        for order in kept { perform(order) }
    }

    func happen(_ event: LockStimulus, at id: DeviceID) {
        let facts: [LockReport.Fact] = state.withLock { state in
            guard let lock = state[id] else { return [] }
            switch event {
            case .rubbish:
                return fault == .takesRubbish ? [.state(.locked, quality: .confirmed, method: nil, operatorName: nil)] : []
            case .tampered: return [.faults(["tamper"])]
            case .calmed: return fault == .faultsWithoutEnd ? [] : [.faults([])]
            case .speaks:
                let level = fault == .batteryOverfull ? 300 : 80
                return [.state(lock.bolt, quality: .confirmed, method: nil, operatorName: nil), .battery(level: level, low: nil)]
            case .turnedByHand:
                let bolt: LockState = lock.bolt == .locked ? .unlocked : .locked
                state[id]?.bolt = bolt
                let method: EventMethod = fault == .callsHandsRemote ? .remote : .manual
                return turned(.state(bolt, quality: .confirmed, method: method, operatorName: nil), &state[id])
            case .repeatedFromBefore:
                let isTrusted = fault == .passesOffKept || fault == .trustsKeptAfterCut && state.wasCut
                let quality: StateQuality = isTrusted ? .confirmed : .retained
                return [.state(.unlocked, quality: quality, method: nil, operatorName: nil)]
            }
        }
        if state.withLock({ $0[id]?.manner }) != .away { say(facts, of: id) }
    }

    /// Disconnects the transport of all locks, or reconnects it.
    func setTransport(isAway: Bool) {
        let (ids, kept, isRunning) = state.withLock { state in
            let wasCut = state.isCut
            if isAway { state.wasCut = true }
            if fault == .deafAfterCut, wasCut { for id in state.locks.keys { state.locks[id]?.isDead = true } }
            if !isAway || fault != .silentAboutCut { state.isCut = isAway }
            defer { if !isAway { state.kept = [] } }
            return (Array(state.locks.keys), isAway ? [] : state.kept, state.isRunning)
        }
        if isRunning { for id in ids { tell(.availability(isAway ? nil : true), of: id, unless: fault == .silentAboutCut) } }
        for order in kept { perform(order) }
    }

    private func tell(_ fact: LockReport.Fact, of id: DeviceID, unless isHidden: Bool) {
        guard !isHidden, let receiver = state.withLock({ $0.receiver }) else { return }
        receiver.receive(LockReport(deviceID: id, fact, after: state.withLock { $0[id]?.lastOrder }))
    }

    /// Makes a lock discoverable, or removes it.
    func announce(_ number: Int, isThere: Bool) {
        state.withLock { state in
            if isThere { state.found.insert(number) } else if fault != .listsGone { state.found.remove(number) }
            if fault == .discoveryMoves { for id in state.locks.keys { state[id]?.bolt = .unlocked } }
        }
    }

    private func turned(_ fact: LockReport.Fact, _ lock: inout Lock?) -> [LockReport.Fact] {
        guard fault == .swapsReports else { return [fact] }
        let earlier = lock?.heldBack
        lock?.heldBack = earlier == nil ? fact : nil
        return earlier.map { [fact, $0] } ?? []
    }

    // MARK: Commands and reports

    /// Executes the command with the behaviour that is set for the lock.
    private func perform(_ order: LockCommand) {
        let id = order.deviceID
        let lock = state.withLock { state in
            state[id]?.orders.append(order.operation)
            if fault == .doublesSecondOrder, state[id]?.orders.count == 2 { state[id]?.orders.append(order.operation) }
            if fault != .keepsFirstMark || state[id]?.lastOrder == nil { state[id]?.lastOrder = order.commandID }
            state.lastOrder = order.commandID
            if fault == .sendsAgainAfterCut { state.kept.append(order) }
            return state[id]
        }
        guard let lock, !lock.isDead else { return }
        let target = order.operation.target
        switch lock.manner {
        case .prompt: later(.milliseconds(200), lock.life, id) { self.arrive(at: target, id) }
        case .late:
            later(.seconds(30), lock.life, id) { if self.fault != .dropsLate { self.arrive(at: target, id) } }
        case .silent:
            state.withLock { $0[id]?.bolt = target }
            if fault == .assumesConfirmation { arrive(at: target, id) }
            if fault == .sendsAgain { later(.seconds(100), lock.life, id) { self.perform(order) } }
        case .jamming:
            later(.milliseconds(200), lock.life, id) {
                if self.fault == .hidesJam { return self.arrive(at: target, id) }
                self.say([.state(.jammed, quality: .confirmed, method: .remote, operatorName: nil)], of: id)
            }
        case .refusing:
            later(.milliseconds(200), lock.life, id) { if self.fault != .hidesRefusal { self.say([.refusal(.busy)], of: id) } }
        case .away: break
        }
    }

    private func arrive(at target: LockState, _ id: DeviceID) {
        let isSilent = state.withLock { state in
            defer { state[id]?.bolt = target }
            state.unanswered -= 1
            return fault == .ignoresWhatIsSo && state[id]?.bolt == target
        }
        if isSilent { return }
        let said = fault == .confirmsAnother && target == .unlatched ? .unlocked : target
        let method: EventMethod = fault == .callsOrdersManual ? .manual : .remote
        say([.state(said, quality: .confirmed, method: method, operatorName: nil)], of: id)
    }

    private func later(_ delay: Duration, _ life: Int, _ id: DeviceID, _ body: @escaping @Sendable () -> Void) {
        let due = clock.monotonicNow().advanced(by: delay)
        Task(executorPreference: executor) {
            try await self.clock.sleep(until: due)
            if self.state.withLock({ $0[id]?.life }) == life { body() }
        }
    }

    private func say(_ facts: [LockReport.Fact], of id: DeviceID) {
        let (receiver, echoes, lastOrder) = state.withLock { state in
            let isAttached = state.locks[id] != nil || fault == .hearsDetached || fault == .greetsDetached
            let isHeard = isAttached && (state.isRunning || fault == .speaksAfterStop) && !state.isCut
            state.isDelivering = true
            let mark = fault == .sharesMarks ? state.lastOrder : state[id]?.lastOrder
            let early = fault == .marksTooEarly ? CommandID(high: 0, low: 0) : nil
            return (isHeard ? state.receiver : nil, state[id]?.echoes ?? 1, mark ?? early)
        }
        let name = fault == .speaksAsAnother ? DeviceID(high: id.high, low: 0) : id
        for fact in facts {
            for _ in 0..<echoes { receiver?.receive(LockReport(deviceID: name, fact, after: lastOrder)) }
        }
        state.withLock { $0.isDelivering = false }
    }
}

extension FaultyAdapter: LockAdapter {
    var kind: String { fault == .kindWithCapital ? "Faulty" : "faulty" }

    var health: AdapterHealth {
        state.withLock { state in
            guard state.isRunning || fault == .alwaysWell else { return .down }
            return state.isCut && fault != .wellWithoutTransport ? .degraded : .ok
        }
    }

    var counts: [String: Int] {
        state.withLock { ["orders": fault == .countsFall ? -$0.orderCount : $0.orderCount] }
    }

    func owner(of address: [String: JSONValue]) -> TransportOwner? {
        fault == .waysAreAnybodys ? .shared : FaultyAddress.owner(of: address)
    }

    var discovered: [DiscoveredLock] {
        state.withLock { state in
            let attached = Set(fault == .listsAttached ? [] : state.locks.values.map { $0.address["door"] })
            return state.found.sorted().compactMap { number in
                let door = JSONValue.integer(Int64(number))
                if attached.contains(door) { return nil }
                return DiscoveredLock(
                    id: fault == .listsUnderOneID ? "lock" : "lock \(number)", name: nil, manufacturer: nil, model: nil,
                    address: fault == .listsOtherAddress ? ["window": door] : ["door": door], owner: .shared, capabilities: .all,
                    problem: nil, firstSeenAt: Timestamp(milliseconds: 1), lastSeenAt: Timestamp(milliseconds: 2))
            }
        }
    }

    var addressFields: [AddressField] { FaultyAddress.fields(fault) }

    func check(address: [String: JSONValue], within scope: TransportScope) throws(AddressErrors) -> CheckedAddress {
        if fault == .checkMoves { say([.availability(true)], of: DeviceID(high: 0xADA9_7E12, low: 0)) }
        let hasStopped = state.withLock { $0.wasStopped }
        if fault == .checkChangesItsMind, hasStopped { return CheckedAddress([]) }
        let capabilities = try FaultyAddress.check(address, within: scope, fault)
        return CheckedAddress(capabilities, holder: state.withLock { holder(of: address, $0) })
    }

    private func holder(of address: [String: JSONValue], _ state: State) -> DeviceID? {
        if fault == .forgetsHolders { return nil }
        if fault == .remembersHolders { return state.places[address] }
        return state.locks.first { $0.value.address["door"] == address["door"] && $0.value.address["way"] == address["way"] }?.key
    }

    func start(reports: any ReportReceiver) async throws {
        if fault == .needsTransportToStart, state.withLock({ $0.isCut }) { throw AdapterError.offline }
        let kept = state.withLock { state in
            state.starts += 1
            if state.receiver == nil || fault != .keepsFirstReceiver { state.receiver = reports }
            state.isRunning = true
            if fault == .forgetsAtStart { state.locks = [:] }
            if state.starts > 1 {
                if fault == .restartIsDead { for id in state.locks.keys { state.locks[id]?.isDead = true } }
                if fault == .restartBringsBack { state.locks.merge(state.gone) { now, _ in now } }
            }
            defer { state.kept = [] }
            return state.kept
        }
        for order in kept { perform(order) }
    }

    func stop() async {
        state.withLock { state in
            state.isRunning = fault == .secondStopStarts && state.wasStopped && !state.isRunning
            state.wasStopped = true
        }
    }

    func attach(_ lock: AttachedLock) {
        let kept = state.withLock { state in
            state.lives += 1
            var new = Lock()
            new.life = state.lives
            new.address = lock.address
            state.places[lock.address] = lock.id
            if fault == .attachesOverTransportOnly { new.isDead = state.isCut }
            new.isLimited = lock.address["mode"] == .string("limited")
            new.isUnreadable = (try? FaultyAddress.check(lock.address, nil)) == nil
            if let old = state.locks[lock.id] {
                if fault == .doublesWhenAttachedTwice { new.echoes = 2 }
                if fault == .keepsFirstAddress { new.isLimited = old.isLimited }
            }
            if fault == .forgetsBeyond100 { new.isDead = state.locks.count >= 100 }
            if fault == .secondLifeIsDead { new.isDead = state.gone[lock.id] != nil || state.locks[lock.id]?.isDead == true }
            (state.locks[lock.id], state.gone[lock.id]) = (new, nil)
            defer { if fault == .keepsOrdersForAttach { state.kept = [] } }
            return fault == .keepsOrdersForAttach ? state.kept : []
        }
        for order in kept { perform(order) }
        if fault == .movesAtAttach { state.withLock { $0[lock.id]?.bolt = .unlocked } }
        if fault == .greetsWhenStopped {
            state.withLock { $0.receiver }?.receive(LockReport(deviceID: lock.id, .availability(nil), after: nil))
        }
    }

    func detach(_ id: DeviceID) {
        state.withLock { state in
            let isUnknown = state.locks[id] == nil
            if fault == .detachesAll || fault == .detachingUnknownDetachesAll && isUnknown { state.locks = [:] }
            if let lock = state.locks.removeValue(forKey: id) { state.gone[id] = lock }
        }
    }

    func send(_ order: LockCommand) throws(AdapterError) {
        if fault == .sendWaits { clock.advance(by: .milliseconds(1)) }
        try state.withLock { (state) throws(AdapterError) in try admit(order, &state) }
        let all = state.withLock { Array($0.locks.keys) }
        for id in fault == .movesAll ? all : [order.deviceID] {
            perform(
                LockCommand(commandID: order.commandID, deviceID: id, operation: order.operation, deadline: order.deadline))
        }
        if fault == .throwsAndSends, order.deadline < clock.now() { throw .offline }
    }

    private func admit(_ order: LockCommand, _ state: inout State) throws(AdapterError) {
        let lock = fault == .remembersDetached ? state[order.deviceID] : state.locks[order.deviceID]
        guard let lock else { throw fault == .callsUnknownOffline ? .offline : .notAttached }
        let isPossible = order.operation.isMovement && (!lock.isLimited || order.operation != .unlatch)
        if !isPossible, fault != .takesAnyOperation, fault != .sendsWhatItCannot { throw .unsupported }
        if lock.isUnreadable, fault != .takesUnreadable { throw .offline }
        let isRunning = state.isRunning || fault == .sendsAfterStop && state.wasStopped
        if !isRunning || lock.manner == .away || state.isCut {
            if fault == .marksRefusedOrders { state[order.deviceID]?.lastOrder = order.commandID }
            let isKept =
                switch fault {
                case .keepsOrdersForTransport, .sendsWhenBackAfterStop: state.isCut
                case .keepsOrdersForRestart: !isRunning && state.wasStopped
                case .keepsOrdersForStart: !isRunning
                case .keepsOrdersForAttach, .keepsOrdersForReturn: isRunning
                default: false
                }
            if isKept { state.kept.append(order) }
            throw .offline
        }
        try admitUnlessBusy(order, &state)
    }

    private func admitUnlessBusy(_ order: LockCommand, _ state: inout State) throws(AdapterError) {
        if fault == .stuckByDeadline, order.deadline.milliseconds < 0 { state.isStuck = true }
        if fault == .oneAtATime || fault == .losesUnderLoad, state.unanswered > (fault == .oneAtATime ? 0 : 32) {
            throw .transportBusy
        }
        if state.isStuck || fault == .busyInsideReceive && state.isDelivering { throw .transportBusy }
        state.orderCount += 1
        state.unanswered += 1
        if fault == .dropsThirdOrder, state.orderCount == 3 { throw .transportBusy }
    }

    func refresh(_ id: DeviceID) throws(AdapterError) {
        let lock = state.withLock { $0.locks[id] }
        guard let lock else { throw .notAttached }
        if lock.isLimited { throw .unsupported }
        guard state.withLock({ $0.isRunning }), lock.manner != .away else { throw .offline }
        if fault == .questionMoves { state.withLock { $0[id]?.bolt = .unlocked } }
        if fault == .questionCancels { state.withLock { $0[id]?.life = -1 } }
        happen(.speaks, at: id)
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
