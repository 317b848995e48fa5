internal import DoorwardAdapterKit
internal import Metrics

/// The health of each adapter, one series for each health that it can have.
struct AdapterMetrics: Sendable {
    private let series: [(adapter: any LockAdapter, health: AdapterHealth, meter: Meter)]

    init(_ adapters: AdapterRegistry, _ factory: any MetricsFactory) {
        series = adapters.all.flatMap { adapter in
            AdapterHealth.allCases.map { health in
                let dimensions = [("adapter", adapter.kind), ("health", health.rawValue)]
                return (adapter, health, Meter(label: "doorward_adapter_health", dimensions: dimensions, factory: factory))
            }
        }
    }

    /// Sets what is true at this moment.
    func sample() {
        for (adapter, health, meter) in series { meter.set(Int64(adapter.health == health ? 1 : 0)) }
    }
}
