internal import HTTPTypes
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

    private let families: [String: MetricFamily]
    /// Series by the metric's name, then by the labels in the order of their names.
    private let table = Mutex<[String: [[Label]: any MetricSeries]]>([:])

    /// Makes a registry that exports the metrics of `MetricFamily.all`. It drops recordings under other names.
    package convenience init() { self.init(families: MetricFamily.all) }

    init(families: [MetricFamily]) {
        self.families = Dictionary(families.map { ($0.name, $0) }) { first, _ in first }
    }

    // MARK: - MetricsFactory

    /// Returns the counter of this name and these labels. If the metric is not listed, returns a handler that does nothing. The
    /// functions for the other kinds do the same.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions) as? any CounterHandler ?? NOOPMetricsHandler.instance
    }

    /// Returns a listed gauge, which exports the last value that was set.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions) as? any MeterHandler ?? NOOPMetricsHandler.instance
    }

    /// Returns a listed histogram. It uses the listed bounds and ignores `aggregate`.
    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        series(label, dimensions) as? any RecorderHandler ?? NOOPMetricsHandler.instance
    }

    /// Returns a listed histogram of durations, which takes nanoseconds and exports seconds.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions) as? any TimerHandler ?? NOOPMetricsHandler.instance
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
    private func series(_ name: String, _ dimensions: [(String, String)]) -> (any MetricSeries)? {
        guard let family = families[name], Set(dimensions.map(\.0)) == family.labels, dimensions.count == family.labels.count
        else { return nil }
        let labels = dimensions.map { Label(name: $0.0, value: $0.1) }.sorted { $0.name < $1.name }
        return table.withLock { table in
            if let series = table[name]?[labels] { return series }
            let series = family.kind.newSeries
            table[name, default: [:]][labels] = series
            return series
        }
    }

    // MARK: - Reading

    /// Each metric that has series to export, with all of them. The metrics are in the order of their names.
    var content: [(family: MetricFamily, series: [(labels: [Label], series: any MetricSeries)])] {
        let table = table.withLock { $0 }
        return families.values.sorted { $0.name < $1.name }.compactMap { family in
            let series = (table[family.name] ?? [:]).filter { $0.key.isEmpty || $0.value.isUsed }
            guard !series.isEmpty else { return nil }
            let sorted = series.sorted { a, b in a.key.map(\.value).lexicographicallyPrecedes(b.key.map(\.value)) }
            return (family, sorted.map { ($0.key, $0.value) })
        }
    }
}

/// The values of one metric with the same labels.
protocol MetricSeries: Sendable {
    /// Whether anything was recorded. A gauge exists only where it is set.
    var isUsed: Bool { get }
    /// Writes the samples of the series of a metric with these labels.
    func write(into text: inout PrometheusText, of family: MetricFamily, _ labels: [PrometheusMetrics.Label])
}

extension MetricFamily.Kind {
    /// A series without values.
    fileprivate var newSeries: any MetricSeries {
        switch self {
        case .counter: CounterSeries()
        case .gauge: GaugeSeries()
        case .durations(let bounds), .sizes(let bounds): HistogramSeries(bounds: bounds)
        }
    }
}

/// An atomic sum. Each sum is a separate object, so that threads that add to different sums do not wait for each other.
final class MetricCell: Sendable {
    private let value = Atomic<Int64>(0)

    func add(_ amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }

    var current: Int64 { value.load(ordering: .relaxed) }
}

/// A series of a counter.
final class CounterSeries: CounterHandler, MetricSeries {
    private let cell = MetricCell()

    var isUsed: Bool { cell.current > 0 }

    /// Ignores amounts that are not positive: a counter never decreases.
    func increment(by amount: Int64) { if amount > 0 { cell.add(amount) } }

    /// Does nothing: a counter is reset to 0 only when its process starts.
    func reset() {}

    func write(into text: inout PrometheusText, of family: MetricFamily, _ labels: [PrometheusMetrics.Label]) {
        text.sample(family.name, labels, "\(cell.current)")
    }
}

/// A series of a gauge: the last value that was set.
final class GaugeSeries: MeterHandler, MetricSeries {
    private let bits = Atomic<UInt64>(0)

    let isUsed = true

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
    func decrement(by amount: Double) { increment(by: -amount) }

    func increment(by amount: Double) {
        var before = bits.load(ordering: .relaxed)
        while true {
            let after = (Double(bitPattern: before) + amount).bitPattern
            let (exchanged, found) = bits.weakCompareExchange(expected: before, desired: after, ordering: .relaxed)
            if exchanged { return }
            before = found
        }
    }

    func write(into text: inout PrometheusText, of family: MetricFamily, _ labels: [PrometheusMetrics.Label]) {
        text.sample(family.name, labels, PrometheusText.number(Double(bitPattern: bits.load(ordering: .relaxed))))
    }
}

/// A series of a histogram: the number of values up to each bound, and their sum.
final class HistogramSeries: TimerHandler, RecorderHandler, MetricSeries {
    /// Upper bounds, inclusive, ascending.
    let bounds: [Int64]
    /// One counter for each bound, and one for values above the last bound.
    private let cells: [MetricCell]
    private let sumCell = MetricCell()

    init(bounds: [Int64]) {
        self.bounds = bounds
        cells = (0...bounds.count).map { _ in MetricCell() }
    }

    func recordNanoseconds(_ duration: Int64) { record(duration) }
    /// Rounds the value to a whole number and records it. NaN, infinity and values outside `Int64` are not recorded.
    func record(_ value: Double) {
        if let whole = Int64(exactly: value.rounded()) { record(whole) }
    }

    func record(_ value: Int64) {
        var index = 0
        while index < bounds.count, bounds[index] < value { index += 1 }
        cells[index].add(1)
        sumCell.add(value)
    }

    /// The number of values up to each bound; the last element counts all values. They are computed in one pass, so that no
    /// element is smaller than the one before it.
    var cumulativeCounts: [Int64] {
        var total: Int64 = 0
        return cells.map { cell in
            total += cell.current
            return total
        }
    }

    var sum: Int64 { sumCell.current }
    var isUsed: Bool { cells.contains { $0.current > 0 } }

    func write(into text: inout PrometheusText, of family: MetricFamily, _ labels: [PrometheusMetrics.Label]) {
        let unit: Double = if case .durations = family.kind { 1e9 } else { 1 }
        let counts = cumulativeCounts
        for (bound, count) in zip(bounds.map { PrometheusText.number(Double($0) / unit) } + ["+Inf"], counts) {
            text.sample("\(family.name)_bucket", labels + [.init(name: "le", value: bound)], "\(count)")
        }
        text.sample("\(family.name)_sum", labels, PrometheusText.number(Double(sum) / unit))
        text.sample("\(family.name)_count", labels, "\(counts.last ?? 0)")
    }
}

/// The metric handles of one method of one route, created with the route so that a request only updates them. All routes of a method share
/// one histogram of times, because a histogram for each route would make the page too large.
struct EndpointMetrics: Sendable {
    /// Counters by the first digit of the status.
    private let answers: [Counter]
    private let duration: Metrics.Timer

    /// - Parameter route: the pattern of the route, with `:id` in place of ids; `unknown` for paths without a route.
    init(_ method: String, _ route: String, _ factory: any MetricsFactory) {
        answers = (1...5).map { digit in
            // The gateway sends no 1xx and 3xx responses. An empty label creates no series for them.
            Counter(
                label: [2, 4, 5].contains(digit) ? "doorward_http_requests_total" : "",
                dimensions: [("method", method), ("route", route), ("status", "\(digit)xx")], factory: factory)
        }
        duration = Metrics.Timer(
            label: "doorward_http_request_duration_seconds", dimensions: [("method", method)], factory: factory)
    }

    func count(_ status: Int, _ time: Duration) {
        let index = status / 100 - 1
        if answers.indices.contains(index) { answers[index].increment() }
        duration.recordNanoseconds(time.nanoseconds)
    }
}

extension Duration {
    /// The duration in whole nanoseconds, truncated.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
