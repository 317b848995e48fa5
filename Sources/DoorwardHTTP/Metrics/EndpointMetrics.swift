internal import HTTPTypes
internal import Metrics

/// The metric handles of one method of one route, created with the route so that a request only updates them. The times of all
/// routes of a method are one histogram, because one for each route would be most of the page.
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
