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

    /// A whole number without a fraction; any other in the shortest form that is read back as the same value.
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
