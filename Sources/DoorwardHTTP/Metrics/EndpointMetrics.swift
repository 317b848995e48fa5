internal import HTTPTypes
internal import Metrics

/// The handles of one method of one route, made with the route so that a request only counts.
struct EndpointMetrics: Sendable {
    /// By the first digit of the status.
    private let answers: [Counter]
    private let duration: Metrics.Timer

    /// - Parameter route: its pattern, with `:id` in place of ids; `unknown` for addresses that have none.
    init(_ method: String, _ route: String, _ factory: any MetricsFactory) {
        answers = (1...5).map { digit in
            // 1xx and 3xx are no answers of this gateway: a series that never moves helps nobody.
            Counter(
                label: [2, 4, 5].contains(digit) ? "doorward_http_requests_total" : "",
                dimensions: [("method", method), ("route", route), ("status", "\(digit)xx")], factory: factory)
        }
        duration = Metrics.Timer(
            label: "doorward_http_request_duration_seconds", dimensions: [("method", method), ("route", route)],
            factory: factory)
    }

    func count(_ status: Int, _ time: Duration) {
        let index = status / 100 - 1
        if answers.indices.contains(index) { answers[index].increment() }
        duration.recordNanoseconds(time.nanoseconds)
    }
}

extension Duration {
    /// In whole nanoseconds, the rest cut off.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
