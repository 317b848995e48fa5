import BenchmarkGateway
import BenchmarkSupport
import Foundation

/// Measures the memory of the gateway for an open stream, and its processor time when all streams are idle.
struct IdleBenchmark {
    private static let name = "stream: idle"
    private static let streams = 4_000
    private static let seconds = 30.0

    let house: House
    let tokens: House.Tokens

    func run() async throws {
        try await measure(["doors:device:", "me:permissions:"], "3 locks and the permissions", isTimed: true)
        try await measure(
            ["d:device:", "u:unit:", "p:property:", "g:guestAccess:", "c:command:", "me:permissions:"],
            "6 names with 6 objects", isTimed: false)
    }

    private func measure(_ names: [String], _ what: String, isTimed: Bool) async throws {
        let gateway = try house.start()
        defer { gateway.stop() }
        let clients = ClientProcess(port: gateway.port)
        // A first stream of each user: what the gateway needs for the first request of a user belongs to no stream.
        await clients.close(try await clients.open(tokens.residents.count, tokens.residents, names))
        try await Task.sleep(for: .seconds(2))
        let before = gateway.residentMemory
        let alone = gateway.processorSeconds
        try await Task.sleep(for: .seconds(isTimed ? 5 : 0))
        if isTimed {
            let used = (gateway.processorSeconds - alone) / 5 * 100
            Figure(Self.name, "processor time without streams", used, "% of a core").report()
        }
        let watch = Stopwatch()
        let channels = try await clients.open(Self.streams, tokens.residents, names)
        Figure(Self.name, "streams opened, until ready", Double(Self.streams) / (Double(watch.wall) / 1e9), "1/s", note: what)
            .report()
        try await Task.sleep(for: .seconds(3))
        let after = gateway.residentMemory
        Figure(
            Self.name, "memory for a stream", (after - before) / Double(Self.streams) / 1024, "KiB", goal: 64,
            note: "\(what); \(Int(before / 1_048_576)) MiB without streams, \(Int(after / 1_048_576)) MiB with \(Self.streams)"
        ).report()
        if isTimed {
            let used = gateway.processorSeconds
            try await Task.sleep(for: .seconds(Self.seconds))
            Figure(
                Self.name, "processor time with \(Self.streams) idle streams",
                (gateway.processorSeconds - used) / Self.seconds * 100, "% of a core"
            ).report()
        }
        let ended = try await clients.state.ended
        if ended > 0 { Figure(Self.name, "streams that ended", Double(ended), "").report() }
        await clients.close(channels)
        try await clients.stop()
    }
}
