import Metrics
import Testing

@testable import DoorwardHTTP

/// The metrics backend on its own: storage and text format.
@Suite struct PrometheusTests {
    private static let families = [
        MetricFamily("a_total", .counter, ["kind"], help: #"Counts \ and "things"."#),
        MetricFamily("b", .gauge, help: "Two\nlines."),
        MetricFamily("c_seconds", .durations([1_000_000, 1_000_000_000]), help: "Time."),
        MetricFamily("d", .sizes([1, 10]), help: "Sizes."),
    ]

    @Test("Recorded values are written in the text format, byte for byte")
    func page() {
        let metrics = PrometheusMetrics(families: Self.families)
        Counter(label: "a_total", dimensions: [("kind", "x\"y\\z\n")], factory: metrics).increment(by: 3)
        Meter(label: "b", factory: metrics).set(1.5)
        let timer = Metrics.Timer(label: "c_seconds", factory: metrics)
        for nanoseconds in [1_000_000, 1_000_001, 2_000_000_000] as [Int64] { timer.recordNanoseconds(nanoseconds) }
        let recorder = Recorder(label: "d", factory: metrics)
        for size in [0, 1, 2, 11] { recorder.record(size) }
        #expect(
            PrometheusText(metrics).text == #"""
                # HELP a_total Counts \\ and "things".
                # TYPE a_total counter
                a_total{kind="x\"y\\z\n"} 3
                # HELP b Two\nlines.
                # TYPE b gauge
                b 1.5
                # HELP c_seconds Time.
                # TYPE c_seconds histogram
                c_seconds_bucket{le="0.001"} 1
                c_seconds_bucket{le="1"} 2
                c_seconds_bucket{le="+Inf"} 3
                c_seconds_sum 2.002000001
                c_seconds_count 3
                # HELP d Sizes.
                # TYPE d histogram
                d_bucket{le="1"} 2
                d_bucket{le="10"} 3
                d_bucket{le="+Inf"} 4
                d_sum 14
                d_count 4

                """#)
    }

    @Test("A metric that is not listed, has other labels or is of another type is not shown")
    func unlisted() {
        let metrics = PrometheusMetrics(families: Self.families)
        Counter(label: "unlisted_total", factory: metrics).increment()
        Counter(label: "a_total", factory: metrics).increment()
        Counter(label: "a_total", dimensions: [("device", "d")], factory: metrics).increment()
        Counter(label: "a_total", dimensions: [("kind", "k"), ("kind", "l")], factory: metrics).increment()
        Counter(label: "b", factory: metrics).increment()
        Meter(label: "a_total", dimensions: [("kind", "k")], factory: metrics).set(Int64(1))
        #expect(!PrometheusText(metrics).text.contains("unlisted"))
        #expect(!PrometheusText(metrics).text.contains(" 1\n"))
    }

    @Test("A counter never decreases, and counters of one series are added up across tasks")
    func counting() async throws {
        let metrics = PrometheusMetrics(families: Self.families)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let counter = Counter(label: "a_total", dimensions: [("kind", "k")], factory: metrics)
                    for _ in 0..<1000 { counter.increment() }
                    counter.increment(by: -5)
                    counter.reset()
                    counter.destroy()
                    let gauge = Meter(label: "b", factory: metrics)
                    for _ in 0..<100 { gauge.increment(by: 2) }
                    for _ in 0..<50 { gauge.decrement(by: 1) }
                }
            }
        }
        let scrape = try MetricsScrape(PrometheusText(metrics).text)
        #expect(scrape["a_total", ["kind": "k"]] == 8000)
        let sum: Double = 1_200
        #expect(scrape["b"] == sum)
    }

    @Test("Every metric has a help sentence and a name that follows the rules: base units, `_total` only for counters")
    func names() {
        #expect(Set(MetricFamily.all.map(\.name)).count == MetricFamily.all.count)
        for family in MetricFamily.all {
            #expect(family.help.hasSuffix("."), "\(family.name)")
            let isCounter = if case .counter = family.kind { true } else { false }
            #expect(family.name.hasSuffix("_total") == isCounter, "\(family.name)")
            if case .durations(let bounds) = family.kind {
                #expect(family.name.hasSuffix("_seconds"), "\(family.name)")
                #expect(bounds == bounds.sorted() && Set(bounds).count == bounds.count)
            }
            for wrong in ["milliseconds", "_ms", "minutes", "kilobytes", "percent"] { #expect(!family.name.contains(wrong)) }
        }
    }
}
