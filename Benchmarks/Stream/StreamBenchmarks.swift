import BenchmarkGateway
import BenchmarkSupport
import Foundation

/// Measures the live stream: `benchmark-stream [folder] [part…]`, by default all parts.
@main
enum StreamBenchmarks {
    private static let parts = ["changes", "unlocks", "memory", "snapshot"]

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst().map { $0 }
        if arguments.first == Load.word { return try await Load.serve() }
        Machine().report()
        raiseOpenFiles()
        let parent = arguments.first.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let chosen = arguments.count > 1 ? Array(arguments.dropFirst()) : parts
        let folder = parent.appendingPathComponent("doorward-benchmark-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        if chosen != ["snapshot"] { try await measureHouse(folder.appendingPathComponent("house"), chosen) }
        if chosen.contains("snapshot") {
            try await SnapshotBenchmark(
                house: House.created(in: folder.appendingPathComponent("estate"), residents: 1_667, 10, 6)
            )
            .run()
        }
    }

    private static func measureHouse(_ folder: URL, _ parts: [String]) async throws {
        let house = try await House.created(in: folder, residents: 300, 2, 2)
        let gateway = try house.start()
        let tokens = try await house.signIn(residents: 280, others: 64, to: gateway)
        gateway.stop()
        if parts.contains("memory") { try await IdleBenchmark(house: house, tokens: tokens).run() }
        if parts.contains("changes") { try await ChangeBenchmark(house: house, tokens: tokens).run() }
        if parts.contains("unlocks") { try await UnlockBenchmark(house: house, tokens: tokens).run() }
    }

    /// Raises the limit on open files, which the gateway inherits.
    private static func raiseOpenFiles() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

extension House {
    fileprivate static func created(
        in folder: URL, residents: Int, _ portfolios: Int, _ devicesPerUnit: Int
    ) async throws -> House {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let house = try House(folder: folder, residents: residents, portfolios: portfolios, devicesPerUnit: devicesPerUnit)
        try await house.write()
        return house
    }
}

func milliseconds(_ share: Double, of times: [UInt64]) -> Double {
    var times = times
    return Double(percentile(share, of: &times)) / 1e6
}

func median(_ values: [Double]) -> Double { values.isEmpty ? 0 : values.sorted()[values.count / 2] }
