import BenchmarkFleet
import BenchmarkGateway
import BenchmarkSupport
import Foundation

/// Measures the snapshot of all locks of a gateway of full size, on one stream and on eight at once, and unlocks during this.
struct SnapshotBenchmark {
    private static let name = "stream: snapshot"
    private static let several = 8
    private static let unlockSeconds = 5.0

    let house: House

    func run() async throws {
        let first = try house.start()
        let tokens = try await house.signIn(residents: 0, others: 16, to: first)
        first.stop()
        let gateway = try house.start()
        defer { gateway.stop() }
        let clients = ClientProcess(port: gateway.port)
        for count in [1, Self.several] {
            try await Task.sleep(for: .seconds(1))
            gateway.resetPeakMemory()
            let (before, bytes, used) = (gateway.residentMemory, try await clients.state.bytes, gateway.processorSeconds)
            let watch = Stopwatch()
            let channels = try await clients.open(count, [tokens.owner], ["doors:device:"])
            let seconds = Double(watch.wall) / 1e9
            let processor = gateway.processorSeconds - used
            let what = "\(house.fleet.deviceCount + 1) locks on \(count) streams"
            Figure(Self.name, "\(what): time until all are ready", seconds, "s", cpu: processor).report()
            let sent = Double(try await clients.state.bytes - bytes) / 1_048_576
            Figure(Self.name, "\(what): received", sent, "MiB", note: "\(Int(sent / seconds)) MiB/s").report()
            Figure(
                Self.name, "\(what): peak memory", gateway.peakMemory / 1_048_576, "MiB",
                note: "\(Int(before / 1_048_576)) MiB before, \(Int(gateway.residentMemory / 1_048_576)) MiB after"
            ).report()
            await clients.close(channels)
        }
        try await measureUnlocks(gateway, clients, tokens)
        try await clients.stop()
    }

    private func measureUnlocks(_ gateway: ServedGateway, _ clients: ClientProcess, _ tokens: House.Tokens) async throws {
        let unlocks = zip(house.otherTenants, tokens.others).map { tenant, token in
            tenant.devices.map { LoadPlan.order("unlock", $0, token: token, port: gateway.port) }
        }
        let plan = LoadPlan(port: gateway.port, seconds: Self.unlockSeconds, connections: unlocks, rate: 200)
        let alone = try await Load.run(plan)
        let snapshots = Task {
            while !Task.isCancelled {
                await clients.close(try await clients.open(Self.several, [tokens.owner], ["doors:device:"]))
            }
        }
        let during = try await Load.run(plan)
        snapshots.cancel()
        _ = await snapshots.result
        for (word, result) in [("alone", alone), ("during snapshots on \(Self.several) streams", during)] {
            Figure(Self.name, "unlocks at 200/s \(word), p50", result.p50 / 1000, "ms").report()
            Figure(
                Self.name, "unlocks at 200/s \(word), p99", result.p99 / 1000, "ms",
                note: "longest \(Int(result.longest / 1000)) ms"
            )
            .report()
        }
    }
}
