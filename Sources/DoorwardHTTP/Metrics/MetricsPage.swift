/// What `/metrics` shows, and how it is brought up to date: most is counted as it happens, some is looked up when asked.
package struct MetricsPage: Sendable {
    /// Where everybody records.
    let metrics: PrometheusMetrics
    private let process: ProcessMetrics
    private let samplers: [@Sendable () async -> Void]

    /// - Parameters:
    ///   - version: of the program.
    ///   - samplers: each sets gauges to what is true at this moment, and is called before every page.
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
