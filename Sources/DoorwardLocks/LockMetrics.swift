internal import DoorwardAdapterKit
internal import DoorwardDomain
internal import DoorwardKernel
package import Metrics
import Synchronization

/// The metrics of decisions and commands. The metric handles are created once; a command only looks them up.
struct CommandMetrics: Sendable {
    private let allowed: Counter
    private let denied: [DenialReason: Counter]
    private let ends: [LockOperation: [CommandState: Counter]]
    private let confirmations: [LockOperation: Metrics.Timer]
    /// How long commands waited in the queue.
    let queueWait: Metrics.Timer
    let running: Meter
    let waiting: Meter
    let accepting: Meter

    init(_ factory: any MetricsFactory) {
        func decisions(_ decision: RecordDecision, _ reason: DenialReason?) -> Counter {
            Counter(
                label: "doorward_decisions_total",
                dimensions: [("decision", decision.rawValue), ("reason", reason?.rawValue ?? "")], factory: factory)
        }
        allowed = decisions(.allowed, nil)
        denied = Self.table(DenialReason.allCases) { decisions(.denied, $0) }
        let operations = LockOperation.ofCommands
        ends = Self.table(operations) { operation in
            Self.table(CommandState.allCases.filter(\.isEnd)) { end in
                Counter(
                    label: "doorward_commands_total", dimensions: [("operation", operation.rawValue), ("end", end.rawValue)],
                    factory: factory)
            }
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
    /// - Parameter time: the time since the command was accepted.
    func count(_ command: Command, after time: Duration) {
        ends[command.operation]?[command.state]?.increment()
        if command.state == .confirmed { confirmations[command.operation]?.record(duration: time) }
    }
}

/// The metrics of the locks' reports.
struct ReportMetrics: Sendable {
    let received: Counter
    /// Reports of a device that this gateway does not have.
    let ofUnknownDevice: Counter
    /// Events dropped because the queue, or the device's share of it, was full.
    let ofFullQueue: Counter
    /// Events that were queued but could not be written.
    let notWritten: Counter

    init(_ factory: any MetricsFactory) {
        func dropped(_ cause: String) -> Counter {
            Counter(label: "doorward_reports_dropped_total", dimensions: [("cause", cause)], factory: factory)
        }
        received = Counter(label: "doorward_reports_total", factory: factory)
        ofUnknownDevice = dropped("unknown_device")
        ofFullQueue = dropped("queue_full")
        notWritten = dropped("not_written")
    }
}

/// The health of each adapter, as one series for each possible value, and the adapters' event counters.
package final class AdapterMetrics: Sendable {
    private let adapters: AdapterRegistry
    private let series: [(adapter: any LockAdapter, health: AdapterHealth, meter: Meter)]

    private let counters: [(kind: String, word: String, counter: Counter)]
    /// The last values of the counters of each adapter, by its kind.
    private let counted = Mutex<[String: [String: Int]]>([:])

    /// Makes the series of all adapters, with their first values.
    package init(_ adapters: AdapterRegistry, _ factory: any MetricsFactory) {
        self.adapters = adapters
        series = adapters.all.flatMap { adapter in
            AdapterHealth.allCases.map { health in
                let dimensions = [("adapter", adapter.kind), ("health", health.rawValue)]
                return (adapter, health, Meter(label: "doorward_adapter_health", dimensions: dimensions, factory: factory))
            }
        }
        counters = adapters.all.flatMap { adapter in
            adapter.counts.keys.map { word in
                let dimensions = [("adapter", adapter.kind), ("event", word)]
                let counter = Counter(label: "doorward_adapter_events_total", dimensions: dimensions, factory: factory)
                return (adapter.kind, word, counter)
            }
        }
    }

    /// Updates the gauges and counters from the adapters.
    package func sample() {
        for (adapter, health, meter) in series { meter.set(Int64(adapters.health(of: adapter) == health ? 1 : 0)) }
        counted.withLock { counted in
            let counts = Dictionary(uniqueKeysWithValues: adapters.all.map { ($0.kind, $0.counts) })
            for (kind, word, counter) in counters {
                counter.increment(by: max(0, (counts[kind]?[word] ?? 0) - (counted[kind]?[word] ?? 0)))
            }
            counted = counts
        }
    }
}
