internal import DoorwardAdapterKit
package import DoorwardDomain
package import DoorwardKernel
import Synchronization

/// The runtime state of each attached device: its status and its command queue.
///
/// The table is split into shards, so that two devices seldom contend for the same mutex.
package final class DeviceRuntimes: DeviceStatuses, DecisionGate {
    private final class Shard: Sendable {
        let devices = Mutex<[DeviceID: DeviceRuntime]>([:])
    }

    private let feed: ChangeFeed
    private let shards = (0..<64).map { _ in Shard() }
    private let busy = BusyQueues()

    /// - Parameter feed: receives each change of a device's status.
    package init(feed: ChangeFeed) { self.feed = feed }

    /// The status of a device; an unknown status if it is not attached.
    package func status(of id: DeviceID) -> DeviceStatus { existing(id)?.status ?? DeviceStatus() }

    /// The state of an attached device; `nil` for any other one.
    package func existing(_ id: DeviceID) -> DeviceRuntime? { shard(of: id).devices.withLock { $0[id] } }

    func device(_ id: DeviceID) -> DeviceRuntime {
        shard(of: id).devices.withLock { devices in
            if let device = devices[id] { return device }
            let device = DeviceRuntime(id: id, feed: feed, busy: busy)
            devices[id] = device
            return device
        }
    }

    /// Removes a device whose queue is empty.
    ///
    /// - Returns: false if the queue contains a command.
    func forget(_ id: DeviceID) -> Bool {
        busy.queues.withLock { queues in
            guard queues[id] == nil else { return false }
            shard(of: id).devices.withLock { $0[id] = nil }
            return true
        }
    }

    /// Waits for the gate of every device that has a command: afterwards no command decided on an older directory can be sent.
    /// A device whose queue is empty has no gate to wait for.
    package func pass() {
        for queue in busyQueues.values { queue.awaitDispatchGate() }
    }

    /// The number of waiting commands of all devices.
    var waitingCount: Int { busyQueues.values.reduce(0) { $0 + $1.waitingCount } }

    /// Cancels every command that was not sent.
    func cancelQueued() {
        for queue in busyQueues.values { queue.cancelQueued() }
    }

    /// Ends the wait of every command in flight.
    func abandonInFlight() {
        for (id, queue) in busyQueues {
            // A device is not forgotten while its queue is busy.
            if let command = queue.inFlightCommand { existing(id)?.expire(command, as: .abandoned) }
        }
    }

    private var busyQueues: [DeviceID: DeviceCommandQueue] { busy.queues.withLock { $0 } }

    private func shard(of id: DeviceID) -> Shard { shards[Int(truncatingIfNeeded: id.low & 63)] }
}

/// The runtime state of one attached device.
package final class DeviceRuntime: Sendable {
    private struct Condition {
        var status = DeviceStatus()
        /// How many times the device was bound to another lock.
        var bindingGeneration = 0
        /// A command that was sent and ended without a confirmation; the next report may be its late confirmation.
        var unanswered: UnconfirmedCommand?
        /// Whether the lock has confirmed the stored settings, and may not have changed them since. False after a start: a command
        /// of the process before may have changed them without a confirmation.
        var areSettingsConfirmed = false
        /// The last commands that were sent, with the logs in which their intents are recorded.
        var sent: [(id: CommandID, log: LogID)] = []
    }

    /// How many recently sent commands are kept; adapters do not report late delivery of older ones.
    private static let maxSent = 8

    let id: DeviceID
    let queue: DeviceCommandQueue
    private let condition = Mutex(Condition())
    /// How many changes of the settings are in progress.
    private let settingsChanges = Mutex(0)
    private let feed: ChangeFeed

    init(id: DeviceID, feed: ChangeFeed, busy: BusyQueues) {
        (self.id, self.feed, queue) = (id, feed, DeviceCommandQueue(of: id, busy: busy))
    }

    var status: DeviceStatus { condition.withLock { $0.status } }

    func update<Value>(_ body: (inout DeviceStatus) -> sending Value) -> sending Value { change { body(&$0.status) } }

    /// Updates the condition, and appends to the feed if the status has changed.
    private func change<Value>(_ body: (inout sending Condition) -> sending Value) -> sending Value {
        var isChanged = false
        let value = condition.withLock { condition in
            let before = condition.status
            let value = body(&condition)
            isChanged = condition.status != before
            return value
        }
        if isChanged { feed.append(.deviceStatus(id)) }
        return value
    }

    /// The number of the current binding; each command belongs to one binding.
    var bindingGeneration: Int { condition.withLock { $0.bindingGeneration } }

    /// Binds the device to another lock, whose state is unknown. Queued commands for the previous
    /// binding are denied. A command that was already sent to the previous lock ends as `UNKNOWN`.
    func rebind() {
        change { $0 = Condition(bindingGeneration: $0.bindingGeneration + 1) }
        // Wait for a command that is being sent to the previous lock; commands sent afterwards are
        // checked against the new binding.
        queue.awaitDispatchGate()
        queue.inFlightCommand?.result.fulfil(.replaced)
        // Reset again, as reports of the previous lock may have been received meanwhile.
        change { $0 = Condition(bindingGeneration: $0.bindingGeneration) }
    }

    /// Whether the lock has the settings that are stored; if not, it may have others.
    package var areSettingsConfirmed: Bool {
        get { condition.withLock { $0.areSettingsConfirmed } }
        set { condition.withLock { $0.areSettingsConfirmed = newValue } }
    }

    /// Registers a change of the settings until `endSettingsChange`.
    ///
    /// - Parameter alone: whether the change depends on the device's version, which any other change is about to end.
    /// - Returns: false if the change must be alone and another one is in progress.
    package func beginSettingsChange(alone: Bool) -> Bool {
        settingsChanges.withLock { count in
            guard !alone || count == 0 else { return false }
            count += 1
            return true
        }
    }

    /// Ends what `beginSettingsChange` has registered.
    package func endSettingsChange() { settingsChanges.withLock { $0 -= 1 } }

    /// Ends a command that the lock has not confirmed. After a movement, the bolt's position is unknown until the lock's next
    /// report.
    ///
    /// Atomic with the handling of reports: a report is handled either before this call, and may
    /// confirm the command, or after it.
    ///
    /// - Returns: whether the command had no outcome before.
    @discardableResult
    func expire(_ inFlight: InFlightCommand, as outcome: CommandOutcome) -> Bool {
        change { condition in
            guard inFlight.result.fulfil(outcome) else { return false }
            if inFlight.command.operation.isMovement { condition.status.markStateStale() }
            return true
        }
    }

    /// Stores a command that ended without a confirmation, unless the device has been bound to another lock since.
    func remember(_ command: UnconfirmedCommand, of bindingGeneration: Int) {
        condition.withLock { if $0.bindingGeneration == bindingGeneration { $0.unanswered = command } }
    }

    /// Records that a command was sent. From now on no report is matched to an earlier command as its late confirmation.
    func recordSent(_ command: CommandID, _ log: LogID) {
        condition.withLock { condition in
            condition.unanswered = nil
            condition.sent = (condition.sent + [(command, log)]).suffix(Self.maxSent)
        }
    }

    /// The log in which the intent of a recently sent command is recorded; `nil` for any other command.
    func logOfSent(_ command: CommandID) -> LogID? { condition.withLock { $0.sent.last { $0.id == command }?.log } }

    /// Takes the unconfirmed command that a live report confirms late, if there is one.
    ///
    /// A report that determines the bolt's position ends the wait: a state that contradicts the command, or an operation by a
    /// person or by the lock itself. Later reports are then unrelated to the command.
    func claimLateConfirmation(by fact: LockReport.Fact, at now: MonotonicInstant) -> UnconfirmedCommand? {
        condition.withLock { condition in
            guard let command = condition.unanswered else { return nil }
            let isConfirmed = now < command.expiresAt ? fact.confirms(command.operation) : false
            guard let isConfirmed else { return nil }
            condition.unanswered = nil
            return isConfirmed ? command : nil
        }
    }
}

extension DeviceStatus {
    /// Marks the last reported state as possibly outdated. An assumed state stays marked as assumed.
    mutating func markStateStale() {
        if stateQuality != .assumed { stateQuality = .stale }
    }
}

/// A command that was sent and ended without a confirmation.
struct UnconfirmedCommand: Sendable {
    /// How long after its deadline a report can still confirm the command. Slow locks and bridges respond within seconds;
    /// sleeping battery locks, and bridges that poll them, within a minute. Later movements have another cause.
    static let confirmationGracePeriod = Duration.seconds(60)

    let id: CommandID
    let operation: LockOperation
    /// The log of its intent; no other log may name the command.
    let log: LogID
    /// From this instant on no report confirms the command.
    let expiresAt: MonotonicInstant
}

extension LockReport.Fact {
    /// Whether a report confirms an unconfirmed command; false if the lock did not execute the command, or something else has moved the
    /// bolt since; `nil` if the report shows neither.
    fileprivate func confirms(_ operation: LockOperation) -> Bool? {
        switch self {
        case .event(let event, let method, let name):
            return [.locked, .unlocked, .unlatched].contains(event) && !Self.isOfCommand(method, name) ? false : nil
        case .state(let state, .confirmed, let method, let name):
            guard Self.isOfCommand(method, name) else { return false }
            if state.satisfies(operation) || state == .jammed { return true }
            return state.contradicts(operation) ? false : nil
        case .state, .door, .battery, .availability, .refusal, .faults, .settings, .product, .deliveredLate: return nil
        }
    }

    /// Whether the command can be the cause of a movement. It cannot be the cause if the report names a person, or an operation
    /// method that only a person, a schedule or the lock itself uses.
    private static func isOfCommand(_ method: EventMethod?, _ operatorName: String?) -> Bool {
        operatorName == nil && [nil, .remote, .unknown].contains(method)
    }
}

extension LockState {
    /// Whether a live report of this state proves that the lock has not executed `operation`. A bolt that is moving in the right
    /// direction, and an unknown state, prove nothing.
    fileprivate func contradicts(_ operation: LockOperation) -> Bool {
        switch self {
        case .locked, .locking: operation != .lock
        case .unlocked, .unlocking, .unlatched: operation == .lock
        case .jammed, .unknown: false
        }
    }
}
