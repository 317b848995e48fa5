package import Metrics
internal import Synchronization

/// Keeps the gateway's metrics in memory, for export to Prometheus.
///
/// The registry is passed to the code that measures, so that two gateways in one process are counted separately. Series are
/// created before their use, usually at the start; recording takes no lock and allocates nothing. A counter or histogram with
/// labels is exported from its first recording on.
package final class PrometheusMetrics: MetricsFactory {
    struct Label: Hashable, Sendable {
        let name: String
        let value: String
    }

    enum Series: Sendable {
        case counter(CounterSeries)
        case gauge(GaugeSeries)
        case histogram(HistogramSeries)
    }

    private let families: [String: MetricFamily]
    /// Series by the metric's name, then by the labels in the order of their names.
    private let table = Mutex<[String: [[Label]: Series]]>([:])

    /// Makes a registry that exports the metrics of `MetricFamily.all`. It drops recordings under other names.
    package convenience init() { self.init(families: MetricFamily.all) }

    init(families: [MetricFamily]) {
        self.families = Dictionary(families.map { ($0.name, $0) }) { first, _ in first }
    }

    // MARK: - MetricsFactory

    /// Returns the counter of this name and these labels. If the metric is not listed, returns a handler that does nothing. The
    /// functions for the other kinds do the same.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        guard case .counter(let series)? = series(label, dimensions) else { return NOOPMetricsHandler.instance }
        return series
    }

    /// Returns a listed gauge, which exports the last value that was set.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        guard case .gauge(let series)? = series(label, dimensions) else { return NOOPMetricsHandler.instance }
        return series
    }

    /// Returns a listed histogram. It uses the listed bounds and ignores `aggregate`.
    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard case .histogram(let series)? = series(label, dimensions) else { return NOOPMetricsHandler.instance }
        return series
    }

    /// Returns a listed histogram of durations, which takes nanoseconds and exports seconds.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        guard case .histogram(let series)? = series(label, dimensions) else { return NOOPMetricsHandler.instance }
        return series
    }

    /// Does nothing: if a series disappeared and came back, it would look as if the gateway had restarted. The functions for the
    /// other kinds do nothing either.
    package func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing: the gauge keeps its last value.
    package func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing: the histogram keeps its counts.
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing: the histogram of durations keeps its counts.
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// The series of this name and these labels, created if it does not exist; `nil` if the metric is not listed with exactly these labels.
    private func series(_ name: String, _ dimensions: [(String, String)]) -> Series? {
        guard let family = families[name], Set(dimensions.map(\.0)) == family.labels, dimensions.count == family.labels.count
        else { return nil }
        let labels = dimensions.map { Label(name: $0.0, value: $0.1) }.sorted { $0.name < $1.name }
        return table.withLock { table in
            if let series = table[name]?[labels] { return series }
            let series = Series(family.kind)
            table[name, default: [:]][labels] = series
            return series
        }
    }

    // MARK: - Reading

    /// Each metric that has series to export, with all of them. The metrics are in the order of their names.
    var content: [(family: MetricFamily, series: [(labels: [Label], series: Series)])] {
        let table = table.withLock { $0 }
        return families.values.sorted { $0.name < $1.name }.compactMap { family in
            let series = (table[family.name] ?? [:]).filter { $0.key.isEmpty || $0.value.isUsed }
            guard !series.isEmpty else { return nil }
            let sorted = series.sorted { a, b in a.key.map(\.value).lexicographicallyPrecedes(b.key.map(\.value)) }
            return (family, sorted.map { ($0.key, $0.value) })
        }
    }
}

extension PrometheusMetrics.Series {
    fileprivate init(_ kind: MetricFamily.Kind) {
        switch kind {
        case .counter: self = .counter(CounterSeries())
        case .gauge: self = .gauge(GaugeSeries())
        case .durations(let bounds), .sizes(let bounds): self = .histogram(HistogramSeries(bounds: bounds))
        }
    }

    /// Whether anything was recorded. A gauge exists only where it is set.
    fileprivate var isUsed: Bool {
        switch self {
        case .counter(let counter): counter.value > 0
        case .gauge: true
        case .histogram(let histogram): histogram.count > 0
        }
    }
}
