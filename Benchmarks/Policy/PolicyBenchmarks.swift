import BenchmarkSupport
import DoorwardDomain
import DoorwardPolicy

/// Runs the benchmarks of the policy module. The arguments are the number of devices and, for a tenancy in which every guest access
/// has a schedule, the word `schedules`.
@main
enum PolicyBenchmarks {
    static func main() {
        Machine().report()
        let hasSchedules = CommandLine.arguments.contains("schedules")
        let world = TenancyFixture(
            deviceCount: CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000, hasSchedules: hasSchedules)
        let before = residentMemory()
        let watch = Stopwatch()
        let directory = world.directory()
        let size =
            "\(world.deviceCount) devices, \(world.userCount) users, \(world.associationCount + world.guestAccessCount) associations and guest accesses"
        Figure("decide", "memory", (residentMemory() - before) / 1_048_576, "MiB", goal: 1024, note: size).report()
        Figure("decide", "building the directory, a change at a time", Double(watch.wall) / 1e9, "s", note: size).report()
        if hasSchedules { return runSchedules(world, directory) }
        DecideBenchmark(directory: directory, questions: Questions(1_000_000, of: world, in: directory, seed: 42)).run()
        WhoCanBenchmark(world: world, directory: directory).run()
        ChangeBenchmark(world: world, directory: directory, name: "\(world.deviceCount) devices").run()
        let small = TenancyFixture(deviceCount: 1000)
        ChangeBenchmark(world: small, directory: small.directory(), name: "1000 devices").run()
    }

    /// Asks the usual requests, and those of guests alone, on a day without a change of the clock and in the night of one.
    private static func runSchedules(_ world: TenancyFixture, _ directory: TenancyDirectory) {
        // 2027-03-28T00:30:00Z, half an hour before the clock of Berlin is set forward.
        let night = Timestamp(milliseconds: 1_806_193_800_000)
        for (name, guestsOnly, instant) in [
            ("schedules, ", false, TenancyFixture.now), ("schedules, guests alone, ", true, TenancyFixture.now),
            ("schedules, guests alone in the night of a change of the clock, ", true, night),
        ] {
            let questions = Questions(1_000_000, of: world, in: directory, seed: 42, guestsOnly: guestsOnly)
            DecideBenchmark(directory: directory, questions: questions, instant: instant, prefix: name).run()
        }
        let watch = Stopwatch()
        var count = 0
        directory.forEachNextEdge(after: TenancyFixture.now) { _, _ in count += 1 }
        Figure("decide", "schedules, the next edges of all accesses", Double(watch.wall) / 1e9, "s", note: "\(count) edges")
            .report()
    }
}
