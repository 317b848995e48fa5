internal import DoorwardDomain
internal import Metrics

/// The metrics of decisions and commands. The handles are created once: a command only looks them up.
struct CommandMetrics: Sendable {
    private let allowed: Counter
    private let denied: [DenialReason: Counter]
    private let ends: [End: Counter]
    private let confirmations: [LockOperation: Metrics.Timer]
    private let queueWait: Metrics.Timer
    private let running: Meter
    private let waiting: Meter
    private let accepting: Meter

    private struct End: Hashable {
        let operation: LockOperation
        let state: CommandState
    }

    init(_ factory: any MetricsFactory) {
        func decisions(_ decision: RecordDecision, _ reason: DenialReason?) -> Counter {
            Counter(
                label: "doorward_decisions_total",
                dimensions: [("decision", decision.rawValue), ("reason", reason?.rawValue ?? "")], factory: factory)
        }
        allowed = decisions(.allowed, nil)
        denied = Self.table(DenialReason.allCases) { decisions(.denied, $0) }
        let operations = LockOperation.allCases.filter(\.isMovement)
        let pairs = operations.flatMap { operation in
            CommandState.allCases.filter(\.isEnd).map { End(operation: operation, state: $0) }
        }
        ends = Self.table(pairs) { end in
            Counter(
                label: "doorward_commands_total",
                dimensions: [("operation", end.operation.rawValue), ("end", end.state.rawValue)], factory: factory)
        }
        confirmations = Self.table(operations) { operation in
            Metrics.Timer(
                label: "doorward_command_confirmation_seconds", dimensions: [("operation", operation.rawValue)], factory: factory)
        }
        queueWait = Metrics.Timer(label: "doorward_command_queue_wait_seconds", factory: factory)
        running = Meter(label: "doorward_commands_running", factory: factory)
        waiting = Meter(label: "doorward_commands_waiting", factory: factory)
        accepting = Meter(label: "doorward_accepting_commands", factory: factory)
    }

    private static func table<Key: Hashable, Handle>(_ keys: [Key], _ make: (Key) -> Handle) -> [Key: Handle] {
        Dictionary(keys.map { ($0, make($0)) }) { first, _ in first }
    }

    /// Counts a decision on a requested command.
    func count(_ decision: Decision) {
        if let denial = decision.denial { denied[denial.reason]?.increment() } else { allowed.increment() }
    }

    /// Counts a command that has ended.
    ///
    /// - Parameter time: the time since it was accepted.
    func count(_ command: Command, after time: Duration) {
        ends[End(operation: command.operation, state: command.state)]?.increment()
        if command.state == .confirmed { confirmations[command.operation]?.recordNanoseconds(time.nanoseconds) }
    }

    /// Records how long a command waited in the queue.
    func noteWait(_ time: Duration) { queueWait.recordNanoseconds(time.nanoseconds) }

    /// Updates the gauges.
    func sample(running: Int, waiting: Int, isAccepting: Bool) {
        self.running.set(Int64(running))
        self.waiting.set(Int64(waiting))
        accepting.set(Int64(isAccepting ? 1 : 0))
    }
}

extension Duration {
    /// The duration in whole nanoseconds, rounded towards zero.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
