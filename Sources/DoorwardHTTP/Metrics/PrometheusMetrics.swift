package import Metrics
internal import Synchronization

/// Keeps what the gateway measures in memory, and writes it down as a Prometheus server reads it.
///
/// It is handed to whoever measures: two gateways in one process count by themselves. Series are made before they are used,
/// at the start as a rule; recording takes no lock and allocates nothing.
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
    /// By the metric's name, then by the labels in the order of their names.
    private let table = Mutex<[String: [[Label]: Series]]>([:])

    package convenience init() { self.init(families: MetricFamily.all) }

    init(families: [MetricFamily]) {
        self.families = Dictionary(families.map { ($0.name, $0) }) { first, _ in first }
    }

    // MARK: - MetricsFactory

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        guard case .counter(let series)? = series(label, dimensions) else { return NOOPMetricsHandler.instance }
        return series
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        guard case .gauge(let series)? = series(label, dimensions) else { return NOOPMetricsHandler.instance }
        return series
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard case .histogram(let series)? = series(label, dimensions) else { return NOOPMetricsHandler.instance }
        return series
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        guard case .histogram(let series)? = series(label, dimensions) else { return NOOPMetricsHandler.instance }
        return series
    }

    // A series stays for as long as its process: one that vanished would look like a gateway that started anew.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// The series of this name and these labels, made if it is not there; `nil` for a metric that is not listed, or whose
    /// labels are others than those listed.
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

    /// What is recorded of each metric that has a series, in the order of the names.
    var content: [(family: MetricFamily, series: [(labels: [Label], series: Series)])] {
        let table = table.withLock { $0 }
        return families.values.sorted { $0.name < $1.name }.compactMap { family in
            guard let series = table[family.name] else { return nil }
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
}
