import BenchmarkGateway
import BenchmarkSupport

/// What one stretch of load came to, beside what the server used for it.
struct Round {
    let result: LoadResult
    /// Processor time of the server's process for each answer, in microseconds.
    let cpu: Double
    let writer: WriterWatch.Counts

    static func run(_ plan: LoadPlan, watch: WriterWatch) async throws -> Round {
        _ = watch.take()
        let start = processorTime()
        let result = try await Load.run(plan)
        let used = processorTime() - start
        return Round(result: result, cpu: Double(used) / 1000 / Double(max(1, result.answered)), writer: watch.take())
    }
}

/// The middle one of some rounds, figure by figure.
struct Rounds {
    private(set) var all: [Round] = []

    mutating func append(_ round: Round) { all.append(round) }

    func median(_ value: (Round) -> Double) -> Double {
        let values = all.map(value).sorted()
        return values.isEmpty ? 0 : values[values.count / 2]
    }

    var rate: Double { median(\.result.rate) }
    var p50: Double { median(\.result.p50) }
    var p99: Double { median(\.result.p99) }
    var cpu: Double { median(\.cpu) }
    var failed: Int { all.reduce(0) { $0 + $1.result.failed } }

    /// The median over the rounds of something that the writer did, for each of its transactions.
    func perTransaction(_ value: (WriterWatch.Counts) -> UInt64) -> Double {
        median { Double(value($0.writer)) / 1000 / Double(max(1, $0.writer.transactions)) }
    }
}
