internal import DoorwardAdapterKit
internal import Metrics
import Synchronization

/// The health of each adapter, as one series for each possible value, and the adapters' event counters.
final class AdapterMetrics: Sendable {
    private let adapters: AdapterRegistry
    private let series: [(adapter: any LockAdapter, health: AdapterHealth, meter: Meter)]

    private let counters: [(adapter: any LockAdapter, counters: [String: Counter])]
    /// The last value of each counter, in the order of `counters`.
    private let counted: Mutex<[[String: Int]]>

    init(_ adapters: AdapterRegistry, _ factory: any MetricsFactory) {
        self.adapters = adapters
        series = adapters.all.flatMap { adapter in
            AdapterHealth.allCases.map { health in
                let dimensions = [("adapter", adapter.kind), ("health", health.rawValue)]
                return (adapter, health, Meter(label: "doorward_adapter_health", dimensions: dimensions, factory: factory))
            }
        }
        counters = adapters.all.map { adapter in
            let counters = adapter.counts.keys.map { word in
                let dimensions = [("adapter", adapter.kind), ("event", word)]
                return (word, Counter(label: "doorward_adapter_events_total", dimensions: dimensions, factory: factory))
            }
            return (adapter, Dictionary(uniqueKeysWithValues: counters))
        }
        counted = Mutex(counters.map { _ in [:] })
    }

    /// Updates the gauges and counters from the adapters.
    func sample() {
        for (adapter, health, meter) in series { meter.set(Int64(adapters.health(of: adapter) == health ? 1 : 0)) }
        counted.withLock { counted in
            for (index, (adapter, counters)) in counters.enumerated() {
                let counts = adapter.counts
                for (word, counter) in counters {
                    counter.increment(by: max(0, counts[word, default: 0] - counted[index][word, default: 0]))
                }
                counted[index] = counts
            }
        }
    }
}
