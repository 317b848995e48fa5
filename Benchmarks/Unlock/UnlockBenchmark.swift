import BenchmarkFleet
import BenchmarkGateway
import BenchmarkSupport
import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardStore
import Foundation

/// Measures an authenticated unlock over HTTP. Rounds of unlocks and rounds of the bare route
/// alternate. Also reports how the processor time of an unlock is divided among its steps.
struct UnlockBenchmark {
    private static let name = "unlock over HTTP"
    private static let secondsPerRound = 3.0

    let folder: URL
    let rounds: Int

    func run() async throws {
        let gateway = try await GatewayUnderTest.start(folder: folder, fleet: Fleet(portfolios: 8))
        let floorStore = try SQLiteStore.open(
            path: folder.appendingPathComponent("floor.db").path, clock: SystemClock(), logger: quietLogger)
        let bare = try await BareServer.start(store: floorStore)
        let unlocks = try await gateway.unlocks()
        let keyed = try await gateway.unlocks(withIdempotencyKey: true)
        let plans = [
            LoadPlan(
                port: bare.port, seconds: Self.secondsPerRound, connections: unlocks.map { _ in [bare.request("bare")] }),
            LoadPlan(port: gateway.port, seconds: Self.secondsPerRound, connections: unlocks),
            LoadPlan(port: gateway.port, seconds: Self.secondsPerRound, connections: keyed),
            LoadPlan(
                port: bare.port, seconds: Self.secondsPerRound, connections: unlocks.map { _ in [bare.request("floor")] }),
        ]
        var measured = plans.map { _ in Rounds() }
        for plan in plans { _ = try await Round.run(plan, watch: gateway.watch) }
        for _ in 0..<rounds {
            for (index, plan) in plans.enumerated() { measured[index].append(try await Round.run(plan, watch: gateway.watch)) }
        }
        let alone = LoadPlan(port: gateway.port, seconds: Self.secondsPerRound, connections: [unlocks[0]])
        let single = try await Round.run(alone, watch: gateway.watch)
        let half = LoadPlan(
            port: gateway.port, seconds: Self.secondsPerRound, connections: Array(unlocks.prefix(16)), rate: measured[1].rate / 2)
        let paced = try await Round.run(half, watch: gateway.watch)
        report(bare: measured[0], unlock: measured[1], keyed: measured[2], floor: measured[3], single, paced, gateway)
        try await reportShares(bare: measured[0], unlock: measured[1], gateway)
        try await reportBytes(gateway, unlocks)
        await bare.stop()
        try await floorStore.close()
        await gateway.stop()
    }

    /// Reports the growth of a copy of the database, without the write-ahead log, over a round of unlocks.
    private func reportBytes(_ gateway: GatewayUnderTest, _ unlocks: [[String]]) async throws {
        let before = try await copySize(of: gateway.store)
        let plan = LoadPlan(port: gateway.port, seconds: Self.secondsPerRound, connections: unlocks)
        let round = try await Round.run(plan, watch: gateway.watch)
        let growth = try await copySize(of: gateway.store) - before
        figure("bytes on disk for an unlock", growth / Double(max(1, round.result.answered)), "B", goal: 1800)
    }

    private func copySize(of store: SQLiteStore) async throws -> Double {
        let copy = folder.appendingPathComponent("copy-\(UUID().uuidString).db")
        defer { try? FileManager.default.removeItem(at: copy) }
        _ = try await store.backup(to: copy.path)
        return Double(try copy.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
    }

    // MARK: Rates

    private func report(
        bare: Rounds, unlock: Rounds, keyed: Rounds, floor: Rounds, _ single: Round, _ paced: Round, _ gateway: GatewayUnderTest
    ) {
        let what =
            "\(gateway.fleet.tenants.count) connections, \(gateway.fleet.deviceCount) devices, medians of \(rounds) rounds of \(Int(Self.secondsPerRound)) s in turns"
        let ratios = zip(bare.all, unlock.all).map { $1.result.rate / max(1, $0.result.rate) }.sorted()
        let floorRatios = zip(floor.all, unlock.all).map { $1.result.rate / max(1, $0.result.rate) }.sorted()
        figure("bare JSON route", bare.rate, "1/s", note: what)
        figure("bare JSON route, p99", bare.p99 / 1000, "ms")
        figure("unlocks", unlock.rate, "1/s", note: what)
        figure("ratio to the bare route", ratios[ratios.count / 2], "", goal: 0.25)
        figure("durable floor: the bare route that waits for two transactions of one row", floor.rate, "1/s", note: what)
        figure("ratio to the durable floor", floorRatios[floorRatios.count / 2], "", goal: 0.6)
        figure("p50", unlock.p50 / 1000, "ms")
        figure("p99", unlock.p99 / 1000, "ms", goal: 10)
        figure("unlocks with an Idempotency-Key", keyed.rate, "1/s")
        figure("p99 with an Idempotency-Key", keyed.p99 / 1000, "ms")
        figure("answers other than 200", Double(bare.failed + unlock.failed + keyed.failed + floor.failed), "")
        figure("one connection", single.result.rate, "1/s")
        figure("one connection, p50", single.result.p50 / 1000, "ms", goal: 0.6)
        figure("one connection, p99", single.result.p99 / 1000, "ms", goal: 2)
        figure("one connection, longest", single.result.longest / 1000, "ms")
        figure("16 connections at half of the rate, p50", paced.result.p50 / 1000, "ms", note: "\(Int(paced.result.rate))/s")
        figure("16 connections at half of the rate, p99", paced.result.p99 / 1000, "ms", goal: 4)
    }

    private func figure(_ figure: String, _ value: Double, _ unit: String, goal: Double? = nil, note: String? = nil) {
        Figure(Self.name, figure, value, unit, goal: goal, note: note).report()
    }

    // MARK: Shares

    /// Reports the processor time of one unlock, and the share of each step.
    private func reportShares(bare: Rounds, unlock: Rounds, _ gateway: GatewayUnderTest) async throws {
        // An unlock makes two transactions, with one decision and one record each.
        let decision = 2 * decisionTime(gateway)
        let (drafting, sealing) = try await encodingTimes(gateway)
        let statements = 2 * unlock.perTransaction(\.statementsCPU) - 2 * sealing
        let flush = 2 * unlock.perTransaction(\.flushCPU)
        let steps = [
            ("HTTP library (a bare request)", bare.cpu), ("decision", decision),
            ("encoding on the caller's thread", 2 * drafting), ("encoding and sealing on the writer's thread", 2 * sealing),
            ("SQLite statements", statements), ("flush", flush),
        ]
        let rest = unlock.cpu - bare.cpu - decision - 2 * (drafting + sealing) - statements - flush
        figure("processor time of an unlock", unlock.cpu, "µs")
        for (step, time) in steps + [("rest: routes, rendering, queues, tasks", rest)] {
            figure("share: \(step)", time, "µs", note: "\(Int(100 * time / unlock.cpu)) %")
        }
        figure(
            "transactions in a flush", unlock.median { Double($0.writer.transactions) / Double(max(1, $0.writer.flushes)) }, "")
        figure("one flush", unlock.median { Double($0.writer.flushWall) / 1e6 / Double(max(1, $0.writer.flushes)) }, "ms")
        figure("time in flushes", unlock.median { 100 * Double($0.writer.flushWall) / 1e9 / $0.result.seconds }, "%")
        figure(
            "time in the writer beside flushes",
            unlock.median { 100 * Double($0.writer.statementsWall) / 1e9 / $0.result.seconds },
            "%")
    }

    private func decisionTime(_ gateway: GatewayUnderTest) -> Double {
        let (directory, now) = (gateway.control.directory.current, gateway.control.clock.now())
        let pairs = gateway.fleet.tenants.flatMap { tenant in tenant.devices.map { (tenant.user.id, $0) } }
        var allowed = 0
        let watch = Stopwatch()
        for index in 0..<100_000 {
            let (user, device) = pairs[index % pairs.count]
            let decision = SecurityService.decide(
                .user(user), .unlock, on: device, at: .trusted(now), override: false, in: directory)
            allowed += decision.isAllowed ? 1 : 0
        }
        precondition(allowed == 100_000, "every decision of the measurement is a permission")
        return Double(watch.cpu) / 1000 / 100_000
    }

    /// Returns the processor time of one record's draft, and of completing it for a position in its log, in microseconds.
    private func encodingTimes(_ gateway: GatewayUnderTest) async throws -> (drafting: Double, sealing: Double) {
        let scope = gateway.control.directory.current.portfolioIDs.map { RecordScope.portfolioLog($0) }
        let records = try await gateway.store.page(RecordQuery(scopes: scope, limit: 200)).records
        var random = SystemRandomNumberGenerator()
        let key = PersonKey(using: &random)
        let turns = 100
        var drafts: [(RecordDraft, UInt64)] = []
        let drafting = Stopwatch()
        for _ in 0..<turns { drafts = try records.map { (try RecordDraft(fitting: $0.body), $0.seq) } }
        let draftTime = Double(drafting.cpu) / 1000 / Double(turns * records.count)
        let sealing = Stopwatch()
        for _ in 0..<turns { for (draft, seq) in drafts { _ = try draft.encoded(seq: seq) { _ in key } } }
        return (draftTime, Double(sealing.cpu) / 1000 / Double(turns * records.count))
    }
}
