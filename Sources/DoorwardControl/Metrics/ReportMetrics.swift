internal import Metrics

/// What is counted of the reports of locks.
struct ReportMetrics: Sendable {
    private let received: Counter
    /// Of a device that this gateway does not have.
    let ofUnknownDevice: Counter
    /// Events that found the line of their device full.
    let ofFullQueue: Counter
    /// Events that were taken and could not be written.
    let notWritten: Counter

    init(_ factory: any MetricsFactory) {
        func dropped(_ cause: String) -> Counter {
            Counter(label: "doorward_reports_dropped_total", dimensions: [("cause", cause)], factory: factory)
        }
        received = Counter(label: "doorward_reports_total", factory: factory)
        ofUnknownDevice = dropped("unknown_device")
        ofFullQueue = dropped("queue_full")
        notWritten = dropped("not_written")
    }

    func countReceived() { received.increment() }
}
