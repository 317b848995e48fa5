import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Testing

/// Simulates random days of complete gateways: commands, changes of rights, failing locks and stores, stops and crashes.
@Suite struct CampaignTests {
    static let seeds: UInt64 = 1_500

    @Test("each command has one intent before it is sent and one outcome, and none is sent twice, late or without a right")
    func campaign() throws {
        var reach = CampaignReach()
        var failures: [String] = []
        for seed in 0..<Self.seeds {
            let checks: CampaignChecks
            do {
                checks = try Self.run(seed: seed)
            } catch {
                failures.append("seed \(seed): \(error)")
                continue
            }
            let violations = checks.violations()
            if !violations.isEmpty { failures.append("seed \(seed): \(violations.prefix(3).joined(separator: "; "))") }
            reach.add(checks)
        }
        #expect(failures.prefix(10).isEmpty)
        for word in CampaignReach.wanted {
            #expect(reach.counts[word, default: 0] > 20, "reached too rarely: \(word) in \(reach.counts)")
        }
        #expect(reach.counts["refused otherwise", default: 0] == 0)
    }

    /// Runs one campaign: up to three runs of the gateway over one store, and a last run without requests.
    static func run(seed: UInt64) throws -> CampaignChecks {
        let clock = VirtualClock()
        let executor = SeededExecutor(seed: seed, clock: clock)
        return try executor.run(stepLimit: 200_000) {
            var random = SeededGenerator(seed: seed ^ 0xD00D)
            let house = CampaignHouse(using: &random, createdAt: clock.now())
            let trace = CampaignTrace()
            var store = InMemoryStore(suspensions: Int.random(in: 0...2, using: &random))
            _ = try await store.commit(StoreTransaction(changes: house.changes))
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let run = try await CampaignRun(
                    house: house, store: store, clock: clock, executor: executor, trace: trace, seed: random.next())
                try await live(run, using: &random)
                store = store.reopened()
            }
            let last = try await CampaignRun(
                house: house, store: store, clock: clock, executor: executor, trace: trace, seed: random.next())
            await last.settle()
            await last.control.stop()
            return try await CampaignChecks(house: house, trace: trace.content, store: store)
        }
    }

    private static func live(_ run: CampaignRun, using random: inout SeededGenerator) async throws {
        for device in run.house.devices { run.adapter.set(CampaignStep.behaviour(using: &random), for: device) }
        let users = (0..<Int.random(in: 4...20, using: &random)).map { _ in
            let wait = Duration.milliseconds(Int64.random(in: 0...3000, using: &random))
            let step = CampaignStep.draw(in: run.house, using: &random)
            return Task(executorPreference: run.executor) {
                await run.sleep(wait)
                await run.take(step)
            }
        }
        await run.sleep(.milliseconds(Int64.random(in: 500...5000, using: &random)))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: break  // The process crashes without ending anything.
        case 1:
            await run.control.stop(gracePeriod: .seconds(Int64.random(in: 0...5, using: &random)))
            for user in users { await user.value }
        default:
            await run.settle()
            for user in users { await user.value }
            await run.control.stop()
        }
    }
}
