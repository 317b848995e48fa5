import BenchmarkFleet
import BenchmarkGateway
import BenchmarkSupport
import Foundation

/// Measures a gateway of full size: `benchmark-scale [folder] [devices] [records]`. The folder must be on the disk to be measured,
/// with room for about 1,700 bytes per record. `benchmark-scale FOLDER lists [devices]` measures lists and accounts instead.
@main
enum ScaleBenchmarks {
    private static let starts = 5
    private static let idleSeconds = 20.0
    private static let name = "a whole gateway"

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst().map { $0 }
        Machine().report()
        let parent = arguments.first.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let devices = arguments.count > 1 ? Int(arguments[1]) ?? 100_000 : 100_000
        let records = arguments.count > 2 ? Int(arguments[2]) ?? 10_000_000 : 10_000_000
        let folder = parent.appendingPathComponent("doorward-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        if arguments.count > 1, arguments[1] == "lists" {
            return try await ListBenchmark(folder: folder, devices: arguments.count > 2 ? Int(arguments[2]) ?? 100_000 : 100_000)
                .run()
        }
        let estate = Estate(path: folder.appendingPathComponent("doorward.db").path, devices: devices)
        let seconds = try await estate.write(records: records)
        let size = "\(estate.fleet.deviceCount) devices, \(records) records"
        if records > 0 { Figure("store", "records written, 500 a transaction", Double(records) / seconds, "1/s").report() }
        let bytes = try FileManager.default.attributesOfItem(atPath: estate.path)[.size] as? Int
        Figure("store", "database file", Double(bytes ?? 0) / 1_048_576, "MiB", note: size).report()
        if records > 0 { Figure("store", "bytes on disk for a record", Double(bytes ?? 0) / Double(records), "bytes").report() }

        try measureStart(estate, size)
        let gateway = try ServedGateway.start(database: estate.path)
        defer { gateway.stop() }
        Figure(name, "memory once ready", gateway.residentMemory / 1_048_576, "MiB", goal: 400, note: size).report()
        let used = gateway.processorSeconds
        try await Task.sleep(for: .seconds(idleSeconds))
        Figure(name, "processor time when idle", (gateway.processorSeconds - used) / idleSeconds * 100, "% of a core").report()
        let calls = try await OwnersCalls(to: gateway)
        if records > 0 {
            try await PageBenchmark(calls: calls, estate: estate).run()
            try await LogBenchmark(calls: calls, estate: estate, gateway: gateway, folder: folder).run()
        }
        try await AnsweredChangeBenchmark(calls: calls, estate: estate).run()
        Figure(name, "memory after all that", gateway.residentMemory / 1_048_576, "MiB", goal: 400, note: size).report()
    }

    private static func measureStart(_ estate: Estate, _ size: String) throws {
        var times: [Double] = []
        for _ in 0..<starts {
            let gateway = try ServedGateway.start(database: estate.path)
            times.append(gateway.startSeconds)
            gateway.stop()
        }
        Figure(name, "start to ready, median of \(starts)", times.sorted()[starts / 2], "s", goal: 5, note: size).report()
    }
}
