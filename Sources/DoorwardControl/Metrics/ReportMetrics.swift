internal import Metrics

/// The metrics of the locks' reports.
struct ReportMetrics: Sendable {
    private let received: Counter
    /// Reports of a device that this gateway does not have.
    let ofUnknownDevice: Counter
    /// Events dropped because the queue, or the device's share of it, was full.
    let ofFullQueue: Counter
    /// Events that were queued but could not be written.
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
