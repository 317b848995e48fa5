internal import Metrics

/// The metrics of the live streams.
struct StreamMetrics: Sendable {
    /// The number of open streams.
    let open: Meter
    let opened: Counter
    let resumed: Counter
    /// Streams that began with a position that could not be resumed completely.
    let reset: Counter
    /// Streams whose client was disconnected because it did not read.
    let disconnected: Counter

    init(_ factory: any MetricsFactory) {
        func begun(_ word: String) -> Counter {
            Counter(label: "doorward_streams_total", dimensions: [("begin", word)], factory: factory)
        }
        (opened, resumed, reset) = (begun("new"), begun("resumed"), begun("reset"))
        open = Meter(label: "doorward_streams", factory: factory)
        disconnected = Counter(label: "doorward_streams_cut_total", factory: factory)
    }
}
