import BenchmarkGateway
import BenchmarkSupport
import Foundation

/// Runs the benchmarks of the whole gateway. The first argument is the folder for the databases, on the disk to be measured; by
/// default a temporary folder. The second is the number of rounds.
@main
enum UnlockBenchmarks {
    static func main() async throws {
        let argument = CommandLine.arguments.dropFirst().first
        if argument == Load.word { return try await Load.serve() }
        Machine().report()
        let parent = argument.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let rounds = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 7
        let folder = parent.appendingPathComponent("doorward-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FlushBenchmark(folder: folder).run()
        try await StoreBenchmark(folder: folder, rounds: rounds).run()
        try await UnlockBenchmark(folder: folder, rounds: rounds).run()
    }
}
