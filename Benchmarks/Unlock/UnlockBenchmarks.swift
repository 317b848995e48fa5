import BenchmarkGateway
import BenchmarkSupport
import Foundation

/// Runs the rows of the speed table that go through the whole gateway. The first argument is the folder for the databases,
/// on the disk that is meant; without one, a temporary folder. The second is how many rounds are measured.
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
