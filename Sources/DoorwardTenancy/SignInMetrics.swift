internal import Metrics

/// The metrics of sign-ins.
struct SignInMetrics: Sendable {
    let succeeded: Counter
    let failed: Counter
    /// Sign-ins rejected by the rate limit.
    let limited: Counter
    /// The number of valid sessions.
    let sessions: Meter

    init(_ factory: any MetricsFactory) {
        func outcome(_ word: String) -> Counter {
            Counter(label: "doorward_sign_ins_total", dimensions: [("outcome", word)], factory: factory)
        }
        (succeeded, failed, limited) = (outcome("succeeded"), outcome("failed"), outcome("limited"))
        sessions = Meter(label: "doorward_sessions", factory: factory)
    }
}
