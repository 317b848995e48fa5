/// A metric of `/metrics`: all its series have this name, kind and help, and exactly these labels.
struct MetricFamily: Sendable {
    /// The kind of the values. The bounds of histograms are fixed, so that a recording costs no more than a few comparisons and two
    /// additions.
    enum Kind: Sendable {
        /// Only grows, from 0 at the start of the process. Its name ends in `_total`.
        case counter
        case gauge
        /// Durations; its name ends in `_seconds`. The bounds are nanoseconds, ascending.
        case durations([Int64])
        /// Whole numbers, by ascending bounds.
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
