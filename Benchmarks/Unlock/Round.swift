import BenchmarkGateway
import BenchmarkSupport

/// The result of one round of load, with the processor time of the server.
struct Round {
    let result: LoadResult
    /// The processor time of the server's process for each response, in microseconds.
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

/// The medians of several rounds, for each value separately.
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

    /// Returns one of the writer's times per transaction, in microseconds: the median of all rounds.
    func perTransaction(_ value: (WriterWatch.Counts) -> UInt64) -> Double {
        median { Double(value($0.writer)) / 1000 / Double(max(1, $0.writer.transactions)) }
    }
}
