import BenchmarkSupport
import Dispatch
import DoorwardDomain
import DoorwardPolicy
import Foundation
import Synchronization

/// Measures `decide`: the rate, the slowest calls, and the gain from a second core.
struct DecideBenchmark {
    let directory: TenancyDirectory
    let questions: Questions
    /// When the requests are made.
    var instant = TenancyFixture.now
    /// Text before the names of the figures.
    var prefix = ""

    func run() {
        let instant = instant
        report("from ids", goal: 1_000_000, count: questions.byID.count) { directory, range in
            Self.askByID(questions.byID, range, instant, directory)
        }
        report("resolved", goal: 10_000_000, count: questions.resolved.count) { directory, range in
            Self.askResolved(questions.resolved, range, instant, directory)
        }
        reportLatency()
    }

    /// Measures one core, then two with half of the access requests each. Reports the best of five rounds, because other work on
    /// the machine can only slow them.
    private func report(_ name: String, goal: Double, count: Int, ask: @Sendable (TenancyDirectory, Range<Int>) -> Int) {
        var (wall, cpu) = (UInt64.max, UInt64.max)
        var (pairWall, pairCPU) = (UInt64.max, UInt64.max)
        var allowed = 0
        for _ in 0..<5 {
            let watch = Stopwatch()
            allowed = ask(directory, 0..<count)
            (wall, cpu) = (min(wall, watch.wall), min(cpu, watch.cpu))
            let pair = onTwoCores(count, ask)
            (pairWall, pairCPU) = (min(pairWall, pair.wall), min(pairCPU, pair.cpu))
        }
        let rate = { (nanoseconds: UInt64) in Double(count) / Double(nanoseconds) * 1e9 }
        let share = String(format: "%.1f %% allowed", Double(allowed) / Double(count) * 100)
        Figure("decide", prefix + name, rate(wall), "decisions/s", goal: goal, cpu: rate(cpu), note: share).report()
        Figure(
            "decide", "\(prefix)\(name), two cores beside one", Double(wall) / Double(pairWall), "times", goal: 1.9,
            cpu: 2 * Double(cpu) / Double(pairCPU)
        ).report()
    }

    /// Measures the wall time until both cores are done, and the processor time of both together.
    private func onTwoCores(_ count: Int, _ ask: @Sendable (TenancyDirectory, Range<Int>) -> Int) -> (wall: UInt64, cpu: UInt64) {
        let cpu = Mutex<UInt64>(0)
        let directory = directory
        let watch = Stopwatch()
        DispatchQueue.concurrentPerform(iterations: 2) { half in
            let own = Stopwatch()
            blackHole(ask(directory, half * count / 2..<(half + 1) * count / 2))
            cpu.withLock { $0 += own.cpu }
        }
        return (watch.wall, cpu.withLock { $0 })
    }

    private func reportLatency() {
        var samples: [UInt64] = []
        samples.reserveCapacity(questions.byID.count)
        for index in questions.byID.indices {
            let start = Stopwatch.now()
            blackHole(Self.askByID(questions.byID, index..<index + 1, instant, directory))
            samples.append(Stopwatch.now() - start)
        }
        Figure("decide", prefix + "from ids, p99", Double(percentile(0.99, of: &samples)) / 1000, "µs", goal: 5).report()
        Figure("decide", prefix + "from ids, p50", Double(percentile(0.5, of: &samples)) / 1000, "µs").report()
    }

    /// Returns the number of allowed requests.
    @inline(never)
    private static func askByID(
        _ questions: [Questions.ByID], _ range: Range<Int>, _ instant: Timestamp, _ directory: TenancyDirectory
    ) -> Int {
        var allowed = 0
        for index in range {
            let question = questions[index]
            let decision = SecurityService.decide(
                .user(question.user), question.operation, on: question.device, at: .trusted(instant), override: false,
                in: directory)
            if decision.isAllowed { allowed += 1 }
        }
        return allowed
    }

    @inline(never)
    private static func askResolved(
        _ questions: [Questions.Resolved], _ range: Range<Int>, _ instant: Timestamp, _ directory: TenancyDirectory
    ) -> Int {
        var allowed = 0
        for index in range {
            let decision = SecurityService.decide(
                questions[index].subject, questions[index].operation, on: questions[index].device, at: .trusted(instant),
                override: false, in: directory)
            if decision.isAllowed { allowed += 1 }
        }
        return allowed
    }
}

/// Prevents the compiler from removing work whose result is not used.
@inline(never)
func blackHole(_ value: some Any) {}
