import BenchmarkFleet
import BenchmarkGateway
import BenchmarkSupport
import DoorwardDomain
import Foundation

/// Measures "unlock over MQTT": an authenticated unlock over HTTP to a lock that responds at once. The whole gateway runs gateway
/// in a separate process, and both records are on the disk. The runs alternate with those of the bare program.
///
/// The bare program's device simulates the locks, so both kinds of runs use the same broker and the same locks.
struct GatewayRoundTrips {
    private static let name = "unlock over MQTT"
    private static let secondsPerRound = 3.0
    private static let inFlight = 64
    /// The number in the topic of the gateway's first lock. The bare program uses lower numbers, so
    /// that the gateway receives no reports for its commands.
    private static let firstTopic = 1_000
    private static let bareCount = 50_000

    let folder: URL
    let rounds: Int

    /// The results of alternating runs.
    private struct Results {
        var bare: [RoundTrips] = []
        var gateway: [LoadResult] = []
        /// The processor time of the gateway for each unlock, in microseconds.
        var cpu: [Double] = []
        /// The time of a flush of the disk during the same runs, in milliseconds.
        var flush: [Double] = []
    }

    func run() async throws {
        let broker = try BenchmarkBroker()
        defer { broker.end() }
        let device = try BareProgram.device(port: broker.port)
        defer { device.killNow() }
        let fixture = try await GatewayFixture.write(
            Fleet(portfolios: 8, way: Self.way), folder: folder, brokerPort: broker.port)
        let gateway = try fixture.serve()
        defer { gateway.stop() }
        let unlocks = try await fixture.commandRequests(["unlock"], tenants: Self.inFlight, on: gateway)
        // With one request at a time, the connection uses all locks in turn, so that no lock exceeds the gateway's rate limit for
        // messages.
        for (inFlight, connections) in [(Self.inFlight, unlocks), (1, [unlocks.flatMap(\.self)])] {
            let plan = LoadPlan(port: gateway.port, seconds: Self.secondsPerRound, connections: connections)
            _ = try await Load.run(plan)
            var results = Results()
            for _ in 0..<rounds { try await runRound(inFlight: inFlight, plan, gateway, broker, &results) }
            report(inFlight: inFlight, results, locks: fixture.fleet.deviceCount)
        }
        Figure(Self.name, "memory of the gateway", gateway.residentMemory / 1_048_576, "MiB").report()
    }

    /// Returns the transport of a lock with the profile `homeassistant`: the lock reports its state in JSON, and the gateway
    /// sends it no state requests.
    private static func way(_ number: Int) -> Fleet.Way {
        let topic = "bench/\(firstTopic + number)"
        return Fleet.Way(
            adapter: "mqtt",
            address: [
                "broker": .string(GatewayFixture.brokerName), "profile": .string("homeassistant"),
                "command_topic": .string("\(topic)/set"),
                "state_topic": .string("\(topic)/state"), "value_template": .string("{{ value_json.state }}"),
            ])
    }

    private func runRound(
        inFlight: Int, _ plan: LoadPlan, _ gateway: ServedGateway, _ broker: BenchmarkBroker, _ results: inout Results
    ) async throws {
        let count = inFlight == 1 ? Self.bareCount / 25 : Self.bareCount
        results.bare.append(try BareProgram.gateway(port: broker.port, inFlight: inFlight, count: count))
        results.flush.append(try FlushTime.median(in: folder))
        let used = gateway.processorSeconds
        let result = try await Load.run(plan)
        results.gateway.append(result)
        results.cpu.append((gateway.processorSeconds - used) * 1e6 / Double(max(1, result.answered)))
    }

    // MARK: Results

    private func report(inFlight: Int, _ results: Results, locks: Int) {
        let name = inFlight == 1 ? "one at a time" : "\(inFlight) in flight"
        let what = "\(locks) locks, medians of \(rounds) rounds of \(Int(Self.secondsPerRound)) s in turns"
        func figure(_ figure: String, _ value: Double, _ unit: String, goal: Double? = nil) {
            Figure(Self.name, "\(figure), \(name)", value, unit, goal: goal, note: what).report()
        }
        figure("bare libmosquitto", results.bare.map(\.rate).median, "round trips/s")
        figure("bare libmosquitto, p50", results.bare.map(\.p50).median / 1e6, "ms")
        figure("bare libmosquitto, p99", results.bare.map(\.p99).median / 1e6, "ms")
        figure("unlocks", results.gateway.map(\.rate).median, "1/s")
        figure("unlocks, p50", results.gateway.map(\.p50).median / 1000, "ms")
        figure("unlocks, p99", results.gateway.map(\.p99).median / 1000, "ms")
        figure("processor time of the gateway for an unlock", results.cpu.median, "µs")
        figure("answers other than 200", Double(results.gateway.reduce(0) { $0 + $1.failed }), "")
        let pairs = zip(results.gateway, results.bare)
        if inFlight == 1 {
            let added = pairs.map { $0.p50 / 1000 - $1.p50 / 1e6 }
            figure("a flush of the disk, p50", results.flush.median, "ms")
            figure("added to the bare round trip, p50", added.median, "ms")
            figure("added beside two flushes, p50", zip(added, results.flush).map { $0 - 2 * $1 }.median, "ms", goal: 1)
        } else {
            figure("ratio to bare libmosquitto", pairs.map { $0.rate / $1.rate }.median, "", goal: 0.5)
        }
    }
}
