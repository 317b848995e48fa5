/// The content of `/metrics`: most values are recorded as they occur, the others are read for each page.
package struct MetricsPage: Sendable {
    /// The registry in which everything is recorded.
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
