internal import Metrics

/// What is counted of signing in.
struct SignInMetrics: Sendable {
    let succeeded: Counter
    let failed: Counter
    /// Turned away before the password was looked at.
    let limited: Counter
    /// Sessions that count at this moment.
    let sessions: Meter

    init(_ factory: any MetricsFactory) {
        func outcome(_ word: String) -> Counter {
            Counter(label: "doorward_sign_ins_total", dimensions: [("outcome", word)], factory: factory)
        }
        (succeeded, failed, limited) = (outcome("succeeded"), outcome("failed"), outcome("limited"))
        sessions = Meter(label: "doorward_sessions", factory: factory)
    }
}
