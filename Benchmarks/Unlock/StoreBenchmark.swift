import BenchmarkFleet
import BenchmarkSupport
import DoorwardControl
import DoorwardDomain
import DoorwardStore
import Foundation

/// Measures the store alone: 64 callers that repeatedly write the two transactions of an unlock.
struct StoreBenchmark {
    private static let callers = 64
    private static let seconds = 3.0

    let folder: URL
    let rounds: Int

    func run() async throws {
        let (clock, random, watch) = (SystemClock(), RandomSource(), WriterWatch())
        let fleet = Fleet(portfolios: 8)
        let store = try SQLiteStore.open(
            path: folder.appendingPathComponent("store.db").path, clock: clock, logger: quietLogger, hooks: watch.hooks)
        _ = try await store.commit(StoreTransaction(changes: fleet.changes))
        var (rates, perRecord, latencies): ([Double], [Double], [UInt64]) = ([], [], [])
        for _ in 0...rounds {
            _ = watch.take()
            let end = Stopwatch.now() + UInt64(Self.seconds * 1e9)
            latencies = try await withThrowingTaskGroup(of: [UInt64].self) { group in
                for index in 0..<Self.callers {
                    let writer = CommandWriter(
                        tenant: fleet.tenants[index], device: fleet.devices[index], store: store, clock: clock, random: random)
                    group.addTask { try await writer.write(until: end) }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let counts = watch.take()
            rates.append(Double(latencies.count) / Self.seconds)
            perRecord.append(Double(counts.statementsCPU + counts.flushCPU) / 1000 / Double(max(1, counts.transactions)))
        }
        try await store.close()
        report(rates: rates, perRecord: perRecord, latencies: &latencies)
    }

    /// Reports the results. The rates leave out the first round, which is a warm-up.
    private func report(rates: [Double], perRecord: [Double], latencies: inout [UInt64]) {
        let what = "\(Self.callers) callers, each transaction one record and one command; medians of \(rounds) rounds"
        Figure("store", "transactions", rates.dropFirst().sorted()[rounds / 2], "1/s", note: what).report()
        Figure("store", "writer's processor time for a record", perRecord.dropFirst().sorted()[rounds / 2], "µs").report()
        Figure("store", "commit, p50", Double(percentile(0.5, of: &latencies)) / 1e6, "ms").report()
        Figure("store", "commit, p99", Double(percentile(0.99, of: &latencies)) / 1e6, "ms").report()
    }
}

/// Writes intents and outcomes like the control layer for an unlock.
private struct CommandWriter {
    let tenant: Fleet.Tenant
    let device: LockDevice
    let store: SQLiteStore
    let clock: SystemClock
    let random: RandomSource

    func write(until end: UInt64) async throws -> [UInt64] {
        var times: [UInt64] = []
        while Stopwatch.now() < end {
            var command = newCommand()
            let (intent, start) = (record(of: command, .commandIntent), Stopwatch.now())
            _ = try await store.commit(
                StoreTransaction(commands: [.begin(command, intent: 0)], records: [intent]))
            times.append(Stopwatch.now() - start)
            (command.state, command.sent, command.completedAt) = (.confirmed, true, clock.now())
            let (outcome, next) = (record(of: command, .commandOutcome), Stopwatch.now())
            _ = try await store.commit(StoreTransaction(commands: [.end(command)], records: [outcome]))
            times.append(Stopwatch.now() - next)
        }
        return times
    }

    private func newCommand() -> Command {
        let now = clock.now()
        return Command(
            id: random.id(at: now), deviceID: device.id, operation: .unlock, actor: RecordActor(tenant.user), source: .api,
            reason: nil,
            override: nil, rule: .association(random.id(at: now), .tenant), stateBefore: .locked, requestedAt: now,
            deadline: now.advanced(by: .seconds(10)))
    }

    private func record(of command: Command, _ kind: RecordKind) -> PendingRecord {
        let (now, log) = (clock.now(), device.portfolioID.map { LogID.portfolio($0) } ?? .gateway)
        return PendingRecord(
            RecordBody(
                log: log, id: random.id(at: now), at: now, kind: kind, actor: command.actor, source: .api, operation: .unlock,
                decision: .allowed, rule: command.rule, clientAddress: "127.0.0.1",
                requestID: "0123456789abcdef0123456789abcdef", device: DeviceSnapshot(device), commandID: command.id))
    }
}
