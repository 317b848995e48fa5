import BenchmarkGateway
import BenchmarkSupport
import Foundation

/// Benchmarks that start their own mosquitto and compare the gateway with a C program that uses only libmosquitto:
///
///     benchmark-mqtt [rounds] [count]                  round trips of command, device and report of `MQTTConnection`
///     benchmark-mqtt gateway [folder] [rounds]         unlocks through a whole gateway
///     benchmark-mqtt fleet [folder] [locks] [seconds]  a gateway with that many attached locks, measured for that time
@main
enum RoundTripBenchmarks {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let numbers = arguments.compactMap { Int($0) }
        switch arguments.first {
        case Load.word: try await Load.serve()
        case "gateway":
            Machine().report()
            try await inFolder(arguments) { folder in
                try await GatewayRoundTrips(folder: folder, rounds: numbers.first ?? 7).run()
            }
        case "fleet":
            Machine().report()
            try await inFolder(arguments) { folder in
                let (locks, seconds) = (numbers.first ?? 10_000, numbers.dropFirst().first ?? 180)
                try await FleetBenchmark(folder: folder, locks: locks, seconds: seconds).run()
            }
        default:
            Machine().report()
            try measureConnection(rounds: numbers.first ?? 7, count: numbers.dropFirst().first ?? 50_000)
        }
    }

    /// Runs the body in a new folder inside the given one, which must be on the disk to be measured; by default inside a
    /// temporary folder.
    private static func inFolder(_ arguments: [String], _ body: @Sendable (URL) async throws -> Void) async throws {
        let parent = arguments.dropFirst().first { Int($0) == nil }.map { URL(fileURLWithPath: $0) }
        let folder = (parent ?? FileManager.default.temporaryDirectory).appendingPathComponent(
            "doorward-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    private static func measureConnection(rounds: Int, count: Int) throws {
        let broker = try BenchmarkBroker()
        defer { broker.end() }
        let device = try BareProgram.device(port: broker.port)
        defer { device.killNow() }
        for (inFlight, share) in [(64, 1), (1, 10)] {
            try measure(inFlight: inFlight, rounds: rounds, count: count / share, broker)
        }
    }

    /// Runs the bare program and the gateway's connection alternately, so that other load affects
    /// both equally. The reported ratio is the median of the ratios of the rounds.
    private static func measure(inFlight: Int, rounds: Int, count: Int, _ broker: BenchmarkBroker) throws {
        let name = inFlight == 1 ? "one at a time" : "\(inFlight) in flight"
        var (bare, ours): ([RoundTrips], [RoundTrips]) = ([], [])
        for _ in 0..<rounds {
            bare.append(try BareProgram.gateway(port: broker.port, inFlight: inFlight, count: count))
            ours.append(ConnectionUnderTest(port: broker.port, inFlight: inFlight, count: count).run())
        }
        for (who, trips) in [("bare libmosquitto", bare), ("MQTTConnection", ours)] {
            Figure("mqtt", "\(who), \(name)", trips.map(\.rate).median, "round trips/s").report()
            Figure("mqtt", "\(who), \(name), p50", trips.map(\.p50).median / 1000, "us").report()
            Figure("mqtt", "\(who), \(name), p99", trips.map(\.p99).median / 1000, "us").report()
        }
        Figure(
            "mqtt", "MQTTConnection relative to bare libmosquitto, \(name)", zip(ours, bare).map { $0.rate / $1.rate }.median,
            "ratio"
        ).report()
        let added = zip(ours, bare).map { $0.p50 - $1.p50 }.median / 1000
        Figure("mqtt", "MQTTConnection in addition to bare libmosquitto, \(name), p50", added, "us").report()
    }
}

/// The result of a run of round trips.
struct RoundTrips {
    /// Round trips per second.
    var rate: Double
    /// The median time in nanoseconds.
    var p50: Double
    var p99: Double
}

extension [Double] {
    var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
