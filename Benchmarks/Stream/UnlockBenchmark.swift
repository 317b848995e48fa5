import BenchmarkFleet
import BenchmarkGateway
import BenchmarkSupport
import DoorwardDomain
import Foundation
import NIOHTTP1

/// Measures unlocks of one portfolio without streams, with 4,000 idle streams of another, and with 1,000 of them that all receive
/// ten changes a second, in rounds in turn.
struct UnlockBenchmark {
    private static let rounds = 5
    private static let seconds = 2.5
    private static let pacedRate = 1_000.0
    private static let names = ["doors:device:", "me:permissions:"]
    private static let changesPerSecond = 10

    let house: House
    let tokens: House.Tokens

    private enum Beside: String, CaseIterable {
        case alone = "no stream"
        case idle = "4,000 idle streams"
        case busy = "1,000 streams with ten changes a second each"

        var streams: Int {
            switch self {
            case .alone: 0
            case .idle: 4_000
            case .busy: 1_000
            }
        }
    }

    private struct Round {
        let full: LoadResult
        let paced: LoadResult
        /// Events that all streams received per second.
        let events: Double
    }

    func run() async throws {
        let gateway = try house.start()
        defer { gateway.stop() }
        let clients = ClientProcess(port: gateway.port)
        let unlocks = zip(house.otherTenants, tokens.others).map { tenant, token in
            tenant.devices.map { LoadPlan.order("unlock", $0, token: token, port: gateway.port) }
        }
        let full = LoadPlan(port: gateway.port, seconds: Self.seconds, connections: unlocks)
        let paced = LoadPlan(
            port: gateway.port, seconds: Self.seconds, connections: Array(unlocks.prefix(16)), rate: Self.pacedRate)
        _ = try await Load.run(full)
        var measured: [Beside: [Round]] = [:]
        for _ in 0..<Self.rounds {
            for beside in Beside.allCases {
                let children = (try Load.Child(), try Load.Child())
                let channels = try await clients.open(beside.streams, tokens.residents, Self.names)
                let toggling = beside == .busy ? Task { try await toggle(clients) } : nil
                try await Task.sleep(for: .milliseconds(500))
                let (before, watch) = (try await clients.state.changes, Stopwatch())
                let (first, second) = (try await children.0.run(full), try await children.1.run(paced))
                let events = Double(try await clients.state.changes - before) / (Double(watch.wall) / 1e9)
                measured[beside, default: []].append(Round(full: first, paced: second, events: events))
                toggling?.cancel()
                _ = await toggling?.result
                await clients.close(channels)
            }
        }
        report(measured)
        try await clients.stop()
    }

    /// Unlocks and locks the front door, which all streams show, until the task is cancelled.
    private func toggle(_ clients: ClientProcess) async throws {
        let channel = try await clients.connect()
        var next = ContinuousClock.now
        var isUnlock = true
        while !Task.isCancelled {
            let path = "/api/v1/devices/\(house.frontDoor.id)/\(isUnlock ? "unlock" : "lock")"
            try await clients.send(Call(method: .POST, path: path, token: tokens.owner), over: channel)
            isUnlock.toggle()
            next += .milliseconds(1000 / Self.changesPerSecond)
            try await Task.sleep(until: next, clock: .continuous)
        }
    }

    private func report(_ measured: [Beside: [Round]]) {
        for beside in Beside.allCases {
            guard let rounds = measured[beside], let base = measured[.alone] else { continue }
            report("64 connections", beside, rounds.map(\.full), base.map(\.full))
            report("16 connections, 1,000/s", beside, rounds.map(\.paced), base.map(\.paced))
            Figure("stream: unlocks", "\(beside.rawValue): events received", median(rounds.map(\.events)), "1/s").report()
        }
    }

    private func report(_ load: String, _ beside: Beside, _ results: [LoadResult], _ base: [LoadResult]) {
        let what = "\(load), beside \(beside.rawValue)"
        func figure(_ figure: String, _ value: Double, _ unit: String, goal: Double? = nil) {
            Figure("stream: unlocks", "\(what): \(figure)", value, unit, goal: goal).report()
        }
        func ratio(_ value: (LoadResult) -> Double) -> Double {
            median(zip(results, base).map { value($0) / max(value($1), 1e-9) })
        }
        figure("rate", median(results.map(\.rate)), "1/s")
        figure("p50", median(results.map(\.p50)) / 1000, "ms")
        figure("p99", median(results.map(\.p99)) / 1000, "ms")
        figure("answers other than 200", results.reduce(0) { $0 + Double($1.failed) }, "")
        guard beside != .alone else { return }
        figure("rate relative to none", ratio(\.rate), "times")
        figure("p50 relative to none", ratio(\.p50), "times")
        figure("p99 relative to none", ratio(\.p99), "times", goal: 2)
    }
}
