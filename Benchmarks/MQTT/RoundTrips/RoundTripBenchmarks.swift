import BenchmarkSupport
import Foundation

/// Measures round trips of command, device and report through a broker on this machine, beside a C program that uses
/// libmosquitto and nothing else. The first argument is how many rounds are measured, the second how many round trips each has.
@main
enum RoundTripBenchmarks {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        Machine().report()
        let broker = try BenchmarkBroker()
        defer { broker.end() }
        let device = try BareProgram.device(port: broker.port)
        defer { device.terminate() }
        for (lanes, share) in [(64, 1), (1, 10)] {
            try measure(
                lanes: lanes, rounds: arguments.first ?? 7, count: (arguments.dropFirst().first ?? 50_000) / share, broker)
        }
    }

    /// Bare and ours in turns, so that other load meets both alike; the ratio is the median of the rounds' own ratios.
    private static func measure(lanes: Int, rounds: Int, count: Int, _ broker: BenchmarkBroker) throws {
        let name = lanes == 1 ? "one at a time" : "\(lanes) in flight"
        var (bare, ours): ([RoundTrips], [RoundTrips]) = ([], [])
        for _ in 0..<rounds {
            bare.append(try BareProgram.gateway(port: broker.port, lanes: lanes, count: count))
            ours.append(LineUnderTest(port: broker.port, lanes: lanes, count: count).run())
        }
        for (who, trips) in [("bare libmosquitto", bare), ("MQTTConnection", ours)] {
            Figure("mqtt", "\(who), \(name)", trips.map(\.rate).median, "round trips/s").report()
            Figure("mqtt", "\(who), \(name), p50", trips.map(\.p50).median / 1000, "us").report()
            Figure("mqtt", "\(who), \(name), p99", trips.map(\.p99).median / 1000, "us").report()
        }
        Figure("mqtt", "MQTTConnection beside bare, \(name)", zip(ours, bare).map { $0.rate / $1.rate }.median, "ratio").report()
        let added = zip(ours, bare).map { $0.p50 - $1.p50 }.median / 1000
        Figure("mqtt", "MQTTConnection adds to bare, \(name), p50", added, "us").report()
    }
}

/// What a run of round trips has come to.
struct RoundTrips {
    /// Round trips in a second.
    var rate: Double
    /// Nanoseconds.
    var p50: Double
    var p99: Double
}

extension [Double] {
    fileprivate var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
