/// Renders metrics in the text format of Prometheus, version 0.0.4.
struct PrometheusText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    init(_ metrics: PrometheusMetrics) {
        for (family, series) in metrics.content {
            text += "# HELP \(family.name) \(Self.escaped(family.help, quotes: false))\n"
            text += "# TYPE \(family.name) \(family.kind.word)\n"
            for (labels, series) in series { write(series, of: family, labels) }
        }
    }

    private mutating func write(
        _ series: PrometheusMetrics.Series, of family: MetricFamily, _ labels: [PrometheusMetrics.Label]
    ) {
        switch series {
        case .counter(let counter): sample(family.name, labels, "\(counter.value)")
        case .gauge(let gauge): sample(family.name, labels, Self.number(gauge.value))
        case .histogram(let histogram): write(histogram, of: family, labels)
        }
    }

    private mutating func write(
        _ histogram: HistogramSeries, of family: MetricFamily, _ labels: [PrometheusMetrics.Label]
    ) {
        let unit: Double = if case .durations = family.kind { 1e9 } else { 1 }
        let counts = histogram.cumulativeCounts
        let bounds = histogram.bounds.map { Self.number(Double($0) / unit) } + ["+Inf"]
        for (bound, count) in zip(bounds, counts) {
            sample("\(family.name)_bucket", labels + [.init(name: "le", value: bound)], "\(count)")
        }
        sample("\(family.name)_sum", labels, Self.number(Double(histogram.sum) / unit))
        sample("\(family.name)_count", labels, "\(counts.last ?? 0)")
    }

    private mutating func sample(_ name: String, _ labels: [PrometheusMetrics.Label], _ value: String) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }.joined(separator: ",") + "}"
        }
        text += " \(value)\n"
    }

    /// Renders a whole number without a fraction, and any other number in the shortest form that is parsed as the same value.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}

/// A metric of `/metrics`: all its series have this name, kind and help, and exactly these labels.
struct MetricFamily: Sendable {
    /// The kind of the values. The bounds of histograms are fixed, so that a recording costs no more than a few comparisons and two
    /// additions.
    enum Kind: Sendable {
        /// A value that starts at 0 with the process and only grows. Its name ends in `_total`.
        case counter
        case gauge
        /// Durations; its name ends in `_seconds`. The bounds are nanoseconds, ascending.
        case durations([Int64])
        /// Whole numbers. The bounds are ascending.
        case sizes([Int64])

        /// The type in the line `# TYPE`.
        var word: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .durations, .sizes: "histogram"
            }
        }
    }

    let name: String
    let kind: Kind
    /// The names of its labels. No label ever contains an id, or the name of a tenant, a person, a device or a topic.
    let labels: Set<String>
    /// One sentence for the readers of a dashboard.
    let help: String

    init(_ name: String, _ kind: Kind, _ labels: Set<String> = [], help: String) {
        (self.name, self.kind, self.labels, self.help) = (name, kind, labels, help)
    }
}

/// The content of `/metrics`: most values are recorded as they occur, the others are read for each page.
package struct MetricsPage: Sendable {
    /// The registry of all metrics.
    let metrics: PrometheusMetrics
    private let process: ProcessMetrics
    private let samplers: [@Sendable () async -> Void]

    /// - Parameters:
    ///   - version: the version of the program.
    ///   - samplers: each sets gauges to their current values, and is called before every page.
    package init(_ metrics: PrometheusMetrics, version: String, samplers: [@Sendable () async -> Void]) {
        (self.metrics, self.samplers) = (metrics, samplers)
        process = ProcessMetrics(metrics, version: version)
    }

    func text() async -> String {
        for sample in samplers { await sample() }
        process.sample()
        return PrometheusText(metrics).text
    }
}
